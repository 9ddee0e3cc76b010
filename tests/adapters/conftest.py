"""Clients of each kind of server, and tables that no other test has touched."""

from collections.abc import AsyncIterator
from itertools import count
from typing import Final

import pytest
from redis.asyncio import Redis

from spades_adapters.redis.connect import Clients, connect
from spades_adapters.redis.store import RedisEventStore

NUMBERS: Final = count(1)


@pytest.fixture
def table() -> str:
    return f"table-{next(NUMBERS)}"


@pytest.fixture
async def clients(redis_url: str) -> AsyncIterator[Clients]:
    clients = connect(redis_url)
    yield clients
    await clients.aclose()


@pytest.fixture
def redis_store(clients: Clients) -> RedisEventStore:
    return RedisEventStore(clients)


@pytest.fixture
def redis(clients: Clients) -> Redis:
    """A look at the server behind the adapters' backs."""
    return clients.reader

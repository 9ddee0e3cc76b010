"""Counts that replicas share: on every server a rate is the same for all of them together."""

from collections.abc import AsyncIterator
from typing import Final

import pytest

from spades_adapters.redis.connect import connect
from spades_adapters.redis.tallies import RedisTallies
from spades_service.guards import Limiter, Rate, TooMany
from spades_service.ports import StoreUnavailable

RATE: Final = Rate("things", 10, 60)


@pytest.fixture
async def replicas(redis_url: str) -> AsyncIterator[tuple[RedisTallies, RedisTallies]]:
    """Two processes on one server."""
    here, there = connect(redis_url), connect(redis_url)
    yield RedisTallies(here), RedisTallies(there)
    await here.aclose()
    await there.aclose()


async def test_what_one_replica_lets_through_counts_at_the_other(
    replicas: tuple[RedisTallies, RedisTallies],
) -> None:
    here, there = replicas
    assert [await tallies.spend(RATE, "ann", 4) for tallies in (here, there)] == [0, 0]
    wait = await here.spend(RATE, "ann", 4)
    assert 0 < wait <= 2 * RATE.seconds
    assert await there.spend(RATE, "ann", 2) == 0
    assert await there.spend(RATE, "ann", 1) > 0


async def test_each_is_counted_apart(replicas: tuple[RedisTallies, RedisTallies]) -> None:
    here, _ = replicas
    assert await here.spend(RATE, "ann", 10) == 0
    assert await here.spend(RATE, "bob", 10) == 0
    assert await here.spend(Rate("other things", 10, 60), "ann", 10) == 0


async def test_two_replicas_let_through_a_share_each_above_the_rate_and_no_more(
    replicas: tuple[RedisTallies, RedisTallies],
) -> None:
    through = 0
    for tallies in replicas:
        limiter = Limiter(tallies)
        for _ in range(100):
            try:
                await limiter.admit(RATE, "ann")
            except TooMany:
                break
            through += 1
    assert RATE.most <= through <= RATE.most + 2 * RATE.share


async def test_a_server_that_is_gone_is_unavailable() -> None:
    clients = connect("redis://127.0.0.1:1/0")
    with pytest.raises(StoreUnavailable):
        await RedisTallies(clients).spend(RATE, "ann", 1)
    await clients.aclose()

"""What a played card costs in Redis."""

import secrets
from typing import Final

from redis.asyncio import Redis

from spades.events import CardPlayed
from spades_adapters.redis import keys
from spades_service.ports import Append, EventStore
from support.rounds import commands

ROUNDS: Final = 40
CARDS: Final = 52 * ROUNDS
KEY_BYTES: Final = 24


async def bytes_per_card(store: EventStore, redis: Redis, table: str) -> float:
    """The difference between many rounds with their cards and without, by MEMORY USAGE."""
    played = await _weigh(store, redis, table, cards=True)
    without = await _weigh(store, redis, f"{table}-without", cards=False)
    return (played - without) / CARDS


async def _weigh(store: EventStore, redis: Redis, table: str, *, cards: bool) -> int:
    version, at = 0, 1_764_550_000_000
    for number in range(ROUNDS):
        for events in commands(number):
            kept = tuple(event for event in events if cards or not isinstance(event, CardPlayed))
            at += 1_700
            if kept:
                append = Append(table, version, at, secrets.token_bytes(KEY_BYTES), kept)
                version = (await store.append(append)).version
    return int(await redis.memory_usage(keys.stream(table), samples=0) or 0)

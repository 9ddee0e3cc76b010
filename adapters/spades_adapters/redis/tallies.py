"""What somebody does, counted for all replicas together in a sliding window."""

import time
from math import ceil
from typing import Any, Final, Protocol

from limits import RateLimitItemPerSecond
from limits.aio.storage import RedisStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter
from redis.exceptions import RedisError

from spades_adapters.redis.connect import Clients
from spades_service.ports import StoreUnavailable

PREFIX: Final = "spades:rate"


class Rate(Protocol):
    """So many of something in so many seconds."""

    @property
    def what(self) -> str: ...

    @property
    def most(self) -> int: ...

    @property
    def seconds(self) -> int: ...


class RedisTallies:
    """Counts in Redis; a count that nobody adds to is forgotten by itself."""

    def __init__(self, clients: Clients) -> None:
        # The store is asked by the client that we have; what the library would open is never used.
        pool: Any = clients.reader.connection_pool
        storage = RedisStorage(
            "async+redis://", implementation="redispy", key_prefix=PREFIX, connection_pool=pool
        )
        self._limiter = SlidingWindowCounterRateLimiter(storage)

    async def spend(self, rate: Rate, who: str, amount: int) -> int:
        item = RateLimitItemPerSecond(rate.most, rate.seconds, rate.what)
        try:
            if await self._limiter.hit(item, who, cost=amount):
                return 0
            stats = await self._limiter.get_window_stats(item, who)
        except RedisError as error:
            raise StoreUnavailable("the counts of the replicas are out of reach") from error
        return max(1, ceil(stats.reset_time - time.time()))

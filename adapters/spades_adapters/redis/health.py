"""Whether the Redis server answers."""

from redis.exceptions import RedisError

from spades_adapters.redis.connect import Clients
from spades_service.ports import StoreUnavailable


class RedisHealth:
    """Asks as the writer asks: once, and not for long."""

    def __init__(self, clients: Clients) -> None:
        self._writer = clients.writer
        self._calls = clients.calls

    async def check(self) -> None:
        try:
            await self._calls.to_the_end(self._writer.ping())
        except RedisError as error:
            raise StoreUnavailable("the store does not answer") from error

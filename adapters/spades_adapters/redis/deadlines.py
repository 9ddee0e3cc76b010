"""Tables that are due, over all partitions."""

from collections.abc import Sequence

from redis.exceptions import RedisError

from spades_adapters.redis import keys
from spades_adapters.redis.connect import Clients
from spades_service.ports import StoreUnavailable


class RedisDeadlines:
    """Asks every partition in one round trip."""

    def __init__(self, clients: Clients) -> None:
        self._reader = clients.reader
        self._calls = clients.calls

    async def due(self, now: int, limit: int) -> Sequence[str]:
        return await self._calls.to_the_end(self._due(now, limit))

    async def _due(self, now: int, limit: int) -> Sequence[str]:
        pipeline = self._reader.pipeline(transaction=False)
        for key in keys.every_deadlines():
            _ = pipeline.zrange(key, 0, now, byscore=True, offset=0, num=limit, withscores=True)
        try:
            found = await pipeline.execute()
        except RedisError as error:
            raise StoreUnavailable("the store does not answer") from error
        due = sorted((when, table) for partition in found for table, when in partition)
        return [table.decode() for _, table in due[:limit]]

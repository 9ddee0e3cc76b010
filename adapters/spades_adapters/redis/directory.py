"""Players' names in Redis: one plain key for each player."""

from collections.abc import Collection, Mapping
from typing import cast

from redis.exceptions import RedisError

from spades_adapters.redis import keys
from spades_adapters.redis.connect import Clients
from spades_service.ports import StoreUnavailable


class RedisDirectory:
    """The directory on a Redis or Valkey server."""

    def __init__(self, clients: Clients) -> None:
        self._writer = clients.writer
        self._reader = clients.reader
        self._calls = clients.calls

    async def save(self, player: str, name: str) -> None:
        try:
            await self._calls.to_the_end(self._writer.set(keys.player(player), name))
        except RedisError as error:
            raise StoreUnavailable("the name may not have been saved: save it again") from error

    async def names(self, players: Collection[str]) -> Mapping[str, str]:
        if not players:
            return {}
        try:
            names = await self._calls.to_the_end(
                self._reader.mget([keys.player(player) for player in players])
            )
        except RedisError as error:
            raise StoreUnavailable("the names cannot be read now") from error
        return {
            player: name.decode()
            for player, name in zip(players, cast("list[bytes | None]", names), strict=True)
            if name is not None
        }

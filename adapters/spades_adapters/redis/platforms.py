"""Platforms and their keys in Redis: three keys that share a slot, since a platform is read seldom.

A key's end stands beside the key, as a score that only ever falls: so the earliest end holds
whatever order the revocations come in.
"""

from collections.abc import Awaitable, Sequence
from typing import Any, Final, TypeVar

import msgspec
from msgspec.structs import replace
from redis.exceptions import RedisError

from spades_adapters.redis.connect import Clients
from spades_service.platforms import Platform, PlatformKey
from spades_service.ports import StoreUnavailable

PLATFORMS: Final = "spades:{platforms}:named"
KEYS: Final = "spades:{platforms}:keys"
REVOKED: Final = "spades:{platforms}:revoked"

Result = TypeVar("Result")

_PLATFORM: Final = msgspec.json.Decoder(Platform)
_KEY: Final = msgspec.json.Decoder(PlatformKey)


class RedisPlatforms:
    """Platforms and keys on a Redis or Valkey server."""

    def __init__(self, clients: Clients) -> None:
        self._writer = clients.writer
        self._reader = clients.reader
        self._calls = clients.calls

    async def add(self, platform: Platform) -> None:
        await self._answer(self._writer.hset(PLATFORMS, platform.id, _written(platform)))

    async def all(self) -> Sequence[Platform]:
        held: list[bytes] = await self._answer(self._reader.hvals(PLATFORMS))
        return sorted(map(_PLATFORM.decode, held), key=_age)

    async def find(self, platform: str) -> Platform | None:
        held: bytes | None = await self._answer(self._reader.hget(PLATFORMS, platform))
        return None if held is None else _PLATFORM.decode(held)

    async def add_key(self, key: PlatformKey) -> None:
        await self._answer(self._writer.hset(KEYS, key.id, _written(key)))

    async def keys(self, platform: str) -> Sequence[PlatformKey]:
        pipeline = self._reader.pipeline(transaction=False)
        _ = pipeline.hvals(KEYS)
        _ = pipeline.zrange(REVOKED, 0, -1, withscores=True)
        held, ended = await self._answer(pipeline.execute())
        ends = {id_.decode(): end for id_, end in ended}
        keys = [_ended(key, ends.get(key.id)) for key in map(_KEY.decode, held)]
        theirs = [key for key in keys if key.platform == platform]
        return sorted(theirs, key=_age)

    async def key(self, id: str) -> PlatformKey | None:  # noqa: A002
        pipeline = self._reader.pipeline(transaction=False)
        _ = pipeline.hget(KEYS, id)
        _ = pipeline.zscore(REVOKED, id)
        held, end = await self._answer(pipeline.execute())
        return None if held is None else _ended(_KEY.decode(held), end)

    async def revoke(self, key: str, at: int) -> None:
        await self._answer(self._writer.zadd(REVOKED, {key: at}, lt=True))

    async def _answer(self, call: Awaitable[Result]) -> Any:
        try:
            return await self._calls.to_the_end(call)
        except RedisError as error:
            raise StoreUnavailable("the store does not answer") from error


def _written(struct: Platform | PlatformKey) -> str:
    return msgspec.json.encode(struct).decode()


def _ended(key: PlatformKey, end: float | None) -> PlatformKey:
    return key if end is None else replace(key, revoked=int(end))


def _age(made: Platform | PlatformKey) -> tuple[int, str]:
    return made.created, made.id

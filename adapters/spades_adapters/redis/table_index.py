"""Shelves of tables in Redis: a sorted set for each, ordered by its members alone.

A member is the place in 13 digits and the table's id after it, and every score is 0: so a page
begins behind any member, one that has been taken off as well.
"""

from collections.abc import Awaitable, Collection, Sequence
from typing import Any, Final, TypeVar

from redis.exceptions import RedisError

from spades_adapters.redis import keys
from spades_adapters.redis.connect import Clients
from spades_service.ports import Listed, StoreUnavailable

DIGITS: Final = 13
"""Enough for milliseconds until the year 2286."""

Result = TypeVar("Result")


class RedisTableIndex:
    """The index on a Redis or Valkey server."""

    def __init__(self, clients: Clients) -> None:
        self._writer = clients.writer
        self._reader = clients.reader
        self._calls = clients.calls

    async def add(
        self, shelves: Collection[str], listed: Listed, *, seconds: int | None = None
    ) -> None:
        pipeline = self._writer.pipeline(transaction=False)
        for key in map(keys.shelf, shelves):
            _ = pipeline.zadd(key, {_member(listed): 0})
            if seconds is not None:
                _ = pipeline.expire(key, seconds)
        await self._answer(pipeline.execute())

    async def remove(self, shelf: str, listed: Collection[Listed]) -> None:
        if listed:
            await self._answer(self._writer.zrem(keys.shelf(shelf), *map(_member, listed)))

    async def page(
        self, shelf: str, count: int, *, beyond: Listed | None = None, ascending: bool = False
    ) -> Sequence[Listed]:
        lowest, highest = ("-", "+") if beyond is None else 2 * (f"({_member(beyond)}",)
        start, end = (lowest, "+") if ascending else (highest, "-")
        found = await self._answer(
            self._reader.zrange(
                keys.shelf(shelf), start, end, desc=not ascending, bylex=True, offset=0, num=count
            )
        )
        return [_listed(member) for member in found]

    async def _answer(self, call: Awaitable[Result]) -> Any:
        try:
            return await self._calls.to_the_end(call)
        except RedisError as error:
            raise StoreUnavailable("the store does not answer") from error


def _member(listed: Listed) -> str:
    return f"{listed.place:0{DIGITS}d}{listed.table}"


def _listed(member: bytes) -> Listed:
    text = member.decode()
    return Listed(int(text[:DIGITS]), text[DIGITS:])

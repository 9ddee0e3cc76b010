"""Every table's events in Redis: a stream for each table, with entry IDs `<version>-0`.

An entry has the fields `t` (the event's type), `c` (the command's key, empty on the later events of
a command), `w` (when, in milliseconds since 1970 UTC) and `b` (the body).
"""

from collections.abc import Mapping, Sequence
from hashlib import sha1
from pathlib import Path
from typing import Final, cast

from redis.exceptions import NoScriptError, RedisError, ResponseError

from spades_adapters.codec import decode, encode
from spades_adapters.redis import keys
from spades_adapters.redis.connect import Clients
from spades_adapters.settling import settle
from spades_service.ports import (
    Append,
    Appended,
    BrokenHistory,
    Recorded,
    StoreUnavailable,
    VersionConflict,
)

SCRIPT: Final = Path(__file__).with_name("append.lua").read_text(encoding="utf-8")
SCRIPT_NAME: Final = sha1(SCRIPT.encode(), usedforsecurity=False).hexdigest()

KEYS: Final = 3
"""How many keys the script takes: the stream, and its partition's feed and deadlines."""

FEED_LENGTH: Final = 10_000
"""How many entries of a feed are kept at least. It tells a follower where to look; what happened is
in the streams, for ever."""

SENDS: Final = 3
"""How often an append is sent at most. It compares before it writes, so it can be sent again, but
only where the store says that it has not been written."""

BROKEN: Final = {
    b"short": "its stream ends before the version expected",
    b"torn": "its stream does not end as it was written",
    b"hole": "its stream has a hole",
    b"foreign": "its stream, or what its partition keeps beside it, is a key of another type",
}
"""What the script found wrong."""

Entry = tuple[bytes, Mapping[bytes, bytes]]

PAGE: Final = 1_000
"""How many entries are read at a time: a whole game mostly, and less than a millisecond of the
server's time."""


class RedisEventStore:
    """The event store on a Redis or Valkey server."""

    def __init__(self, clients: Clients) -> None:
        self._writer = clients.writer
        self._reader = clients.reader
        self._calls = clients.calls

    async def append(self, append: Append) -> Appended:
        return await self._calls.to_the_end(self._append(append))

    async def read(
        self, table: str, after: int = 0, limit: int | None = None
    ) -> Sequence[Recorded]:
        return await self._calls.to_the_end(self._read(table, after, limit))

    async def _append(self, append: Append) -> Appended:
        arguments = _arguments(append)
        failure: RedisError | None = None
        for _ in range(SENDS):
            try:
                outcome, version = await self._run(arguments)
            except RedisError as error:
                failure = error
                behind = await self._read(append.table, append.expected, None)
                if settled := settle(append, behind):
                    return settled
            else:
                return _answer(append.table, outcome, version)
        raise StoreUnavailable(
            "the store does not take the events: send the command again"
        ) from failure

    async def _run(self, arguments: Sequence[bytes | str | int]) -> tuple[bytes, int]:
        try:
            reply = await self._writer.evalsha(SCRIPT_NAME, KEYS, *arguments)
        except NoScriptError:
            reply = await self._writer.eval(SCRIPT, KEYS, *arguments)
        outcome, version = reply
        return outcome, version

    async def _read(self, table: str, after: int, limit: int | None) -> list[Recorded]:
        recorded: list[Recorded] = []
        while (wanted := PAGE if limit is None else min(PAGE, limit - len(recorded))) > 0:
            page = await self._page(table, after + len(recorded), wanted)
            recorded += page
            if len(page) < wanted:
                break
        return recorded

    async def _page(self, table: str, after: int, count: int) -> list[Recorded]:
        try:
            entries = await self._reader.xrange(keys.stream(table), f"{after + 1}-0", count=count)
        except ResponseError as error:
            if str(error).startswith("WRONGTYPE"):
                raise BrokenHistory(f"table {table} is not a stream") from error
            raise StoreUnavailable("the store refuses to be read") from error
        except RedisError as error:
            raise StoreUnavailable("the store does not answer") from error
        return [
            _recorded(table, version, *entry)
            for version, entry in enumerate(cast("list[Entry]", entries), after + 1)
        ]


def _arguments(append: Append) -> tuple[bytes | str | int, ...]:
    table = append.table
    return (
        keys.stream(table),
        keys.feed(table),
        keys.deadlines(table),
        append.expected,
        append.command,
        append.at,
        table,
        keys.channel(table),
        FEED_LENGTH,
        "" if append.due is None else append.due,
        *(part for event in append.events for part in encode(event)),
    )


def _answer(table: str, outcome: bytes, version: int) -> Appended:
    match outcome:
        case b"written":
            return Appended(version, repeated=False)
        case b"repeated":
            return Appended(version, repeated=True)
        case b"conflict":
            raise VersionConflict(version)
        case _:
            raise BrokenHistory(f"table {table} cannot be continued: {BROKEN[outcome]}")


def _recorded(table: str, version: int, entry: bytes, fields: Mapping[bytes, bytes]) -> Recorded:
    if entry != b"%d-0" % version:
        raise BrokenHistory(f"table {table} has no version {version}, but a later one")
    try:
        return Recorded(
            version, int(fields[b"w"]), fields[b"c"], decode(fields[b"t"], fields[b"b"])
        )
    except (KeyError, ValueError, BrokenHistory) as error:
        raise BrokenHistory(f"table {table}, version {version} cannot be read: {error}") from None

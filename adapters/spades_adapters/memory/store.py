"""Every table's events in memory, in the form in which they are stored anywhere else."""

from collections.abc import Sequence
from itertools import islice

from msgspec import Struct

from spades_adapters.codec import decode, encode
from spades_adapters.memory.nudges import MemoryNudges
from spades_adapters.settling import settle
from spades_service.ports import Append, Appended, BrokenHistory, Nudge, Recorded


class Entry(Struct, frozen=True):
    """An event as it is kept; its version is its place."""

    at: int
    command: bytes
    name: bytes
    body: bytes


class MemoryEventStore:
    """The event store in memory; each append reaches `nudges`."""

    def __init__(self, nudges: MemoryNudges | None = None) -> None:
        self._nudges = nudges or MemoryNudges()
        self._streams: dict[str, list[Entry]] = {}
        self._due: dict[str, int] = {}

    async def append(self, append: Append) -> Appended:
        stream = self._streams.get(append.table, [])
        if len(stream) < append.expected:
            raise BrokenHistory(
                f"table {append.table} cannot be continued: its stream ends at {len(stream)}"
            )
        if answered := settle(append, await self.read(append.table, append.expected)):
            return answered
        entries = _entries(append)
        self._streams.setdefault(append.table, []).extend(entries)
        version = append.expected + len(entries)
        if append.due is None:
            self._due.pop(append.table, None)
        else:
            self._due[append.table] = append.due
        self._nudges.publish(Nudge(append.table, version))
        return Appended(version, repeated=False)

    async def due(self, now: int, limit: int) -> Sequence[str]:
        due = sorted((when, table) for table, when in self._due.items() if when <= now)
        return [table for _, table in due[:limit]]

    async def read(
        self, table: str, after: int = 0, limit: int | None = None
    ) -> Sequence[Recorded]:
        stream = self._streams.get(table, [])
        end = None if limit is None else after + limit
        return [
            Recorded(version, entry.at, entry.command, decode(entry.name, entry.body))
            for version, entry in enumerate(islice(stream, after, end), after + 1)
        ]


def _entries(append: Append) -> list[Entry]:
    keys = (append.command, *(b"" for _ in append.events[1:]))
    return [
        Entry(append.at, key, *encode(event))
        for key, event in zip(keys, append.events, strict=True)
    ]

"""What the service asks of the world outside; the docstrings are the contract of every adapter.

One suite, `tests/adapters/test_event_store_contract.py`, holds all event stores to it.
"""

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from spades.events import Event


class Recorded(Struct, frozen=True):
    """An event as it stands in a table's stream.

    Versions of a stream are 1, 2, 3 and so on without a hole. `at` is in milliseconds since 1970
    UTC. `command` marks the first event of a command with the command's key, and is empty on the
    events that the same command brought about after it.
    """

    version: int
    at: int
    command: bytes
    event: Event


class Append(Struct, frozen=True):
    """The events of one command, to be written all or none.

    `expected` is the version of the table on which the command was decided, 0 for a new table;
    `command` its key, 1 to 64 bytes, the same when the same command is sent again. `due` is when
    somebody has to look at the table again, in milliseconds since 1970 UTC, None for never; it
    replaces what was due before.
    """

    table: str
    expected: int
    at: int
    command: bytes
    events: tuple[Event, ...]
    due: int | None = None

    def __post_init__(self) -> None:
        # Without a key these events would be taken for those of the command before them.
        if not 1 <= len(self.command) <= 64:
            raise ValueError("a command's key has 1 to 64 bytes")
        if not self.events:
            raise ValueError("an append without events is none")


class Appended(Struct, frozen=True):
    """Where the events stand: the version of the last one.

    `repeated` says that the same command may have written them before this call: an unknown
    outcome that was settled is one too. What is in the store is then the answer.
    """

    version: int
    repeated: bool


class VersionConflict(Exception):
    """Another command was written first; the table stands at `version`."""

    def __init__(self, version: int) -> None:
        super().__init__(f"the table stands at version {version}")
        self.version = version


class StoreUnavailable(Exception):
    """The store did not answer in time, or takes nothing (full, loading, read-only). Whether an
    append was written is then unknown: send the same command again, and it is answered truly.
    """


class BrokenHistory(Exception):
    """A stream has a hole, goes backwards, or holds what no release has written."""


class EventStore(Protocol):
    """Every table's events, in order, for ever."""

    async def append(self, append: Append) -> Appended:
        """Write a command's events behind version `expected`, in one step and one round trip.

        Where the entry behind `expected` carries the same command key, nothing is written and the
        answer is that of the first time. An answer that did not come in time is settled by asking
        the store what it holds, never by writing blindly. A call that is cancelled may have been
        written.

        Raises VersionConflict where another command came first, BrokenHistory where the stream ends
        before `expected`, StoreUnavailable where the outcome could not be settled.
        """
        ...

    async def read(
        self, table: str, after: int = 0, limit: int | None = None
    ) -> Sequence[Recorded]:
        """A table's events behind a version, oldest first; none where there is no such table.

        Raises BrokenHistory on a hole (the first event must be `after + 1`), StoreUnavailable.
        """
        ...


class Deadlines(Protocol):
    """When tables are due: written with each append, and so as durable as the events."""

    async def due(self, now: int, limit: int) -> Sequence[str]:
        """Up to `limit` tables that are due at `now`, those that have waited longest first.

        A table stays due until its next append. Raises StoreUnavailable.
        """
        ...


class Nudge(Struct, frozen=True):
    """A table has reached a version. `table` is None after a lost connection: anything may have
    happened meanwhile, so look at every table that matters.
    """

    table: str | None
    version: int = 0


class Nudges(Protocol):
    """A hint that there is something to read. Hints can be lost; the stream is the truth."""

    def listen(self) -> AsyncGenerator[Nudge, None]:
        """Every nudge from now on, for ever: a lost connection is made again with growing pauses,
        and reported by a nudge without a table, as is the first connection once it stands.
        """
        ...


class Directory(Protocol):
    """Players' names, outside the streams, so that they can be erased without touching a game."""

    async def save(self, player: str, name: str) -> None:
        """Remember or change a name. Raises StoreUnavailable."""
        ...

    async def names(self, players: Collection[str]) -> Mapping[str, str]:
        """The names that are known; an unknown player is left out. Raises StoreUnavailable."""
        ...


class Listed(Struct, frozen=True, order=True):
    """A table on a shelf. A shelf is in the order of places; on most of them a table's place is
    when it was opened, in milliseconds since 1970 UTC.
    """

    place: int
    table: str


class TableIndex(Protocol):
    """Shelves of tables, to find tables by. A shelf is there as soon as something stands on it.

    What is on a shelf is a claim and no more: it is put there before it is true, so that nothing
    true is ever missing, and whoever reads it looks at the table itself.

    Each method raises StoreUnavailable where the store does not answer; what was to be written may
    then have been written.
    """

    async def add(
        self, shelves: Collection[str], listed: Listed, *, seconds: int | None = None
    ) -> None:
        """Put a table on shelves, in one round trip; on each it stands at a place once.

        With `seconds` these shelves may be forgotten, when so long nothing was put on them.
        """
        ...

    async def remove(self, shelf: str, listed: Collection[Listed]) -> None:
        """Take tables off a shelf, as far as they stand on it."""
        ...

    async def page(
        self, shelf: str, count: int, *, beyond: Listed | None = None, ascending: bool = False
    ) -> Sequence[Listed]:
        """Up to `count` tables of a shelf in one round trip, from the highest place down, or from
        the lowest up; with `beyond` only those that come after it.
        """
        ...


class Health(Protocol):
    """Whether the store can be relied on."""

    async def check(self) -> None:
        """Raises StoreUnavailable where the store does not answer."""
        ...


class Clock(Protocol):
    """The time of day."""

    def now(self) -> int:
        """Milliseconds since 1970 UTC."""
        ...


class Entropy(Protocol):
    """Chance that nobody can foresee."""

    def draw(self, count: int) -> bytes:
        """`count` fresh bytes."""
        ...

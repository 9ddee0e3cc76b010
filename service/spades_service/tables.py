"""The use cases of a table: read, fold, decide, append."""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, Protocol
from weakref import WeakValueDictionary

from msgspec import Struct
from msgspec.structs import replace

from spades.deal import SEED_BYTES
from spades.events import Event
from spades.refusals import RefusalCode, Refused, require
from spades.state import Table, Unopened
from spades.table import Impossible, decide, evolve
from spades_service import requests
from spades_service.callers import Caller, CommandKey
from spades_service.command_for import command_for
from spades_service.ids import fresh_id, is_id, table_id
from spades_service.ports import (
    Append,
    BrokenHistory,
    Clock,
    Entropy,
    EventStore,
    Recorded,
    VersionConflict,
)

REMEMBERED: Final = 256
"""How many of a table's latest commands are known again when they are sent once more."""
TRIES: Final = 5
"""How often a command is decided anew when others come first."""


class Done(Struct, frozen=True):
    """A command that was carried out: the versions of its first and last event."""

    first: int
    last: int
    content: bytes


NOTHING_DONE: Final[Mapping[bytes, Done]] = MappingProxyType({})


class Loaded(Struct, frozen=True):
    """A table folded to a version, and the commands that brought it there."""

    id: str
    version: int = 0
    at: int = 0
    table: Table = Unopened()
    done: Mapping[bytes, Done] = NOTHING_DONE

    @property
    def exists(self) -> bool:
        """Whether the table was ever opened."""
        return self.version > 0


class Update(Struct, frozen=True):
    """An event, and the table right after it."""

    recorded: Recorded
    table: Table

    @property
    def version(self) -> int:
        """The event's version, and the table's."""
        return self.recorded.version


class Accepted(Struct, frozen=True):
    """A command that was carried out: its events, and the table right after the last of them."""

    id: str
    updates: tuple[Update, ...]

    @property
    def version(self) -> int:
        """The table's version after the command."""
        return self.updates[-1].version

    @property
    def table(self) -> Table:
        """The table after the command."""
        return self.updates[-1].table


class Rejected(Struct, frozen=True):
    """A command that was refused; nothing was written. `version` is the table's, if it is there."""

    code: RefusalCode
    message: str
    version: int | None = None


def fold(loaded: Loaded, history: Sequence[Recorded]) -> tuple[Loaded, tuple[Update, ...]]:
    """The table some events later, and what it was after each.

    Raises BrokenHistory where an event cannot follow.
    """
    if not history:
        return loaded, ()
    table, done = loaded.table, dict(loaded.done)
    updates = []
    for recorded in history:
        try:
            table = evolve(table, recorded.event)
        except (Impossible, ValueError, IndexError, AttributeError) as error:
            raise BrokenHistory(
                f"table {loaded.id}: version {recorded.version} cannot follow the one before"
            ) from error
        _remember(done, recorded)
        updates.append(Update(recorded, table))
    last = history[-1]
    return Loaded(loaded.id, last.version, last.at, table, done), tuple(updates)


def _remember(done: dict[bytes, Done], recorded: Recorded) -> None:
    """An event without a key belongs to the latest command, which then ends with it."""
    if recorded.command:
        key = CommandKey.read(recorded.command)
        done[key.id] = Done(recorded.version, recorded.version, key.content)
        if len(done) > REMEMBERED:
            del done[next(iter(done))]
    elif done:
        id_, latest = next(reversed(done.items()))
        done[id_] = replace(latest, last=recorded.version)


class Tables:
    """Opens tables, carries out commands, and reads what was and is.

    Folded tables are kept, the latest used up to `keep`; a kept table is only ever a head start:
    what is read is checked against the store, and an append names the version it builds on.
    """

    def __init__(
        self, store: EventStore, clock: Clock, entropy: Entropy, *, keep: int = 4096
    ) -> None:
        self._store = store
        self._clock = clock
        self._entropy = entropy
        self._keep = keep
        self._kept: OrderedDict[str, Loaded] = OrderedDict()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._working: set[asyncio.Task[Accepted | Rejected]] = set()
        self._followers: list[Follower] = []

    def follow(self, follower: "Follower") -> None:
        """Tell someone of every update that this process has written itself."""
        self._followers.append(follower)

    async def load(self, table: str) -> Loaded:
        """The table as it is now, in one round trip; version 0 where there is none.

        Raises BrokenHistory, StoreUnavailable.
        """
        if not is_id(table):
            return Loaded(table)
        loaded = self._kept.get(table) or Loaded(table)
        history = await self._store.read(table, loaded.version)
        loaded, _ = fold(loaded, history)
        return self._keep_newest(loaded)

    async def updates(self, table: str, after: int) -> tuple[Update, ...]:
        """Every update behind a version, oldest first."""
        kept = self._kept.get(table)
        start = kept if kept is not None and kept.version <= after else Loaded(table)
        loaded, updates = fold(start, await self._store.read(table, start.version))
        self._keep_newest(loaded)
        return tuple(update for update in updates if update.version > after)

    async def at(self, table: str, version: int) -> Loaded:
        """The table as it was at a version; version 0 where it never had that many events."""
        if version < 1:
            return Loaded(table)
        loaded, _ = fold(Loaded(table), await self._store.read(table, limit=version))
        return loaded if loaded.version == version else Loaded(table)

    async def history(self, table: str, after: int, first: int) -> Sequence[Recorded]:
        """Up to `first` events behind a version."""
        return await self._store.read(table, after, first)

    async def open(
        self, caller: Caller, request: requests.OpenTable, command_id: str | None = None
    ) -> Accepted | Rejected:
        """Open a table. The same command id of the same caller is the same table."""
        name = command_id or fresh_id(self._entropy)
        key = CommandKey.of(caller, f"open:{name}", requests.content(request))
        return await self._execute(caller, table_id(key), request, key, None)

    async def execute(
        self,
        caller: Caller,
        table: str,
        request: requests.TableRequest,
        *,
        command_id: str | None = None,
        expected_version: int | None = None,
    ) -> Accepted | Rejected:
        """Carry out a command at a table.

        A command id that was carried out before is answered as the first time; with other content
        it is COMMAND_ID_REUSED. With `expected_version` the command is meant for that version
        alone, else VERSION_CONFLICT; without, it is decided anew when another came first.
        """
        name = command_id or fresh_id(self._entropy)
        key = CommandKey.of(caller, f"{table}:{name}", requests.content(request))
        return await self._execute(caller, table, request, key, expected_version)

    async def _execute(
        self,
        caller: Caller,
        table: str,
        request: requests.Request,
        key: CommandKey,
        expected: int | None,
    ) -> Accepted | Rejected:
        # A client that hangs up must not tear a command in two: it runs to its end.
        work = asyncio.create_task(self._in_turn(caller, table, request, key, expected))
        self._working.add(work)
        work.add_done_callback(self._working.discard)
        return await asyncio.shield(work)

    async def _in_turn(
        self,
        caller: Caller,
        table: str,
        request: requests.Request,
        key: CommandKey,
        expected: int | None,
    ) -> Accepted | Rejected:
        """Commands of one process wait for each other, so that they conflict only with others'."""
        async with self._locks.setdefault(table, asyncio.Lock()):
            return await self._settle(caller, table, request, key, expected)

    async def _settle(
        self,
        caller: Caller,
        table: str,
        request: requests.Request,
        key: CommandKey,
        expected: int | None,
    ) -> Accepted | Rejected:
        loaded = self._kept.get(table) or await self.load(table)
        for _ in range(TRIES):
            try:
                if (done := loaded.done.get(key.id)) is not None:
                    return await self._as_the_first_time(table, key, done)
                events = self._decided(loaded, caller, request, expected)
            except Refused as refused:
                # The kept table may be behind another replica's: refuse only what is refused now.
                newest = await self.load(table)
                if newest.version == loaded.version:
                    return Rejected(refused.code, refused.message, loaded.version or None)
                loaded = newest
                continue
            try:
                return await self._append(loaded, key, events)
            except VersionConflict:
                loaded = await self.load(table)
        return Rejected(
            RefusalCode.VERSION_CONFLICT,
            "the table moves faster than this command: read it again, then decide",
            loaded.version,
        )

    def _decided(
        self, loaded: Loaded, caller: Caller, request: requests.Request, expected: int | None
    ) -> tuple[Event, ...]:
        opening = isinstance(request, requests.OpenTable)
        require(
            caller.known,
            RefusalCode.UNAUTHENTICATED,
            "nobody is signed in: send a token as `Authorization: Bearer ...`",
        )
        require(loaded.exists or opening, RefusalCode.NOT_FOUND, "there is no such table")
        require(
            expected is None or expected == loaded.version,
            RefusalCode.VERSION_CONFLICT,
            f"the command was meant for version {expected}, and the table is at {loaded.version}: "
            "read it again, then decide",
        )
        seed = self._entropy.draw(SEED_BYTES)
        return decide(loaded.table, command_for(loaded.table, caller, request, seed))

    async def _append(self, loaded: Loaded, key: CommandKey, events: tuple[Event, ...]) -> Accepted:
        # Time never runs backwards within a stream, whatever a replica's clock says.
        now = max(self._clock.now(), loaded.at)
        appended = await self._store.append(
            Append(loaded.id, loaded.version, now, key.stored, events)
        )
        if appended.repeated:
            newest = await self.load(loaded.id)
            return await self._as_the_first_time(loaded.id, key, newest.done[key.id])
        history = tuple(
            Recorded(loaded.version + place, now, key.stored if place == 1 else b"", event)
            for place, event in enumerate(events, 1)
        )
        newest, updates = fold(loaded, history)
        self._keep_newest(newest)
        for follower in self._followers:
            follower.written(loaded.id, updates)
        return Accepted(loaded.id, updates)

    async def _as_the_first_time(self, table: str, key: CommandKey, done: Done) -> Accepted:
        require(
            done.content == key.content,
            RefusalCode.COMMAND_ID_REUSED,
            "this command id was used for another command: send each command under its own",
        )
        _, updates = fold(Loaded(table), await self._store.read(table, limit=done.last))
        return Accepted(table, updates[done.first - 1 :])

    def _keep_newest(self, loaded: Loaded) -> Loaded:
        """Two readers may end in either order; the newer version stays."""
        kept = self._kept.get(loaded.id)
        if kept is not None and kept.version > loaded.version:
            return kept
        if loaded.exists:
            self._kept[loaded.id] = loaded
            self._kept.move_to_end(loaded.id)
            while len(self._kept) > self._keep:
                self._kept.popitem(last=False)
        return loaded


class Follower(Protocol):
    """Someone who wants to know at once what this process has written."""

    def written(self, table: str, updates: tuple[Update, ...]) -> None:
        """Called once for each command that was carried out, after it is durable."""
        ...

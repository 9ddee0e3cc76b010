"""The use cases of a table: read, fold, decide, append."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from types import MappingProxyType
from typing import Final, Protocol
from weakref import WeakValueDictionary

from msgspec import Struct
from msgspec.structs import replace

from spades.commands import Command
from spades.deal import SEED_BYTES
from spades.events import Event
from spades.refusals import RefusalCode, Refused, require
from spades.state import Match, Table, Unopened
from spades.table import Impossible, decide, evolve
from spades_service import requests
from spades_service.callers import Caller, CommandKey, Role
from spades_service.clocks import due, runs_out, since
from spades_service.command_for import command_for
from spades_service.ids import fresh_id, is_id, table_id
from spades_service.invites import Invites
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
HOUSE: Final = Caller(platform="the house")
TRIES: Final = 5
"""How often a command is decided anew when others come first."""


class Done(Struct, frozen=True):
    """A command that was carried out: the versions of its first and last event."""

    first: int
    last: int
    content: bytes


NOTHING_DONE: Final[Mapping[bytes, Done]] = MappingProxyType({})


class Loaded(Struct, frozen=True):
    """A table folded to a version, and the commands that brought it there.

    `at` is when its last event happened, `since` when it began to wait for the next move, `opened`
    when its first event happened.
    """

    id: str
    version: int = 0
    at: int = 0
    since: int = 0
    table: Table = Unopened()
    done: Mapping[bytes, Done] = NOTHING_DONE
    opened: int = 0

    @property
    def exists(self) -> bool:
        """Whether the table was ever opened."""
        return self.version > 0

    @property
    def deadline(self) -> int | None:
        """When the time of the player in turn runs out."""
        return runs_out(self.table, self.since)


class Update(Struct, frozen=True):
    """An event, and the table right after it.

    `since` is when the table began to wait for the move that it then waits for.
    """

    recorded: Recorded
    table: Table
    since: int

    @property
    def version(self) -> int:
        """The event's version, and the table's."""
        return self.recorded.version

    @property
    def deadline(self) -> int | None:
        """When the time of the player in turn runs out."""
        return runs_out(self.table, self.since)


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

    @property
    def deadline(self) -> int | None:
        """When the time of the player who is then in turn runs out."""
        return self.updates[-1].deadline


class Rejected(Struct, frozen=True):
    """A command that was refused; nothing was written. `version` is the table's, if it is there."""

    code: RefusalCode
    message: str
    version: int | None = None


Plan = Callable[[Table, bytes], tuple[Event, ...]]
"""What is to happen at a table as it stands, with a seed for a deal that it may bring about; raises
Refused.
"""


class Intent(Struct, frozen=True):
    """A command on its way to a table: whose it is, what it is known by, and what it does.

    `known` shows a table as this caller may know of it; only what is `opening` needs none.
    """

    caller: Caller
    key: CommandKey
    plan: Plan
    known: Callable[[Loaded], Loaded]
    expected: int | None = None
    opening: bool = False


def require_known(caller: Caller) -> None:
    """Raises Refused with UNAUTHENTICATED for a stranger."""
    require(
        caller.known,
        RefusalCode.UNAUTHENTICATED,
        "nobody is signed in: send a token as `Authorization: Bearer ...`",
    )


def visible_to(caller: Caller, loaded: Loaded, *, invited: bool = False) -> Loaded:
    """The table, or none where it is another tenant's, or private and not for this caller.

    This is the one place that decides who may know of a table at all: whatever a caller is told
    must come from here.
    """
    if isinstance(loaded.table, Unopened) or _is_for(caller, loaded.table.match, invited):
        return loaded
    return Loaded(loaded.id)


def _is_for(caller: Caller, match: Match, invited: bool) -> bool:
    """A private table is for those who sit there, who opened it, who bring its code, and for its
    platform with the platform's auditors.
    """
    if not caller.belongs_to(match.tenant):
        return False
    return (
        not match.private
        or invited
        or caller.role in {Role.PLATFORM, Role.AUDITOR}
        or caller.id in {match.opener, *match.players}
    )


def fold(loaded: Loaded, history: Sequence[Recorded]) -> tuple[Loaded, tuple[Update, ...]]:
    """The table some events later, and what it was after each.

    Raises BrokenHistory where an event cannot follow.
    """
    if not history:
        return loaded, ()
    table, done = loaded.table, dict(loaded.done)
    waiting = loaded.since
    updates = []
    for recorded in history:
        try:
            table = evolve(table, recorded.event)
        except (Impossible, ValueError, IndexError, AttributeError) as error:
            raise BrokenHistory(
                f"table {loaded.id}: version {recorded.version} cannot follow the one before"
            ) from error
        waiting = since(waiting, recorded.event, recorded.at)
        _remember(done, recorded)
        updates.append(Update(recorded, table, waiting))
    last = history[-1]
    opened = loaded.opened or history[0].at
    folded = Loaded(loaded.id, last.version, last.at, waiting, table, done, opened)
    return folded, tuple(updates)


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
        self,
        store: EventStore,
        clock: Clock,
        entropy: Entropy,
        announcer: "Announcer | None" = None,
        invites: Invites = Invites(),  # noqa: B008 immutable
        *,
        keep: int = 4096,
    ) -> None:
        self._store = store
        self._clock = clock
        self._entropy = entropy
        self._announcer = announcer
        self._invites = invites
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

    async def load_for(self, caller: Caller, table: str, invite: str | None = None) -> Loaded:
        """Like `load`, and version 0 also where the caller may not know of the table."""
        return self.known_to(caller, await self.load(table), invite)

    def known_to(self, caller: Caller, loaded: Loaded, invite: str | None = None) -> Loaded:
        """The table as the caller may know of it, perhaps by an invitation."""
        invited = self._invites.admits(loaded.id, invite)
        return visible_to(caller, loaded, invited=invited)

    async def opened_at(self, table: str) -> int:
        """When a table was opened; 0 where there is none."""
        kept = self._kept.get(table)
        if kept is not None:
            return kept.opened
        first = await self._store.read(table, limit=1)
        return first[0].at if first else 0

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
        plan = _plan(caller, request)
        return await self.carry_out(
            table_id(key), Intent(caller, key, plan, partial(visible_to, caller), opening=True)
        )

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
        invite = request.invite_code if isinstance(request, requests.TakeSeat) else None
        known = partial(self.known_to, caller, invite=invite)
        intent = Intent(caller, key, _plan(caller, request), known, expected_version)
        return await self.carry_out(table, intent)

    async def house(self, loaded: Loaded, command: Command) -> None:
        """Carry out what the house decided on this very version; too late is no harm.

        Every replica would do it under the same key, so that it is done once.
        """
        key = CommandKey.of(HOUSE, f"{loaded.id}:{loaded.version}", b"")
        async with self._locks.setdefault(loaded.id, asyncio.Lock()):
            with suppress(VersionConflict, Refused):
                await self._append(loaded, key, decide(loaded.table, command))

    async def carry_out(self, table: str, intent: Intent) -> Accepted | Rejected:
        """Carry out what somebody intends at a table, or answer as the first time."""
        # A client that hangs up must not tear a command in two: it runs to its end.
        work = asyncio.create_task(self._in_turn(table, intent))
        self._working.add(work)
        work.add_done_callback(self._working.discard)
        return await asyncio.shield(work)

    async def _in_turn(self, table: str, intent: Intent) -> Accepted | Rejected:
        """Commands of one process wait for each other, so that they conflict only with others'."""
        async with self._locks.setdefault(table, asyncio.Lock()):
            return await self._settle(table, intent)

    async def _settle(self, table: str, intent: Intent) -> Accepted | Rejected:
        loaded = self._kept.get(table) or await self.load(table)
        for _ in range(TRIES):
            try:
                # Who has done it is told so, though they may know of the table no more.
                if (done := loaded.done.get(intent.key.id)) is not None:
                    return await self._as_the_first_time(table, intent.key, done)
                events = self._decided(loaded, intent)
            except Refused as refused:
                # The kept table may be behind another replica's: refuse only what is refused now.
                newest = await self.load(table)
                if newest.version == loaded.version:
                    known = intent.known(loaded)
                    return Rejected(refused.code, refused.message, known.version or None)
                loaded = newest
                continue
            try:
                return await self._append(loaded, intent.key, events)
            except VersionConflict:
                loaded = await self.load(table)
        return Rejected(
            RefusalCode.VERSION_CONFLICT,
            "the table moves faster than this command: read it again, then decide",
            loaded.version,
        )

    def _decided(self, loaded: Loaded, intent: Intent) -> tuple[Event, ...]:
        expected, known = intent.expected, intent.known(loaded)
        require_known(intent.caller)
        require(known.exists or intent.opening, RefusalCode.NOT_FOUND, "there is no such table")
        require(
            expected is None or expected == known.version,
            RefusalCode.VERSION_CONFLICT,
            f"the command was meant for version {expected}, and the table is at {known.version}: "
            "read it again, then decide",
        )
        return intent.plan(known.table, self._entropy.draw(SEED_BYTES))

    async def _append(self, loaded: Loaded, key: CommandKey, events: tuple[Event, ...]) -> Accepted:
        # Time never runs backwards within a stream, whatever a replica's clock says.
        now = max(self._clock.now(), loaded.at)
        history = tuple(
            Recorded(loaded.version + place, now, key.stored if place == 1 else b"", event)
            for place, event in enumerate(events, 1)
        )
        newest, updates = fold(loaded, history)
        if self._announcer is not None:
            await self._announcer.about_to(loaded, newest)
        appended = await self._store.append(
            Append(
                table=loaded.id,
                expected=loaded.version,
                at=now,
                command=key.stored,
                events=events,
                due=due(newest.table, newest.since, now),
            )
        )
        if appended.repeated:
            newest = await self.load(loaded.id)
            return await self._as_the_first_time(loaded.id, key, newest.done[key.id])
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


def _plan(caller: Caller, request: requests.Request) -> Plan:
    """To do what the caller asks for."""
    return lambda table, seed: decide(table, command_for(table, caller, request, seed))


class Announcer(Protocol):
    """Someone who has to know before it happens what will be seen of a table from afar."""

    async def about_to(self, before: Loaded, after: Loaded) -> None:
        """Called for each command before its events are written; what it raises stops them.

        They may yet not be written: another command may come first, or the process may end.
        """
        ...


class Follower(Protocol):
    """Someone who wants to know at once what this process has written."""

    def written(self, table: str, updates: tuple[Update, ...]) -> None:
        """Called once for each command that was carried out, after it is durable."""
        ...

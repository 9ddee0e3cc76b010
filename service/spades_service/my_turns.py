"""Everything that waits for a player's move, at any table, in one stream.

Of a table that this process writes to, the stream hears at once. Of another replica's it hears by a
nudge, and then looks who sits there: once for a game that concerns nobody here, since in a game
nobody sits down any more.
"""

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Sequence
from typing import Any, Final, Protocol

import structlog
from msgspec import Struct

from spades.refusals import RefusalCode, require
from spades.seats import Seat
from spades.state import Opened, Seating, Table, Unopened, opened
from spades.view import Status, awaited_seats, seat_of
from spades_service.callers import Caller
from spades_service.clocks import KEEPS_TIME, runs_out
from spades_service.live import Live
from spades_service.lobby import Filter
from spades_service.pages import MOST, Page, Part, read_cursor
from spades_service.ports import BrokenHistory, Nudge, StoreUnavailable
from spades_service.recent import Recent
from spades_service.tables import Tables, Update, require_known

MOST_PAGES: Final = 5
"""Pages of running games that are looked through at the start."""
KNOWN: Final = 16_384
"""Tables of which is remembered how far they were seen, and that they concern nobody here."""

log = structlog.get_logger(__name__)


class PlayersTables(Protocol):
    """Where a player's tables are found; the lobby is one."""

    async def of(self, caller: Caller, wanted: Filter, part: Part) -> Page:
        """A part of the tables at which somebody sits. Raises Refused, StoreUnavailable."""
        ...


def require_player(caller: Caller) -> None:
    """Raises Refused for anybody who can have no turn."""
    require_known(caller)
    require(caller.player is not None, RefusalCode.NOT_ALLOWED, "only players have turns")


class Standing(Protocol):
    """A table at a version, just loaded or right after an event."""

    @property
    def version(self) -> int:
        """The table's version."""
        ...

    @property
    def table(self) -> Table:
        """The table itself."""
        ...

    @property
    def since(self) -> int:
        """When it began to wait for the next move."""
        ...


class Turn(Struct, frozen=True):
    """A table that waits for a player's move since `since`, in milliseconds since 1970 UTC."""

    id: str
    version: int
    seat: Seat
    table: Opened
    since: int

    @property
    def deadline(self) -> int | None:
        """When the time for the move runs out."""
        return runs_out(self.table, self.since)


def turn_of(player: str | None, id: str, standing: Standing) -> Turn | None:  # noqa: A002
    """The player's turn at a table, if it is theirs."""
    table, seat = standing.table, seat_of(standing.table, player)
    if isinstance(table, Unopened) or seat is None or seat not in awaited_seats(table):
        return None
    return Turn(id, standing.version, seat, table, standing.since)


class Watcher:
    """One stream: what it has yet to tell, of each table the latest, and what it has told."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self.bell = asyncio.Event()
        self._news: dict[str, Turn] = {}
        self._told: Recent[str, Turn] = Recent(KNOWN)

    def hear(self, turn: Turn, *, anew: bool) -> None:
        """A table waits. `anew` says that it began to just now; otherwise its time tells."""
        told = self._told.get(turn.id)
        later = told is None or turn.version > told.version
        if later and (anew or told is None or turn.since != told.since or turn.id in self._news):
            self._news[turn.id] = turn
            self.bell.set()

    def forget(self, table: str) -> None:
        """A table waits no more: a turn that is over before it was told of is none."""
        self._news.pop(table, None)

    def next(self) -> Turn | None:
        """What is told next."""
        if not self._news:
            self.bell.clear()
            return None
        turn = self._news.pop(next(iter(self._news)))
        self._told.put(turn.id, turn)
        return turn


class MyTurns:
    """Tells players of their turns."""

    def __init__(self, tables: Tables, players_tables: PlayersTables, live: Live) -> None:
        self._tables = tables
        self._players_tables = players_tables
        self._watchers: dict[str, set[Watcher]] = {}
        self._seen: Recent[str, int] = Recent(KNOWN)
        self._strange: Recent[str, bool] = Recent(KNOWN)
        self._wanted: dict[str, int] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopping = False
        tables.follow(self)
        live.accompany(self)

    @property
    def watchers(self) -> int:
        """How many streams there are right now."""
        return sum(map(len, self._watchers.values()))

    async def waiting(self, caller: Caller) -> Sequence[Turn]:
        """The caller's turns now, those at the newest tables first. Raises Refused."""
        found: list[Turn] = []
        part = Part(MOST)
        for _ in range(MOST_PAGES):
            page = await self._players_tables.of(caller, Filter(statuses={Status.PLAYING}), part)
            for loaded in page.tables:
                self._strange.forget(loaded.id)
                if (turn := turn_of(caller.player, loaded.id, loaded)) is not None:
                    found.append(turn)
            if not page.after or page.end is None:
                break
            part = Part(MOST, read_cursor(page.end))
        return found

    async def watch(self, caller: Caller) -> AsyncGenerator[Turn, None]:
        """The caller's turns now, and then each as it begins, until the service stops.

        The stream listens before it reads, so that no turn falls in between. Raises Refused.
        """
        watcher = Watcher(caller)
        player = caller.player or ""
        self._watchers.setdefault(player, set()).add(watcher)
        try:
            await self._look_round(watcher)
            while not self._stopping:
                if (turn := watcher.next()) is not None:
                    yield turn
                else:
                    await watcher.bell.wait()
        finally:
            self._watchers[player].discard(watcher)
            if not self._watchers[player]:
                del self._watchers[player]

    def written(self, table: str, updates: tuple[Update, ...]) -> None:
        """What this process wrote itself."""
        if self._watchers:
            self._note(table, updates)

    def heard(self, nudge: Nudge) -> None:
        """What another replica wrote; without a table, anything may have been written."""
        if not self._watchers:
            return
        if nudge.table is None:
            self._strange = Recent(KNOWN)
            for watcher in self._everybody():
                self._spawn(self._look_round(watcher))
        elif self._is_news(nudge.table, nudge.version):
            looking = nudge.table in self._wanted
            self._wanted[nudge.table] = nudge.version
            if not looking:
                self._spawn(self._look(nudge.table))

    def _is_news(self, table: str, version: int) -> bool:
        return not self._strange.get(table) and version > (self._seen.get(table) or 0)

    def stop(self) -> None:
        """End every stream, so that a shutdown waits for nobody."""
        self._stopping = True
        for watcher in self._everybody():
            watcher.bell.set()
        for task in self._tasks:
            task.cancel()

    def _everybody(self) -> list[Watcher]:
        return [watcher for streams in self._watchers.values() for watcher in streams]

    def _note(self, table: str, updates: Sequence[Update]) -> None:
        last = updates[-1]
        self._seen.put(table, last.version)
        anew = any(not isinstance(update.recorded.event, KEEPS_TIME) for update in updates)
        concerned = [
            watcher
            for player in opened(last.table).match.players
            for watcher in self._watchers.get(player or "", ())
        ]
        for watcher in concerned:
            turn = turn_of(watcher.caller.player, table, last)
            if turn is None:
                watcher.forget(table)
            else:
                watcher.hear(turn, anew=anew)
        if not concerned and not isinstance(last.table, Seating):
            self._strange.put(table, True)

    async def _look(self, table: str) -> None:
        """Read what nudges were about, those that come meanwhile, too."""
        try:
            while self._is_news(table, self._wanted[table]):
                updates = await self._tables.updates(table, self._seen.get(table) or 0)
                if not updates:
                    break
                self._note(table, updates)
        finally:
            del self._wanted[table]

    async def _look_round(self, watcher: Watcher) -> None:
        for turn in await self.waiting(watcher.caller):
            watcher.hear(turn, anew=False)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(_quietly(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _quietly(work: Coroutine[Any, Any, None]) -> None:
    """The next nudge, or the next connection, makes up for what could not be read."""
    try:
        await work
    except (StoreUnavailable, BrokenHistory) as error:
        log.warning("my_turns.behind", reason=str(error))

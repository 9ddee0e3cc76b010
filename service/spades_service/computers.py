"""The house moves: for computers, and for players whose time has run out.

Every replica may look after every table. What it would do is bound to the table's version, so that
of several only one does it.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final

import structlog

from spades.commands import Abandon, Command
from spades.deal import SEED_BYTES
from spades.events import BotLevel
from spades.seats import Seat
from spades.simple_player import Below, automatic_move, simple_move
from spades.state import opened
from spades.view import TableView, awaited_seats, view
from spades_service.clocks import due, house_seats
from spades_service.ports import BrokenHistory, Clock, Deadlines, Entropy, StoreUnavailable
from spades_service.tables import Loaded, Tables, Update

PAUSE_SECONDS: Final = 0.5
"""How often the deadlines are looked at."""
AT_ONCE: Final = 200
"""Tables that are looked after at a time."""

log = structlog.get_logger(__name__)

Player = Callable[[TableView, Below, bytes], Command]
PLAYERS: Final[Mapping[BotLevel, Player]] = {
    BotLevel.EASY: simple_move,
}


class Computers:
    """Looks after the tables that wait for the house."""

    def __init__(
        self, tables: Tables, deadlines: Deadlines, clock: Clock, entropy: Entropy
    ) -> None:
        self._tables = tables
        self._deadlines = deadlines
        self._clock = clock
        self._entropy = entropy
        self._at_work: dict[str, asyncio.Task[None]] = {}
        tables.follow(self)

    @property
    def busy(self) -> bool:
        """Whether any table is being looked after."""
        return bool(self._at_work)

    def written(self, table: str, updates: tuple[Update, ...]) -> None:
        """A table that now waits for the house is looked after at once."""
        if house_seats(updates[-1].table):
            self._look_after(table)

    async def run(self) -> None:
        """Look at the deadlines, for ever."""
        while True:
            try:
                for table in await self._deadlines.due(self._clock.now(), AT_ONCE):
                    self._look_after(table)
            except StoreUnavailable as error:
                log.warning("computers.blind", reason=str(error))
            await asyncio.sleep(PAUSE_SECONDS)

    async def close(self) -> None:
        """Stop; another replica, or the next start, goes on."""
        for task in self._at_work.values():
            task.cancel()
        await asyncio.gather(*self._at_work.values(), return_exceptions=True)

    def _look_after(self, table: str) -> None:
        if table not in self._at_work:
            work: Coroutine[Any, Any, None] = self._move_on(table)
            task = asyncio.create_task(work)
            self._at_work[table] = task
            task.add_done_callback(lambda _: self._at_work.pop(table, None))

    async def _move_on(self, table: str) -> None:
        """Every move that is the house's, one after the other, until a person is awaited."""
        try:
            loaded = await self._tables.load(table)
            while (command := self.command(loaded)) is not None:
                await self._tables.house(loaded, command)
                loaded = await self._tables.load(table)
        except (StoreUnavailable, BrokenHistory) as error:
            log.warning("computers.stuck", table=table, reason=str(error))

    def command(self, loaded: Loaded) -> Command | None:
        """What the house does at this table now, if anything."""
        if not loaded.exists:
            return None
        ours = house_seats(loaded.table)
        if ours:
            return self._move(loaded, ours[0])
        when = due(loaded.table, loaded.since, loaded.at)
        if when is None or when > self._clock.now():
            return None
        seats = awaited_seats(loaded.table)
        clocked = opened(loaded.table).match
        if seats and clocked.turn_seconds is not None and not clocked.deserted:
            return self._move(loaded, seats[0])
        return Abandon()

    def _move(self, loaded: Loaded, seat: Seat) -> Command:
        table = opened(loaded.table)
        seen = view(table, seat, id=loaded.id, version=loaded.version, names={})
        seed = self._entropy.draw(SEED_BYTES)
        level = table.match.bots[seat]
        if level is None:
            return automatic_move(seen, seed)
        return PLAYERS[level](seen, self._below, seed)

    def _below(self, count: int) -> int:
        return int.from_bytes(self._entropy.draw(8), "big") % count

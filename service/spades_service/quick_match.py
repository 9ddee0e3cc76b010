"""Quick match: a seat at any table that plays what one wants to play.

Tables that wait are filled first, the oldest before all others. Where none waits, the next of a
row of numbered tables is opened: all who ask at once mean the same number, so that one of them
opens it and the others sit down at it.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Final, cast
from weakref import WeakValueDictionary

from msgspec import Struct
from msgspec.structs import replace

from spades.commands import Command, OpenTable, SeatBot, TakeSeat
from spades.events import Event
from spades.refusals import RefusalCode, Refused, require
from spades.state import Table, Unopened, opened
from spades.table import decide
from spades_service import requests
from spades_service.beginning import then_begin
from spades_service.browsing import Browser
from spades_service.callers import Caller, CommandKey
from spades_service.command_for import command_for
from spades_service.ids import fresh_id, id_of
from spades_service.pages import Part, read_cursor
from spades_service.ports import Entropy, Listed, TableIndex
from spades_service.rematches import kept_for
from spades_service.shelves import WaitingTables
from spades_service.tables import Accepted, Intent, Loaded, Rejected, Tables, require_known

PAGE: Final = 5
MOST_PAGES: Final = 10
MOST_NUMBERS: Final = 100
"""Numbered tables tried for one who asks: so many games can begin in the blink of an eye."""
REMEMBERED_SECONDS: Final = 24 * 3600
"""So long the same command id is the same seat."""
NEXT: Final = frozenset(
    {RefusalCode.SEAT_TAKEN, RefusalCode.NOT_FOUND, RefusalCode.VERSION_CONFLICT}
)
"""Refusals that say no more than that this table is not the one."""


class Candidate(Struct, frozen=True):
    """A table to sit down at; one that may be opened for it need not be there."""

    table: str
    opening: bool = False


class Wish(Struct, frozen=True):
    """What somebody wants to play, and the command that they ask with."""

    caller: Caller
    opening: OpenTable
    name: str
    content: bytes

    @property
    def player(self) -> str:
        """Who sits down."""
        return self.caller.player or ""

    @property
    def shelf(self) -> WaitingTables:
        """Where tables wait that play it."""
        rules, seconds = self.opening.rules, self.opening.turn_seconds
        return WaitingTables(self.caller.tenant, rules, seconds)

    @property
    def tried(self) -> str:
        """The shelf of the tables at which this command was tried."""
        digest = CommandKey.of(self.caller, f"quick:{self.name}", b"").id.hex()
        return f"tried:{digest}"

    def key(self, table: str) -> CommandKey:
        """The command as a table knows it again."""
        return CommandKey.of(self.caller, f"quick:{table}:{self.name}", self.content)

    def plan(self, table: Table, seed: bytes) -> tuple[Event, ...]:
        """Sit down in the first free seat, with computers in the others where they are asked for;
        raises Refused with SEAT_TAKEN where the table is not one of those that are meant.
        """
        if isinstance(table, Unopened):
            return decide(table, replace(self.opening, seed=seed))
        require(
            self.shelf.holds(table) and self.player not in table.match.players,
            RefusalCode.SEAT_TAKEN,
            "the table does not wait for this player",
        )
        seat, *others = (at for at, held in enumerate(table.match.players) if held is None)
        sitting: list[Command] = [TakeSeat(seat, self.player)]
        if (level := self.opening.fill) is not None:
            sitting += (SeatBot(other, level) for other in others)
        return then_begin(table, sitting, seed)


class QuickMatches:
    """Finds seats."""

    def __init__(
        self, tables: Tables, index: TableIndex, browser: Browser, entropy: Entropy
    ) -> None:
        self._tables = tables
        self._index = index
        self._browser = browser
        self._entropy = entropy
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def seat(
        self, caller: Caller, request: requests.QuickMatch, command_id: str | None
    ) -> Accepted | Rejected:
        """Sit down somewhere; the same command id is the same seat at the same table."""
        try:
            wish = self._wish(caller, request, command_id)
        except Refused as refused:
            return Rejected(refused.code, refused.message)
        # Who asks for the same at the same time goes one after the other, and finds those who went
        # before; else a hundred would try every table of the others first.
        async with self._asking.setdefault(wish.shelf.name, asyncio.Lock()):
            return await self._seat(wish, remembered=command_id is not None)

    def _wish(self, caller: Caller, request: requests.QuickMatch, command_id: str | None) -> Wish:
        require_known(caller)
        opening = requests.OpenTable(
            request.rules, turn_seconds=request.turn_seconds, seat=0, fill=request.fill
        )
        command = cast(OpenTable, command_for(Unopened(), caller, opening, b""))
        name = command_id or fresh_id(self._entropy)
        return Wish(caller, command, name, requests.content(request))

    async def _seat(self, wish: Wish, *, remembered: bool) -> Accepted | Rejected:
        before = await self._index.page(wish.tried, PAGE) if remembered else ()
        for tried in before:
            outcome = await self._try(wish, Candidate(tried.table))
            if not _is_next(outcome):
                return outcome
        number = before[0].place if before else 0
        async for candidate in self._candidates(wish):
            number += 1
            if remembered:
                # Before the try: if nobody hears how it ended, it is found when asked again.
                noted = Listed(number, candidate.table)
                await self._index.add([wish.tried], noted, seconds=REMEMBERED_SECONDS)
            outcome = await self._try(wish, candidate)
            if not _is_next(outcome):
                return outcome
        return Rejected(
            RefusalCode.VERSION_CONFLICT,
            "more games begin at once than can be looked through: ask again",
        )

    async def _try(self, wish: Wish, candidate: Candidate) -> Accepted | Rejected:
        key = wish.key(candidate.table)
        # The plan itself refuses a table that the caller may not know of.
        intent = Intent(wish.caller, key, wish.plan, _as_it_is, opening=candidate.opening)
        return await self._tables.carry_out(candidate.table, intent)

    async def _candidates(self, wish: Wish) -> AsyncIterator[Candidate]:
        async for waiting in self._waiting(wish):
            yield Candidate(waiting)
        async for numbered in self._numbered(wish):
            yield Candidate(numbered, opening=True)

    async def _waiting(self, wish: Wish) -> AsyncIterator[str]:
        """Tables with a free seat, the oldest first; not those that wait for somebody they know."""

        def wanted(loaded: Loaded) -> bool:
            ours = wish.key(loaded.id).id in loaded.done
            return ours or wish.player not in opened(loaded.table).match.players

        part: Part | None = Part(PAGE, backwards=True)
        for _ in range(MOST_PAGES):
            if part is None:
                return
            page = await self._browser.page([wish.shelf], part, wanted)
            for loaded in reversed(page.tables):
                if not await self._index.page(kept_for(loaded.id), 1):
                    yield loaded.id
            go_on = page.before and page.start is not None
            part = Part(PAGE, read_cursor(page.start or ""), backwards=True) if go_on else None

    async def _numbered(self, wish: Wish) -> AsyncIterator[str]:
        """The newest of the numbered tables, and then one after the other."""
        row = f"numbered:{wish.shelf.name}"
        newest = await self._index.page(row, 1)
        first = newest[0].place if newest else 1
        for number in range(first, first + MOST_NUMBERS):
            listed = Listed(number, id_of(f"{row}\n{number}".encode()))
            if listed not in newest:
                await self._index.add([row], listed)
                await self._index.remove(row, newest)
                newest = [listed]
            yield listed.table


def _is_next(outcome: Accepted | Rejected) -> bool:
    return isinstance(outcome, Rejected) and outcome.code in NEXT


def _as_it_is(loaded: Loaded) -> Loaded:
    return loaded

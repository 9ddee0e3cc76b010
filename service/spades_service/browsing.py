"""Reading shelves: page by page, every table looked at, and what has no place there any more taken
off.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final

import structlog

from spades_service.pages import Page, Part, cursor_of, written_cursor
from spades_service.ports import BrokenHistory, Clock, Listed, StoreUnavailable, TableIndex
from spades_service.shelves import Shelf, belongs, has_lost
from spades_service.tables import Loaded, Tables

MOST_LOOKED_AT: Final = 1_000
"""Tables looked at for one page, where few of them are wanted; the page then ends where they do."""
MOST_AT_ONCE: Final = 128
LOADS_AT_ONCE: Final = 16
"""Tables read at a time, for all who browse together: moves come first."""

log = structlog.get_logger(__name__)

Standing = Mapping[Listed, Sequence[Shelf]]
"""Tables in the order of a list, and the shelves on which each stands."""


class Browser:
    """Finds tables by the shelves on which they stand."""

    def __init__(self, tables: Tables, index: TableIndex, clock: Clock) -> None:
        self._tables = tables
        self._index = index
        self._clock = clock
        self._loads = asyncio.Semaphore(LOADS_AT_ONCE)

    async def page(
        self, shelves: Sequence[Shelf], part: Part, wanted: Callable[[Loaded], bool]
    ) -> Page:
        """A part of all the tables on some shelves that are wanted, the newest first.

        Where tables move from one of the shelves to another, they are given in that order.
        """
        found: list[Loaded] = []
        beyond, looked_at, count, more = part.beyond, 0, part.count + 1, True
        while more and len(found) <= part.count and looked_at < MOST_LOOKED_AT:
            standing = await self._standing(shelves, count, beyond, ascending=part.backwards)
            found += filter(wanted, await self._belonging(shelves, standing))
            more = len(standing) == count
            beyond = next(reversed(list(standing)), beyond)
            looked_at += len(standing)
            count = min(2 * count, MOST_AT_ONCE)
        return _page(found, part, beyond if more else None)

    async def _standing(
        self, shelves: Sequence[Shelf], count: int, beyond: Listed | None, *, ascending: bool
    ) -> Standing:
        """The next tables of several shelves, as if they were one.

        One shelf is read after the other: a table is put on the next before it is taken off the
        one before, and so is on either when that one is read.
        """
        standing: dict[Listed, list[Shelf]] = {}
        for shelf in shelves:
            page = await self._index.page(shelf.name, count, beyond=beyond, ascending=ascending)
            for listed in page:
                standing.setdefault(listed, []).append(shelf)
        nearest = sorted(standing, reverse=not ascending)[:count]
        return {listed: standing[listed] for listed in nearest}

    async def _belonging(self, shelves: Sequence[Shelf], standing: Standing) -> list[Loaded]:
        """The tables that are rightly where they stand, in order; what is lost is taken off."""
        loads = await asyncio.gather(*(self._load(listed.table) for listed in standing))
        looked_at = [
            (listed, loaded)
            for listed, loaded in zip(standing, loads, strict=True)
            if loaded is not None
        ]
        await self._take_off(standing, looked_at)
        return [
            loaded
            for listed, loaded in looked_at
            if any(belongs(shelf, listed, loaded) for shelf in shelves)
        ]

    async def _load(self, table: str) -> Loaded | None:
        """A table as it is now; None for one that cannot be read, which spoils no list."""
        async with self._loads:
            try:
                return await self._tables.load(table)
            except BrokenHistory as error:
                log.warning("lobby.broken_table", table=table, reason=str(error))
                return None

    async def _take_off(
        self, standing: Standing, looked_at: Iterable[tuple[Listed, Loaded]]
    ) -> None:
        now = self._clock.now()
        lost: dict[str, list[Listed]] = {}
        for listed, loaded in looked_at:
            for shelf in standing[listed]:
                if has_lost(shelf, listed, loaded, now):
                    lost.setdefault(shelf.name, []).append(listed)
        with suppress(StoreUnavailable):
            for name, gone in lost.items():
                await self._index.remove(name, gone)


def _page(found: Sequence[Loaded], part: Part, looked_as_far_as: Listed | None) -> Page:
    """What was found, in the order of the list; there may be more beyond where was looked."""
    tables = tuple(found[: part.count])
    near = cursor_of(tables[0]) if tables else None
    far = cursor_of(tables[-1]) if tables else None
    more = len(found) > part.count
    if not more and looked_as_far_as is not None:
        far, more = written_cursor(looked_as_far_as), True
    turned = part.beyond is not None
    if part.backwards:
        return Page(tables[::-1], before=more, after=turned, start=far, end=near)
    return Page(tables, before=turned, after=more, start=near, end=far)

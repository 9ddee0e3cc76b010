"""The shelves on which tables are found, and what puts a table on each of them.

A table is put on a shelf before the events are written that belong there: so nothing is ever
missing from a shelf, and whoever reads one asks the table itself whether it stands there rightly.
A table is taken off only once it cannot belong there ever again. What it may belong to tomorrow
stays, since between the look and the taking off somebody may have put it there anew.
"""

from collections.abc import Iterator
from hashlib import blake2b
from typing import Final, Protocol

import msgspec
from msgspec import Struct

from spades.rules import Rules
from spades.state import Opened, Unopened, opened
from spades.view import STATUS, Status
from spades_service.invites import Invites
from spades_service.ports import Listed, TableIndex
from spades_service.tables import Loaded

IN_ORDER: Final = (Status.SEATING, Status.PLAYING, Status.FINISHED)
"""A table's statuses in the order in which it comes to them; it never goes back."""
OPENING_MILLIS: Final = 3_600_000
"""So long a table may be on a shelf that is not open yet: far longer than any command takes."""


class Shelf(Protocol):
    """Where tables of one kind stand."""

    @property
    def name(self) -> str:
        """What the index calls it."""
        ...

    def holds(self, table: Opened) -> bool:
        """Whether a table belongs here."""
        ...

    def has_lost(self, table: Opened) -> bool:
        """Whether a table does not belong here, and never will again."""
        ...


class PublicTables(Struct, frozen=True):
    """A tenant's public tables of one status."""

    tenant: str
    status: Status

    @property
    def name(self) -> str:
        """By the status first, since a tenant is called anything."""
        return f"public:{self.status}:{self.tenant}"

    def holds(self, table: Opened) -> bool:
        """As the table itself has it."""
        match = table.match
        here = STATUS[type(table)] is self.status
        return here and not match.private and match.tenant == self.tenant

    def has_lost(self, table: Opened) -> bool:
        """Once it has come further."""
        return IN_ORDER.index(STATUS[type(table)]) > IN_ORDER.index(self.status)


class WaitingTables(Struct, frozen=True):
    """A tenant's public tables that wait for players, all of the same rules and the same clock."""

    tenant: str
    rules: Rules
    turn_seconds: int | None

    @property
    def name(self) -> str:
        """By a digest of what they have in common."""
        offered = msgspec.json.encode((self.rules, self.turn_seconds))
        return f"waiting:{blake2b(offered, digest_size=12).hexdigest()}:{self.tenant}"

    def holds(self, table: Opened) -> bool:
        """While there is a seat, and the cards are dealt by chance."""
        match = table.match
        return (
            STATUS[type(table)] is Status.SEATING
            and not match.private
            and match.tenant == self.tenant
            and (match.rules, match.turn_seconds) == (self.rules, self.turn_seconds)
            and None in match.players
            and not match.deals
        )

    def has_lost(self, table: Opened) -> bool:
        """Once the game has begun; until then a player may get up again."""
        return STATUS[type(table)] is not Status.SEATING


class TablesOf(Struct, frozen=True):
    """The tables, private or not, at which somebody sits or which they have opened."""

    caller: str

    @property
    def name(self) -> str:
        """By a caller's id."""
        return f"of:{self.caller}"

    def holds(self, table: Opened) -> bool:
        """As the table itself has it."""
        return self.caller in {table.match.opener, *table.match.players}

    def has_lost(self, table: Opened) -> bool:
        """Once the game is over without them; until then they may come back."""
        return STATUS[type(table)] is Status.FINISHED and not self.holds(table)


class InvitedTables(Struct, frozen=True):
    """The private table of an invitation. Whether the code is its own, its reader checks."""

    code: str

    @property
    def name(self) -> str:
        """By the code."""
        return f"invited:{self.code}"

    def holds(self, table: Opened) -> bool:
        """For ever: a private table never becomes a public one."""
        return table.match.private

    def has_lost(self, table: Opened) -> bool:
        """Never."""
        return False


def shelves_of(id: str, table: Opened, invites: Invites) -> Iterator[Shelf]:  # noqa: A002
    """Every shelf on which a table belongs."""
    match = table.match
    seats = zip(match.players, match.bots, strict=True)
    people = [player for player, level in seats if player is not None and level is None]
    yield from map(TablesOf, dict.fromkeys((match.opener, *people)))
    if match.private:
        yield InvitedTables(invites.code(id))
        return
    yield PublicTables(match.tenant, STATUS[type(table)])
    waiting = WaitingTables(match.tenant, match.rules, match.turn_seconds)
    if waiting.holds(table):
        yield waiting


def belongs(shelf: Shelf, listed: Listed, loaded: Loaded) -> bool:
    """Whether a table stands rightly on a shelf. Of two who opened it at once, one was first."""
    if isinstance(loaded.table, Unopened) or loaded.opened != listed.place:
        return False
    return shelf.holds(loaded.table)


def has_lost(shelf: Shelf, listed: Listed, loaded: Loaded, now: int) -> bool:
    """Whether a table can be taken off a shelf for good."""
    if isinstance(loaded.table, Unopened):
        return listed.place < now - OPENING_MILLIS
    return loaded.opened != listed.place or shelf.has_lost(loaded.table)


class Announcer:
    """Puts tables on their shelves before it is true that they belong there."""

    def __init__(self, index: TableIndex, invites: Invites) -> None:
        self._index = index
        self._invites = invites

    async def about_to(self, before: Loaded, after: Loaded) -> None:
        """Costs nothing unless somebody comes or goes, or the table comes to another status.

        It is put on all of its shelves, not on new ones alone: should a shelf ever have lost it,
        it is back with the next who sits down.
        """
        if _seen_from_afar(before) != _seen_from_afar(after):
            shelves = shelves_of(after.id, opened(after.table), self._invites)
            names = [shelf.name for shelf in shelves]
            await self._index.add(names, Listed(after.opened, after.id))


def _seen_from_afar(loaded: Loaded) -> object:
    """All of a table that decides on which shelves it belongs."""
    table = loaded.table
    return None if isinstance(table, Unopened) else (STATUS[type(table)], table.match.players)

"""The lobby: finding a table, being invited to one, being seated at one, and playing again."""

from collections.abc import Collection

from msgspec import Struct

from spades.rules import PRESETS, Game, resolve
from spades.state import Opened, Table, Unopened
from spades.view import STATUS, Status
from spades_service import requests
from spades_service.browsing import Browser
from spades_service.callers import Caller, Role
from spades_service.invites import Invites, plain
from spades_service.pages import Page, Part
from spades_service.ports import Clock, Entropy, TableIndex
from spades_service.quick_match import QuickMatches
from spades_service.rematches import Rematches
from spades_service.shelves import IN_ORDER, InvitedTables, PublicTables, TablesOf
from spades_service.tables import Accepted, Loaded, Rejected, Tables, require_known


class Filter(Struct, frozen=True):
    """Which tables somebody looks for; what is None does not matter."""

    statuses: Collection[Status] | None = None
    preset: str | None = None
    game: Game | None = None
    with_free_seat: bool | None = None

    def admits(self, table: Opened) -> bool:
        """Whether a table is one of them. A seat is free while nobody holds it, not even a
        computer.
        """
        match = table.match
        return (
            (self.statuses is None or STATUS[type(table)] in self.statuses)
            and (self.preset is None or match.rules == PRESETS[self.preset].rules)
            and (self.game is None or match.rules.game is self.game)
            and (self.with_free_seat in {None, None in match.players})
        )


class Lobby:
    """The use cases of those who look for a table."""

    def __init__(
        self,
        tables: Tables,
        index: TableIndex,
        invites: Invites,
        clock: Clock,
        entropy: Entropy,
    ) -> None:
        self._tables = tables
        self._index = index
        self._invites = invites
        self._browser = Browser(tables, index, clock)
        self._quick_matches = QuickMatches(tables, index, self._browser, entropy)
        self._rematches = Rematches(tables, index, entropy)

    async def public(self, caller: Caller, wanted: Filter, part: Part) -> Page:
        """The public tables of the caller's tenant, those opened last first. Raises Refused."""
        require_known(caller)
        statuses = [here for here in IN_ORDER if wanted.statuses is None or here in wanted.statuses]
        shelves = [PublicTables(caller.tenant, status) for status in statuses]
        return await self._listed(caller, shelves, wanted, part)

    async def of(self, caller: Caller, wanted: Filter, part: Part) -> Page:
        """The tables at which the caller sits or which they have opened, private ones as well."""
        require_known(caller)
        return await self._listed(caller, [TablesOf(caller.id)], wanted, part)

    async def _listed(
        self,
        caller: Caller,
        shelves: list[PublicTables] | list[TablesOf],
        wanted: Filter,
        part: Part,
    ) -> Page:
        if wanted.preset is not None:
            resolve(wanted.preset, {})

        def shown(loaded: Loaded) -> bool:
            table = self._tables.known_to(caller, loaded).table
            return not isinstance(table, Unopened) and wanted.admits(table)

        return await self._browser.page(shelves, part, shown)

    async def invited(self, caller: Caller, code: str) -> Loaded:
        """The private table of an invitation; version 0 where there is none. Raises Refused."""
        require_known(caller)
        shelf = InvitedTables(plain(code)[:40])
        for listed in await self._index.page(shelf.name, 10):
            loaded = await self._tables.load_for(caller, listed.table, code)
            if self._invites.admits(listed.table, code) and loaded.exists:
                return loaded
        return Loaded("")

    async def quick_match(
        self, caller: Caller, request: requests.QuickMatch, command_id: str | None = None
    ) -> Accepted | Rejected:
        """A seat at any public table that waits with these rules and this clock, or at a new one.

        With `fill` computers take the other seats; the last seat begins the game. A command id
        that was carried out before is answered as the first time.
        """
        return await self._quick_matches.seat(caller, request, command_id)

    async def rematch(
        self, caller: Caller, table: str, command_id: str | None = None
    ) -> Accepted | Rejected:
        """A seat at the table where those who have played play again, each one seat further.

        It has the same rules, clock and privacy. Computers are there at once, and everybody else
        comes who asks for the same; with the last seat it begins.
        """
        return await self._rematches.ask(caller, table, command_id)

    async def rematch_of(self, id: str, table: Table) -> str | None:  # noqa: A002
        """The table where a finished game is played again, if anybody has asked for that."""
        return await self._rematches.of(id, table)

    def invite_code(self, caller: Caller, id: str, table: Opened) -> str | None:  # noqa: A002
        """The code that lets others in, for those who may know of the table; an auditor is no host.

        Who knows of a private table sits there, has opened it, or has brought the code along.
        """
        if not table.match.private or caller.role is Role.AUDITOR:
            return None
        return self._invites.code(id) or None

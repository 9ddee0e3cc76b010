"""Rematches: the same people play again, each one seat further."""

from typing import Final

from spades.commands import Command, OpenTable, SeatBot, TakeSeat
from spades.events import Event
from spades.refusals import RefusalCode, Refused, require
from spades.seats import Seat
from spades.state import Finished, Match, Table, Unopened
from spades.view import seat_of
from spades_service import requests
from spades_service.beginning import then_begin
from spades_service.callers import Caller, CommandKey
from spades_service.ids import fresh_id, id_of
from spades_service.ports import Entropy, Listed, TableIndex
from spades_service.recent import Recent
from spades_service.tables import Accepted, Intent, Loaded, Rejected, Tables, require_known

KEPT: Final = 4_096


def rematch_id(table: str) -> str:
    """The table at which another is played again: whoever asks first, all mean the same."""
    return id_of(f"rematch\n{table}".encode())


def kept_for(table: str) -> str:
    """The shelf that says of a table which one it is the rematch of; then its seats are kept."""
    return f"rematch:{table}"


class Rematches:
    """Brings people together again."""

    def __init__(self, tables: Tables, index: TableIndex, entropy: Entropy) -> None:
        self._tables = tables
        self._index = index
        self._entropy = entropy
        self._known: Recent[str, str] = Recent(KEPT)

    async def ask(self, caller: Caller, table: str, command_id: str | None) -> Accepted | Rejected:
        """Sit down for a rematch, at a table that the first who asks opens."""
        old = await self._tables.load_for(caller, table)
        try:
            again = _played(caller, old)
        except Refused as refused:
            return Rejected(refused.code, refused.message, old.version or None)
        new = rematch_id(table)
        await self._index.add([kept_for(new)], Listed(old.opened, table))
        name = command_id or fresh_id(self._entropy)
        key = CommandKey.of(caller, f"rematch:{new}:{name}", requests.content(requests.Rematch()))
        # Who has played may sit down, though the table be private.
        intent = Intent(caller, key, again.plan, lambda loaded: loaded, opening=True)
        return await self._tables.carry_out(new, intent)

    async def of(self, id: str, table: Table) -> str | None:  # noqa: A002
        """The rematch of a table, if anybody has asked for one."""
        if not isinstance(table, Finished):
            return None
        if self._known.get(id) is None:
            new = await self._tables.load(rematch_id(id))
            if not new.exists:
                return None
            self._known.put(id, new.id)
        return self._known.get(id)


class Again:
    """A game to be played again, as one who has played it asks for it."""

    def __init__(self, match: Match, caller: Caller, seat: Seat) -> None:
        self._match = match
        self._caller = caller
        self._sitting = TakeSeat(match.layout.left_of(seat), caller.player or "")

    def plan(self, table: Table, seed: bytes) -> tuple[Event, ...]:
        """Sit down one seat further; who comes first opens the table, and the computers sit."""
        if not isinstance(table, Unopened):
            return then_begin(table, [self._sitting], seed)
        match = self._match
        opening = OpenTable(
            match.rules,
            self._caller.id,
            dealer=_first_dealer(match),
            turn_seconds=match.turn_seconds,
            private=match.private,
            tenant=match.tenant,
        )
        computers: list[Command] = [
            SeatBot(match.layout.left_of(seat), level)
            for seat, level in enumerate(match.bots)
            if level is not None
        ]
        return then_begin(table, [opening, self._sitting, *computers], seed)


def _played(caller: Caller, old: Loaded) -> Again:
    require_known(caller)
    require(old.exists, RefusalCode.NOT_FOUND, "there is no such table")
    table = old.table
    if not isinstance(table, Finished) or not table.match.round:
        raise Refused(RefusalCode.WRONG_PHASE, "a rematch is for a game that was played to its end")
    seat = seat_of(table, caller.player)
    if seat is None:
        raise Refused(RefusalCode.NOT_SEATED, "a rematch is for those who sat here at the end")
    return Again(table.match, caller, seat)


def _first_dealer(match: Match) -> Seat:
    """The seat that dealt first: the deal goes one seat on with each round."""
    last = match.dealer or 0
    return (last - (match.round - 1)) % match.layout.seats

"""A record played through the rules, as the players played it: what a table's history would be."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from spades.commands import (
    Command,
    DrawCard,
    ExchangeCards,
    LookAtHand,
    OpenTable,
    PlaceBid,
    PlayCard,
    StartGame,
    TakeSeat,
)
from spades.deal import SEED_BYTES
from spades.events import Event, RoundDealt
from spades.record import IN_THE_FILE, Place, Record, RecordedRound, RecordFault
from spades.refusals import RefusalCode, Refused
from spades.seats import Seat
from spades.state import Bidding, Finished, Table, Unopened
from spades.table import carry_out, replay

NO_SEED: Final = bytes(SEED_BYTES)
"""A record holds its deals. Only a deal that comes after its last round would use a seed."""


class Replayed(Struct, frozen=True):
    """The history that a record tells, and the table that it leads to.

    After a last round that is complete no cards are out, and `consequence` deals the next.
    """

    events: tuple[Event, ...]
    table: Table


def replay_record(
    record: Record, players: Sequence[str] | None = None, opener: str | None = None
) -> Replayed:
    """What `decide` makes of every choice in the record; raises RecordFault at the first refused.

    `players` are the ids of those who sit down, seat by seat; the first one opens the table unless
    `opener` is given.
    """
    seated = players or [f"seat-{seat}" for seat in range(record.layout.seats)]
    replay = _Replay(record)
    replay.seat(seated, seated[0] if opener is None else opener)
    for number, of_round in enumerate(record.rounds, 1):
        replay.play(number, of_round)
    return Replayed(tuple(replay.events), replay.table)


class _Replay:
    """The table as it stands, and all that has happened."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.table: Table = Unopened()
        self.events: list[Event] = []

    def carry_out(self, command: Command, place: Place = IN_THE_FILE) -> None:
        try:
            happened, table = carry_out(self.table, command)
        except Refused as refused:
            raise RecordFault(refused.code, refused.message, place) from None
        latest = happened[-1]
        if isinstance(latest, RoundDealt) and latest.number > len(self.record.rounds):
            # Dealt from no seed of anybody's: not the record's.
            happened = happened[:-1]
            table = replay(happened, self.table)
        self.table = table
        self.events += happened

    def seat(self, players: Sequence[str], opener: str) -> None:
        rounds = self.record.rounds
        self.carry_out(
            OpenTable(
                rules=self.record.rules,
                opener=opener,
                dealer=rounds[0].dealer if rounds else None,
                deals=tuple(of_round.deal for of_round in rounds),
                labels=self.record.labels,
            )
        )
        for seat, player in enumerate(players):
            self.carry_out(TakeSeat(seat, player))
        if rounds:
            self.carry_out(StartGame(NO_SEED))

    def play(self, number: int, of_round: RecordedRound) -> None:
        if isinstance(self.table, Finished):
            raise RecordFault(
                RefusalCode.WRONG_PHASE,
                f"the game is over: it ended with round {number - 1}",
                Place(number),
            )
        seats = [Place(number, seat=label) for label in self.record.labels]
        for draw in of_round.draws:
            self.carry_out(DrawCard(draw.seat, draw.looked), seats[draw.seat])
        for seat in of_round.looked:
            self.look(seat, seats[seat])
        for bid in of_round.bids:
            if not bid.blind:
                self.look(bid.seat, seats[bid.seat])
            self.carry_out(PlaceBid(bid.seat, bid.tricks, bid.blind), seats[bid.seat])
        for offer in of_round.exchange:
            self.carry_out(ExchangeCards(offer.seat, offer.cards), seats[offer.seat])
        for trick, plays in enumerate(of_round.tricks, 1):
            for play in plays:
                place = Place(number, trick, self.record.labels[play.seat])
                self.carry_out(PlayCard(play.seat, play.card, NO_SEED), place)

    def look(self, seat: Seat, place: Place) -> None:
        """A record need not say so: who bids a number or nil has looked at a withheld hand."""
        if isinstance(self.table, Bidding) and not self.table.seen[seat]:
            self.carry_out(LookAtHand(seat), place)

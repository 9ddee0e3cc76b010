"""Whole games by computer players, the same for the same seed on any machine."""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Final

from msgspec import Struct

from spades.commands import Command, OpenTable, StartGame, TakeSeat
from spades.deal import SEED_BYTES
from spades.events import (
    BotLevel,
    Event,
    GameFinished,
    RoundScored,
    Scoring,
)
from spades.rules import Rules
from spades.seats import LAYOUTS, Seat
from spades.state import Finished, Seating, Table, Unopened, opened
from spades.table import carry_out
from spades.view import awaited_seats, view
from spades_service.computers import PLAYERS

NILS_MADE: Final = frozenset({Scoring.NIL_MADE, Scoring.BLIND_NIL_MADE, Scoring.DOUBLE_NIL_MADE})
NILS_FAILED: Final = frozenset(
    {Scoring.NIL_FAILED, Scoring.BLIND_NIL_FAILED, Scoring.DOUBLE_NIL_FAILED}
)


class Tally(Struct):
    """What came of a number of games; two tallies of different games add up."""

    games: int = 0
    rounds: int = 0
    events: int = 0
    draws: int = 0
    contracts_made: int = 0
    contracts_missed: int = 0
    nils_made: int = 0
    nils_failed: int = 0
    bags: int = 0
    bag_penalties: int = 0
    winning_scores: int = 0
    losing_scores: int = 0
    reasons: dict[str, int] = {}

    def add(self, other: "Tally") -> None:
        """Take in the games of another tally."""
        self.reasons = dict(Counter(self.reasons) + Counter(other.reasons))
        for field in self.__struct_fields__:
            if field != "reasons":
                setattr(self, field, getattr(self, field) + getattr(other, field))


def simulate(
    rules: Rules, seed: str, levels: Sequence[BotLevel] = (BotLevel.EASY,)
) -> tuple[Event, ...]:
    """A whole game from its opening to its end.

    `levels` are those of the seats from 0 on, and begin again where there are more seats.
    Everything that is left to chance comes from the seed. Raises Refused for rules that contradict
    each other.
    """
    chance = Random(seed)
    table: Table = Unopened()
    events: list[Event] = []
    while not isinstance(table, Finished):
        happened, table = carry_out(table, _next(table, rules, chance, levels))
        events += happened
    return tuple(events)


def _next(table: Table, rules: Rules, chance: Random, levels: Sequence[BotLevel]) -> Command:
    if isinstance(table, Unopened):
        dealer = chance.randrange(LAYOUTS[rules.game].seats)
        return OpenTable(rules, "simulation", dealer)
    if isinstance(table, Seating):
        empty = [seat for seat, player in enumerate(table.match.players) if player is None]
        if empty:
            return TakeSeat(empty[0], f"{_level(levels, empty[0])}-{empty[0]}")
        return StartGame(chance.randbytes(SEED_BYTES))
    seat = awaited_seats(table)[0]
    seen = view(opened(table), seat, id="", version=0, names={})
    player = PLAYERS[_level(levels, seat)]
    return player(seen, chance.randrange, chance.randbytes(SEED_BYTES))


def _level(levels: Sequence[BotLevel], seat: Seat) -> BotLevel:
    return levels[seat % len(levels)]


def tally(events: Sequence[Event]) -> Tally:
    """What came of one game."""
    scored = [event for event in events if isinstance(event, RoundScored)]
    lines = [line for event in scored for side in event.sides for line in side.lines]
    ends = [event for event in events if isinstance(event, GameFinished)]
    scores = sorted(side.score for side in scored[-1].sides) if scored else [0]
    return Tally(
        games=1,
        rounds=len(scored),
        events=len(events),
        draws=sum(not end.winner for end in ends),
        contracts_made=sum(line.what is Scoring.CONTRACT_MADE for line in lines),
        contracts_missed=sum(line.what is Scoring.CONTRACT_MISSED for line in lines),
        nils_made=sum(line.what in NILS_MADE for line in lines),
        nils_failed=sum(line.what in NILS_FAILED for line in lines),
        bags=sum(line.points for line in lines if line.what is Scoring.BAGS),
        bag_penalties=sum(line.what is Scoring.BAG_PENALTY for line in lines),
        winning_scores=scores[-1],
        losing_scores=scores[0],
        reasons=dict(Counter(end.reason.value for end in ends)),
    )

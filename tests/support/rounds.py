"""Whole rounds as the store sees them: for each command its events, of everyday size."""

from collections.abc import Iterator
from hashlib import sha256

from spades.deal import deal
from spades.events import (
    BidPlaced,
    CardPlayed,
    Event,
    RoundDealt,
    RoundScored,
    ScoreLine,
    Scoring,
    SideScore,
    TrickTaken,
)
from spades.rules import PRESETS

SCORED = RoundScored(
    (
        SideScore(7, 8, (ScoreLine(Scoring.CONTRACT_MADE, 70), ScoreLine(Scoring.BAGS, 1)), 71, 1),
        SideScore(5, 5, (ScoreLine(Scoring.CONTRACT_MADE, 50),), 50, 0),
    )
)


def commands(number: int) -> Iterator[tuple[Event, ...]]:
    """The commands of a round: four bids, and 52 cards that are played as they come."""
    seed = sha256(number.to_bytes(4, "big")).digest()
    hands, rest = deal(PRESETS["classic"].rules, 0, seed)
    yield (RoundDealt(number, 0, hands, rest, (), seed.hex()),)
    for seat in range(4):
        yield (BidPlaced(seat, 3),)
    for trick in range(13):
        for seat in range(3):
            yield (CardPlayed(seat, hands[seat][trick]),)
        last = CardPlayed(3, hands[3][trick])
        taken = TrickTaken(trick % 4)
        yield (last, taken, SCORED) if trick == 12 else (last, taken)

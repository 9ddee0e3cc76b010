"""What came of a game, round by round: encoded as JSON it is what `spades replay` prints."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from msgspec import UNSET, Struct, UnsetType

from spades.events import (
    Event,
    GameFinished,
    RoundDealt,
    RoundScored,
    Scoring,
    SideScore,
    TrickTaken,
)
from spades.history import by_round, head, only
from spades.record import Head
from spades.seats import Seat


class Status(StrEnum):
    """Whether the game is over."""

    PLAYING = "playing"
    FINISHED = "finished"


class LineResult(Struct, frozen=True):
    """One line of the score sheet."""

    what: Scoring
    points: int


class SideResult(Struct, frozen=True):
    """A side's round; `taken` is what counted towards the contract."""

    seats: tuple[str, ...]
    contract: int
    taken: int
    change: int
    score: int
    bags: int
    lines: tuple[LineResult, ...]


class RoundResult(Struct, frozen=True):
    """A round; `taken` is every trick, by seat, and an unfinished one has no `sides`."""

    number: int
    dealer: str
    complete: bool
    winners: tuple[str, ...]
    taken: Mapping[str, int]
    sides: tuple[SideResult, ...] | UnsetType = UNSET


class ScoreResult(Struct, frozen=True):
    """A side's running score and bags."""

    seats: tuple[str, ...]
    score: int
    bags: int


class Results(Struct, frozen=True):
    """A game; no `winner` yet is None, and a draw is no seats."""

    status: Status
    rounds: tuple[RoundResult, ...]
    scores: tuple[ScoreResult, ...]
    winner: tuple[str, ...] | None


def results(events: Sequence[Event]) -> Results:
    """What came of a table's history, from its opening on."""
    known = head(events)
    scored, finished = only(RoundScored, events), only(GameFinished, events)
    return Results(
        status=Status.FINISHED if finished else Status.PLAYING,
        rounds=tuple(_round(known, happened) for happened in by_round(events)),
        scores=_scores(known, scored[-1].sides if scored else ()),
        winner=_labels(known, finished[0].winner) if finished else None,
    )


def _scores(known: Head, latest: Sequence[SideScore]) -> tuple[ScoreResult, ...]:
    standings = [(side.score, side.bags) for side in latest] or [(0, 0)] * len(known.layout.sides)
    return tuple(
        ScoreResult(_labels(known, seats), score, bags)
        for seats, (score, bags) in zip(known.layout.sides, standings, strict=True)
    )


def _round(known: Head, happened: Sequence[Event]) -> RoundResult:
    dealt, scored = only(RoundDealt, happened)[0], only(RoundScored, happened)
    winners = [trick.seat for trick in only(TrickTaken, happened)]
    return RoundResult(
        number=dealt.number,
        dealer=known.labels[dealt.dealer],
        complete=bool(scored),
        winners=_labels(known, winners),
        taken={label: winners.count(seat) for seat, label in enumerate(known.labels)},
        sides=_sides(known, scored[0]) if scored else UNSET,
    )


def _sides(known: Head, scored: RoundScored) -> tuple[SideResult, ...]:
    return tuple(
        SideResult(
            seats=_labels(known, seats),
            contract=side.contract,
            taken=side.taken,
            change=side.change,
            score=side.score,
            bags=side.bags,
            lines=tuple(LineResult(line.what, line.points) for line in side.lines),
        )
        for seats, side in zip(known.layout.sides, scored.sides, strict=True)
    )


def _labels(known: Head, seats: Iterable[Seat]) -> tuple[str, ...]:
    return tuple(known.labels[seat] for seat in seats)

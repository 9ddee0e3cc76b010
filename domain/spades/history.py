"""A table's history taken apart: who plays what, and its rounds."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from spades.events import Event, RoundDealt, TableOpened
from spades.record import Head
from spades.seats import LABELS, LAYOUTS

Kind = TypeVar("Kind")


def head(events: Sequence[Event]) -> Head:
    """Rules and labels, which the opening of the table settles; raises ValueError before it."""
    if not events or not isinstance(events[0], TableOpened):
        raise ValueError("a history begins with the opening of its table")
    opened = events[0]
    return Head(opened.rules, opened.labels or LABELS[LAYOUTS[opened.rules.game].seats])


def by_round(events: Iterable[Event]) -> tuple[tuple[Event, ...], ...]:
    """What happened in each round, from its deal on; a deal that was thrown in never was."""
    rounds: dict[int, list[Event]] = {}
    happened: list[Event] = []
    for event in events:
        if isinstance(event, RoundDealt):
            happened = rounds[event.number] = []
        happened.append(event)
    return tuple(tuple(of_round) for of_round in rounds.values())


def only(kind: type[Kind], events: Iterable[Event]) -> tuple[Kind, ...]:
    """The events of one type, in order."""
    return tuple(event for event in events if isinstance(event, kind))

"""Seats run clockwise from 0; the rule set says how many there are, and who sits with whom."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from spades.rules import Game

Seat = int
Side = tuple[Seat, ...]


class Layout(Struct, frozen=True):
    """A game's seats, sides and deal."""

    seats: int
    sides: tuple[Side, ...]
    cards_each: int

    @property
    def tricks(self) -> int:
        """Tricks in a round: one for each card that a player holds."""
        return self.cards_each

    def side_of(self, seat: Seat) -> int:
        """The number of the side a seat plays for."""
        return seat % len(self.sides)

    def partner(self, seat: Seat) -> Seat | None:
        """The seat opposite, where partners play."""
        others = [other for other in self.sides[self.side_of(seat)] if other != seat]
        return others[0] if others else None

    def left_of(self, seat: Seat) -> Seat:
        """The next seat clockwise."""
        return (seat + 1) % self.seats

    def clockwise_from(self, seat: Seat) -> tuple[Seat, ...]:
        """Every seat once, starting with this one."""
        return tuple((seat + step) % self.seats for step in range(self.seats))


def _partners(seats: int) -> tuple[Side, ...]:
    half = seats // 2
    return tuple((seat, seat + half) for seat in range(half))


def _alone(seats: int) -> tuple[Side, ...]:
    return tuple((seat,) for seat in range(seats))


LAYOUTS: Final[Mapping[Game, Layout]] = {
    Game.PARTNERSHIP: Layout(4, _partners(4), 13),
    Game.TWO_HANDED: Layout(2, _alone(2), 13),
    Game.THREE_HANDED: Layout(3, _alone(3), 17),
    Game.SIX_HANDED: Layout(6, _partners(6), 17),
    Game.CUTTHROAT: Layout(4, _alone(4), 13),
}
"""Who plays (rules, sections 1 and 5)."""

LABELS: Final[Mapping[int, tuple[str, ...]]] = {
    2: ("N", "S"),
    3: ("N", "E", "W"),
    4: ("N", "E", "S", "W"),
    6: ("1", "2", "3", "4", "5", "6"),
}
"""How a record names seats when nobody chose other labels."""

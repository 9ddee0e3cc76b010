"""A table between two events: a union of phases, so that the impossible has no spelling."""

from typing import Final

from msgspec import Struct

from spades.cards import Hand
from spades.deal import Hands
from spades.events import BotLevel, CardPlayed, EndReason
from spades.rules import Rules
from spades.seats import LABELS, LAYOUTS, Layout, Seat

AWAY_AFTER: Final = 2
"""Moves on end that may be made for a player before they count as away."""


class Standing(Struct, frozen=True):
    """A side's running score and bag count."""

    score: int = 0
    bags: int = 0


class Bid(Struct, frozen=True):
    """What a player said: a number of tricks, or nil, seen or blind."""

    tricks: int
    blind: bool = False

    @property
    def nil(self) -> bool:
        """A zero bid is a nil."""
        return self.tricks == 0


Bids = tuple[Bid | None, ...]
"""By seat; None where nothing was said yet."""


class Match(Struct, frozen=True, kw_only=True):
    """What lasts from one round to the next. `round` and `dealer` are those of the latest deal;
    before the first, `round` is 0 and `dealer` who will deal, None while it is to be drawn.

    By seat: `players`, the level of computers among them in `bots`, and in `missed` how many moves
    on end were made for them. `former` are those who left a seat once the game had begun.
    """

    rules: Rules
    opener: str
    dealer: Seat | None
    deals: tuple[Hands, ...]
    labels: tuple[str, ...]
    players: tuple[str | None, ...]
    bots: tuple[BotLevel | None, ...]
    missed: tuple[int, ...]
    former: tuple[tuple[Seat, str], ...] = ()
    turn_seconds: int | None = None
    private: bool = False
    tenant: str = ""
    standings: tuple[Standing, ...]
    round: int = 0

    @property
    def layout(self) -> Layout:
        """Seats and sides of this game."""
        return LAYOUTS[self.rules.game]

    @property
    def record_labels(self) -> tuple[str, ...]:
        """The seats as a record names them."""
        return self.labels or LABELS[self.layout.seats]

    def away(self, seat: Seat) -> bool:
        """Whether a person has let so many moves pass that nobody waits for them any more."""
        return self.bots[seat] is None and self.missed[seat] >= AWAY_AFTER

    @property
    def persons(self) -> tuple[str, ...]:
        """The players who are no computers."""
        return tuple(
            player
            for player, level in zip(self.players, self.bots, strict=True)
            if player is not None and level is None
        )

    def unattended(self, seat: Seat) -> bool:
        """Whether nobody is there to move: the seat stands empty, or its player is away."""
        return self.players[seat] is None or self.away(seat)

    @property
    def deserted(self) -> bool:
        """Whether every seat that is a person's is unattended; computers alone play on."""
        people = [seat for seat, level in enumerate(self.bots) if level is None]
        return bool(people) and all(self.unattended(seat) for seat in people)

    def name(self, seat: Seat) -> str:
        """The seat in a sentence: by its label in a record, else by its number."""
        return self.labels[seat] if self.labels else f"seat {seat}"


class Unopened(Struct, frozen=True):
    """Nothing has happened yet."""


class Seating(Struct, frozen=True):
    """Players are sitting down."""

    match: Match


class Drawing(Struct, frozen=True):
    """Two players take their hands from the stock, card by card."""

    match: Match
    hands: Hands
    stock: Hand
    turn: Seat


class Bidding(Struct, frozen=True):
    """Bids go round once. `seen[seat]` says whether a player knows their own cards."""

    match: Match
    hands: Hands
    rest: Hand
    seen: tuple[bool, ...]
    bids: Bids
    turn: Seat


class Exchanging(Struct, frozen=True):
    """Partners of a blind nil choose cards for each other. `offers[seat]` is None while it is
    awaited, and empty for a seat that exchanges nothing or is done.
    """

    match: Match
    hands: Hands
    rest: Hand
    bids: Bids
    offers: tuple[Hand | None, ...]


class Playing(Struct, frozen=True):
    """Tricks are being played. `turn` is nobody's once the trick is full, or the last one taken;
    `lowest_clubs` holds during a first trick to which everyone plays their lowest club.
    """

    match: Match
    hands: Hands
    rest: Hand
    bids: Bids
    leader: Seat
    turn: Seat | None
    taken: tuple[int, ...]
    trick: Hand = ()
    last_trick: tuple[CardPlayed, ...] = ()
    trick_number: int = 1
    broken: bool = False
    lowest_clubs: bool = False


class BetweenRounds(Struct, frozen=True):
    """No cards are out: a deal is due, or the end."""

    match: Match


class Finished(Struct, frozen=True):
    """The game is over; no winner's seats is a draw."""

    match: Match
    winner: tuple[Seat, ...]
    reason: EndReason


Opened = Seating | Drawing | Bidding | Exchanging | Playing | BetweenRounds | Finished
Table = Unopened | Opened


def opened(table: Table) -> Opened:
    """The table, known to be open; raises ValueError where nothing has happened."""
    if isinstance(table, Unopened):
        raise ValueError("the table has not been opened")
    return table

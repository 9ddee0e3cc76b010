"""What can be asked of a table. Seats are known here; who sits in them is the service's to check.

Time and chance enter with the command: `seed` is 32 fresh bytes for the deal that the command may
bring about.
"""

from msgspec import Struct

from spades.cards import Card, Hand
from spades.deal import Hands
from spades.rules import Rules
from spades.seats import Seat


class OpenTable(Struct, frozen=True):
    """Open a table; with `deals` set by round and seat, else dealt from seeds."""

    rules: Rules
    opener: str
    dealer: Seat | None = None
    deals: tuple[Hands, ...] = ()
    labels: tuple[str, ...] = ()


class TakeSeat(Struct, frozen=True):
    """Sit down in an empty seat."""

    seat: Seat
    player: str


class LeaveSeat(Struct, frozen=True):
    """Get up again, before the game has begun."""

    seat: Seat


class StartGame(Struct, frozen=True):
    """Deal the first round, once every seat is taken."""

    seed: bytes


class LookAtHand(Struct, frozen=True):
    """See one's own cards, where they are withheld: no blind bid from then on."""

    seat: Seat


class PlaceBid(Struct, frozen=True):
    """Bid a number of tricks; 0 is nil."""

    seat: Seat
    tricks: int
    blind: bool = False


class ExchangeCards(Struct, frozen=True):
    """Choose the cards for the partner, after a blind nil."""

    seat: Seat
    cards: Hand


class DrawCard(Struct, frozen=True):
    """Keep the card looked at, or discard it and take the next."""

    seat: Seat
    keep: bool


class PlayCard(Struct, frozen=True):
    """Play a card to the trick."""

    seat: Seat
    card: Card
    seed: bytes


class AskRedeal(Struct, frozen=True):
    """Ask for a new deal, having been dealt no spade."""

    seat: Seat
    seed: bytes


Command = (
    OpenTable
    | TakeSeat
    | LeaveSeat
    | StartGame
    | LookAtHand
    | PlaceBid
    | ExchangeCards
    | DrawCard
    | PlayCard
    | AskRedeal
)

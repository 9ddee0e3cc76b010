"""What can be asked of a table. Seats are known here; who sits in them is the service's to check.

Time and chance enter with the command: `seed` is 32 fresh bytes for the deal that the command may
bring about.
"""

from msgspec import Struct

from spades.cards import Card, Hand
from spades.deal import Hands
from spades.events import BotLevel
from spades.rules import Rules
from spades.seats import Seat


class TakeSeat(Struct, frozen=True):
    """Sit down in an empty seat."""

    seat: Seat
    player: str


class OpenTable(Struct, frozen=True):
    """Open a table; with `deals` set by round and seat, else dealt from seeds.

    `seated` sit down at once, and with `fill` computers take the seats that are left. With every
    seat taken the game begins.
    """

    rules: Rules
    opener: str
    dealer: Seat | None = None
    deals: tuple[Hands, ...] = ()
    labels: tuple[str, ...] = ()
    turn_seconds: int | None = None
    private: bool = False
    tenant: str = ""
    seated: tuple[TakeSeat, ...] = ()
    fill: BotLevel | None = None
    seed: bytes = b""


class LeaveSeat(Struct, frozen=True):
    """Get up again; in a game the seat is then for somebody else."""

    seat: Seat


class SeatBot(Struct, frozen=True):
    """Let a computer take an empty seat."""

    seat: Seat
    level: BotLevel


class ComeBack(Struct, frozen=True):
    """Be there again, after having been away."""

    seat: Seat


class Abandon(Struct, frozen=True):
    """End a game that nobody comes back to."""


class StartGame(Struct, frozen=True):
    """Deal the first round, once every seat is taken."""

    seed: bytes


class LookAtHand(Struct, frozen=True):
    """See one's own cards, where they are withheld: no blind bid from then on."""

    seat: Seat
    automatic: bool = False


class PlaceBid(Struct, frozen=True):
    """Bid a number of tricks; 0 is nil."""

    seat: Seat
    tricks: int
    blind: bool = False
    automatic: bool = False


class ExchangeCards(Struct, frozen=True):
    """Choose the cards for the partner, after a blind nil."""

    seat: Seat
    cards: Hand
    automatic: bool = False


class DrawCard(Struct, frozen=True):
    """Keep the card looked at, or discard it and take the next."""

    seat: Seat
    keep: bool
    automatic: bool = False


class PlayCard(Struct, frozen=True):
    """Play a card to the trick."""

    seat: Seat
    card: Card
    seed: bytes
    automatic: bool = False


class AskRedeal(Struct, frozen=True):
    """Ask for a new deal, having been dealt no spade."""

    seat: Seat
    seed: bytes


Command = (
    OpenTable
    | TakeSeat
    | LeaveSeat
    | SeatBot
    | ComeBack
    | Abandon
    | StartGame
    | LookAtHand
    | PlaceBid
    | ExchangeCards
    | DrawCard
    | PlayCard
    | AskRedeal
)

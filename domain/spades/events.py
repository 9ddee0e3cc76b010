"""What can have happened at a table: the whole history is a sequence of these, and nothing else.

Events carry outcomes (who took a trick, each line of a score), so that a rule mended later never
rewrites an old game. Their fields are written by position: a new field goes last, with a default.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from msgspec import Struct

from spades.cards import Card, Hand
from spades.deal import Hands
from spades.rules import Rules
from spades.seats import Seat


class BotLevel(StrEnum):
    """How well a computer plays."""

    EASY = "easy"
    NORMAL = "normal"
    HARD = "hard"


class TableOpened(Struct, frozen=True, array_like=True):
    """A table stands open; its rules hold for ever. `deals` are hands set by a platform, by round
    and seat (two-handed: one list, the stock); `labels` are the seats' names in an imported record.

    `turn_seconds` is the time for each move, None without a clock. `tenant` is the platform whose
    table it is, and `private` keeps it out of the lists.
    """

    rules: Rules
    opener: str
    dealer: Seat | None = None
    deals: tuple[Hands, ...] = ()
    labels: tuple[str, ...] = ()
    turn_seconds: int | None = None
    private: bool = False
    tenant: str = ""


class SeatTaken(Struct, frozen=True, array_like=True):
    """A player sat down. Names are kept elsewhere, so that they can be forgotten.

    `level` is that of a computer player, None for a person.
    """

    seat: Seat
    player: str
    level: BotLevel | None = None


class SeatLeft(Struct, frozen=True, array_like=True):
    """A player got up. In a game the seat waits for somebody else, or for them."""

    seat: Seat
    player: str


class PlayerBack(Struct, frozen=True, array_like=True):
    """A player who was away is there again, and plays for themselves."""

    seat: Seat


class GameStarted(Struct, frozen=True, array_like=True):
    """Every seat is taken, and the first dealer is known."""

    dealer: Seat


class RoundDealt(Struct, frozen=True, array_like=True):
    """The cards are out. `rest` was not dealt: the stock, top first, or the card set aside.

    `withheld` are the seats that may bid blind and have not seen their cards. `seed` is the deal's
    seed in hexadecimal, and None where the platform set the deal.
    """

    number: int
    dealer: Seat
    hands: Hands
    rest: Hand
    withheld: tuple[Seat, ...]
    seed: str | None


class DealThrownIn(Struct, frozen=True, array_like=True):
    """A player dealt no spade asked for a new deal; the same dealer deals again."""

    seat: Seat


class CardDrawn(Struct, frozen=True, array_like=True):
    """A turn of the two-handed draw: one card joins the hand, one goes face down.

    `looked` says whether the card kept is the one that was looked at.
    """

    seat: Seat
    looked: bool
    kept: Card
    discarded: Card
    automatic: bool = False


class HandSeen(Struct, frozen=True, array_like=True):
    """A player asked to see their cards, and can no longer bid blind."""

    seat: Seat
    automatic: bool = False


class BidPlaced(Struct, frozen=True, array_like=True):
    """A bid; 0 is nil, and only nil can be blind."""

    seat: Seat
    tricks: int
    blind: bool = False
    automatic: bool = False


class CardsOffered(Struct, frozen=True, array_like=True):
    """A player chose the cards for the partner, who does not see them yet."""

    seat: Seat
    cards: Hand
    automatic: bool = False


class CardsExchanged(Struct, frozen=True, array_like=True):
    """Both partners have chosen, and the cards change hands: `cards[i]` is what `seats[i]` gave."""

    seats: tuple[Seat, Seat]
    cards: tuple[Hand, Hand]


class CardPlayed(Struct, frozen=True, array_like=True):
    """A card on the table. Like every move it may be `automatic`: made for a player whose time ran
    out, by a fixed policy.
    """

    seat: Seat
    card: Card
    automatic: bool = False


class TrickTaken(Struct, frozen=True, array_like=True):
    """A trick is complete; its winner leads the next."""

    seat: Seat


class Scoring(StrEnum):
    """The reasons on a score sheet, in the order in which they are written down."""

    CONTRACT_MADE = "contract made"
    CONTRACT_MISSED = "contract missed"
    NIL_MADE = "nil made"
    NIL_FAILED = "nil failed"
    BLIND_NIL_MADE = "blind nil made"
    BLIND_NIL_FAILED = "blind nil failed"
    DOUBLE_NIL_MADE = "double nil made"
    DOUBLE_NIL_FAILED = "double nil failed"
    BAGS = "bags"
    BAG_PENALTY = "bag penalty"


class ScoreLine(Struct, frozen=True, array_like=True):
    """One line of a score sheet."""

    what: Scoring
    points: int


class SideScore(Struct, frozen=True, array_like=True):
    """A side's round: `taken` counted towards the contract, `score` and `bags` are running."""

    contract: int
    taken: int
    lines: tuple[ScoreLine, ...]
    score: int
    bags: int

    @property
    def change(self) -> int:
        """What the round brought in or cost: the sum of its lines."""
        return sum(line.points for line in self.lines)


class RoundScored(Struct, frozen=True, array_like=True):
    """A round is over, and each side's sheet has its lines."""

    sides: tuple[SideScore, ...]


class EndReason(StrEnum):
    """Why a game was over."""

    TARGET = "target"
    FLOOR = "floor"
    ROUNDS = "rounds"
    ABANDONED = "abandoned"


class GameFinished(Struct, frozen=True, array_like=True):
    """The game is over; no winner's seats is a draw."""

    winner: tuple[Seat, ...]
    reason: EndReason


Event = (
    TableOpened
    | SeatTaken
    | SeatLeft
    | PlayerBack
    | GameStarted
    | RoundDealt
    | DealThrownIn
    | CardDrawn
    | HandSeen
    | BidPlaced
    | CardsOffered
    | CardsExchanged
    | CardPlayed
    | TrickTaken
    | RoundScored
    | GameFinished
)

EVENTS: Final[Mapping[str, type[Event]]] = {
    kind.__name__: kind
    for kind in (
        TableOpened,
        SeatTaken,
        SeatLeft,
        PlayerBack,
        GameStarted,
        RoundDealt,
        DealThrownIn,
        CardDrawn,
        HandSeen,
        BidPlaced,
        CardsOffered,
        CardsExchanged,
        CardPlayed,
        TrickTaken,
        RoundScored,
        GameFinished,
    )
}
"""Every type of event by the name under which it is stored."""

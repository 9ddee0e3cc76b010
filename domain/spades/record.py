"""A game as it is written down: what was dealt, bid and played, never what the rules make of it."""

from msgspec import Struct
from msgspec.structs import replace

from spades.deal import Hands
from spades.events import BidPlaced, CardDrawn, CardPlayed, CardsOffered
from spades.refusals import RefusalCode
from spades.rules import Rules
from spades.seats import LAYOUTS, Layout, Seat

Trick = tuple[CardPlayed, ...]


class RecordedRound(Struct, frozen=True, kw_only=True):
    """One round, each player's choices in the order in which they are carried out.

    `deal` is what `OpenTable` takes: a hand for each seat; two-handed one list, the stock.
    """

    dealer: Seat
    deal: Hands
    draws: tuple[CardDrawn, ...] = ()
    looked: tuple[Seat, ...] = ()
    bids: tuple[BidPlaced, ...] = ()
    exchange: tuple[CardsOffered, ...] = ()
    tricks: tuple[Trick, ...] = ()


class Head(Struct, frozen=True):
    """What a record says once: how the game is played, and the seats' labels, clockwise."""

    rules: Rules
    labels: tuple[str, ...]

    @property
    def layout(self) -> Layout:
        """Seats and sides of this game."""
        return LAYOUTS[self.rules.game]


class Record(Head, frozen=True):
    """One game, whole or in progress: only its last round may be unfinished."""

    rounds: tuple[RecordedRound, ...]


def cut(record: Record, number: int, tricks: int) -> Record:
    """The record as it stood after so many tricks of round `number`; whole where it ends before."""
    rounds = record.rounds[:number]
    if len(rounds) == number:
        rounds = (*rounds[:-1], replace(rounds[-1], tricks=rounds[-1].tricks[:tricks]))
    return replace(record, rounds=rounds)


class Place(Struct, frozen=True):
    """Where in a game something is wrong: numbers count from 1, the seat goes by its label."""

    round: int | None = None
    trick: int | None = None
    seat: str | None = None


IN_THE_FILE = Place()
"""The place of a fault in the file itself, found before any rule is looked at."""


class RecordFault(Exception):
    """A file that is no record (BAD_RECORD), or a record that breaks a rule of the game."""

    def __init__(self, code: RefusalCode, message: str, place: Place = IN_THE_FILE) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.round = place.round
        self.trick = place.trick
        self.seat = place.seat

    def __str__(self) -> str:
        counted = (("round", self.round), ("trick", self.trick))
        where = ", ".join(f"{word} {number}" for word, number in counted if number is not None)
        return f"{where}: {self.message}" if where else self.message


LONGEST = 500
"""Characters of a fault's sentence: what it quotes comes from a file and may have any length."""


def bad_record(path: str, message: str) -> RecordFault:
    """The fault of a file that is no record, at `rounds[0].tricks[3]` or the like."""
    sentence = f"{path}: {message}" if path else message
    if len(sentence) > LONGEST:
        sentence = sentence[: LONGEST - 1] + "…"
    return RecordFault(RefusalCode.BAD_RECORD, sentence)

"""Cards and suits: one spelling, suit first, wherever a card is named."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final


class Suit(StrEnum):
    """The four suits, in the order in which hands are sorted."""

    CLUBS = "C"
    DIAMONDS = "D"
    HEARTS = "H"
    SPADES = "S"

    @property
    def word(self) -> str:
        """The suit as it is said at the table: `hearts`."""
        return self.name.lower()


class Card(StrEnum):
    """A card by its two letters: valid in Python, GraphQL, JSON, records and transcripts alike."""

    C2 = "C2"
    C3 = "C3"
    C4 = "C4"
    C5 = "C5"
    C6 = "C6"
    C7 = "C7"
    C8 = "C8"
    C9 = "C9"
    CT = "CT"
    CJ = "CJ"
    CQ = "CQ"
    CK = "CK"
    CA = "CA"

    D2 = "D2"
    D3 = "D3"
    D4 = "D4"
    D5 = "D5"
    D6 = "D6"
    D7 = "D7"
    D8 = "D8"
    D9 = "D9"
    DT = "DT"
    DJ = "DJ"
    DQ = "DQ"
    DK = "DK"
    DA = "DA"

    H2 = "H2"
    H3 = "H3"
    H4 = "H4"
    H5 = "H5"
    H6 = "H6"
    H7 = "H7"
    H8 = "H8"
    H9 = "H9"
    HT = "HT"
    HJ = "HJ"
    HQ = "HQ"
    HK = "HK"
    HA = "HA"

    S2 = "S2"
    S3 = "S3"
    S4 = "S4"
    S5 = "S5"
    S6 = "S6"
    S7 = "S7"
    S8 = "S8"
    S9 = "S9"
    ST = "ST"
    SJ = "SJ"
    SQ = "SQ"
    SK = "SK"
    SA = "SA"

    LJ = "LJ"
    BJ = "BJ"


Hand = tuple[Card, ...]
"""Cards in sorted order. A tuple, not a set: six-handed plays with two packs, and no order may
depend on a hash seed.
"""

JOKERS: Final = (Card.LJ, Card.BJ)
STANDARD: Final[Hand] = tuple(card for card in Card if card not in JOKERS)
RANKS: Final = "23456789TJQKA"
PLACE: Final = {card: place for place, card in enumerate(Card)}
"""Where a card stands in a sorted hand."""


def in_order(cards: Iterable[Card]) -> Hand:
    """A hand as a player holds it: clubs, diamonds, hearts, spades, each upwards, then jokers."""
    return tuple(sorted(cards, key=PLACE.__getitem__))


def without(hand: Hand, cards: Iterable[Card]) -> Hand:
    """The hand after `cards` have left it, one copy each.

    Raises ValueError if one of them is not there.
    """
    left = list(hand)
    for card in cards:
        left.remove(card)
    return tuple(left)


def spoken(cards: Iterable[Card]) -> str:
    """Cards in a sentence: `HK H4`, highest first."""
    return " ".join(reversed(in_order(cards)))

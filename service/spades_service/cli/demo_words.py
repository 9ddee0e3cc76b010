"""A game in words, as somebody at the table would tell it."""

from collections.abc import Iterator, Sequence
from typing import Final

from spades.cards import JOKERS, Card, Suit
from spades.events import BidPlaced, CardDrawn, CardPlayed, CardsOffered, HandSeen
from spades.seats import Seat

Move = HandSeen | CardDrawn | BidPlaced | CardsOffered | CardPlayed
"""What a player chooses; every other event follows from these."""

RANK: Final = {"T": "10", "J": "jack", "Q": "queen", "K": "king", "A": "ace"}


def in_words(card: Card, led: Card | None = None) -> str:
    """`king of hearts`; a card of the suit led goes by its rank alone."""
    if card in JOKERS:
        return "big joker" if card is Card.BJ else "little joker"
    rank = RANK.get(card[1], card[1])
    followed = led is not None and led not in JOKERS and led[0] == card[0]
    return rank if followed else f"{rank} of {Suit(card[0]).word}"


class Commentary:
    """Hears one move after another, and gives a line for each trick and for what leads up to it."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._round = 0
        self._trick = 0
        self._led: Card | None = None
        self._topic = ""
        self._told: list[str] = []

    @property
    def line(self) -> str:
        """The line as far as it goes."""
        return f"{self._topic}: {', '.join(self._told)}" if self._told else ""

    def hear(self, move: Move, taker: Seat | None) -> Iterator[str]:
        """Take in a move, and who took the trick with it; gives the lines that are complete."""
        topic = self._topic_of(move)
        if topic != self._topic:
            yield from self.rest()
            if self._begins_round(move):
                self._round, self._trick = self._round + 1, 0
                yield f"Round {self._round}"
            self._topic = topic
        self._told.append(self._words(move))
        if taker is not None:
            yield f"{self.line}. {self._names[taker]} takes it."
            self._told.clear()
            self._led = None
            self._trick += 1

    def rest(self) -> Iterator[str]:
        """The line that is not complete, where there is one."""
        if self._told:
            yield f"{self.line}."
            self._told.clear()

    def _begins_round(self, move: Move) -> bool:
        """The first round begins with the first move, each other one with the end of the tricks."""
        return not self._topic or (self._trick > 0 and not isinstance(move, CardPlayed))

    def _topic_of(self, move: Move) -> str:
        match move:
            case CardDrawn():
                return "Draw"
            case HandSeen() | BidPlaced():
                return "Bids"
            case CardsOffered():
                return "Exchange"
            case CardPlayed():
                return f"Trick {self._trick + 1}"

    def _words(self, move: Move) -> str:
        name = self._names[move.seat]
        match move:
            case CardDrawn(looked=kept):
                return f"{name} {'keeps' if kept else 'discards'}"
            case HandSeen():
                return f"{name} looks"
            case BidPlaced(tricks=tricks, blind=blind):
                return f"{name} {'blind nil' if blind else tricks or 'nil'}"
            case CardsOffered(cards=cards):
                return f"{name} chooses {len(cards)} cards"
            case CardPlayed(card=card) if self._led is None:
                self._led = card
                return f"{name} leads the {in_words(card)}"
            case CardPlayed(card=card):
                return f"{name} the {in_words(card, self._led)}"

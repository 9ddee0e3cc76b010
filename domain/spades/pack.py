"""The pack of a rule set, and which of its cards beats which."""

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

from spades.cards import JOKERS, STANDARD, Card, Hand, Suit
from spades.rules import Game, Identical, Jokers, Rules


class Ranking(Struct, frozen=True):
    """Every card's suit in play and its height in that suit."""

    suit: Mapping[Card, Suit]
    height: Mapping[Card, int]
    spades: frozenset[Card]


def _ranking(*top: Card) -> Ranking:
    """`top` are the spades above the ace, lowest first."""
    ladder = [card for card in STANDARD if card not in top] + list(top)
    suit = {card: Suit(card[0]) for card in STANDARD} | dict.fromkeys(top, Suit.SPADES)
    return Ranking(
        suit=suit,
        height={card: height for height, card in enumerate(ladder)},
        spades=frozenset(card for card in ladder if suit[card] is Suit.SPADES),
    )


RANKINGS: Final[Mapping[Jokers, Ranking]] = {
    Jokers.NONE: _ranking(),
    Jokers.BIG_LITTLE: _ranking(Card.LJ, Card.BJ),
    Jokers.DEUCES: _ranking(Card.S2, Card.D2, Card.LJ, Card.BJ),
}
"""Which cards are spades, and how high (rules, section 6)."""


def pack(rules: Rules) -> Hand:
    """The whole pack in its standard order, the order from which a shuffle starts.

    52 cards; with jokers 52, less the 2 of hearts and the 2 of clubs; six-handed 102.
    """
    if rules.game is Game.SIX_HANDED:
        return tuple(card for card in STANDARD if card is not Card.C2) * 2
    if rules.jokers is Jokers.NONE:
        return STANDARD
    return (*(card for card in STANDARD if card not in (Card.H2, Card.C2)), *JOKERS)


def spades_in(rules: Rules, cards: Iterable[Card]) -> int:
    """How many of the cards are spades in play, jokers among them."""
    spades = RANKINGS[rules.jokers].spades
    return sum(card in spades for card in cards)


def best(rules: Rules, trick: Hand, trump: Suit | None = Suit.SPADES) -> int:
    """The place in the trick of the card that takes it, 0 for the card led.

    The highest spade, or without one the highest card of the suit led. Without a trump (the trick
    of lowest clubs) only the suit led can win.
    """
    ranking = RANKINGS[rules.jokers]
    suit, height = ranking.suit, ranking.height
    second_wins = rules.identical is Identical.SECOND
    top = 0
    top_card = trick[0]
    for place, card in enumerate(trick):
        if suit[card] is suit[top_card]:
            higher = height[card] > height[top_card]
            wins = higher or (second_wins and card is top_card)
        else:
            wins = suit[card] is trump
        if wins:
            top, top_card = place, card
    return top

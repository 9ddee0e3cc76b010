"""Deals that a platform sets in advance: duplicate play, imported games."""

from collections import Counter

from spades.cards import Hand, in_order, spoken
from spades.deal import Hands
from spades.pack import pack
from spades.refusals import RefusalCode, Refused, require
from spades.rules import Game, Rules
from spades.seats import LAYOUTS


def check_deal(rules: Rules, hands: Hands, where: str) -> None:
    """Raises Refused with BAD_DEAL unless the hands are a deal of this pack.

    A hand for each seat, clockwise from seat 0; two-handed one list, the whole stock, top first.
    """
    layout = LAYOUTS[rules.game]
    two_handed = rules.game is Game.TWO_HANDED
    whole = pack(rules)
    lists, length = (1, len(whole)) if two_handed else (layout.seats, layout.cards_each)
    require(
        len(hands) == lists,
        RefusalCode.BAD_DEAL,
        f"{where} holds {len(hands)} lists of cards, and {rules.game} takes {lists}",
    )
    for seat, hand in enumerate(hands):
        require(
            len(hand) == length,
            RefusalCode.BAD_DEAL,
            f"{where}, list {seat}: {len(hand)} cards, and it takes {length}",
        )
    dealt = Counter(card for hand in hands for card in hand)
    known = Counter(whole)
    foreign = sorted(card for card in dealt if card not in known)
    if foreign:
        raise Refused(
            RefusalCode.BAD_DEAL, f"{where}: {spoken(foreign)} is not in the pack of this game"
        )
    doubled = sorted(card for card in dealt if dealt[card] > known[card])
    if doubled:
        raise Refused(
            RefusalCode.BAD_DEAL, f"{where}: {spoken(doubled)} stands too often in the deal"
        )


def laid_out(rules: Rules, hands: Hands) -> tuple[Hands, Hand]:
    """A set deal as hands and what is not dealt, as `deal` would give them."""
    if rules.game is Game.TWO_HANDED:
        return ((),) * LAYOUTS[rules.game].seats, hands[0]
    left = Counter(pack(rules))
    left.subtract(card for hand in hands for card in hand)
    return tuple(in_order(hand) for hand in hands), in_order(left.elements())

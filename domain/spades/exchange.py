"""The exchange: after a blind nil, both partners choose two cards for each other at once."""

from spades.cards import Card, Hand, in_order, spoken, without
from spades.deal import Hands
from spades.events import CardsExchanged
from spades.refusals import RefusalCode, require
from spades.seats import Seat
from spades.state import Bids, Exchanging, Match

Offers = tuple[Hand | None, ...]


def first_offers(match: Match, bids: Bids) -> Offers:
    """None for each seat that must choose cards: the sides of a blind nil; empty for the others."""
    blind = {
        match.layout.side_of(seat) for seat, bid in enumerate(bids) if bid is not None and bid.blind
    }
    chooses = match.rules.exchange > 0
    return tuple(
        None if chooses and match.layout.side_of(seat) in blind else ()
        for seat in range(match.layout.seats)
    )


def check_offer(state: Exchanging, seat: Seat, cards: Hand) -> None:
    """Raises Refused unless this seat is to choose, and holds what it chose."""
    match = state.match
    name, count = match.name(seat), match.rules.exchange
    require(
        state.offers[seat] is None,
        RefusalCode.NOT_YOUR_TURN,
        f"{name} has no cards to choose: "
        + " and ".join(match.name(other) for other in awaited(state))
        + " must",
    )
    require(
        len(cards) == count,
        RefusalCode.WRONG_NUMBER_OF_CARDS,
        f"{name} must choose {count} cards, not {len(cards)}",
    )
    hand = state.hands[seat]
    missing = [card for card in cards if cards.count(card) > hand.count(card)]
    require(
        not missing,
        RefusalCode.CARD_NOT_HELD,
        f"{name} does not hold {spoken(set(missing))}"
        + (" twice" if any(card in hand for card in missing) else ""),
    )


def awaited(state: Exchanging) -> tuple[Seat, ...]:
    """The seats that have yet to choose."""
    return tuple(seat for seat, offer in enumerate(state.offers) if offer is None)


def ready(state: Exchanging) -> CardsExchanged | None:
    """The swap of the first side whose partners have both chosen."""
    for one, other in state.match.layout.sides:
        first, second = state.offers[one], state.offers[other]
        if first and second:
            return CardsExchanged(seats=(one, other), cards=(first, second))
    return None


def swapped(hands: Hands, event: CardsExchanged) -> Hands:
    """The hands after the cards have changed them."""
    one, other = event.seats
    given, received = event.cards
    return swap(hands, one, given, other, received)


def swap(
    hands: Hands, one: Seat, given: tuple[Card, ...], other: Seat, received: tuple[Card, ...]
) -> Hands:
    """`one` gives and receives, `other` the reverse; ValueError where a card is not there."""
    new = list(hands)
    new[one] = in_order((*without(hands[one], given), *received))
    new[other] = in_order((*without(hands[other], received), *given))
    return tuple(new)

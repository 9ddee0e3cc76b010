"""The deal behind a recorded round: written out, drawn from the stock, or read off the plays."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from spades.cards import Card, Hand, in_order
from spades.deal import Hands
from spades.events import CardDrawn, CardsOffered
from spades.exchange import swap
from spades.pack import pack
from spades.record import Head, Trick, bad_record
from spades.rules import Rules
from spades.seats import Seat


def turns_of_draw(rules: Rules) -> int:
    """How many turns the two-handed draw takes, two cards each."""
    return len(pack(rules)) // 2


def drawn_deal(head: Head, draws: Sequence[CardDrawn], path: str) -> Hands:
    """The stock, top first, as the turns of the draw took it."""
    turns = turns_of_draw(head.rules)
    if len(draws) != turns:
        raise bad_record(path, f"the hands are drawn in {turns} turns, not {len(draws)}")
    stock = tuple(card for draw in draws for card in _as_they_lay(draw))
    _check_pack(head, stock, path)
    return (stock,)


def _as_they_lay(draw: CardDrawn) -> tuple[Card, Card]:
    return (draw.kept, draw.discarded) if draw.looked else (draw.discarded, draw.kept)


def written_deal(head: Head, written: Mapping[Seat, Hand], aside: Hand, path: str) -> Hands:
    """The hands that the record gives, known to be a deal of the whole pack."""
    for seat, label in enumerate(head.labels):
        if seat not in written:
            raise bad_record(path, f"there must be a hand for {label}")
    hands = tuple(written[seat] for seat in range(head.layout.seats))
    _check_deal(head, hands, aside, path)
    return hands


def played_deal(
    head: Head, tricks: Iterable[Trick], exchange: Iterable[CardsOffered], aside: Hand, path: str
) -> Hands:
    """What the players were dealt: what they played, with the exchange undone."""
    held: list[list[Card]] = [[] for _ in head.labels]
    for trick in tricks:
        for play in trick:
            held[play.seat].append(play.card)
    shown, dealt = sum(map(len, held)), head.layout.cards_each * head.layout.seats
    if shown < dealt:
        raise bad_record(
            f"{path}.deal",
            f"it may be left out only where the plays show all {dealt} cards, not {shown}",
        )
    hands = _before_exchange(head, tuple(map(in_order, held)), exchange, f"{path}.exchange")
    _check_deal(head, hands, aside, f"{path}.tricks")
    return hands


def _before_exchange(
    head: Head, hands: Hands, exchange: Iterable[CardsOffered], path: str
) -> Hands:
    offers = {offer.seat: offer.cards for offer in exchange}
    for seat in offers:
        partner = head.layout.partner(seat)
        if partner is None:
            continue  # a refusal of the game's, not a fault of the file
        if partner not in offers:
            raise bad_record(
                path,
                f"with the deal left out it takes both partners' cards: {head.labels[partner]}'s "
                "are missing",
            )
        if seat < partner:
            hands = _undone(head, hands, (seat, partner), offers, path)
    return hands


def _undone(
    head: Head, hands: Hands, partners: tuple[Seat, Seat], offers: Mapping[Seat, Hand], path: str
) -> Hands:
    one, other = partners
    try:
        return swap(hands, one, offers[other], other, offers[one])
    except ValueError:
        names = " and ".join(head.labels[seat] for seat in partners)
        raise bad_record(
            path, f"with the deal left out, {names} must play the cards they were given"
        ) from None


def _check_deal(head: Head, hands: Hands, aside: Hand, path: str) -> None:
    """Sizes first: a card in the wrong hand is nearer to the mistake than a pack in disorder."""
    for label, hand in zip(head.labels, hands, strict=True):
        if len(hand) != head.layout.cards_each:
            raise bad_record(path, f"{label} holds {head.layout.cards_each} cards, not {len(hand)}")
    _check_pack(head, (*(card for hand in hands for card in hand), *aside), path)


def _check_pack(head: Head, cards: Iterable[Card], path: str) -> None:
    """Each card as often as the pack has it."""
    whole, dealt = Counter(pack(head.rules)), Counter(cards)
    if dealt == whole:
        return
    wrong = [f"{card} is not in it" for card in dealt if card not in whole]
    wrong += [f"{card} stands too often" for card in whole if dealt[card] > whole[card]]
    wrong += [f"{card} is missing" for card in whole if dealt[card] < whole[card]]
    raise bad_record(path, "the cards are not the pack of this game: " + ", ".join(wrong))

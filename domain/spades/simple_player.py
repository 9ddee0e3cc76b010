"""A simple player: legal, quick and not quite foolish, from its own view of the table alone."""

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from spades.cards import Card, Hand
from spades.commands import (
    AskRedeal,
    Command,
    DrawCard,
    ExchangeCards,
    LookAtHand,
    PlaceBid,
    PlayCard,
)
from spades.pack import RANKINGS, best, spades_in
from spades.rules import FirstTrick, Redeal, Rules
from spades.seats import LAYOUTS
from spades.view import Phase, TableView

Below = Callable[[int], int]
"""Chance, given from outside: a number from 0 up to, but not with, the one asked for."""

BLIND_IN: Final = 4
"""One in so many chances to bid blind nil is taken."""
NIL_WORTH: Final = 1
"""A hand worth no more than this, and without high spades, is bid nil."""


def simple_move(table: TableView, below: Below, seed: bytes) -> Command:
    """What this player does when the table waits for it.

    `seed` goes along for the deal that the move may bring about. Raises ValueError where the table
    does not wait for this seat.
    """
    seat = table.seat
    if seat is None or seat not in table.awaited:
        raise ValueError("the table does not wait for this seat")
    match table.phase:
        case Phase.DRAWING:
            return DrawCard(seat, _keeps(table.rules, table.top_card))
        case Phase.BIDDING:
            return _bid(table, seat, below, seed)
        case Phase.EXCHANGING:
            return ExchangeCards(seat, _offer(table, seat))
        case _:
            return PlayCard(seat, _play(table, seat), seed)


def automatic_move(table: TableView, seed: bytes) -> Command:
    """What is done for a player whose time has run out: always the same at the same table.

    It plays as the simple player does, but bids nothing blind and asks for no new deal.
    """
    if table.phase is Phase.BIDDING and not table.hand_withheld:
        return _a_bid(table, table.awaited[0], automatic=True)
    move = simple_move(table, lambda _: 1, seed)
    return replace(move, automatic=True)


def _keeps(rules: Rules, card: Card | None) -> bool:
    """Spades and honours are worth a place in the hand."""
    return card is not None and (spades_in(rules, (card,)) > 0 or card[1] in "AKQ")


def _bid(table: TableView, seat: int, below: Below, seed: bytes) -> Command:
    if table.may_bid_blind and below(BLIND_IN) == 0:
        return PlaceBid(seat, 0, blind=True)
    if table.hand_withheld:
        return LookAtHand(seat)
    hand = table.hand or ()
    if table.rules.redeal is Redeal.NO_SPADE and not spades_in(table.rules, hand):
        return AskRedeal(seat, seed)
    return _a_bid(table, seat, automatic=False)


def _a_bid(table: TableView, seat: int, *, automatic: bool) -> PlaceBid:
    hand = table.hand or ()
    wish = 0 if _looks_like_nil(table.rules, hand) else max(1, worth(table.rules, hand))
    # Nil is another kind of bid, not a low one: nobody's second choice while there are others.
    return PlaceBid(
        seat,
        min(table.legal_bids, key=lambda bid: ((bid == 0) != (wish == 0), abs(bid - wish))),
        automatic=automatic,
    )


def worth(rules: Rules, hand: Hand) -> int:
    """Tricks that a hand should take: aces, guarded kings, high and long spades.

    Counted for four players: with fewer each takes more, with six less.
    """
    ranking = RANKINGS[rules.jokers]
    spades = sorted(ranking.height[card] for card in hand if card in ranking.spades)
    top = max(ranking.height.values())
    high = sum(height > top - 4 for height in spades)
    long = max(0, len(spades) - high - 3)
    side = [card for card in hand if card not in ranking.spades]
    aces = sum(card[1] == "A" for card in side)
    kings = sum(
        card[1] == "K" and 2 <= sum(other[0] == card[0] for other in side) <= 5 for card in side
    )
    return (high + long + aces + kings // 2) * 4 // max(3, LAYOUTS[rules.game].seats)


def _looks_like_nil(rules: Rules, hand: Hand) -> bool:
    ranking = RANKINGS[rules.jokers]
    lowest_honour = max(ranking.height.values()) - 4
    return (
        worth(rules, hand) <= NIL_WORTH
        and spades_in(rules, hand) <= 3
        and all(ranking.height[card] < lowest_honour for card in hand if card in ranking.spades)
    )


def _offer(table: TableView, seat: int) -> Hand:
    """Who bid blind gives the highest cards away; the partner gives the lowest."""
    height = RANKINGS[table.rules.jokers].height
    count = table.rules.exchange
    upwards = sorted(table.hand or (), key=lambda card: (height[card], card))
    return tuple(upwards[-count:] if table.seats[seat].blind else upwards[:count])


def _play(table: TableView, seat: int) -> Card:
    """Nil ducks as high as it can; others take what the contract lacks, as cheaply as they can."""
    legal = sorted(table.legal_plays, key=RANKINGS[table.rules.jokers].height.__getitem__)
    winning = [card for card in legal if _would_win(table, card)]
    losing = [card for card in legal if card not in winning]
    side = next(side for side in table.sides if seat in side.seats)
    if table.seats[seat].bid == 0:
        return losing[-1] if losing else legal[0]
    if winning and side.taken < (side.contract or 0):
        return winning[0] if _is_last(table) else winning[-1]
    return losing[0] if losing else legal[0]


def _would_win(table: TableView, card: Card) -> bool:
    if table.round is None or not table.round.trick:
        return card[1] in "AK" or card in RANKINGS[table.rules.jokers].spades
    if table.rules.first_trick is FirstTrick.LOWEST_CLUBS and table.round.trick_number == 1:
        return False
    trick = tuple(play.card for play in table.round.trick)
    return best(table.rules, (*trick, card)) == len(trick)


def _is_last(table: TableView) -> bool:
    return table.round is not None and len(table.round.trick) == len(table.seats) - 1

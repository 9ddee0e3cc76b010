"""The same table for one viewer, with the cards that they may not know in other places."""

from collections.abc import Iterator
from random import Random

from msgspec.structs import replace

from spades.cards import Card, Hand, in_order
from spades.deal import Hands
from spades.state import Bidding, Drawing, Exchanging, Playing, Table
from support.leaks import Viewer

WithCards = Drawing | Bidding | Exchanging | Playing


def otherwise(table: Table, viewer: Viewer, chance: Random) -> Table:
    """Hands and rest dealt anew, but for what lies open to this viewer."""
    if not isinstance(table, WithCards):
        return table
    seats = [seat for seat in range(len(table.hands)) if not _sees_hand(table, viewer, seat)]
    hidden = [card for seat in seats for card in table.hands[seat]]
    hidden += _hidden_rest(table, viewer)
    chance.shuffle(hidden)
    cards = iter(hidden)
    hands = tuple(
        in_order(_take(cards, len(hand))) if seat in seats else hand
        for seat, hand in enumerate(table.hands)
    )
    return _with(table, hands, tuple(cards), viewer)


def _sees_hand(table: WithCards, viewer: Viewer, seat: int) -> bool:
    return seat == viewer and (not isinstance(table, Bidding) or table.seen[seat])


def _sees_top(table: Drawing, viewer: Viewer) -> bool:
    return viewer == table.turn


def _hidden_rest(table: WithCards, viewer: Viewer) -> Hand:
    if isinstance(table, Drawing):
        return table.stock[_sees_top(table, viewer) :]
    return table.rest


def _take(cards: Iterator[Card], count: int) -> Hand:
    return tuple(next(cards) for _ in range(count))


def _with(table: WithCards, hands: Hands, rest: Hand, viewer: Viewer) -> Table:
    match table:
        case Drawing():
            top = table.stock[: _sees_top(table, viewer)]
            return replace(table, hands=hands, stock=(*top, *rest))
        case Exchanging():
            return replace(table, hands=hands, rest=rest, offers=_offers(table, hands, viewer))
        case _:
            return replace(table, hands=hands, rest=rest)


def _offers(table: Exchanging, hands: Hands, viewer: Viewer) -> tuple[Hand | None, ...]:
    """Others have chosen as many cards, of those that they hold now."""
    return tuple(
        offer if offer is None or seat == viewer else hands[seat][: len(offer)]
        for seat, offer in enumerate(table.offers)
    )

"""Two-handed there is no deal: in turn, one card of the stock is kept and one goes face down."""

from typing import Final

import pytest

from spades.cards import Card, in_order
from spades.commands import DrawCard
from spades.deal import deal
from spades.events import CardDrawn, Event, GameStarted, RoundDealt
from spades.refusals import RefusalCode
from spades.seats import Seat
from spades.state import Bidding, Drawing, Playing
from support.table_spec import (
    SEED,
    Given,
    History,
    bid,
    bidding,
    cards,
    discard,
    given,
    keep,
    play,
    rule_set,
    seated,
)

TWO_HANDED: Final = rule_set("two-handed")
STOCK: Final = deal(TWO_HANDED, 0, SEED)[1]


def stock(words: str, dealer: Seat = 1) -> History:
    """A stock of these cards, top first; seat 0 draws first."""
    return bidding(rules=TWO_HANDED, rest=words, dealer=dealer)


def drawing(history: Given) -> Drawing:
    assert isinstance(history.table, Drawing)
    return history.table


def whole_draw(dealer: Seat, *choices: bool) -> tuple[History, tuple[Event, ...]]:
    """The whole stock drawn by these choices, repeated, and its events alone."""
    history: History = (
        *seated(TWO_HANDED, dealer=dealer),
        GameStarted(dealer),
        RoundDealt(1, dealer, ((), ()), STOCK, (), SEED.hex()),
    )
    drawn: tuple[Event, ...] = ()
    for turn in range(26):
        seat = (dealer + 1 + turn) % 2
        drawn = (
            *drawn,
            *given(history, drawn).when(DrawCard(seat, choices[turn % len(choices)])).events,
        )
    return history, drawn


@pytest.mark.parametrize("dealer", [0, 1])
def test_the_other_player_draws_first_and_then_in_turn(dealer: Seat) -> None:
    history = stock("SA H2 C3 D4", dealer)
    first = 1 - dealer
    given(history).when(keep(dealer)).refuses(
        RefusalCode.NOT_YOUR_TURN, f"it is seat {first}'s turn to draw, not seat {dealer}'s"
    )
    one = given(history).when(keep(first))
    two = given(history, one.events)
    two.when(keep(first)).refuses(RefusalCode.NOT_YOUR_TURN)
    two.when(keep(dealer)).brings(CardDrawn(dealer, True, Card.C3, Card.D4))


def test_a_card_that_is_kept_sends_the_next_face_down() -> None:
    given(stock("SA H2 C3 D4")).when(keep(0)).then(CardDrawn(0, True, Card.SA, Card.H2))


def test_a_card_that_is_discarded_leaves_the_next() -> None:
    given(stock("SA H2 C3 D4")).when(discard(0)).then(CardDrawn(0, False, Card.H2, Card.SA))


@pytest.mark.parametrize(("choice", "kept"), [(True, "SA"), (False, "H2")])
def test_each_turn_takes_two_cards_off_the_stock_and_one_into_the_hand(
    choice: bool, kept: str
) -> None:
    turn = given(stock("SA H2 C3 D4")).when(DrawCard(0, choice))
    after = drawing(given(turn.history, turn.events))
    assert (after.stock, after.hands, after.turn) == (cards("C3 D4"), (cards(kept), ()), 1)


@pytest.mark.parametrize("choices", [(True,), (False,), (True, False, False), (False, True)])
@pytest.mark.parametrize("dealer", [0, 1])
def test_after_26_turns_both_hold_13_and_bid(dealer: Seat, choices: tuple[bool, ...]) -> None:
    history, drawn = whole_draw(dealer, *choices)
    assert len(drawn) == 26
    for turns in range(26):
        assert isinstance(given(history, drawn[:turns]).table, Drawing)
    table = given(history, drawn).table
    assert isinstance(table, Bidding)
    assert [len(hand) for hand in table.hands] == [13, 13]
    assert table.hands == tuple(
        in_order(
            event.kept for event in drawn if isinstance(event, CardDrawn) and event.seat == seat
        )
        for seat in (0, 1)
    )
    assert (table.rest, table.turn) == ((), 1 - dealer)


@pytest.mark.parametrize("dealer", [0, 1])
def test_the_player_who_does_not_deal_bids_and_leads_first(dealer: Seat) -> None:
    other = 1 - dealer
    history, drawn = whole_draw(dealer, True)
    given(history, drawn).when(bid(dealer, 3)).refuses(RefusalCode.NOT_YOUR_TURN)
    first = given(history, drawn).when(bid(other, 3))
    second = given(first.history, first.events).when(bid(dealer, 4))
    assert isinstance(second.table, Playing)
    assert second.table.turn == other


def test_who_has_drawn_has_seen_the_cards() -> None:
    history, drawn = whole_draw(0, True)
    table = given(history, drawn).table
    assert isinstance(table, Bidding)
    assert table.seen == (True, True)
    given(history, drawn).when(bid(1, "blind")).refuses(RefusalCode.BLIND_NIL_NOT_ALLOWED)


def test_nobody_bids_or_plays_while_hands_are_drawn() -> None:
    for command in (bid(0, 3), play(0, "SA")):
        given(stock("SA H2")).when(command).refuses(
            RefusalCode.WRONG_PHASE, "it is seat 0's turn to keep or discard"
        )


def test_where_hands_are_dealt_nobody_draws() -> None:
    given(bidding("SA")).when(keep(0)).refuses(RefusalCode.WRONG_PHASE)


@pytest.mark.parametrize("jokers", ["big-little", "deuces"])
def test_with_jokers_the_stock_is_as_large(jokers: str) -> None:
    hands, drawn_from = deal(rule_set("two-handed", jokers=jokers), 0, SEED)
    assert (hands, len(drawn_from)) == (((), ()), 52)

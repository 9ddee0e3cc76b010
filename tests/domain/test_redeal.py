"""Where the rule set has it, a player dealt no spade may ask for a new deal before bidding."""

from typing import Final

import pytest

from spades.deal import deal
from spades.events import BidPlaced, CardDrawn, DealThrownIn, HandSeen, RoundDealt
from spades.refusals import RefusalCode
from spades.seats import LAYOUTS, Seat
from spades.state import Bidding, Drawing
from support.table_spec import (
    SEED,
    E,
    N,
    S,
    W,
    bid,
    bidding,
    drawn,
    given,
    keep,
    redeal,
    rule_set,
    said,
    seated,
)

NO_SPADE: Final = rule_set(redeal="no-spade")
BLIND: Final = rule_set(redeal="no-spade", blind_nil=100)
HANDS: Final = ("C2 H3 DA", "C4 S2 D5", "C6 H7 D8", "SA SK SQ")


@pytest.mark.parametrize("dealer", [N, E, S, W])
def test_a_hand_without_a_spade_is_thrown_in_and_the_same_dealer_deals_again(dealer: Seat) -> None:
    hands, _ = deal(NO_SPADE, dealer, SEED)
    given(bidding(*HANDS, rules=NO_SPADE, dealer=dealer, number=3)).when(redeal(N)).then(
        DealThrownIn(N), RoundDealt(3, dealer, hands, (), (), SEED.hex())
    )


def test_it_is_asked_for_in_anybodys_turn_before_the_own_bid() -> None:
    history = given(bidding(*HANDS, rules=NO_SPADE), said("N 3, E 3"))
    history.when(redeal(S)).brings(DealThrownIn(S))


def test_bids_that_were_made_are_gone_with_the_deal() -> None:
    asked = given(bidding(*HANDS, rules=NO_SPADE), said("N 3, E 3")).when(redeal(S))
    table = asked.table
    assert isinstance(table, Bidding)
    assert (table.bids, table.turn) == ((None,) * 4, N)


def test_the_new_deal_may_be_thrown_in_too() -> None:
    asked = given(bidding(*HANDS, rules=NO_SPADE)).when(redeal(N))
    again = given(asked.history, DealThrownIn(N), bidding(*HANDS, rules=NO_SPADE)[-1])
    again.when(redeal(S)).brings(DealThrownIn(S))


def test_a_player_dealt_a_spade_plays_it() -> None:
    given(bidding(*HANDS, rules=NO_SPADE)).when(redeal(E)).refuses(
        RefusalCode.REDEAL_NOT_ALLOWED, "seat 1 was dealt a spade"
    )


@pytest.mark.parametrize("spade", ["BJ", "LJ"])
def test_a_joker_is_a_spade(spade: str) -> None:
    rules = rule_set("jokers", redeal="no-spade")
    given(bidding(f"C3 {spade}", rules=rules)).when(redeal(N)).refuses(
        RefusalCode.REDEAL_NOT_ALLOWED, "was dealt a spade"
    )


def test_the_2_of_diamonds_is_a_spade_where_it_is_one() -> None:
    deuces = rule_set("joker-joker-deuce-deuce", redeal="no-spade")
    given(bidding("C3 D2", rules=deuces)).when(redeal(N)).refuses(RefusalCode.REDEAL_NOT_ALLOWED)
    jokers = rule_set("jokers", redeal="no-spade")
    given(bidding("C3 D2", rules=jokers)).when(redeal(N)).brings(DealThrownIn(N))


def test_who_has_bid_plays_the_hand() -> None:
    given(bidding(*HANDS, rules=NO_SPADE), BidPlaced(N, 3)).when(redeal(N)).refuses(
        RefusalCode.REDEAL_NOT_ALLOWED, "seat 0 has bid"
    )


def test_where_every_deal_is_played_there_is_none() -> None:
    given(bidding(*HANDS)).when(redeal(N)).refuses(
        RefusalCode.REDEAL_NOT_ALLOWED, "every deal is played"
    )


@pytest.mark.parametrize("hand", ["C2 H3 DA", "C2 H3 SA"])
def test_who_has_not_looked_is_told_nothing_of_the_spades(hand: str) -> None:
    given(bidding(hand, rules=BLIND, withheld=(N, E, S, W))).when(redeal(N)).refuses(
        RefusalCode.REDEAL_NOT_ALLOWED, "seat 0 must look at the hand before asking for a new deal"
    )


def test_who_has_looked_may_ask_and_the_new_hands_are_withheld_again() -> None:
    history = given(bidding(*HANDS, rules=BLIND, withheld=(N, E, S, W)), HandSeen(N))
    hands, _ = deal(BLIND, W, SEED)
    history.when(redeal(N)).then(
        DealThrownIn(N), RoundDealt(1, W, hands, (), (N, E, S, W), SEED.hex())
    )
    history.when(redeal(S)).refuses(RefusalCode.REDEAL_NOT_ALLOWED, "must look")


def test_a_set_deal_that_is_thrown_in_is_dealt_from_a_seed() -> None:
    deals = (deal(NO_SPADE, N, bytes(32))[0], deal(NO_SPADE, N, bytes(32))[0])
    opened = seated(NO_SPADE, dealer=W, deals=deals)[:1]
    history = given(opened, bidding(*HANDS, rules=NO_SPADE)[1:])
    hands, _ = deal(NO_SPADE, W, SEED)
    history.when(redeal(N)).brings(RoundDealt(1, W, hands, (), (), SEED.hex()))


@pytest.mark.parametrize("preset", ["three-handed", "cutthroat", "six-handed"])
def test_however_many_play_any_of_them_may_ask(preset: str) -> None:
    rules = rule_set(preset, redeal="no-spade")
    seats = LAYOUTS[rules.game].seats
    history = given(bidding(*["C3 H3"] * seats, rules=rules))
    for seat in range(seats):
        history.when(redeal(seat)).brings(DealThrownIn(seat))


def test_two_handed_a_hand_drawn_without_a_spade_is_thrown_in_and_drawn_again() -> None:
    rules = rule_set("two-handed", redeal="no-spade")
    asked = given(drawn("C2 C3", "S2 S3", rules=rules)).when(redeal(0))
    _, stock = deal(rules, 1, SEED)
    asked.then(DealThrownIn(0), RoundDealt(1, 1, ((), ()), stock, (), SEED.hex()))
    assert isinstance(asked.table, Drawing)
    given(asked.history, asked.events).when(keep(0)).then(CardDrawn(0, True, stock[0], stock[1]))


def test_a_seat_that_does_not_exist_asks_for_nothing() -> None:
    given(bidding(*HANDS, rules=NO_SPADE)).when(redeal(4)).refuses(RefusalCode.NO_SUCH_SEAT)


def test_once_the_bids_are_made_there_is_none() -> None:
    history = given(bidding(*HANDS, rules=NO_SPADE), said("N 3, E 3, S 3"))
    last = history.when(bid(W, 3))
    given(last.history, last.events).when(redeal(N)).refuses(RefusalCode.WRONG_PHASE)

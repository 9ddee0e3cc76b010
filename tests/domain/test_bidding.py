"""Bidding goes once round, and a bid that breaks several rules is told the first of them."""

from typing import Final

import pytest

from spades.bidding import legal_bids, may_still_bid_blind
from spades.commands import PlaceBid
from spades.events import BidPlaced, HandSeen, RoundDealt
from spades.refusals import RefusalCode, Refused
from spades.rules import CLASSIC, Rules
from spades.seats import Seat
from spades.state import Bid, Bidding, Playing
from spades.table import decide
from support.table_spec import (
    E,
    Given,
    History,
    N,
    S,
    W,
    bid,
    bidding,
    drawn,
    given,
    look,
    play,
    playing,
    plays,
    rule_set,
    said,
)

BLIND: Final = rule_set(blind_nil=100)
BEHIND: Final = rule_set("modern")
MINIMUM: Final = rule_set(minimum_side_bid=4)
SUICIDE: Final = rule_set("suicide")
MIRROR: Final = rule_set("mirror")
WHIZ: Final = rule_set("whiz")
ALL: Final = tuple(range(14))
EVERYBODY: Final = (N, E, S, W)


def table(history: Given) -> Bidding:
    assert isinstance(history.table, Bidding)
    return history.table


def may_bid(rules: Rules, hand: str, words: str = "", seat: Seat = S) -> tuple[int, ...]:
    """What a seat may bid on its hand after what was said, by asking for every bid."""
    history = given(bidding(*[hand] * 4, rules=rules), said(words))
    allowed = tuple(tricks for tricks in range(-1, 20) if accepts(history, seat, tricks))
    assert legal_bids(table(history), seat) == allowed
    return allowed


def blind(seat: Seat, tricks: int) -> PlaceBid:
    return PlaceBid(seat, tricks, blind=True)


def accepts(history: Given, seat: Seat, tricks: int) -> bool:
    try:
        decide(history.table, bid(seat, tricks))
    except Refused:
        return False
    return True


# The turn


@pytest.mark.parametrize("dealer", EVERYBODY)
def test_bidding_begins_left_of_the_dealer_and_goes_once_round(dealer: Seat) -> None:
    history: History = bidding("C2", "C3", "C4", "C5", dealer=dealer)
    for step in (1, 2, 3, 4):
        seat = (dealer + step) % 4
        for other in EVERYBODY:
            if other != seat:
                given(history).when(bid(other, 3)).refuses(
                    RefusalCode.NOT_YOUR_TURN, f"it is seat {seat}'s turn to bid, not seat {other}"
                )
        given(history).when(bid(seat, 3)).then(BidPlaced(seat, 3))
        history = (*history, BidPlaced(seat, 3))
    assert isinstance(given(history).table, Playing)


def test_a_bid_once_made_stands() -> None:
    given(bidding(), said("N 3")).when(bid(N, 4)).refuses(RefusalCode.NOT_YOUR_TURN)


def test_only_who_is_in_turn_has_legal_bids() -> None:
    asked = table(given(bidding(), said("N 3")))
    assert [bool(legal_bids(asked, seat)) for seat in EVERYBODY] == [False, True, False, False]


# The number


def test_a_bid_is_anything_from_0_to_13() -> None:
    assert may_bid(CLASSIC, "C2", "N 1, E 2") == ALL
    given(bidding()).when(bid(N, 14)).refuses(
        RefusalCode.BID_OUT_OF_RANGE, "seat 0 may bid 0 to 13 tricks, not 14"
    )
    given(bidding()).when(bid(N, -1)).refuses(RefusalCode.BID_OUT_OF_RANGE)


@pytest.mark.parametrize("preset", ["three-handed", "six-handed"])
def test_with_17_cards_a_bid_is_anything_from_0_to_17(preset: str) -> None:
    history = bidding(rules=rule_set(preset))
    given(history).when(bid(0, 17)).then(BidPlaced(0, 17))
    given(history).when(bid(0, 18)).refuses(RefusalCode.BID_OUT_OF_RANGE, "0 to 17 tricks, not 18")


@pytest.mark.parametrize("tricks", [1, 5, 0])
def test_a_bid_need_not_top_the_one_before(tricks: int) -> None:
    given(bidding(), said("N 5")).when(bid(E, tricks)).then(BidPlaced(E, tricks))


def test_partners_may_bid_more_than_there_are_tricks() -> None:
    given(bidding(), said("N 13, E 13")).when(bid(S, 13)).then(BidPlaced(S, 13))


def test_a_zero_bid_is_nil_and_no_other() -> None:
    assert [tricks for tricks in ALL if Bid(tricks).nil] == [0]
    assert Bid(0, blind=True).nil


# Suicide


def test_suicide_the_first_partner_bids_freely() -> None:
    assert may_bid(SUICIDE, "SA", seat=N) == ALL
    assert may_bid(SUICIDE, "SA", "N 3", seat=E) == ALL


def test_suicide_the_second_partner_must_bid_nil_if_the_first_did_not() -> None:
    assert may_bid(SUICIDE, "SA", "N 3, E 0") == (0,)
    given(bidding(rules=SUICIDE), said("N 3, E 0")).when(bid(S, 3)).refuses(
        RefusalCode.BID_NOT_ALLOWED, "seat 2 may not bid 3: suicide leaves nil"
    )


def test_suicide_the_second_partner_may_not_bid_nil_if_the_first_did() -> None:
    assert may_bid(SUICIDE, "C2", "N nil, E 4") == ALL[1:]
    given(bidding(rules=SUICIDE), said("N nil, E 4")).when(bid(S, 0)).refuses(
        RefusalCode.BID_NOT_ALLOWED, "may not bid 0: suicide leaves 1 to 13"
    )


def test_suicide_six_handed_partners_sit_three_seats_apart() -> None:
    history = given(
        bidding(rules=rule_set("six-handed", bidding="suicide")), said("0 3, 1 nil, 2 5")
    )
    assert [tricks for tricks in range(18) if accepts(history, 3, tricks)] == [0]


def test_suicide_a_blind_nil_is_a_nil() -> None:
    rules = rule_set("suicide", blind_nil=200)
    blind = given(bidding(rules=rules, withheld=EVERYBODY), said("N blind, E 3"))
    blind.when(bid(S, 0)).refuses(RefusalCode.BID_NOT_ALLOWED)
    blind.when(bid(S, "blind")).refuses(RefusalCode.BID_NOT_ALLOWED)
    blind.when(bid(S, 4)).then(BidPlaced(S, 4))
    assert not may_still_bid_blind(table(blind), S)


def test_suicide_the_nil_that_is_left_may_be_blind() -> None:
    rules = rule_set("suicide", blind_nil=200)
    history = given(bidding(rules=rules, withheld=EVERYBODY), said("N 4, E 3"))
    assert may_still_bid_blind(table(history), S)
    history.when(bid(S, "blind")).then(BidPlaced(S, 0, blind=True))


# Mirror and whiz


@pytest.mark.parametrize(
    ("hand", "spades"), [("S2 S9 CA", 2), ("CA DA HA", 0), ("S2 S3 S4 S5 S6", 5)]
)
def test_mirror_a_bid_is_the_number_of_spades_held_and_none_is_nil(hand: str, spades: int) -> None:
    assert may_bid(MIRROR, hand, seat=N) == (spades,)


@pytest.mark.parametrize(("hand", "bids"), [("S2 S9 CA", (0, 2)), ("CA DA HA", (0,))])
def test_whiz_a_bid_is_the_number_of_spades_held_or_nil(hand: str, bids: tuple[int, ...]) -> None:
    assert may_bid(WHIZ, hand, seat=N) == bids


def test_the_player_is_told_what_the_spades_leave() -> None:
    given(bidding("S2 S9 CA", rules=MIRROR)).when(bid(N, 1)).refuses(
        RefusalCode.BID_NOT_ALLOWED, "seat 0 may not bid 1: mirror leaves 2"
    )
    given(bidding("S2 S9 CA", rules=WHIZ)).when(bid(N, 1)).refuses(
        RefusalCode.BID_NOT_ALLOWED, "seat 0 may not bid 1: whiz leaves nil or 2"
    )


@pytest.mark.parametrize("house_rule", ["mirror", "whiz"])
@pytest.mark.parametrize(
    ("jokers", "hand", "spades"),
    [("big-little", "BJ LJ SA D2", 3), ("deuces", "BJ LJ SA D2 S2 D3", 5)],
)
def test_jokers_and_a_2_of_diamonds_that_is_a_spade_are_counted(
    house_rule: str, jokers: str, hand: str, spades: int
) -> None:
    rules = rule_set(house_rule, jokers=jokers)
    assert max(may_bid(rules, hand, seat=N)) == spades


# Whiz where the hand is withheld


@pytest.mark.parametrize("hand", ["S2 S9 CA", "CA DA HA"])
def test_whiz_a_player_who_has_not_looked_is_told_nothing_of_the_spades(hand: str) -> None:
    history = given(bidding(hand, rules=rule_set("whiz", blind_nil=200), withheld=(N,)))
    assert legal_bids(table(history), N) == (0,)
    for tricks in ALL[1:]:
        history.when(bid(N, tricks)).refuses(
            RefusalCode.BID_NOT_ALLOWED,
            "seat 0 must look at the hand first: the bid depends on its spades",
        )
    for tricks in (-1, 14):
        history.when(bid(N, tricks)).refuses(RefusalCode.BID_OUT_OF_RANGE)
    history.when(bid(N, 0)).then(BidPlaced(N, 0))
    history.when(bid(N, "blind")).then(BidPlaced(N, 0, blind=True))


def test_whiz_who_has_looked_bids_by_the_spades() -> None:
    rules = rule_set("whiz", blind_nil=200)
    history = given(bidding("S2 S9 CA", rules=rules, withheld=(N,)), HandSeen(N))
    assert legal_bids(table(history), N) == (0, 2)
    history.when(bid(N, 2)).then(BidPlaced(N, 2))
    history.when(bid(N, "blind")).refuses(RefusalCode.ALREADY_LOOKED)


# The minimum side bid


@pytest.mark.parametrize("seat", [N, E])
def test_minimum_the_first_partner_may_bid_anything(seat: Seat) -> None:
    assert may_bid(MINIMUM, "C2", "N 1" if seat == E else "", seat=seat) == ALL


def test_minimum_the_second_partner_may_not_leave_the_contract_below_it() -> None:
    assert may_bid(MINIMUM, "C2", "N 1, E 1") == ALL[3:]
    given(bidding(rules=MINIMUM), said("N 1, E 1")).when(bid(S, 2)).refuses(
        RefusalCode.BID_BELOW_MINIMUM,
        "seat 2 may not bid 2: the side must reach 4, which leaves 3 to 13",
    )


def test_minimum_nor_by_a_nil_of_their_own() -> None:
    given(bidding(rules=MINIMUM), said("N 3, E 1")).when(bid(S, 0)).refuses(
        RefusalCode.BID_BELOW_MINIMUM
    )
    given(bidding(rules=MINIMUM), said("N 4, E 1")).when(bid(S, 0)).then(BidPlaced(S, 0))


def test_minimum_nil_on_the_partners_nil_is_allowed() -> None:
    assert may_bid(MINIMUM, "C2", "N nil, E 1") == (0, *ALL[4:])
    given(bidding(rules=MINIMUM), said("N nil, E 1")).when(bid(S, 3)).refuses(
        RefusalCode.BID_BELOW_MINIMUM, "which leaves nil or 4"
    )


def test_minimum_a_blind_nil_is_bound_like_a_nil() -> None:
    rules = rule_set(minimum_side_bid=4, blind_nil=200)
    low = given(bidding(rules=rules, withheld=EVERYBODY), said("N 3, E 1"))
    low.when(bid(S, "blind")).refuses(RefusalCode.BID_BELOW_MINIMUM)
    assert not may_still_bid_blind(table(low), S)
    blind = given(bidding(rules=rules, withheld=EVERYBODY), said("N blind, E 1"))
    blind.when(bid(S, "blind")).then(BidPlaced(S, 0, blind=True))


@pytest.mark.parametrize("preset", ["two-handed", "three-handed", "cutthroat"])
def test_minimum_each_alone_bids_nil_or_the_minimum(preset: str) -> None:
    rules = rule_set(preset, minimum_side_bid=4)
    two_handed = preset == "two-handed"
    history = given(drawn("SA", "S2", rules=rules) if two_handed else bidding(rules=rules))
    allowed = [tricks for tricks in range(14) if accepts(history, 0, tricks)]
    assert allowed == [0, *ALL[4:]]
    history.when(bid(0, 3)).refuses(RefusalCode.BID_BELOW_MINIMUM)


def test_minimum_a_nil_that_suicide_forces_is_never_below_it() -> None:
    rules = rule_set("suicide", minimum_side_bid=4)
    assert may_bid(rules, "C2", "N 3, E 1") == (0,)


def test_minimum_suicide_binds_who_must_make_the_whole_contract() -> None:
    rules = rule_set("suicide", minimum_side_bid=4)
    assert may_bid(rules, "C2", "N nil, E 1") == ALL[4:]
    given(bidding(rules=rules), said("N nil, E 1")).when(bid(S, 3)).refuses(
        RefusalCode.BID_BELOW_MINIMUM
    )


# Blind nil


def dealt_after(rules: Rules, scores: tuple[int, ...]) -> tuple[Seat, ...]:
    """Whose hands are withheld in the deal that follows these scores."""
    seats = 4 if rules.game != "six-handed" else 6
    leads = given(
        playing(*["C3"] * seats, rules=rules, bids=" ".join(["13"] * seats), scores=scores),
        plays(" ".join(f"{seat}:C3" for seat in range(seats - 1))),
    )
    dealt = leads.when(play(seats - 1, "C3")).events[-1]
    assert isinstance(dealt, RoundDealt)
    return dealt.withheld


def test_blind_where_a_rule_set_has_it_the_hand_is_withheld() -> None:
    rules = rule_set(blind_nil=100, missed="zero")
    assert dealt_after(rules, (0, 0)) == EVERYBODY


def test_blind_where_a_rule_set_has_none_everybody_sees_their_hand() -> None:
    assert dealt_after(rule_set(missed="zero"), (0, 0)) == ()
    given(bidding()).when(bid(N, "blind")).refuses(
        RefusalCode.BLIND_NIL_NOT_ALLOWED, "this rule set has no blind nil"
    )


@pytest.mark.parametrize(
    ("scores", "withheld"),
    [((0, 99), ()), ((0, 100), (N, S)), ((-150, -50), (N, S)), ((130, 20), (E, W)), ((0, 0), ())],
)
def test_blind_only_a_side_far_enough_behind_may(
    scores: tuple[int, int], withheld: tuple[Seat, ...]
) -> None:
    assert dealt_after(rule_set("modern", missed="zero"), scores) == withheld


def test_blind_behind_is_behind_the_best_other_side() -> None:
    rules = rule_set("six-handed", blind_nil=200, blind_nil_behind=100, missed="zero")
    assert dealt_after(rules, (100, 0, 50)) == (1, 4)
    assert dealt_after(rules, (100, 0, -50)) == (1, 2, 4, 5)
    alone = rule_set("cutthroat", blind_nil=200, blind_nil_behind=100, missed="zero")
    assert dealt_after(alone, (0, 100, 10, 90)) == (0,)


def test_blind_behind_by_nothing_is_anyone_who_is_not_ahead() -> None:
    rules = rule_set("modern", blind_nil_behind=0, missed="zero")
    assert dealt_after(rules, (0, 0)) == EVERYBODY
    assert dealt_after(rules, (1, 0)) == (E, W)


def test_blind_a_player_not_far_enough_behind_is_told_how_far() -> None:
    given(bidding(rules=BEHIND, scores=(0, 99))).when(bid(N, "blind")).refuses(
        RefusalCode.BLIND_NIL_NOT_ALLOWED,
        "only a side 100 points or more behind the best other side may",
    )


def test_blind_a_player_asks_to_look_at_any_time_before_the_own_bid() -> None:
    history = given(bidding(rules=BLIND, withheld=EVERYBODY))
    for seat in EVERYBODY:
        history.when(look(seat)).then(HandSeen(seat))


def test_blind_from_the_look_on_no_blind_bid_is_possible() -> None:
    history = given(bidding(rules=BLIND, withheld=EVERYBODY), HandSeen(N))
    history.when(bid(N, "blind")).refuses(RefusalCode.ALREADY_LOOKED, "may bid nil but not blind")
    history.when(bid(N, 0)).then(BidPlaced(N, 0))
    assert not may_still_bid_blind(table(history), N)


def test_blind_the_look_of_one_player_is_nobody_elses() -> None:
    history = given(bidding(rules=BLIND, withheld=EVERYBODY), HandSeen(S), said("N 3"))
    history.when(bid(E, "blind")).then(BidPlaced(E, 0, blind=True))


def test_blind_who_knows_the_hand_need_not_look() -> None:
    looked = given(bidding(rules=BLIND, withheld=EVERYBODY), HandSeen(N))
    has_bid = given(bidding(rules=BLIND, withheld=EVERYBODY), said("N blind"))
    never_withheld = given(bidding())
    for history in (looked, has_bid, never_withheld):
        history.when(look(N)).refuses(RefusalCode.ALREADY_LOOKED, "seat 0 knows the hand already")


def test_blind_a_seat_that_does_not_exist_cannot_look() -> None:
    given(bidding(rules=BLIND, withheld=EVERYBODY)).when(look(4)).refuses(RefusalCode.NO_SUCH_SEAT)


def test_blind_only_nil_can_be_bid_blind() -> None:
    given(bidding(rules=BLIND, withheld=EVERYBODY)).when(blind(N, 3)).refuses(
        RefusalCode.BID_OUT_OF_RANGE, "only nil can be bid blind: 0 tricks, not 3"
    )


def test_blind_a_bid_may_be_made_without_having_looked() -> None:
    given(bidding(rules=BLIND, withheld=EVERYBODY)).when(bid(N, 4)).then(BidPlaced(N, 4))


@pytest.mark.parametrize("tricks", [0, 1, 13])
def test_blind_its_partner_may_bid_anything_nil_too(tricks: int) -> None:
    history = given(bidding(rules=BLIND, withheld=EVERYBODY), said("N blind, E 3"))
    history.when(bid(S, tricks)).then(BidPlaced(S, tricks))


def test_blind_both_partners_may() -> None:
    history = given(bidding(rules=BLIND, withheld=EVERYBODY), said("N blind, E 3"))
    history.when(bid(S, "blind")).then(BidPlaced(S, 0, blind=True))


def test_blind_only_in_turn() -> None:
    history = given(bidding(rules=BLIND, withheld=EVERYBODY))
    assert [may_still_bid_blind(table(history), seat) for seat in EVERYBODY] == [True] + [False] * 3


# Several rules broken at once


@pytest.mark.parametrize(
    ("rules", "said_before", "command", "code"),
    [
        pytest.param(
            CLASSIC, "", bid(E, 99), RefusalCode.NOT_YOUR_TURN, id="the turn before the range"
        ),
        pytest.param(
            CLASSIC, "", blind(N, 3), RefusalCode.BID_OUT_OF_RANGE, id="the range before blind nil"
        ),
        pytest.param(
            SUICIDE, "N 3, E 3", bid(S, 14), RefusalCode.BID_OUT_OF_RANGE,
            id="the range before the house rule",
        ),
        pytest.param(
            CLASSIC, "", bid(N, "blind"), RefusalCode.BLIND_NIL_NOT_ALLOWED,
            id="blind nil before having looked",
        ),
        pytest.param(
            rule_set("suicide", blind_nil=100), "N nil, E 3", bid(S, "blind"),
            RefusalCode.ALREADY_LOOKED, id="having looked before the house rule",
        ),
        pytest.param(
            rule_set("suicide", minimum_side_bid=4), "N nil, E 3", bid(S, 0),
            RefusalCode.BID_NOT_ALLOWED, id="the house rule before the minimum",
        ),
        pytest.param(
            rule_set(minimum_side_bid=4, blind_nil=100), "N 2, E 3", bid(S, "blind"),
            RefusalCode.ALREADY_LOOKED, id="having looked before the minimum",
        ),
    ],
)  # fmt: skip
def test_a_bid_that_breaks_several_rules_is_told_the_first(
    rules: Rules, said_before: str, command: PlaceBid, code: RefusalCode
) -> None:
    given(bidding(rules=rules), said(said_before)).when(command).refuses(code)

"""A round is scored line by line, each with its reason; bags are counted apart from the score."""

from typing import Final, TypeAlias

import pytest

from spades.events import RoundScored, ScoreLine, Scoring, SideScore, TrickTaken
from spades.history import only
from spades.rules import Rules
from support.table_spec import E, N, S, W, bid, bidding, given, play, playing, plays, rule_set, said

CARRY: Final = rule_set(bags="carry")
RESET: Final = rule_set(bags="reset")
OFF: Final = rule_set(bags="off")
ZERO: Final = rule_set(missed="zero")
FILL: Final = rule_set(bags="carry", failed_nil="fill")
BAGS: Final = rule_set(bags="carry", failed_nil="bags")
UNIT: Final = rule_set(bags="carry", double_nil="unit", blind_nil=200)
BLIND: Final = rule_set(bags="carry", blind_nil=200)
TEN: Final = rule_set(bags="carry", ten_for_200="on")


def sheet(
    rules: Rules, bids: str, tricks: str, bags_before: int = 0, score_before: int = 0
) -> SideScore:
    """North and South's sheet after a round in which they bid `4 3` and took `5+4`.

    West leads to the last trick and takes it.
    """
    north, south = bids.split()
    taken_by_north, taken_by_south = map(int, tricks.split("+"))
    last = given(
        playing(
            "C2",
            "C3",
            "C4",
            "CA",
            rules=rules,
            bids=f"{north} 1 {south} 1",
            scores=(score_before, 0),
            bags=(bags_before, 0),
        ),
        (TrickTaken(N),) * taken_by_north,
        (TrickTaken(S),) * taken_by_south,
        TrickTaken(W),
        plays("W:CA N:C2 E:C3"),
    ).when(play(S, "C4"))
    (scored,) = only(RoundScored, last.events)
    return scored.sides[0]


def alone(rules: Rules, tricks: int, taken: int) -> SideScore:
    """The sheet of the first of four who play each alone."""
    last = given(
        playing("C2", "C3", "C4", "CA", rules=rules, bids=f"{tricks} 1 1 1"),
        (TrickTaken(0),) * taken,
        TrickTaken(3),
        plays("3:CA 0:C2 1:C3"),
    ).when(play(2, "C4"))
    (scored,) = only(RoundScored, last.events)
    return scored.sides[0]


def lines(side: SideScore) -> list[str]:
    """The sheet's lines as words."""
    return [f"{line.what} {line.points:+}" for line in side.lines]


# The golden numbers

Golden: TypeAlias = tuple[Rules, str, str, int, int, int]

GOLDEN: Final[dict[str, Golden]] = {
    # rules, bids, tricks, bags before: change, bags after
    "4+3 with 9 in all": (CARRY, "4 3", "5+4", 0, 72, 2),
    "4+3 with 6": (CARRY, "4 3", "4+2", 0, -70, 0),
    "4+2 with 3+4": (CARRY, "4 2", "3+4", 0, 61, 1),
    "4+4 with 6": (CARRY, "4 4", "3+3", 0, -80, 0),
    "5+5 with 9 at -10 each": (CARRY, "5 5", "5+4", 0, -100, 0),
    "5+5 with 9 at zero": (ZERO, "5 5", "5+4", 0, 0, 0),
    "13+nil with 4+1, filling": (FILL, "13 nil", "4+1", 0, -230, 0),
    "3+3 with 9 on 9 bags, carried": (CARRY, "3 3", "5+4", 9, -37, 2),
    "nil+6 with 0+6": (FILL, "nil 6", "0+6", 0, 160, 0),
    "nil+6 with 1+5, filling": (FILL, "nil 6", "1+5", 0, -40, 0),
    "3+nil with 13+0, carried": (CARRY, "3 nil", "13+0", 0, 40, 0),
    "1+nil with 12+0 on 9 bags: two penalties": (CARRY, "1 nil", "12+0", 9, -79, 0),
    "nil+2 with 1+2, filling": (FILL, "nil 2", "1+2", 0, -79, 1),
    "nil+1 with 1+0, filling": (FILL, "nil 1", "1+0", 0, -90, 0),
    "nil+1 with 1+0, as bags": (BAGS, "nil 1", "1+0", 0, -109, 1),
    "nil+1 with 2+0, filling": (FILL, "nil 1", "2+0", 0, -89, 1),
    "nil+1 with 2+0, as bags": (BAGS, "nil 1", "2+0", 0, -108, 2),
    "nil+nil with 0+1, each alone": (FILL, "nil nil", "0+1", 0, 1, 1),
    "nil+nil with 1+1, each alone": (FILL, "nil nil", "1+1", 0, -198, 2),
    "nil+nil with 0+1, each alone, as bags": (BAGS, "nil nil", "0+1", 0, 1, 1),
    "nil+nil with 1+1, each alone, as bags": (BAGS, "nil nil", "1+1", 0, -198, 2),
    "nil+nil with 0+0, as a unit": (UNIT, "nil nil", "0+0", 0, 200, 0),
    "nil+nil with 2+0, as a unit": (UNIT, "nil nil", "2+0", 0, -200, 0),
    "nil+blind with 0+1 at 100 and 200": (BLIND, "nil blind", "0+1", 0, -99, 1),
    "2+blind with 2+1, filling": (BLIND, "2 blind", "2+1", 0, -179, 1),
    "2+blind with 0+1, filling": (BLIND, "2 blind", "0+1", 0, -220, 0),
    "3 with 3": (CARRY, "2 1", "2+1", 0, 30, 0),
}


@pytest.mark.parametrize("golden", GOLDEN.values(), ids=GOLDEN)
def test_the_golden_number_of(golden: Golden) -> None:
    rules, bids, tricks, before, change, after = golden
    side = sheet(rules, bids, tricks, before)
    assert (side.change, side.bags) == (change, after)


@pytest.mark.parametrize("golden", GOLDEN.values(), ids=GOLDEN)
def test_it_does_not_matter_which_partner_sits_where_in(golden: Golden) -> None:
    rules, bids, tricks, before, change, after = golden
    side = sheet(rules, turned(bids, " "), turned(tricks, "+"), before)
    assert (side.change, side.bags) == (change, after)


def turned(both: str, between: str) -> str:
    return between.join(reversed(both.split(between)))


def test_the_golden_number_of_a_contract_of_3_alone() -> None:
    side = alone(rule_set("cutthroat"), 3, 3)
    assert (side.change, side.bags) == (30, 0)


# The contract


def test_the_contract_is_the_sum_of_the_bids_that_are_not_nil() -> None:
    assert [sheet(BLIND, bids, "0+0").contract for bids in ("4 3", "4 nil", "blind 3")] == [7, 4, 3]
    assert sheet(BLIND, "nil blind", "0+0").contract == 0


def test_a_contract_made_brings_ten_for_each_trick_of_it() -> None:
    assert lines(sheet(CARRY, "4 3", "4+3")) == ["contract made +70"]


def test_it_is_made_by_the_side_whoever_took_the_tricks() -> None:
    assert lines(sheet(CARRY, "4 3", "0+7")) == ["contract made +70"]


def test_every_trick_above_the_contract_is_a_bag_and_a_point() -> None:
    side = sheet(CARRY, "4 3", "5+4")
    assert lines(side) == ["contract made +70", "bags +2"]
    assert side.bags == 2


def test_a_missed_contract_costs_ten_for_each_trick_of_it_and_brings_no_bags() -> None:
    side = sheet(CARRY, "4 3", "4+2")
    assert lines(side) == ["contract missed -70"]
    assert (side.taken, side.bags) == (6, 0)


def test_a_missed_contract_costs_nothing_where_it_is_zero() -> None:
    assert lines(sheet(ZERO, "4 3", "4+2")) == ["contract missed +0"]
    assert lines(sheet(ZERO, "4 3", "4+3")) == ["contract made +70"]


def test_a_contract_of_more_tricks_than_there_are_is_missed() -> None:
    assert lines(sheet(CARRY, "13 13", "7+6")) == ["contract missed -260"]


def test_without_a_contract_every_trick_that_counts_is_a_bag() -> None:
    assert lines(sheet(CARRY, "nil nil", "0+3")) == ["nil made +100", "nil failed -100", "bags +3"]


# Nil


@pytest.mark.parametrize("nil", [50, 100])
def test_nil_made_brings_its_points_and_failed_costs_them(nil: int) -> None:
    rules = rule_set(nil=nil)
    assert lines(sheet(rules, "nil 6", "0+6")) == ["contract made +60", f"nil made +{nil}"]
    assert lines(sheet(rules, "nil 6", "1+5")) == ["contract made +60", f"nil failed -{nil}"]


@pytest.mark.parametrize("blind_nil", [100, 200])
def test_a_blind_nil_has_its_own_amount_in_place_of_it(blind_nil: int) -> None:
    rules = rule_set(nil=70, blind_nil=blind_nil)
    made, failed = sheet(rules, "blind 6", "0+6"), sheet(rules, "blind 6", "1+5")
    assert lines(made) == ["contract made +60", f"blind nil made +{blind_nil}"]
    assert lines(failed) == ["contract made +60", f"blind nil failed -{blind_nil}"]


def test_each_nil_of_a_side_is_settled_alone() -> None:
    assert lines(sheet(BLIND, "nil blind", "0+0")) == ["nil made +100", "blind nil made +200"]
    assert lines(sheet(BLIND, "blind nil", "1+0")) == [
        "blind nil failed -200",
        "nil made +100",
        "bags +1",
    ]


def test_a_nil_does_not_make_up_for_a_missed_contract() -> None:
    assert lines(sheet(CARRY, "nil 6", "0+5")) == ["contract missed -60", "nil made +100"]


def test_a_nil_is_for_who_takes_no_trick_whatever_the_partner_takes() -> None:
    assert lines(sheet(CARRY, "nil 3", "0+5")) == ["contract made +30", "nil made +100", "bags +2"]


def test_the_tricks_of_a_failed_nil_fill_the_contract() -> None:
    side = sheet(FILL, "nil 5", "2+4")
    assert lines(side) == ["contract made +50", "nil failed -100", "bags +1"]
    assert side.taken == 6


def test_or_they_never_fill_it_and_each_is_a_bag_with_the_contract_missed() -> None:
    side = sheet(BAGS, "nil 5", "2+4")
    assert lines(side) == ["contract missed -50", "nil failed -100", "bags +2"]
    assert (side.taken, side.bags) == (4, 2)


def test_or_they_never_fill_it_and_each_is_a_bag_with_the_contract_made() -> None:
    side = sheet(BAGS, "nil 3", "2+4")
    assert lines(side) == ["contract made +30", "nil failed -100", "bags +3"]
    assert (side.taken, side.bags) == (4, 3)


def test_the_tricks_of_a_failed_blind_nil_are_bags_like_those_of_a_nil() -> None:
    rules = rule_set(bags="carry", failed_nil="bags", blind_nil=200)
    assert lines(sheet(rules, "blind 3", "1+3")) == [
        "contract made +30",
        "blind nil failed -200",
        "bags +1",
    ]


def test_the_bags_of_a_failed_nil_bring_the_penalty_nearer() -> None:
    side = sheet(BAGS, "nil 5", "1+4", bags_before=9)
    assert lines(side) == [
        "contract missed -50",
        "nil failed -100",
        "bags +1",
        "bag penalty -100",
    ]
    assert side.bags == 0


# Both partners nil as a unit


@pytest.mark.parametrize("bids", ["nil nil", "nil blind", "blind nil", "blind blind"])
def test_as_a_unit_both_nils_are_one_line_blind_or_not_and_make_no_bags(bids: str) -> None:
    made, failed = sheet(UNIT, bids, "0+0", 9), sheet(UNIT, bids, "0+3", 9)
    assert (lines(made), made.bags) == (["double nil made +200"], 9)
    assert (lines(failed), failed.bags) == (["double nil failed -200"], 9)
    assert sheet(UNIT, bids, "1+0").change == -200


def test_as_a_unit_a_single_nil_is_a_nil() -> None:
    assert lines(sheet(UNIT, "nil 3", "0+3")) == ["contract made +30", "nil made +100"]


def test_as_a_unit_the_tricks_that_are_bags_elsewhere_are_none() -> None:
    rules = rule_set(bags="carry", double_nil="unit", failed_nil="bags")
    side = sheet(rules, "nil nil", "1+1")
    assert (lines(side), side.bags) == (["double nil failed -200"], 0)


def test_who_plays_alone_has_no_unit() -> None:
    rules = rule_set("cutthroat", double_nil="unit")
    assert lines(alone(rules, 0, 0)) == ["nil made +100"]


# A contract of ten


def test_ten_for_200_a_contract_of_ten_wins_or_loses_200() -> None:
    assert lines(sheet(TEN, "5 5", "5+5")) == ["contract made +200"]
    assert lines(sheet(TEN, "10 nil", "12+0")) == ["contract made +200", "nil made +100", "bags +2"]
    assert lines(sheet(TEN, "5 5", "5+4")) == ["contract missed -200"]


@pytest.mark.parametrize(("bids", "points"), [("5 4", 90), ("5 6", 110)])
def test_ten_for_200_no_other_contract_does(bids: str, points: int) -> None:
    assert sheet(TEN, bids, "6+5").lines[0] == ScoreLine(Scoring.CONTRACT_MADE, points)
    assert lines(sheet(TEN, bids, "0+0")) == [f"contract missed -{points}"]


def test_ten_for_200_also_where_a_missed_contract_is_zero() -> None:
    rules = rule_set(missed="zero", ten_for_200="on")
    assert lines(sheet(rules, "5 5", "5+4")) == ["contract missed -200"]
    assert lines(sheet(rules, "5 4", "4+4")) == ["contract missed +0"]


def test_without_it_a_contract_of_ten_is_one_like_any_other() -> None:
    assert lines(sheet(CARRY, "5 5", "5+5")) == ["contract made +100"]


def test_ten_for_200_also_for_who_plays_alone() -> None:
    assert lines(alone(rule_set("cutthroat", ten_for_200="on"), 10, 10)) == ["contract made +200"]


# Bags


@pytest.mark.parametrize(
    ("before", "new", "points", "after"),
    [
        (0, 9, 0, 9),
        (0, 10, -100, 0),
        (8, 1, 0, 9),
        (9, 1, -100, 0),
        (9, 2, -100, 1),
        (9, 10, -100, 9),
        (9, 11, -200, 0),
        (9, 13, -200, 2),
    ],
)
def test_carry_every_tenth_bag_costs_100_and_the_rest_stays(
    before: int, new: int, points: int, after: int
) -> None:
    side = sheet(CARRY, "nil nil", f"0+{new}", before)
    assert lines(side)[2:] == [f"bags +{new}"] + ([f"bag penalty {points}"] if points else [])
    assert side.bags == after


@pytest.mark.parametrize(
    ("before", "new", "points", "after"),
    [(0, 9, 0, 9), (0, 10, -100, 0), (8, 1, 0, 9), (9, 1, -100, 0), (9, 13, -100, 0)],
)
def test_reset_one_penalty_and_the_count_begins_again(
    before: int, new: int, points: int, after: int
) -> None:
    side = sheet(RESET, "nil nil", f"0+{new}", before)
    assert lines(side)[2:] == [f"bags +{new}"] + ([f"bag penalty {points}"] if points else [])
    assert side.bags == after


@pytest.mark.parametrize(("before", "new"), [(0, 3), (9, 1), (25, 13)])
def test_off_each_bag_is_counted_and_a_point_and_costs_nothing(before: int, new: int) -> None:
    side = sheet(OFF, "nil nil", f"0+{new}", before)
    assert lines(side)[2:] == [f"bags +{new}"]
    assert side.bags == before + new


@pytest.mark.parametrize("rules", [CARRY, RESET])
def test_the_penalty_falls_once_per_ten_and_not_every_round(rules: Rules) -> None:
    paid = sheet(rules, "3 3", "4+3", bags_before=9)
    assert lines(paid) == ["contract made +60", "bags +1", "bag penalty -100"]
    after = sheet(rules, "3 3", "3+3", bags_before=paid.bags)
    assert (lines(after), after.bags) == (["contract made +60"], 0)


def test_a_round_without_bags_leaves_the_count() -> None:
    assert sheet(CARRY, "3 3", "3+3", bags_before=7).bags == 7
    assert sheet(CARRY, "3 3", "2+3", bags_before=7).bags == 7


@pytest.mark.parametrize(("before", "bags"), [(-163, 4), (-1, 9), (60, 0), (-100, 0)])
def test_bags_are_a_number_of_their_own_also_below_zero(before: int, bags: int) -> None:
    side = sheet(CARRY, "2 2", "3+2", bags_before=bags, score_before=before)
    penalty = 100 if bags == 9 else 0
    assert (side.score, side.bags) == (before + 41 - penalty, (bags + 1) % 10)


# The sheet


def test_the_running_score_is_the_one_before_and_the_lines() -> None:
    side = sheet(BAGS, "nil 5", "1+4", bags_before=9, score_before=314)
    assert side.score == 314 + side.change == 314 - 50 - 100 + 1 - 100


def test_the_lines_come_in_the_order_in_which_they_are_written() -> None:
    side = sheet(BLIND, "2 blind", "9+1", bags_before=5)
    assert lines(side) == [
        "contract made +20",
        "blind nil failed -200",
        "bags +8",
        "bag penalty -100",
    ]


def test_each_side_has_its_own_sheet() -> None:
    last = given(
        playing("C2", "CA", "C4", "C3", rules=CARRY, bids="1 2 nil 1", scores=(9, 90), bags=(1, 2)),
        (TrickTaken(N),) * 2,
        (TrickTaken(E),) * 4,
        plays("E:CA S:C4 W:C3"),
    ).when(play(N, "C2"))
    last.brings(
        RoundScored(
            (
                SideScore(
                    contract=1,
                    taken=2,
                    lines=(
                        ScoreLine(Scoring.CONTRACT_MADE, 10),
                        ScoreLine(Scoring.NIL_MADE, 100),
                        ScoreLine(Scoring.BAGS, 1),
                    ),
                    score=120,
                    bags=2,
                ),
                SideScore(
                    contract=3,
                    taken=5,
                    lines=(ScoreLine(Scoring.CONTRACT_MADE, 30), ScoreLine(Scoring.BAGS, 2)),
                    score=122,
                    bags=4,
                ),
            )
        )
    )


def test_six_handed_the_sides_are_seats_opposite_each_other() -> None:
    last = given(
        playing(
            "C3", "C4", "C5", "C6", "C7", "CA", rules=rule_set("six-handed"), bids="1 2 3 4 nil 5"
        ),
        (TrickTaken(3),) * 5,
        plays("3:C6 4:C7 5:CA 0:C3 1:C4"),
    ).when(play(2, "C5"))
    (scored,) = only(RoundScored, last.events)
    assert [(side.contract, side.taken) for side in scored.sides] == [(5, 5), (2, 0), (8, 1)]


def test_the_round_is_scored_with_its_last_trick_and_not_before() -> None:
    history = playing("C2 H2", "C3 H3", "C4 H4", "CA HA")
    first = given(history, plays("N:C2 E:C3 S:C4")).when(play(W, "CA"))
    first.then(plays("W:CA"), TrickTaken(W))


def test_bids_of_the_round_before_count_for_nothing_now() -> None:
    history = bidding("C2", "C3", "C4", "CA", rules=CARRY, scores=(0, 0))
    bids = given(history, said("N 2, E 1, S 2")).when(bid(W, 1))
    last = given(bids.history, bids.events, (TrickTaken(N),) * 4, plays("N:C2 E:C3 S:C4"))
    (scored,) = only(RoundScored, last.when(play(W, "CA")).events)
    assert lines(scored.sides[0]) == ["contract made +40"]

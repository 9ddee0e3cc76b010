"""After a round the target is looked at first, then the floor, last the number of rounds."""

from typing import Final

import pytest

from spades.cards import Card
from spades.events import (
    CardPlayed,
    EndReason,
    Event,
    GameFinished,
    RoundDealt,
    RoundScored,
    TrickTaken,
)
from spades.history import only
from spades.refusals import RefusalCode
from spades.rules import PRESETS
from spades.seats import LAYOUTS, Seat
from spades.state import Bidding, Finished
from support.play_out import play_out
from support.table_spec import (
    E,
    N,
    S,
    W,
    When,
    bid,
    drawn,
    given,
    play,
    playing,
    plays,
    rule_set,
    said,
)

NORTH_SOUTH: Final = (N, S)
EAST_WEST: Final = (E, W)
TARGET: Final = EndReason.TARGET
FLOOR: Final = EndReason.FLOOR
ROUNDS: Final = EndReason.ROUNDS


def last_card(
    scores: tuple[int, ...], number: int = 1, preset: str = "classic", **options: object
) -> When:
    """The last card of a round that changes no score: all bid too much, and it costs nothing."""
    rules = rule_set(preset, missed="zero", **options)
    seats = LAYOUTS[rules.game].seats
    most = LAYOUTS[rules.game].tricks
    return given(
        playing(
            *["C3"] * seats,
            rules=rules,
            bids=" ".join([str(most)] * seats),
            scores=scores,
            number=number,
        ),
        plays(" ".join(f"{seat}:C3" for seat in range(seats - 1))),
    ).when(play(seats - 1, "C3"))


def end(
    scores: tuple[int, ...], number: int = 1, preset: str = "classic", **options: object
) -> Event | None:
    """How the game ends on these scores, or None where another round is dealt."""
    *_, scored, last = last_card(scores, number, preset, **options).events
    assert isinstance(scored, RoundScored)
    assert tuple(side.score for side in scored.sides) == scores
    if isinstance(last, RoundDealt):
        return None
    return last


# The target


@pytest.mark.parametrize(
    ("scores", "winner"),
    [
        ((500, 499), NORTH_SOUTH),
        ((499, 500), EAST_WEST),
        ((511, 0), NORTH_SOUTH),
        ((501, 510), EAST_WEST),
        ((-300, 500), EAST_WEST),
    ],
)
def test_a_side_at_the_target_with_more_than_every_other_wins(
    scores: tuple[int, int], winner: tuple[int, int]
) -> None:
    assert end(scores) == GameFinished(winner, TARGET)


@pytest.mark.parametrize("scores", [(499, 0), (499, 499), (0, 0), (-900, 400)])
def test_below_the_target_another_round_is_dealt(scores: tuple[int, int]) -> None:
    assert end(scores) is None


@pytest.mark.parametrize("tops", [500, 501, 620])
def test_equal_tops_at_or_above_the_target_play_on(tops: int) -> None:
    assert end((tops, tops)) is None


@pytest.mark.parametrize(("scores", "over"), [((249, 0), False), ((250, 0), True)])
def test_the_target_is_the_rule_sets(scores: tuple[int, int], over: bool) -> None:
    assert (end(scores, target=250) is not None) is over


@pytest.mark.parametrize(("before", "over"), [(-10, False), (0, True), (430, True)])
def test_the_target_is_compared_with_the_running_score_and_not_the_rounds(
    before: int, over: bool
) -> None:
    rules = rule_set(target=160)
    history = given(
        playing("C2", "CA", "C4", "C5", rules=rules, bids="1 6 1 nil", scores=(0, before)),
        (TrickTaken(E),) * 5,
        plays("E:CA S:C4 W:C5"),
    )
    events = history.when(play(N, "C2")).events
    (scored,) = only(RoundScored, events)
    assert (scored.sides[1].change, scored.sides[1].score) == (160, before + 160)
    assert (events[-1] == GameFinished(EAST_WEST, TARGET)) is over


# Several sides


def test_of_three_sides_the_top_must_be_alone() -> None:
    assert end((500, 510, 480), preset="six-handed") == GameFinished((1, 4), TARGET)
    assert end((510, 500, 510), preset="six-handed") is None
    assert end((500, 500, 510), preset="six-handed") == GameFinished((2, 5), TARGET)


@pytest.mark.parametrize(
    ("preset", "scores"), [("three-handed", (7, 500, 3)), ("cutthroat", (7, 500, 3, 4))]
)
def test_who_plays_alone_wins_alone(preset: str, scores: tuple[int, ...]) -> None:
    assert end(scores, preset=preset) == GameFinished((1,), TARGET)


def test_who_beats_one_other_wins_alone_too() -> None:
    rules = rule_set("two-handed", target=10)
    history = given(drawn("C2", "CA", rules=rules), said("0 nil, 1 1"), plays("0:C2"))
    history.when(play(1, "CA")).brings(GameFinished((0,), TARGET))


# The floor


@pytest.mark.parametrize(
    ("scores", "winner"),
    [((-200, 10), EAST_WEST), ((30, -201), NORTH_SOUTH), ((-190, -250), NORTH_SOUTH)],
)
def test_a_side_at_the_floor_ends_the_game_and_the_highest_score_wins(
    scores: tuple[int, int], winner: tuple[int, int]
) -> None:
    assert end(scores, floor=-200) == GameFinished(winner, FLOOR)


def test_a_side_just_above_the_floor_plays_on() -> None:
    assert end((-199, 10), floor=-200) is None


def test_without_a_floor_nobody_falls_through_it() -> None:
    assert end((-5_000, 10), floor=None) is None


def test_the_target_is_looked_at_before_the_floor() -> None:
    assert end((500, -200), floor=-200) == GameFinished(NORTH_SOUTH, TARGET)


def test_at_the_floor_equal_tops_play_on() -> None:
    assert end((-200, -200), floor=-200) is None
    assert end((40, 40, -300), preset="six-handed", floor=-200) is None
    assert end((40, 41, -300), preset="six-handed", floor=-200) == GameFinished((1, 4), FLOOR)


def test_equal_tops_above_the_target_are_not_parted_by_a_floor() -> None:
    assert end((500, 500, -300), preset="six-handed", floor=-200) is None


# The number of rounds


def test_the_last_round_ends_every_game_and_the_highest_score_wins() -> None:
    assert end((10, 20), number=100) == GameFinished(EAST_WEST, ROUNDS)
    assert end((-10, -20), number=7, max_rounds=7) == GameFinished(NORTH_SOUTH, ROUNDS)


def test_before_the_last_round_another_is_dealt() -> None:
    assert end((10, 20), number=99) is None
    assert end((-10, -20), number=6, max_rounds=7) is None


@pytest.mark.parametrize(
    ("scores", "preset"), [((30, 30), "classic"), ((40, 20, 40), "six-handed")]
)
def test_equal_tops_after_the_last_round_are_a_draw(scores: tuple[int, ...], preset: str) -> None:
    assert end(scores, number=100, preset=preset) == GameFinished((), ROUNDS)


def test_the_number_of_rounds_is_looked_at_last() -> None:
    assert end((500, 20), number=100) == GameFinished(NORTH_SOUTH, TARGET)
    assert end((20, -200), number=100, floor=-200) == GameFinished(NORTH_SOUTH, FLOOR)
    assert end((500, 500), number=100) == GameFinished((), ROUNDS)
    assert end((-200, -200), number=100, floor=-200) == GameFinished((), ROUNDS)


# What follows


@pytest.mark.parametrize("dealer", [N, E, S, W])
def test_else_the_deal_moves_one_seat_clockwise(dealer: Seat) -> None:
    history = playing("C2", "C3", "C4", "C5", dealer=dealer, number=4, scores=(10, 20))
    for step in (1, 2, 3):
        seat = (dealer + step) % 4
        history = (*history, CardPlayed(seat, Card(f"C{seat + 2}")))
    dealt = given(history).when(play(dealer, f"C{dealer + 2}")).events[-1]
    assert isinstance(dealt, RoundDealt)
    assert (dealt.number, dealt.dealer) == (5, (dealer + 1) % 4)


def test_scores_and_bags_go_with_the_sides_into_the_next_round() -> None:
    after = last_card((310, -40)).table
    assert isinstance(after, Bidding)
    assert [standing.score for standing in after.match.standings] == [310, -40]


def test_when_the_game_is_over_nothing_follows() -> None:
    last = last_card((500, 0))
    assert isinstance(last.table, Finished)
    over = given(last.history, last.events)
    for command in (play(N, "C3"), bid(N, 3)):
        over.when(command).refuses(RefusalCode.WRONG_PHASE, "the game is over")


@pytest.mark.parametrize("preset", PRESETS)
def test_a_game_ends_under_every_preset(preset: str) -> None:
    events = play_out(rule_set(preset, max_rounds=4), seed=7)
    rounds = only(RoundScored, events)
    (finished,) = only(GameFinished, events)
    assert events[-1] == finished
    assert len(rounds) == 4 or finished.reason is not ROUNDS


def test_a_game_that_nobody_can_win_ends_after_its_hundred_rounds() -> None:
    events = play_out(rule_set("bicycle", target=1_000_000, nil=0), seed=1)
    assert len(only(RoundScored, events)) == 100
    assert isinstance(events[-1], GameFinished)
    assert events[-1].reason is ROUNDS

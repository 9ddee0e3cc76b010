"""A table is opened, players sit down and get up, and with every seat taken the game begins."""

import pytest
from msgspec.structs import replace

from spades.commands import LeaveSeat, OpenTable, StartGame, TakeSeat
from spades.deal import deal, first_dealer
from spades.events import GameStarted, RoundDealt, SeatLeft, SeatTaken, TableOpened
from spades.refusals import RefusalCode
from spades.rules import CLASSIC, PRESETS, BidRule, Game, Jokers
from spades.seats import LABELS, LAYOUTS
from spades.state import Seating, Standing
from support.table_spec import SEED, E, N, S, W, given, opened, rule_set, seated

SIX_HANDED = rule_set("six-handed")


# The table


def test_a_table_is_opened_with_every_option_of_its_rules() -> None:
    rules = rule_set("modern", target=250)
    given().when(OpenTable(rules, "ann")).then(TableOpened(rules, "ann"))


def test_an_old_game_keeps_its_own_rules() -> None:
    rules = rule_set("campus", nil=77)
    table = given(opened(rules)).table
    assert isinstance(table, Seating)
    assert table.match.rules == rules


def test_a_table_opens_with_every_seat_free_and_every_side_at_nothing() -> None:
    table = given(opened(SIX_HANDED)).table
    assert isinstance(table, Seating)
    assert table.match.players == (None,) * 6
    assert table.match.standings == (Standing(0, 0),) * 3


def test_the_opener_may_choose_the_first_dealer_and_name_the_seats() -> None:
    command = OpenTable(CLASSIC, "ann", dealer=S, labels=("N", "E", "S", "W"))
    given().when(command).then(TableOpened(CLASSIC, "ann", S, (), ("N", "E", "S", "W")))


@pytest.mark.parametrize(("preset", "last"), [("two-handed", 1), ("classic", 3), ("six-handed", 5)])
def test_the_dealer_has_one_of_the_seats(preset: str, last: int) -> None:
    rules = rule_set(preset)
    given().when(OpenTable(rules, "ann", dealer=last)).then(TableOpened(rules, "ann", last))
    for wrong in (last + 1, -1):
        given().when(OpenTable(rules, "ann", dealer=wrong)).refuses(
            RefusalCode.NO_SUCH_SEAT, f"0 to {last}, not at {wrong}"
        )


def test_rules_that_contradict_each_other_open_no_table() -> None:
    rules = replace(SIX_HANDED, jokers=Jokers.DEUCES)
    given().when(OpenTable(rules, "ann")).refuses(
        RefusalCode.BAD_RULES, "six-handed is played without jokers", "would work: jokers none"
    )
    rules = replace(PRESETS["cutthroat"].rules, bidding=BidRule.SUICIDE)
    given().when(OpenTable(rules, "ann")).refuses(RefusalCode.BAD_RULES, "suicide needs partners")


# Seats


@pytest.mark.parametrize(
    ("game", "seats", "sides", "cards_each"),
    [
        (Game.PARTNERSHIP, 4, ((0, 2), (1, 3)), 13),
        (Game.TWO_HANDED, 2, ((0,), (1,)), 13),
        (Game.THREE_HANDED, 3, ((0,), (1,), (2,)), 17),
        (Game.CUTTHROAT, 4, ((0,), (1,), (2,), (3,)), 13),
        (Game.SIX_HANDED, 6, ((0, 3), (1, 4), (2, 5)), 17),
    ],
)
def test_a_game_has_its_seats_sides_and_cards(
    game: Game, seats: int, sides: tuple[tuple[int, ...], ...], cards_each: int
) -> None:
    layout = LAYOUTS[game]
    assert (layout.seats, layout.sides, layout.cards_each) == (seats, sides, cards_each)
    assert len(LABELS[seats]) == seats
    for side, members in enumerate(sides):
        for seat in members:
            assert layout.side_of(seat) == side
            assert layout.partner(seat) == next((one for one in members if one != seat), None)


def test_seats_run_clockwise() -> None:
    layout = LAYOUTS[Game.PARTNERSHIP]
    assert [layout.left_of(seat) for seat in (N, E, S, W)] == [E, S, W, N]
    assert layout.clockwise_from(S) == (S, W, N, E)


def test_a_player_takes_a_free_seat() -> None:
    given(opened()).when(TakeSeat(E, "ben")).then(SeatTaken(E, "ben"))


def test_a_seat_has_one_player() -> None:
    given(opened(), SeatTaken(E, "ben")).when(TakeSeat(E, "cleo")).refuses(
        RefusalCode.SEAT_TAKEN, "seat 1 is taken: free is 0, 2, 3"
    )
    given(seated()).when(TakeSeat(E, "cleo")).refuses(RefusalCode.SEAT_TAKEN, "none is free")


@pytest.mark.parametrize("seat", [E, W])
def test_a_player_has_one_seat(seat: int) -> None:
    given(opened(), SeatTaken(E, "ben")).when(TakeSeat(seat, "ben")).refuses(
        RefusalCode.ALREADY_SEATED, "leave it first"
    )


@pytest.mark.parametrize("seat", [4, -1])
def test_a_seat_that_does_not_exist_can_be_neither_taken_nor_left(seat: int) -> None:
    for command in (TakeSeat(seat, "ben"), LeaveSeat(seat)):
        given(opened()).when(command).refuses(RefusalCode.NO_SUCH_SEAT, "seats are 0 to 3")


def test_a_player_may_get_up_and_another_sit_down_before_the_game() -> None:
    sitting = given(opened(), SeatTaken(E, "ben"))
    sitting.when(LeaveSeat(E)).then(SeatLeft(E, "ben"))
    left = given(sitting.history, SeatLeft(E, "ben"))
    left.when(TakeSeat(E, "cleo")).then(SeatTaken(E, "cleo"))
    left.when(TakeSeat(W, "ben")).then(SeatTaken(W, "ben"))


def test_an_empty_seat_cannot_be_left() -> None:
    given(opened()).when(LeaveSeat(E)).refuses(RefusalCode.NOT_SEATED, "nobody sits at 1")


# The start


def test_the_game_waits_for_every_seat() -> None:
    given(opened(), SeatTaken(E, "ben"), SeatTaken(S, "cleo")).when(StartGame(SEED)).refuses(
        RefusalCode.SEATS_EMPTY, "seated: 0, 3"
    )


@pytest.mark.parametrize("dealer", [N, E, S, W])
def test_the_dealer_whom_the_opener_chose_deals_the_first_round(dealer: int) -> None:
    hands, rest = deal(CLASSIC, dealer, SEED)
    given(seated(dealer=dealer)).when(StartGame(SEED)).then(
        GameStarted(dealer), RoundDealt(1, dealer, hands, rest, (), SEED.hex())
    )


@pytest.mark.parametrize("preset", ["two-handed", "three-handed", "classic", "six-handed"])
def test_else_the_first_dealer_is_drawn_from_the_seed(preset: str) -> None:
    rules = rule_set(preset)
    drawn = set()
    for number in range(60):
        seed = bytes([number]) * 32
        started, dealt = given(seated(rules)).when(StartGame(seed)).events
        assert isinstance(started, GameStarted)
        assert isinstance(dealt, RoundDealt)
        assert started.dealer == dealt.dealer == first_dealer(rules, seed)
        drawn.add(started.dealer)
    assert drawn == set(range(LAYOUTS[rules.game].seats))

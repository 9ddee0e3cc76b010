"""Who sits where while a game goes on: leaving, coming back, computers, and who is away."""

import pytest

from spades.cards import Card
from spades.commands import (
    Abandon,
    ComeBack,
    LeaveSeat,
    OpenTable,
    PlaceBid,
    PlayCard,
    SeatBot,
    TakeSeat,
)
from spades.events import (
    BidPlaced,
    BotLevel,
    EndReason,
    GameFinished,
    GameStarted,
    PlayerBack,
    RoundDealt,
    SeatLeft,
    SeatTaken,
    TableOpened,
)
from spades.refusals import RefusalCode
from spades.rules import CLASSIC
from spades.state import Bidding, Playing
from spades.table import carry_out, replay
from support.table_spec import bid, bidding, given, playing, rule_set, seated

SEED = bytes(range(32))
HANDS = ("SA H2", "S2 H3", "S3 H4", "S4 H5")


def test_a_seat_can_be_left_in_the_middle_of_a_game() -> None:
    given(bidding(*HANDS)).when(LeaveSeat(1)).then(SeatLeft(1, "player-1"))


def test_somebody_else_may_take_the_seat_that_was_left() -> None:
    history = (*bidding(*HANDS), SeatLeft(1, "player-1"))
    given(history).when(TakeSeat(1, "newcomer")).then(SeatTaken(1, "newcomer"))


def test_who_left_comes_back_to_the_same_seat_and_to_no_other() -> None:
    history = (*bidding(*HANDS), SeatLeft(1, "player-1"), SeatLeft(2, "player-2"))
    given(history).when(TakeSeat(2, "player-1")).refuses(RefusalCode.SEAT_TAKEN)
    given(history).when(TakeSeat(1, "player-1")).then(SeatTaken(1, "player-1"))


def test_before_the_game_who_left_may_sit_anywhere() -> None:
    history = (*seated(CLASSIC), SeatLeft(1, "player-1"), SeatLeft(2, "player-2"))
    given(history).when(TakeSeat(2, "player-1")).then(SeatTaken(2, "player-1"))


def test_a_computer_sits_down_in_an_empty_seat_only() -> None:
    history = (*bidding(*HANDS), SeatLeft(1, "player-1"))
    given(history).when(SeatBot(1, BotLevel.EASY)).then(SeatTaken(1, "computer-1", BotLevel.EASY))
    given(history).when(SeatBot(0, BotLevel.EASY)).refuses(RefusalCode.SEAT_TAKEN)


@pytest.mark.parametrize("level", [BotLevel.NORMAL, BotLevel.HARD])
def test_a_level_that_no_computer_plays_yet_is_refused(level: BotLevel) -> None:
    history = (*bidding(*HANDS), SeatLeft(1, "player-1"))
    given(history).when(SeatBot(1, level)).refuses(RefusalCode.BAD_COMMAND)


def test_a_person_may_take_a_computers_seat() -> None:
    history = (
        *bidding(*HANDS),
        SeatLeft(1, "player-1"),
        SeatTaken(1, "computer-1", BotLevel.EASY),
    )
    given(history).when(TakeSeat(1, "newcomer")).then(
        SeatLeft(1, "computer-1"), SeatTaken(1, "newcomer")
    )


def test_nobody_sits_in_two_seats() -> None:
    history = (*bidding(*HANDS), SeatLeft(1, "player-1"))
    given(history).when(TakeSeat(1, "player-0")).refuses(RefusalCode.ALREADY_SEATED)


def test_who_has_missed_two_moves_on_end_is_away_until_they_move() -> None:
    history = bidding(*HANDS, number=1)
    table = replay((*history, BidPlaced(0, 3, automatic=True)))
    assert isinstance(table, Bidding)
    assert (table.match.missed[0], table.match.away(0)) == (1, False)
    bids = [BidPlaced(seat, 3, automatic=seat == 0) for seat in range(4)]
    table = replay((*history, *bids))
    assert isinstance(table, Playing)
    _, table = carry_out(table, PlayCard(0, Card.H2, SEED, automatic=True))
    assert isinstance(table, Playing)
    assert table.match.away(0)
    _, back = carry_out(table, ComeBack(0))
    assert isinstance(back, Playing)
    assert not back.match.away(0)


def test_an_own_move_in_time_clears_what_was_missed() -> None:
    bids = [BidPlaced(seat, 3, automatic=seat == 0) for seat in range(4)]
    table = replay((*bidding(*HANDS), *bids))
    _, table = carry_out(table, PlayCard(0, Card.H2, SEED))
    assert isinstance(table, Playing)
    assert table.match.missed == (0, 0, 0, 0)


def test_only_who_is_away_can_come_back() -> None:
    given(bidding(*HANDS)).when(ComeBack(0)).refuses(RefusalCode.NOT_AWAY)
    missed = [BidPlaced(seat, 3, automatic=True) for seat in range(4)]
    table = replay((*bidding(*HANDS), *missed))
    _, table = carry_out(table, PlayCard(0, Card.H2, SEED, automatic=True))
    events, _ = carry_out(table, ComeBack(0))
    assert events == (PlayerBack(0),)


def test_an_automatic_move_says_so() -> None:
    given(bidding(*HANDS)).when(PlaceBid(0, 3, automatic=True)).then(
        BidPlaced(0, 3, automatic=True)
    )


@pytest.mark.parametrize(
    "history",
    [seated(CLASSIC), bidding(*HANDS), playing(*HANDS, bids="3 3 3 3")],
    ids=["seating", "bidding", "playing"],
)
def test_a_table_that_nobody_comes_back_to_ends_without_a_winner(history: tuple) -> None:  # type: ignore[type-arg]
    given(history).when(Abandon()).then(GameFinished((), EndReason.ABANDONED))
    over = (*history, GameFinished((), EndReason.ABANDONED))
    given(over).when(bid(0, 3)).refuses(RefusalCode.WRONG_PHASE)


def test_a_person_and_three_computers_begin_with_one_command() -> None:
    command = OpenTable(
        CLASSIC, "ann", dealer=3, seated=(TakeSeat(0, "ann"),), fill=BotLevel.EASY, seed=SEED
    )
    events, table = carry_out(replay(()), command)
    assert [type(event) for event in events] == [
        TableOpened,
        SeatTaken,
        SeatTaken,
        SeatTaken,
        SeatTaken,
        GameStarted,
        RoundDealt,
    ]
    assert isinstance(table, Bidding)
    assert table.match.bots == (None, BotLevel.EASY, BotLevel.EASY, BotLevel.EASY)


def test_a_table_opened_with_one_player_waits_for_the_others() -> None:
    command = OpenTable(rule_set("six-handed"), "ann", seated=(TakeSeat(2, "ann"),))
    events, _ = carry_out(replay(()), command)
    assert [type(event) for event in events] == [TableOpened, SeatTaken]

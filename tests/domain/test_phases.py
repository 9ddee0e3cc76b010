"""Each thing has its time: a command out of its phase is refused."""

from collections.abc import Iterable
from typing import Final

import pytest

from spades.cards import Card
from spades.commands import (
    Command,
    LeaveSeat,
    OpenTable,
    StartGame,
    TakeSeat,
)
from spades.events import (
    BidPlaced,
    CardDrawn,
    CardPlayed,
    CardsExchanged,
    CardsOffered,
    DealThrownIn,
    EndReason,
    Event,
    GameFinished,
    GameStarted,
    HandSeen,
    RoundDealt,
    RoundScored,
    SeatLeft,
    SeatTaken,
    SideScore,
    TableOpened,
    TrickTaken,
)
from spades.refusals import RefusalCode
from spades.rules import CLASSIC
from spades.table import Impossible, evolve
from support.table_spec import (
    SEED,
    History,
    N,
    bid,
    bidding,
    exchanging,
    given,
    keep,
    look,
    offer,
    opened,
    play,
    playing,
    redeal,
    rule_set,
    seated,
)

NOTHING: Final = (SideScore(0, 0, (), 0, 0),) * 2
BETWEEN: Final = (*playing(), RoundScored(NOTHING))

PHASES: Final[dict[str, History]] = {
    "unopened": (),
    "seating": (opened(),),
    "drawing": bidding(rules=rule_set("two-handed"), rest="SA H2"),
    "bidding": bidding("SA"),
    "exchanging": exchanging(
        "SA S2", rules=rule_set("modern", blind_nil_behind=None), bids="blind 1 1 1"
    ),
    "playing": playing("SA"),
    "between rounds": BETWEEN,
    "finished": (*BETWEEN, GameFinished((0, 2), EndReason.TARGET)),
}
NOW: Final = {
    "unopened": "the table has not been opened",
    "seating": "the game has not begun: players are taking their seats",
    "drawing": "hands are being drawn: it is seat 0's turn to keep or discard",
    "bidding": "bids are being placed: it is seat 0's turn to bid",
    "exchanging": "2 cards are being exchanged after a blind nil",
    "playing": "cards are being played: it is seat 0's turn to play",
    "between rounds": "no round is being played",
    "finished": "the game is over",
}
COMMANDS: Final[dict[str, Command]] = {
    "open": OpenTable(CLASSIC, "ann"),
    "sit": TakeSeat(N, "ann"),
    "leave": LeaveSeat(N),
    "start": StartGame(SEED),
    "keep": keep(N),
    "look": look(N),
    "bid": bid(N, 1),
    "redeal": redeal(N),
    "offer": offer(N, "SA S2"),
    "play": play(N, "SA"),
}
BELONGS: Final = {
    "unopened": {"open"},
    "seating": {"sit", "leave", "start"},
    "drawing": {"sit", "leave", "keep"},
    "bidding": {"sit", "leave", "look", "bid", "redeal"},
    "exchanging": {"sit", "leave", "offer"},
    "playing": {"sit", "leave", "play"},
    "between rounds": set[str](),
    "finished": set[str](),
}

EVENTS: Final[dict[str, Event]] = {
    "opened": opened(),
    "taken": SeatTaken(N, "ann"),
    "left": SeatLeft(N, "ann"),
    "started": GameStarted(N),
    "dealt": RoundDealt(1, N, ((), (), (), ()), (), (), None),
    "drawn": CardDrawn(N, True, Card.SA, Card.H2),
    "seen": HandSeen(N),
    "bid": BidPlaced(N, 1),
    "thrown in": DealThrownIn(N),
    "offered": CardsOffered(N, (Card.SA, Card.S2)),
    "exchanged": CardsExchanged((0, 2), ((Card.SA,), ())),
    "played": CardPlayed(N, Card.SA),
    "trick": TrickTaken(N),
    "scored": RoundScored(NOTHING),
    "over": GameFinished((), EndReason.ROUNDS),
}
FOLLOWS: Final = {
    "unopened": {"opened"},
    "seating": {"taken", "left", "started", "over"},
    "drawing": {"taken", "left", "over", "drawn"},
    "bidding": {"taken", "left", "over", "seen", "bid", "thrown in"},
    "exchanging": {"taken", "left", "over", "offered", "exchanged"},
    "playing": {"taken", "left", "over", "played", "trick", "scored"},
    "between rounds": {"dealt", "over"},
    "finished": set[str](),
}


def all_but(every: Iterable[str], those: set[str]) -> list[str]:
    return [name for name in every if name not in those]


@pytest.mark.parametrize(
    ("phase", "command"),
    [(phase, command) for phase in PHASES for command in all_but(COMMANDS, BELONGS[phase])],
)
def test_a_command_out_of_its_phase_is_told_what_the_table_waits_for(
    phase: str, command: str
) -> None:
    given(PHASES[phase]).when(COMMANDS[command]).refuses(RefusalCode.WRONG_PHASE, NOW[phase])


@pytest.mark.parametrize(
    ("phase", "event"),
    [(phase, event) for phase in PHASES for event in all_but(EVENTS, FOLLOWS[phase])],
)
def test_an_event_that_cannot_follow_is_no_history_of_ours(phase: str, event: str) -> None:
    with pytest.raises(Impossible, match=f"{type(EVENTS[event]).__name__} cannot follow"):
        evolve(given(PHASES[phase]).table, EVENTS[event])


def test_a_record_speaks_of_its_own_seats() -> None:
    named = (
        TableOpened(CLASSIC, "ann", N, (), ("Nor", "Eas", "Sou", "Wes")),
        *seated()[1:],
        GameStarted(N),
        RoundDealt(1, N, ((), (), (), ()), (), (), None),
    )
    given(named).when(play(N, "SA")).refuses(RefusalCode.WRONG_PHASE, "it is Eas's turn to bid")
    given(named).when(bid(N, 1)).refuses(RefusalCode.NOT_YOUR_TURN, "Eas's turn to bid, not Nor's")

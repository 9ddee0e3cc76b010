"""Two whole rounds from the written rules, played card by card through every decision."""

from collections.abc import Iterable
from typing import Final

from spades.cards import in_order
from spades.commands import OpenTable, StartGame
from spades.events import CardPlayed, RoundScored, TrickTaken
from spades.history import only
from spades.rules import Rules
from spades.seats import Seat
from support.table_spec import (
    SEATS,
    SEED,
    E,
    History,
    N,
    S,
    W,
    bid,
    cards,
    given,
    opened,
    play,
    rule_set,
    seated,
)

CAMPUS_TRICKS: Final = """
WC4 NC3 EC9 SC2   ECA SC6 WC7 NC5   EHK SH2 WH3 NH6   EHQ SH7 WHA NHT   WCK NCJ EH4 SS6
SD6 WDA ND3 ED9   WC8 NS4 ESJ SSA   SD7 WD2 NDK EDT   NSQ ESK SS7 WS3   EDQ SS8 WD4 ND5
SH8 WD8 NS5 EH5   NST ES2 SS9 WCT   NDJ EH9 SHJ WCQ
"""
CAMPUS_WINNERS: Final = "E E E W S W S N E S N N N"

DEUCES_HANDS: Final = {
    "N": "SK SQ ST S9 S8 S2 HA HK H4 D6 CK C8 C7",
    "E": "SA S6 S5 HJ H3 DT D9 D4 CA CT C9 C6 C4",
    "S": "SJ S7 S4 S3 HT H8 H6 DK DQ D5 CQ CJ C3",
    "W": "HQ H9 H7 H5 DA DJ D8 D7 D3 D2 C5 BJ LJ",
}
"""Rows below are East, South, West and North as seats, not in the order of play."""
DEUCES_TRICKS: Final = """
CA C3 C5 C7 / H3 H6 HQ HK / C4 CJ D2 CK / D4 D5 DA D6 / D9 DQ D3 S8 / HJ H8 H9 HA / S5 HT H7 H4
C6 CQ DJ C8 / DT DK D8 S9 / S6 S3 BJ ST / CT S4 H5 SQ / SA S7 LJ SK / C9 SJ D7 S2
"""
DEUCES_WINNERS: Final = "E N W W N N E S N W N W N"


def dealt(rules: Rules, dealer: Seat, hands: dict[Seat, str]) -> History:
    """A table at which these hands are dealt."""
    deals = (tuple(in_order(cards(hands[seat])) for seat in (N, E, S, W)),)
    given().when(OpenTable(rules, "player-0", dealer, deals)).then(opened(rules, dealer, deals))
    history = seated(rules, dealer, deals)
    return (*history, *given(history).when(StartGame(SEED)).events)


def bids_made(history: History, words: str) -> History:
    for word in words.split(", "):
        seat, tricks = word.split()
        history = (*history, *given(history).when(bid(SEATS[seat], int(tricks))).events)
    return history


def played(history: History, words: Iterable[str]) -> History:
    """Cards as `NSQ`: North plays the queen of spades."""
    for word in words:
        history = (*history, *given(history).when(play(SEATS[word[0]], word[1:])).events)
    return history


def winners(history: History) -> str:
    return " ".join("NESW"[trick.seat] for trick in only(TrickTaken, history))


def sheets(history: History) -> list[tuple[int, int, int, int]]:
    (scored,) = only(RoundScored, history)
    return [(side.contract, side.taken, side.change, side.bags) for side in scored.sides]


def test_the_first_round_is_won_and_scored_as_it_was() -> None:
    rounds = CAMPUS_TRICKS.split()
    held = {
        seat: " ".join(word[1:] for word in rounds if word[0] == label)
        for label, seat in (("N", N), ("E", E), ("S", S), ("W", W))
    }
    history = bids_made(dealt(rule_set("campus"), S, held), "W 4, N 2, E 4, S 4")
    history = played(history, rounds)
    assert winners(history) == CAMPUS_WINNERS
    assert sheets(history) == [(6, 7, 61, 1), (8, 6, -80, 0)]


def test_the_second_round_is_won_and_scored_as_it_was() -> None:
    rules = rule_set("joker-joker-deuce-deuce", bags="carry", minimum_side_bid=4)
    history = dealt(rules, N, {SEATS[label]: hand for label, hand in DEUCES_HANDS.items()})
    history = bids_made(history, "E 1, S 2, W 4, N 6")
    leader = E
    for row, winner in zip(
        DEUCES_TRICKS.replace("\n", " / ").strip(" /").split(" / "),
        DEUCES_WINNERS.split(),
        strict=True,
    ):
        by_seat = dict(zip("ESWN", row.split(), strict=True))
        order = ["NESW"[(leader + step) % 4] for step in range(4)]
        history = played(history, [seat + by_seat[seat] for seat in order])
        leader = SEATS[winner]
    assert winners(history) == DEUCES_WINNERS
    assert sheets(history) == [(8, 7, -80, 0), (5, 6, 51, 1)]
    assert len(only(CardPlayed, history)) == 52

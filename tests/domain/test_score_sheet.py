"""The sheet that people read holds the whole game, and for a seat no card that it may not see."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from spades.events import CardDrawn, CardPlayed, Event, RoundDealt, RoundScored
from spades.history import only
from spades.record import Record, cut
from spades.record_decoding import decode_record
from spades.record_replay import replay_record
from spades.rules import PRESETS
from spades.score_sheet import score_sheet
from support.play_out import play_out
from support.records import (
    BLIND_NIL,
    CAMPUS,
    CUTTHROAT,
    LOWEST_CLUB,
    NAMES,
    THREE_HANDED,
    TWO_HANDED,
    UNFINISHED,
    data,
)

CARD = re.compile(r"\b(?:[CDHS][2-9TJQKA]|[BL]J)\b")


def record(name: str) -> Record:
    return decode_record(data(name))


def history(name: str) -> tuple[Event, ...]:
    return replay_record(record(name)).events


def test_the_sheet_of_a_round_shows_hands_tricks_and_every_line_of_the_score() -> None:
    assert score_sheet(history(CAMPUS)) == (
        """\
Spades: campus
N and S against E and W
In a trick > is the card led, and * the card that takes it.

Round 1, dealt by S

  N  C3 C5 CJ D3 D5 DJ DK H6 HT S4 S5 ST SQ
  E  C9 CA D9 DT DQ H4 H5 H9 HQ HK S2 SJ SK
  S  C2 C6 D6 D7 H2 H7 H8 HJ S6 S7 S8 S9 SA
  W  C4 C7 C8 CT CQ CK D2 D4 D8 DA H3 HA S3

           N     E     S     W
  bid      2     4     4     4
  1       C3    C9*   C2   >C4
  2       C5   >CA*   C6    C7
  3       H6   >HK*   H2    H3
  4       HT   >HQ    H7    HA*
  5       CJ    H4    S6*  >CK
  6       D3    D9   >D6    DA*
  7       S4    SJ    SA*  >C8
  8       DK*   DT   >D7    D2
  9      >SQ    SK*   S7    S3
  10      D5   >DQ    S8*   D4
  11      S5*   H5   >H8    D8
  12     >ST*   S2    S9    CT
  13     >DJ*   H9    HJ    CQ
  taken    4     4     3     2

           contract  taken  change  score  bags
  N and S         6      7     +61     61     1  contract made +60, bags +1
  E and W         8      6     -80    -80     0  contract missed -80

N and S 61, E and W -80. The game goes on."""
    )


def test_the_outcome_stands_at_the_end() -> None:
    assert score_sheet(history(CUTTHROAT)).endswith("E wins.")
    assert score_sheet(history(BLIND_NIL)).endswith("win.")
    drawn = replace(record(CAMPUS), rules=replace(record(CAMPUS).rules, max_rounds=1))
    assert score_sheet(replay_record(drawn).events).endswith("N and S win.")


def test_the_title_names_the_options_that_differ_from_the_preset() -> None:
    title = score_sheet(history(BLIND_NIL)).splitlines()[0]
    assert title == "Spades: modern, target 200, blind_nil_behind none"


def test_an_unfinished_trick_shows_the_cards_that_lie_there() -> None:
    lines = score_sheet(history(UNFINISHED)).splitlines()
    assert "  6       DQ               >H8" in lines


def test_a_game_without_a_round_has_a_title_and_goes_on() -> None:
    nothing = replay_record(replace(record(CAMPUS), rounds=()))
    assert score_sheet(nothing.events).splitlines()[-1] == "The game goes on."


# What one seat may see


def hands_in(sheet: str) -> list[str]:
    """The labels before which a list of cards stands."""
    return re.findall(rf"^  (\S+) +(?:{CARD.pattern} ?)+$", sheet, re.MULTILINE)


@pytest.mark.parametrize("name", NAMES)
def test_a_seat_sees_its_own_hand_alone(name: str) -> None:
    label = record(name).labels[1]
    assert set(hands_in(score_sheet(history(name), viewer=1))) - {"aside"} == {label}
    assert set(hands_in(score_sheet(history(name)))) - {"aside"} == set(record(name).labels)


def test_a_hand_that_is_withheld_is_not_shown_to_its_own_player_until_the_bid() -> None:
    opening = record(LOWEST_CLUB).rounds[0]  # its second seat looks, its third bids blind
    dealt = replace(record(LOWEST_CLUB), rounds=(replace(opening, bids=(), tricks=()),))
    before, after = (
        score_sheet(replay_record(game).events, viewer=2)
        for game in (dealt, cut(record(LOWEST_CLUB), 1, 0))
    )
    assert "S  not looked at yet" in before
    assert hands_in(before) == []
    assert hands_in(after) == ["S"]
    assert hands_in(score_sheet(replay_record(dealt).events, viewer=1)) == ["E"]


def test_an_exchange_is_shown_to_the_partners_and_told_to_the_others() -> None:
    events = history(BLIND_NIL)
    assert "E gives W C5 CT, W gives E CQ HA" in score_sheet(events, viewer=3)
    assert "E and W exchange 2 cards" in score_sheet(events, viewer=2)


def test_the_card_set_aside_is_seen_once_the_round_is_over() -> None:
    playing, over = (cut(record(THREE_HANDED), 1, tricks) for tricks in (16, 17))
    assert "aside" not in score_sheet(replay_record(playing).events, viewer=0)
    assert "aside" in score_sheet(replay_record(over).events, viewer=0)


def test_what_was_discarded_from_the_stock_is_not_on_the_sheet() -> None:
    drawn = replay_record(cut(record(TWO_HANDED), 1, 0))
    assert len(CARD.findall(score_sheet(drawn.events, viewer=0))) == 13


@given(
    st.sampled_from(sorted(PRESETS)), st.integers(0, 10_000), st.integers(1, 150), st.integers(0, 1)
)
def test_no_sheet_shows_a_seat_a_card_that_it_has_not_seen(
    preset: str, seed: int, moment: int, viewer: int
) -> None:
    rules = replace(PRESETS[preset].rules, exchange=0, max_rounds=1)
    events = play_out(rules, seed)[:moment]
    dealt, drawn = only(RoundDealt, events), only(CardDrawn, events)
    seen = {play.card for play in only(CardPlayed, events)}
    seen |= {draw.kept for draw in drawn if draw.seat == viewer}
    seen |= {card for deal in dealt for card in deal.hands[viewer]}
    if only(RoundScored, events):
        seen |= set(dealt[0].rest)
    assert set(CARD.findall(score_sheet(events, viewer))) <= {str(card) for card in seen}

"""A record is one game as a file: it is played by the rules, and a history is written as one."""

import json
from itertools import count
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from spades.events import (
    BidPlaced,
    CardDrawn,
    CardPlayed,
    CardsOffered,
    DealThrownIn,
    Event,
    GameFinished,
    GameStarted,
    HandSeen,
    RoundDealt,
    RoundScored,
    SeatTaken,
    TableOpened,
)
from spades.history import only
from spades.record import Record, cut
from spades.record_decoding import decode_record
from spades.record_export import encode_record, spelled, to_record
from spades.record_replay import replay_record
from spades.record_results import Status, results
from spades.rules import PRESETS, Bags, BidRule, FirstTrick, Game, Redeal, Rules, nearest
from spades.state import BetweenRounds, Finished, Seating
from support.play_out import play_out
from support.records import (
    BLIND_NIL,
    CAMPUS,
    CUTTHROAT,
    JOKERS,
    LOWEST_CLUB,
    NAMES,
    SIX_HANDED,
    THREE_HANDED,
    TWO_HANDED,
    UNFINISHED,
    data,
    plain,
)

CHOICES = HandSeen | BidPlaced | CardsOffered | CardDrawn | CardPlayed | DealThrownIn
"""What a player decides; every other event follows of itself."""


def record(name: str) -> Record:
    return decode_record(data(name))


def decoded(changed: Any) -> Record:
    return decode_record(json.dumps(changed).encode())


def outcome(name: str) -> Any:
    """The results as other programs read them."""
    return json.loads(msgspec.json.encode(results(replay_record(record(name)).events)))


# Two rounds from the written rules


def test_the_campus_round_is_won_and_scored_as_written() -> None:
    (round_,) = outcome(CAMPUS)["rounds"]
    assert "".join(round_["winners"]) == "EEEWSWSNESNNN"
    assert round_["taken"] == {"N": 4, "E": 4, "S": 3, "W": 2}
    assert [(side["change"], side["bags"]) for side in round_["sides"]] == [(61, 1), (-80, 0)]


def test_the_round_with_jokers_and_deuces_is_won_and_scored_as_written() -> None:
    (round_,) = outcome(JOKERS)["rounds"]
    assert "".join(round_["winners"]) == "ENWWNNESNWNWN"
    assert [(side["contract"], side["taken"]) for side in round_["sides"]] == [(8, 7), (5, 6)]
    assert [(side["change"], side["bags"]) for side in round_["sides"]] == [(-80, 0), (51, 1)]


def test_results_hold_every_number_under_its_name() -> None:
    assert outcome(CAMPUS) == {
        "status": "playing",
        "rounds": [
            {
                "number": 1,
                "dealer": "S",
                "complete": True,
                "winners": list("EEEWSWSNESNNN"),
                "taken": {"N": 4, "E": 4, "S": 3, "W": 2},
                "sides": [
                    {
                        "seats": ["N", "S"],
                        "contract": 6,
                        "taken": 7,
                        "change": 61,
                        "score": 61,
                        "bags": 1,
                        "lines": [
                            {"what": "contract made", "points": 60},
                            {"what": "bags", "points": 1},
                        ],
                    },
                    {
                        "seats": ["E", "W"],
                        "contract": 8,
                        "taken": 6,
                        "change": -80,
                        "score": -80,
                        "bags": 0,
                        "lines": [{"what": "contract missed", "points": -80}],
                    },
                ],
            }
        ],
        "scores": [
            {"seats": ["N", "S"], "score": 61, "bags": 1},
            {"seats": ["E", "W"], "score": -80, "bags": 0},
        ],
        "winner": None,
    }


# Results


def test_a_finished_game_names_the_seats_that_won() -> None:
    game = outcome(SIX_HANDED)
    best = max(game["scores"], key=lambda side: side["score"])
    assert game["status"] == "finished"
    assert game["winner"] == best["seats"]


def test_a_draw_has_no_winner_and_is_finished() -> None:
    changed = plain(CAMPUS)
    changed["rules"] |= {"max_rounds": 1, "missed": "zero", "bags": "off"}
    changed["rounds"][0]["bids"] = {"W": 6, "N": 7, "E": 1, "S": 1}
    drawn = results(replay_record(decoded(changed)).events)
    assert [side.score for side in drawn.scores] == [0, 0]
    assert (drawn.status, drawn.winner) == (Status.FINISHED, ())


def test_an_unfinished_round_has_its_tricks_so_far_and_no_sides() -> None:
    game = outcome(UNFINISHED)
    last = game["rounds"][-1]
    assert (game["status"], game["winner"]) == ("playing", None)
    assert (last["complete"], len(last["winners"]), "sides" in last) == (False, 5, False)
    assert sum(last["taken"].values()) == 5


def test_a_game_of_which_nothing_was_played_has_only_scores_of_nothing() -> None:
    nothing = replay_record(decoded(plain(CAMPUS) | {"rounds": []}))
    assert isinstance(nothing.table, Seating)
    assert [side.score for side in results(nothing.events).scores] == [0, 0]


# What a record may leave out, and what it may say in any order


@pytest.mark.parametrize("name", [CAMPUS, BLIND_NIL])
def test_a_deal_left_out_is_read_off_the_plays_with_the_exchange_undone(name: str) -> None:
    changed = plain(name)
    for round_ in changed["rounds"]:
        del round_["deal"]
    assert decoded(changed) == record(name)


@pytest.mark.parametrize("name", [THREE_HANDED, SIX_HANDED, LOWEST_CLUB])
def test_whole_games_can_be_recorded_without_their_deals(name: str) -> None:
    changed = plain(name)
    for round_ in changed["rounds"]:
        del round_["deal"]
    assert decoded(changed) == record(name)


def test_bids_stand_in_any_order_and_are_made_in_that_of_the_rules() -> None:
    changed = plain(CAMPUS)
    changed["rounds"][0]["bids"] = {"E": 4, "S": 4, "N": 2, "W": 4}
    bids = only(BidPlaced, replay_record(decoded(changed)).events)
    assert [bid.seat for bid in bids] == [3, 0, 1, 2]


def test_who_bids_an_ordinary_bid_has_looked_whether_the_record_says_so_or_not() -> None:
    changed = plain(BLIND_NIL)
    for round_ in changed["rounds"]:
        del round_["looked"]
    looked = only(HandSeen, replay_record(decoded(changed)).events)
    assert sorted(seen.seat for seen in looked) == [0, 1, 2]


def test_to_have_looked_says_nothing_where_no_hand_is_withheld() -> None:
    changed = plain(CAMPUS)
    changed["rounds"][0]["looked"] = ["N", "W"]
    assert results(replay_record(decoded(changed)).events) == results(
        replay_record(record(CAMPUS)).events
    )


def test_a_nil_may_be_said_as_a_word_or_as_a_number() -> None:
    changed = plain(CAMPUS)
    changed["rounds"][0]["bids"]["N"] = "nil"
    in_words = decoded(changed)
    changed["rounds"][0]["bids"]["N"] = 0
    assert decoded(changed) == in_words


def test_a_byte_order_mark_is_no_part_of_the_record() -> None:
    assert decode_record(b"\xef\xbb\xbf" + data(CAMPUS)) == record(CAMPUS)


def test_labels_are_any_words() -> None:
    text = json.dumps(plain(UNFINISHED), ensure_ascii=False)
    for label, name in {"N": "Zoë", "E": "Ebba", "S": "北", "W": "player-4"}.items():
        text = text.replace(f'"{label}"', f'"{name}"').replace(f"{label}:", f"{name}:")
    game = results(replay_record(decode_record(text.encode())).events)
    assert game.scores[0].seats == ("Zoë", "北")


# Replaying


def test_a_replay_is_the_whole_history_of_a_table() -> None:
    names = ("ann", "ben", "cleo", "dan")
    opened, *seated, started, dealt = replay_record(record(CAMPUS), names).events[:7]
    assert isinstance(opened, TableOpened)
    assert (opened.opener, opened.dealer, opened.labels) == ("ann", 2, ("N", "E", "S", "W"))
    assert seated == [SeatTaken(seat, name) for seat, name in enumerate(names)]
    assert started == GameStarted(2)
    assert isinstance(dealt, RoundDealt)
    assert (dealt.hands, dealt.seed) == (opened.deals[0], None)


def test_the_deal_after_the_last_recorded_round_is_not_the_records() -> None:
    replayed = replay_record(record(CAMPUS))
    assert isinstance(replayed.events[-1], RoundScored)
    assert isinstance(replayed.table, BetweenRounds)


def test_two_handed_the_turns_of_the_draw_give_the_order_of_the_stock() -> None:
    round_ = record(TWO_HANDED).rounds[0]
    drawn = plain(TWO_HANDED)["rounds"][0]["draws"]
    assert " ".join(round_.deal[0]) == " ".join(
        card for turn in drawn for card in turn.split(":")[2:]
    )


def test_a_record_can_be_cut_after_any_trick() -> None:
    whole = record(CUTTHROAT)
    after = results(replay_record(cut(whole, 2, 4)).events)
    assert [len(round_.winners) for round_ in after.rounds] == [13, 4]
    assert (after.status, after.rounds[1].complete) == (Status.PLAYING, False)


def test_a_record_cut_after_its_bids_or_after_its_end_is_as_far_as_it_got() -> None:
    whole = record(CUTTHROAT)
    assert cut(whole, 1, 0).rounds[0].tricks == ()
    assert cut(whole, 1, 13).rounds == whole.rounds[:1]
    assert cut(whole, 9, 1) == whole


# Export


@pytest.mark.parametrize("name", NAMES)
def test_a_record_is_written_as_it_was_read(name: str) -> None:
    assert encode_record(record(name)) == data(name)


@pytest.mark.parametrize("name", NAMES)
def test_a_history_goes_back_into_a_record_of_the_same_game(name: str) -> None:
    first = replay_record(record(name))
    again = replay_record(to_record(first.events))
    assert results(again.events) == results(first.events)
    assert to_record(again.events) == to_record(first.events)


def test_a_deal_that_was_thrown_in_is_left_out() -> None:
    rules = replace(PRESETS["classic"].rules, redeal=Redeal.NO_SPADE, max_rounds=9)
    games = (play_out(rules, seed) for seed in count())
    events = next(events for events in games if only(DealThrownIn, events))
    exported = to_record(events)
    assert len(exported.rounds) == len(only(RoundScored, events))
    assert results(replay_record(exported).events) == results(events)


def test_a_two_handed_round_still_being_drawn_is_left_out() -> None:
    events = play_out(PRESETS["two-handed"].rules, seed=1, rounds=1)
    exported = to_record(events)
    assert [of_round.dealer for of_round in exported.rounds] == [
        dealt.dealer for dealt in only(RoundDealt, events)[:1]
    ]


def test_a_history_that_does_not_begin_at_its_beginning_is_no_game() -> None:
    with pytest.raises(ValueError, match="opening"):
        to_record(())


def test_a_preset_is_written_by_its_name_alone() -> None:
    for name, preset in PRESETS.items():
        assert spelled(preset.rules) == {"preset": name}


def test_rules_are_written_as_the_nearest_preset_and_what_differs() -> None:
    rules = replace(PRESETS["modern"].rules, target=250, blind_nil_behind=None)
    assert spelled(rules) == {"preset": "modern", "target": 250, "blind_nil_behind": None}


def test_of_two_presets_equally_near_the_first_is_named() -> None:
    rules = replace(PRESETS["suicide"].rules, bidding=BidRule.FREE, bags=Bags.OFF)
    assert spelled(rules) == {"preset": "classic", "bags": "off"}


def test_rules_far_from_every_preset_are_written_option_by_option() -> None:
    rules = replace(
        PRESETS["classic"].rules,
        target=77,
        floor=-7,
        max_rounds=7,
        nil=7,
        blind_nil=77,
        first_trick=FirstTrick.LOWEST_CLUBS,
    )
    assert set(spelled(rules)) == set(Rules.__struct_fields__)


# Every rule set


@st.composite
def rule_sets(draw: st.DrawFn) -> Rules:
    """Any preset with a few options changed, and no contradiction left."""
    preset = PRESETS[draw(st.sampled_from(sorted(PRESETS)))].rules
    other = PRESETS[draw(st.sampled_from(sorted(PRESETS)))].rules
    fields = draw(st.sets(st.sampled_from(Rules.__struct_fields__[1:]), max_size=6))
    mixed = replace(preset, **{field: getattr(other, field) for field in fields})
    house = {
        "redeal": draw(st.sampled_from(Redeal)),
        "minimum_side_bid": draw(st.sampled_from((0, 0, 4))),
        "target": draw(st.sampled_from((50, 500))),
        "blind_nil_behind": draw(st.sampled_from((None, 50))),
    }
    if mixed.game in (Game.PARTNERSHIP, Game.SIX_HANDED):
        house |= {"exchange": draw(st.sampled_from((0, 2)))}
    return nearest(replace(mixed, **house))


@st.composite
def histories(draw: st.DrawFn) -> tuple[Event, ...]:
    """A game of some rounds, up to any moment at which a player has a choice to make."""
    events = play_out(
        draw(rule_sets()), draw(st.integers(0, 10_000)), rounds=draw(st.integers(1, 3))
    )
    ends = [place for place, event in enumerate(events) if isinstance(event, CHOICES)]
    return events[: draw(st.sampled_from([*ends, len(events)]))]


@given(histories())
def test_any_game_at_any_moment_survives_its_record(events: tuple[Event, ...]) -> None:
    exported = to_record(events)
    assert decode_record(encode_record(exported)) == exported
    replayed = replay_record(exported)
    came_out = results(events)
    if exported.rules.game is Game.TWO_HANDED:  # a hand still being drawn is not in the record
        came_out = replace(came_out, rounds=came_out.rounds[: len(exported.rounds)])
    assert results(replayed.events) == came_out


@given(rule_sets(), st.integers(0, 10_000))
def test_any_whole_round_is_recorded_without_its_deal_too(rules: Rules, seed: int) -> None:
    whole = cut(to_record(play_out(rules, seed, rounds=1)), 1, 17)
    plain = json.loads(encode_record(whole))
    plain["rounds"][0].pop("deal", None)
    assert decoded(plain) == whole


@given(rule_sets(), st.integers(0, 10_000))
def test_the_result_of_a_replay_is_that_of_the_table(rules: Rules, seed: int) -> None:
    events = play_out(replace(rules, max_rounds=2), seed)
    replayed = replay_record(to_record(events))
    assert isinstance(replayed.table, Finished)
    assert only(GameFinished, replayed.events) == only(GameFinished, events)
    assert only(RoundScored, replayed.events) == only(RoundScored, events)

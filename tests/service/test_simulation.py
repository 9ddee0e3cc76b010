"""Whole games by simple players: legal under every rule set, and the same for the same seed."""

import subprocess
import sys
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spades.cards import Card
from spades.deal import SEED_BYTES
from spades.events import GameFinished, RoundDealt, RoundScored
from spades.record_decoding import decode_record
from spades.record_export import encode_record, to_record
from spades.record_replay import replay_record
from spades.record_results import results
from spades.rules import PRESETS, Rules, resolve
from spades.simple_player import simple_move
from spades.state import Bidding, Drawing, Exchanging, Finished, Playing, Table, opened
from spades.table import carry_out, evolve, replay
from spades.view import awaited_seats, view
from spades_service.simulation import Tally, simulate, tally
from support.rule_sets import RULE_SETS


def short(preset: str, **options: object) -> Rules:
    return resolve(preset, {"max_rounds": 2, **options})


@pytest.mark.parametrize("preset", PRESETS)
def test_a_game_of_every_preset_is_played_to_its_end(preset: str) -> None:
    events = simulate(short(preset), "1")
    assert isinstance(events[-1], GameFinished)
    assert isinstance(replay(events), Finished)


@settings(max_examples=40)
@given(RULE_SETS, st.integers(0, 2**32))
def test_simple_players_play_any_rule_set_to_its_end(rules: Rules, seed: int) -> None:
    events = simulate(msgspec.structs.replace(rules, max_rounds=1), str(seed))
    assert isinstance(events[-1], GameFinished)


def test_the_same_seed_is_the_same_games_in_another_process() -> None:
    events = simulate(short("modern"), "north/7")
    again = subprocess.run(
        [
            sys.executable,
            "-c",
            "import msgspec\n"
            "from spades.rules import resolve\n"
            "from spades_service.simulation import simulate\n"
            "rules = resolve('modern', {'max_rounds': 2})\n"
            "print(msgspec.json.encode(simulate(rules, 'north/7')).decode())",
        ],
        env={"PYTHONHASHSEED": "4711"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert again.stdout.strip() == msgspec.json.encode(events).decode()


def test_another_seed_is_another_game() -> None:
    deals = {
        next(
            event.hands
            for event in simulate(short("classic"), seed)
            if isinstance(event, RoundDealt)
        )
        for seed in ("1", "2", "3")
    }
    assert len(deals) == 3


@pytest.mark.parametrize("preset", PRESETS)
def test_a_simulated_game_is_a_record_that_replays_to_the_same_results(preset: str) -> None:
    events = simulate(short(preset), "2")
    record = decode_record(encode_record(to_record(events)))
    assert results(replay_record(record).events) == results(events)


def test_a_tally_counts_what_the_score_sheets_say() -> None:
    events = simulate(resolve("classic", {"target": 100}), "3")
    count = tally(events)
    scored = [event for event in events if isinstance(event, RoundScored)]
    assert count.games == 1
    assert count.rounds == len(scored)
    assert count.winning_scores == max(side.score for side in scored[-1].sides)
    lines = [line for event in scored for side in event.sides for line in side.lines]
    assert count.contracts_made == sum(line.what == "contract made" for line in lines)
    assert count.nils_made + count.nils_failed == sum("nil" in line.what for line in lines)


def test_tallies_add_up() -> None:
    one, other = (tally(simulate(short("classic"), seed)) for seed in ("1", "2"))
    both = Tally()
    both.add(one)
    both.add(other)
    assert both.games == 2
    assert both.events == one.events + other.events
    assert both.reasons == {"rounds": 2}


def waits(events: tuple[object, ...]) -> list[Table]:
    """Every table of a game at which a player is asked."""
    table: Table = replay(())
    asked: list[Table] = []
    for event in events:
        table = evolve(table, event)  # type: ignore[arg-type]
        if isinstance(table, Drawing | Bidding | Exchanging | Playing) and awaited_seats(table):
            asked.append(table)
    return asked


@pytest.mark.parametrize("preset", ["classic", "modern", "three-handed", "two-handed"])
def test_a_simple_player_decides_by_its_own_view_alone(preset: str) -> None:
    """With the cards that it cannot see dealt otherwise among the others, its move is the same."""
    chance = Random(5)
    moved = 0
    for table in waits(simulate(short(preset), "4")):
        seat = awaited_seats(table)[0]
        other = shuffled_behind(table, seat, chance)
        if other is None:
            continue
        moves = [
            simple_move(
                view(opened(each), seat, id="", version=0, names={}),
                Random(1).randrange,
                bytes(SEED_BYTES),
            )
            for each in (table, other)
        ]
        assert moves[0] == moves[1]
        moved += 1
    assert moved > 50


def shuffled_behind(table: Table, seat: int, chance: Random) -> Table | None:
    """The same table to this seat, the cards that it does not see changed round."""
    if not isinstance(table, Bidding | Playing):
        return None
    others = [other for other in range(len(table.hands)) if other != seat]
    hidden: list[Card] = [card for other in others for card in table.hands[other]]
    chance.shuffle(hidden)
    hands = list(table.hands)
    for other in others:
        count = len(hands[other])
        hands[other], hidden = tuple(hidden[:count]), hidden[count:]
    return msgspec.structs.replace(table, hands=tuple(hands))


def test_who_is_not_asked_has_no_move() -> None:
    table = waits(simulate(short("classic"), "1"))[0]
    seat = (awaited_seats(table)[0] + 1) % 4
    seen = view(opened(table), seat, id="", version=0, names={})
    with pytest.raises(ValueError, match="does not wait"):
        simple_move(seen, Random(1).randrange, bytes(SEED_BYTES))


def test_every_move_of_a_simple_player_is_legal_from_the_start_of_a_blind_nil() -> None:
    games = waits(simulate(short("lowest-club"), "1"))
    table: Table = next(table for table in games if isinstance(table, Bidding))
    (seat,) = awaited_seats(table)
    while awaited_seats(table) == (seat,):
        seen = view(opened(table), seat, id="", version=0, names={})
        _, table = carry_out(table, simple_move(seen, lambda _: 1, bytes(SEED_BYTES)))
    assert isinstance(table, Bidding)
    assert table.bids[seat] is not None

"""The fold in memory: a round of 71 events, and whole games replayed by the rules."""

import time
from statistics import median

from spades.events import Event
from spades.record_decoding import decode_record
from spades.record_export import encode_record, to_record
from spades.record_replay import replay_record
from spades.rules import PRESETS
from spades.table import replay
from spades_service.simulation import simulate


def one_round() -> tuple[tuple[Event, ...], tuple[Event, ...]]:
    """What came before a round, and the round's 71 events from its deal to its score."""
    events = simulate(PRESETS["classic"].rules, "bench")
    return events[:6], events[6:77]


def run() -> dict[str, float]:
    """Milliseconds for a fold, games and events per second for replays."""
    before, of_round = one_round()
    table = replay(before)
    times = []
    for _ in range(300):
        started = time.perf_counter()
        replay(of_round, table)
        times.append(time.perf_counter() - started)
    games = [
        encode_record(to_record(simulate(PRESETS["classic"].rules, f"bench/{number}")))
        for number in range(60)
    ]
    started = time.perf_counter()
    events = sum(len(replay_record(decode_record(game)).events) for game in games)
    seconds = time.perf_counter() - started
    return {
        "fold: events in the round": len(of_round),
        "fold: ms for the round": median(times) * 1000,
        "replay: games per second": len(games) / seconds,
        "replay: events per second": events / seconds,
        "replay: events per game": events / len(games),
    }


if __name__ == "__main__":
    for figure, value in run().items():
        print(f"{figure:40} {value:12.3f}")

"""A game is the same bytes in every process, whatever order sets and hashes have there."""

import os
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

import pytest
from msgspec import json, to_builtins

import spades
from spades.events import EVENTS, Event
from spades.rules import Rules, resolve
from spades.state import opened
from spades.table import evolve, replay
from spades.view import event_view, view
from support.play_out import play_out

ROOTS: Final = (Path(spades.__file__).parent.parent, Path(__file__).parent.parent)
PYTHONPATH: Final = os.pathsep.join(map(str, ROOTS))
"""Where the domain and the tests' support are imported from."""
GAMES: Final = {
    "modern": resolve(
        "modern",
        {"blind_nil_behind": None, "max_rounds": 5, "target": 10_000, "redeal": "no-spade"},
    ),
    "six-handed": resolve("six-handed", {"blind_nil": 100, "exchange": 2, "max_rounds": 2}),
    "two-handed": resolve("two-handed", {"jokers": "deuces", "max_rounds": 3, "target": 10_000}),
}


def encoded(events: tuple[Event, ...]) -> bytes:
    """A history as it could be stored: each event's name and body."""
    return json.encode([(type(event).__name__, event) for event in events])


def decoded(history: bytes) -> tuple[Event, ...]:
    return tuple(
        json.decode(json.encode(body), type=EVENTS[name]) for name, body in json.decode(history)
    )


def told(events: tuple[Event, ...]) -> Iterator[bytes]:
    """All that is ever stored or shown of a game."""
    yield encoded(events)
    table = replay(())
    for version, event in enumerate(events, 1):
        table = evolve(table, event)
        yield json.encode(to_builtins(table))
        for viewer in (None, 0, 1):
            yield json.encode(event_view(event, viewer))
            yield json.encode(view(opened(table), viewer, id="t", version=version, names={}))


def digest(rules: Rules, history: bytes) -> str:
    """A replay of the history, and the same game played anew."""
    hashed = sha256()
    for events in (decoded(history), play_out(rules, seed=11)):
        for part in told(events):
            hashed.update(part)
    return hashed.hexdigest()


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("hash_seed", ["0", "1", "4294967295"])
def test_a_game_is_the_same_bytes_under_every_hash_seed(name: str, hash_seed: str) -> None:
    history = encoded(play_out(GAMES[name], seed=11))
    elsewhere = subprocess.run(
        [sys.executable, Path(__file__), name],
        input=history,
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": PYTHONPATH},
        capture_output=True,
        check=True,
    )
    assert elsewhere.stdout.decode() == digest(GAMES[name], history)


def test_the_games_are_long_enough_to_tell() -> None:
    assert len(play_out(GAMES["modern"], seed=11)) > 300


if __name__ == "__main__":
    sys.stdout.write(digest(GAMES[sys.argv[1]], sys.stdin.buffer.read()))

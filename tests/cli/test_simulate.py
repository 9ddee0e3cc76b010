"""`spades simulate`, as it is typed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest


def spades(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "spades_service.main", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_summary_says_what_came_of_the_games() -> None:
    done = spades("simulate", "--games", "3", "--preset", "modern", "-o", "target=100")
    assert done.returncode == 0, done.stderr
    for word in ("3 games of modern", "rounds per game", "contracts set", "nils made"):
        assert word in done.stdout


def test_the_same_seed_is_the_same_summary_and_another_is_another() -> None:
    once, again, other = (
        spades("simulate", "--games", "4", "-o", "target=100", "--seed", seed, "--json")
        for seed in ("7", "7", "8")
    )
    assert once.stdout == again.stdout
    assert once.stdout != other.stdout
    assert json.loads(once.stdout)["games"] == 4


@pytest.mark.parametrize("preset", ["classic", "two-handed", "three-handed", "six-handed"])
def test_its_records_are_records_that_replay(tmp_path: Path, preset: str) -> None:
    out = tmp_path / "games"
    options = ("-o", "max_rounds=2", "--output", str(out))
    assert spades("simulate", "--games", "3", "--preset", preset, *options).returncode == 0
    assert sorted(file.name for file in out.iterdir()) == [
        "game-1.json",
        "game-2.json",
        "game-3.json",
    ]
    replayed = spades("replay", "--json", str(out))
    assert replayed.returncode == 0
    answers = [json.loads(line) for line in replayed.stdout.splitlines()]
    assert [answer["result"]["status"] for answer in answers] == ["finished"] * 3


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--preset", "nope"), "there is no preset 'nope'"),
        (("-o", "bags=maybe"), "bags cannot be 'maybe': it is one of carry, reset, off"),
        (("-o", "color=red"), "there is no option 'color'"),
        (("--preset", "six-handed", "-o", "jokers=deuces"), "six-handed is played without jokers"),
        (("--games", "0"), "--games"),
    ],
)
def test_what_cannot_be_played_is_refused_in_a_sentence(
    arguments: tuple[str, ...], sentence: str
) -> None:
    done = spades("simulate", *arguments)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert not done.stdout

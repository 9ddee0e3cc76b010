"""`spades rules` shows each option of each preset, as the table of the written rules has it."""

import json
from typing import Any, Final

import pytest

from support.command_line import invoke

# The table of the rules, retyped: an option's value in the six presets that disagree.
NAMED: Final = ("classic", "cheettukali", "lowest-club", "bicycle", "modern", "campus")
TABLE: Final[dict[str, tuple[Any, ...]]] = {
    "game": ("partnership",) * 6,
    "target": (500,) * 6,
    "floor": (None, -200, None, None, None, None),
    "max_rounds": (100,) * 6,
    "nil": (100, 100, 50, 100, 100, 100),
    "blind_nil": (None, None, 100, None, 200, None),
    "blind_nil_behind": (None, None, None, None, 100, None),
    "exchange": (0, 0, 0, 0, 2, 0),
    "failed_nil": ("fill", "bags", "fill", "bags", "bags", "fill"),
    "missed": ("minus", "minus", "minus", "zero", "minus", "minus"),
    "bags": ("reset", "carry", "carry", "off", "carry", "carry"),
    "first_trick": (
        "dealers-left",
        "dealers-left",
        "lowest-clubs",
        "dealers-left",
        "dealers-left",
        "dealers-left",
    ),
    "breaks": ("discard", "discard", "discard", "discard", "discard", "discard-or-lead"),
    "minimum_side_bid": (0,) * 6,
    "jokers": ("none",) * 6,
    "bidding": ("free",) * 6,
    "spade_lead": ("broken",) * 6,
    "ten_for_200": ("off",) * 6,
    "double_nil": ("each",) * 6,
    "redeal": ("off",) * 6,
    "identical": ("first",) * 6,
}
# The others: classic, with one option changed.
CHANGED: Final[dict[str, tuple[str, str]]] = {
    "two-handed": ("game", "two-handed"),
    "three-handed": ("game", "three-handed"),
    "six-handed": ("game", "six-handed"),
    "cutthroat": ("game", "cutthroat"),
    "jokers": ("jokers", "big-little"),
    "joker-joker-deuce-deuce": ("jokers", "deuces"),
    "suicide": ("bidding", "suicide"),
    "mirror": ("bidding", "mirror"),
    "whiz": ("bidding", "whiz"),
}


def named(preset: str) -> dict[str, Any]:
    place = NAMED.index(preset)
    return {option: values[place] for option, values in TABLE.items()}


EXPECTED: Final[dict[str, dict[str, Any]]] = {preset: named(preset) for preset in NAMED} | {
    preset: {**named("classic"), option: value} for preset, (option, value) in CHANGED.items()
}


@pytest.fixture(scope="module")
def as_json() -> dict[str, dict[str, Any]]:
    answer = invoke("rules", "--json")
    assert (answer.exit_code, answer.stderr) == (0, "")
    shown: dict[str, dict[str, Any]] = json.loads(answer.stdout)
    return shown


@pytest.fixture(scope="module")
def as_table() -> dict[str, dict[str, str]]:
    """The cells that people read, by preset and option; the table may come in parts."""
    answer = invoke("rules")
    assert (answer.exit_code, answer.stderr) == (0, "")
    shown: dict[str, dict[str, str]] = {}
    presets: list[str] = []
    for line in answer.stdout.splitlines():
        if "┃" in line:
            presets = [cell.strip() for cell in line.strip("┃ ").split("┃")][1:]
        elif "│" in line:
            option, *values = (cell.strip() for cell in line.strip("│ ").split("│"))
            for preset, value in zip(presets, values, strict=True):
                shown.setdefault(preset, {})[option] = value
    return shown


def test_json_has_the_presets_in_the_order_of_the_rules(
    as_json: dict[str, dict[str, Any]],
) -> None:
    assert list(as_json) == list(EXPECTED)
    assert [list(options) for options in as_json.values()] == [list(TABLE)] * len(EXPECTED)


@pytest.mark.parametrize("preset", EXPECTED)
def test_json_has_every_option_of_a_preset(as_json: dict[str, dict[str, Any]], preset: str) -> None:
    assert as_json[preset] == EXPECTED[preset]


@pytest.mark.parametrize("preset", EXPECTED)
def test_the_table_has_every_option_of_a_preset(
    as_table: dict[str, dict[str, str]], preset: str
) -> None:
    assert as_table[preset] == {
        option: "none" if value is None else str(value)
        for option, value in EXPECTED[preset].items()
    }


def test_the_table_has_no_other_presets(as_table: dict[str, dict[str, str]]) -> None:
    assert list(as_table) == list(EXPECTED)

"""Whole games as text, to be read and reviewed: `REWRITE=1` records them anew."""

import os
from pathlib import Path
from typing import Final

import pytest

from spades.refusals import RefusalCode
from spades.rules import PRESETS
from support.transcript import recorded

FOLDER: Final = Path(__file__).parent.parent / "transcripts"
TRANSCRIPTS: Final = sorted(FOLDER.glob("*.txt"))
OF_THE_SERVICE: Final = frozenset(
    {
        RefusalCode.UNAUTHENTICATED,
        RefusalCode.NOT_FOUND,
        RefusalCode.NOT_ALLOWED,
        RefusalCode.BAD_COMMAND,
        RefusalCode.VERSION_CONFLICT,
        RefusalCode.COMMAND_ID_REUSED,
        RefusalCode.BAD_RECORD,
        RefusalCode.NOT_AWAY,  # nobody is away where nobody keeps the time
    }
)


def test_there_is_a_transcript_for_each_preset() -> None:
    assert {path.stem for path in TRANSCRIPTS} >= set(PRESETS)


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_a_game_goes_as_it_was_recorded(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    again = recorded(text)
    if os.environ.get("REWRITE"):
        path.write_text(again, encoding="utf-8")
    else:
        assert again == text


@pytest.mark.parametrize("preset", PRESETS)
def test_the_transcript_of_a_preset_holds_a_whole_round_at_least(preset: str) -> None:
    text = (FOLDER / f"{preset}.txt").read_text(encoding="utf-8")
    assert f"\nopen {preset}" in f"\n{text}"
    assert "; score " in text


@pytest.mark.parametrize("code", [code for code in RefusalCode if code not in OF_THE_SERVICE])
def test_every_refusal_of_the_game_is_shown(code: RefusalCode) -> None:
    text = (FOLDER / "refusals.txt").read_text(encoding="utf-8")
    assert f"refused: {code}, " in text


def test_a_game_is_played_to_its_end() -> None:
    text = (FOLDER / "short-game.txt").read_text(encoding="utf-8")
    assert "the game is over" in text.splitlines()[-1]

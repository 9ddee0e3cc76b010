"""`spades platforms` on a store of its own, with no service running."""

from pathlib import Path

import pytest

from support.command_line import invoke, refused

NOBODYS = "a" * 16


def platforms(folder: Path, *arguments: str) -> list[str]:
    done = invoke("platforms", *arguments, SPADES_DATA=str(folder))
    assert done.exit_code == 0, done.stderr
    return done.stdout.splitlines()


def test_what_was_made_is_there_at_the_next_call_and_its_key_is_not(tmp_path: Path) -> None:
    assert platforms(tmp_path, "list") == []
    platform, key, bearer = platforms(tmp_path, "create", "The Arcade")
    id_, key_id = platform.split()[1], key.split()[1]
    (listed,) = platforms(tmp_path, "list")
    assert listed.startswith(id_)
    assert listed.endswith("  The Arcade")
    (shown,) = platforms(tmp_path, "keys", id_)
    assert shown.startswith(f"{key_id}  ...{bearer[-4:]}  ")
    assert bearer not in shown


def test_an_ended_key_says_since_when(tmp_path: Path) -> None:
    platform, key, _ = platforms(tmp_path, "create", "Arcade")
    (line,) = platforms(tmp_path, "revoke", key.split()[1])
    assert "  revoked 2" in line
    assert platforms(tmp_path, "keys", platform.split()[1]) == [line]


@pytest.mark.parametrize("command", ["keys", "add-key", "rotate", "revoke"])
def test_what_there_is_not_is_refused_in_a_sentence(tmp_path: Path, command: str) -> None:
    answer = invoke("platforms", command, NOBODYS, SPADES_DATA=str(tmp_path))
    assert refused(answer).startswith("there is no such ")


def test_a_name_that_cannot_be_shown_is_refused(tmp_path: Path) -> None:
    answer = invoke("platforms", "create", " ", SPADES_DATA=str(tmp_path))
    assert "1 to 40 printable characters" in refused(answer)

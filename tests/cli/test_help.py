"""Whoever knows the name of the command finds out the rest from it."""

import re
import sys
from importlib.metadata import version
from subprocess import run

import pytest

from spades_service.cli import cli
from support.command_line import invoke, spades

COMMANDS = sorted(cli.commands)


def test_the_version_is_the_package_s() -> None:
    assert spades("--version").stdout == f"spades, version {version('spades-service')}\n"


def test_the_module_is_the_same_command() -> None:
    module = [sys.executable, "-m", "spades_service.main", "--version"]
    answer = run(module, capture_output=True, text=True, check=True, timeout=60)

    assert answer.stdout.endswith(f"version {version('spades-service')}\n")


def test_what_users_are_promised_is_there() -> None:
    assert {"serve", "demo", "replay", "import", "export", "rules"} <= set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_says_in_a_sentence_what_it_does(command: str) -> None:
    sentence = (cli.commands[command].help or "").partition("\n\n")[0]

    assert re.fullmatch(r"[A-Z][^\0]+\.", sentence)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_a_command_explains_itself(command: str, option: str) -> None:
    answer = invoke(command, option)

    assert answer.exit_code == 0
    assert f"Usage: cli {command}" in answer.stdout


def test_the_overview_has_every_command() -> None:
    answer = invoke("--help")

    assert answer.exit_code == 0
    for command in COMMANDS:
        assert re.search(rf"^\W*{command} +\w+", answer.stdout, re.MULTILINE)


def test_a_command_that_there_is_not_is_refused() -> None:
    answer = invoke("shuffle")

    assert answer.exit_code == 2
    assert "shuffle" in answer.stderr

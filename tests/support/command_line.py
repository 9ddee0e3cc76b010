"""The `spades` command: in a process of its own, or within this one where that is enough."""

import os
import subprocess
from pathlib import Path
from typing import Final

from click.testing import CliRunner, Result

from spades_service.cli import cli
from spades_service.main import Composition
from support.service import SPADES, environment

LONGEST: Final = 60.0
"""Seconds that a command may take at most."""


def spades(*arguments: str | Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a user does."""
    return subprocess.run(
        [SPADES, *arguments],
        env=environment(**settings),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )


def invoke(*arguments: str | Path, **settings: str) -> Result:
    """Run the command here, which is ten times as fast."""
    unset = {name: None for name in os.environ if name == "REDIS_URL" or name[:7] == "SPADES_"}
    return CliRunner().invoke(
        cli, [str(argument) for argument in arguments], obj=Composition(), env={**unset, **settings}
    )


def refused(outcome: Result | subprocess.CompletedProcess[str]) -> str:
    """The one sentence of a command that could not be carried out."""
    code = outcome.exit_code if isinstance(outcome, Result) else outcome.returncode
    assert (code, outcome.stdout) == (2, ""), outcome.stderr
    (sentence,) = outcome.stderr.splitlines()
    assert sentence.startswith("spades: ")
    return sentence.removeprefix("spades: ")

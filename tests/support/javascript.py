"""Clients in JavaScript, as web pages have them: the packages of `tests/e2e/js`, in a folder of
the test's own.
"""

import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

SOURCES: Final = Path(__file__).parent.parent / "e2e" / "js"
INSTALL_SECONDS: Final = 300
RUN_SECONDS: Final = 120


def installed(folder: Path) -> Path:
    """The scripts and what they need, exactly as locked; skips where they cannot be had."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("no node and npm on the PATH (apt install npm)")
    here = Path(shutil.copytree(SOURCES, folder / "js"))
    done = subprocess.run(
        [npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"],
        cwd=here,
        capture_output=True,
        text=True,
        timeout=INSTALL_SECONDS,
        check=False,
    )
    if done.returncode != 0:
        pytest.skip(f"npm cannot install graphql-http, graphql-ws and graphql-sse: {done.stderr}")
    return here


def ran(script: Path, *arguments: str) -> list[str]:
    """The lines that a script prints."""
    done = subprocess.run(
        ["node", script.name, *arguments],
        cwd=script.parent,
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()

"""The example clients in `docs/clients.md`, run against a real service."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.service import Service, running

GUIDE = (Path(__file__).parents[1] / "docs" / "clients.md").read_text()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running(tmp_path_factory.mktemp("clients")) as service:
        yield service


def test_the_python_client_plays_a_whole_game_against_computers(
    service: Service, tmp_path: Path
) -> None:
    example = re.search(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    assert example is not None
    client = tmp_path / "client.py"
    client.write_text(example[1])
    done = subprocess.run(
        [sys.executable, client, service.url],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"'score': -?\d+", done.stdout), done.stdout

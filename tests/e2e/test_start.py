"""The start of a service: it runs as it is set up, or says in one sentence why it cannot."""

import re
import socket
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import httpx
import pytest
from redis import Redis

from spades_adapters.embedded import EmbeddedServer
from support.client import visiting
from support.service import PATIENCE, SPADES, environment, free_port, running

NO_PORT: Final = "127.0.0.1:1"
"""Nobody listens there, and nobody but root could."""


def refusal(tmp_path: Path, **settings: str) -> str:
    """The one sentence with which a service declines to start."""
    defaults = {"SPADES_PORT": str(free_port()), "SPADES_DATA": str(tmp_path / "data")}
    ended = subprocess.run(
        [SPADES, "serve"],
        check=False,
        env=environment(**{**defaults, **settings}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert ended.returncode == 2, ended.stderr
    assert ended.stdout == ""
    assert "Traceback" not in ended.stderr
    (sentence,) = ended.stderr.splitlines()
    assert sentence.startswith("spades: ")
    assert len(sentence) < 300
    return sentence


@pytest.fixture
def store(tmp_path: Path) -> Iterator[str]:
    """A server that is not the service's own."""
    with EmbeddedServer(tmp_path / "elsewhere", fsync="no") as url:
        yield url


@pytest.mark.parametrize(
    ("name", "value", "right"),
    [
        ("SPADES_PORT", "abc", "a number from 1 to 65535"),
        ("SPADES_PORT", "70000", "a number from 1 to 65535"),
        ("SPADES_GUESTS", "maybe", "on or off"),
        ("SPADES_PLATFORM_KEY", "brief", "8 characters"),
    ],
)
def test_a_setting_that_cannot_be_is_named_with_what_would_be_right(
    tmp_path: Path, name: str, value: str, right: str
) -> None:
    sentence = refusal(tmp_path, **{name: value})
    assert name in sentence
    assert right in sentence
    assert (value in sentence) == (name != "SPADES_PLATFORM_KEY")


def test_a_busy_port_is_named(tmp_path: Path) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        assert f"127.0.0.1:{port}" in refusal(tmp_path, SPADES_PORT=str(port))
        assert not (tmp_path / "data").exists()


def test_a_host_that_is_not_this_machine_is_named(tmp_path: Path) -> None:
    assert "203.0.113.7" in refusal(tmp_path, SPADES_HOST="203.0.113.7")


def test_a_data_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    data = tmp_path / "file" / "data"
    assert str(data) in refusal(tmp_path, SPADES_DATA=str(data))


def test_a_redis_server_that_does_not_answer_is_named_without_its_password(tmp_path: Path) -> None:
    sentence = refusal(tmp_path, REDIS_URL=f"redis://me:secret-word@{NO_PORT}/0")
    assert NO_PORT in sentence
    assert "secret-word" not in sentence


@pytest.mark.parametrize("url", ["localhost:6379", "redis://me:pa/ss@host:1"])
def test_a_redis_url_that_is_none_is_refused_and_not_quoted(tmp_path: Path, url: str) -> None:
    sentence = refusal(tmp_path, REDIS_URL=url)
    assert "pa/ss" not in sentence
    assert "URL" in sentence


def test_a_redis_server_that_throws_games_away_is_refused(tmp_path: Path, store: str) -> None:
    with Redis.from_url(store) as redis:
        redis.config_set("maxmemory-policy", "allkeys-lru")
    sentence = refusal(tmp_path, REDIS_URL=store)
    assert "allkeys-lru" in sentence
    assert "set maxmemory-policy noeviction" in sentence


def test_a_redis_server_that_forgets_games_in_a_crash_is_warned_of(
    tmp_path: Path, store: str
) -> None:
    with Redis.from_url(store) as redis:
        redis.config_set("appendonly", "no")
    with running(tmp_path, REDIS_URL=store) as service:
        (warning,) = [line for line in service.log.splitlines() if "Warning" in line]
        assert "appendonly yes" in warning


def test_a_data_folder_in_use_is_refused_and_its_service_goes_on(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        sentence = refusal(tmp_path, SPADES_DATA=str(service.data))
        assert f"process {service.pid}" in sentence
        assert str(service.data) in sentence
        assert httpx.get(f"{service.url}/health/ready", trust_env=False).status_code == 200


LEFT_TO_THE_SERVICE: Final = {"SPADES_PLATFORM_KEY": "", "SPADES_SECRET": ""}


def test_a_service_prints_where_it_can_be_reached_and_it_can(tmp_path: Path) -> None:
    with running(tmp_path, **LEFT_TO_THE_SERVICE) as service:
        addresses = re.findall(r"http://[\w.:/-]+", service.log)
        assert f"{service.url}/graphql" in addresses
        assert f"{service.url}/v1" in addresses
        for address in addresses:
            if not address.endswith("/v1"):
                html = {"Accept": "text/html"}
                response = httpx.get(address, headers=html, trust_env=False, follow_redirects=True)
                assert response.status_code == 200, address

        # Nobody has given a platform's key: the service has made one, for its owner alone.
        (path,) = re.findall(r"key in (.+)", service.log)
        key = Path(path)
        assert stat.S_IMODE(key.stat().st_mode) == 0o600
        response = httpx.post(
            f"{service.url}/v1/players",
            json={"externalId": "u-17", "name": "Ann"},
            headers={"Authorization": f"Bearer {key.read_text().strip()}"},
            trust_env=False,
        )
        assert response.status_code == 201


async def test_at_the_second_start_every_game_token_and_name_is_there_again(
    tmp_path: Path,
) -> None:
    with running(tmp_path, **LEFT_TO_THE_SERVICE) as service:
        async with visiting(service.url) as stranger:
            ann = await stranger.guest("Ann")
            seated = await ann.sit((await ann.open()).id, 2)
            key = (service.data / "platform-key").read_text()
            assert service.stop() == 0
            service.start()
            assert await ann.table(seated.table["id"]) == seated.table
            assert (await ann.query("{ me { name } }")) == {"me": {"name": "Ann"}}
            assert (service.data / "platform-key").read_text() == key

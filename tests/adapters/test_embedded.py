"""The embedded server as a service meets it: real processes, killed for real."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as NoConnection

from spades_adapters import embedded
from spades_adapters.embedded import EmbeddedServer, EmbeddedServerError, Guard, running_url

guards = pytest.mark.parametrize(
    "guard",
    [
        pytest.param(
            "kernel", marks=pytest.mark.skipif(sys.platform != "linux", reason="prctl is Linux's")
        ),
        "watchdog",
    ],
)

# A service reduced to its life: it starts, waits, drains with one last write, and stops.
SERVICE = """
import sys
from pathlib import Path
from redis import Redis
from spades_adapters.embedded import EmbeddedServer

with EmbeddedServer(Path(sys.argv[1]), guard=sys.argv[2]) as url:
    try:
        print("ready", flush=True)
        sys.stdin.read()
    except KeyboardInterrupt:
        with Redis.from_url(url) as redis:
            redis.set("drained", "yes")
"""


@contextmanager
def service(folder: Path, guard: Guard) -> Iterator[subprocess.Popen[str]]:
    """A service in a process group of its own, as a terminal's shell starts one."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVICE, str(folder), guard],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def eventually(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline, "waited for ten seconds"
        time.sleep(0.005)


def url_of(folder: Path) -> str:
    url = running_url(folder)
    assert url is not None
    return url


def is_gone(url: str) -> bool:
    with Redis.from_url(url) as redis:
        try:
            redis.ping()
        except NoConnection:
            return True
    return False


def server_pid(url: str) -> int:
    with Redis.from_url(url) as redis:
        return int(redis.info("server")["process_id"])


@guards
def test_what_was_written_is_there_after_a_restart(tmp_path: Path, guard: Guard) -> None:
    with EmbeddedServer(tmp_path, guard=guard) as url, Redis.from_url(url) as redis:
        redis.xadd("table", {"type": "CardPlayed"}, id="1-0")
    with EmbeddedServer(tmp_path, guard=guard) as url, Redis.from_url(url) as redis:
        assert redis.xlen("table") == 1


@guards
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM], ids=lambda sent: sent.name)
def test_the_server_does_not_outlive_a_service_that_had_no_time_to_stop_it(
    tmp_path: Path, guard: Guard, sent: signal.Signals
) -> None:
    with service(tmp_path, guard) as process:
        url = url_of(tmp_path)
        with Redis.from_url(url) as redis:
            redis.set("game", "kept")
        process.send_signal(sent)
        process.wait()
        eventually(lambda: is_gone(url))
    with EmbeddedServer(tmp_path) as url, Redis.from_url(url) as redis:
        assert redis.get("game") == b"kept"


@guards
def test_data_survives_when_the_service_and_its_server_are_killed_and_restarted_at_once(
    tmp_path: Path, guard: Guard
) -> None:
    with service(tmp_path, guard) as process:
        url = url_of(tmp_path)
        with Redis.from_url(url) as redis:
            redis.set("game", "kept")
        os.kill(server_pid(url), signal.SIGKILL)
        process.kill()
    with EmbeddedServer(tmp_path) as url, Redis.from_url(url) as redis:
        assert redis.get("game") == b"kept"


@guards
def test_ctrl_c_in_the_terminal_reaches_the_service_and_leaves_it_its_store_to_drain_into(
    tmp_path: Path, guard: Guard
) -> None:
    with service(tmp_path, guard) as process:
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(10) == 0
    with EmbeddedServer(tmp_path) as url, Redis.from_url(url) as redis:
        assert redis.get("drained") == b"yes"


@guards
def test_a_folder_in_use_is_refused_by_name_and_holder(
    tmp_path: Path, guard: Guard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "LOCK_SECONDS", 0)
    with service(tmp_path, guard) as process:
        with pytest.raises(EmbeddedServerError) as refused:
            EmbeddedServer(tmp_path).start()
        assert str(refused.value) == (
            f"The data folder {tmp_path} is in use by another service, process {process.pid}."
        )
        assert not is_gone(url_of(tmp_path))


@guards
def test_a_folder_is_held_as_long_as_the_server_itself_may_write_there(
    tmp_path: Path, guard: Guard
) -> None:
    server = EmbeddedServer(tmp_path, guard=guard)
    url = server.start()
    try:
        assert server._lock is not None
        os.close(server._lock)  # what the kernel does first to a service that is killed
        server._lock = None
        assert running_url(tmp_path) == url
    finally:
        server.stop()


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "data"
    with pytest.raises(EmbeddedServerError) as refused:
        EmbeddedServer(folder).start()
    assert str(refused.value) == f"The data folder {folder} cannot be written: Not a directory."


def test_a_folder_without_permission_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    root = os.geteuid() == 0
    if root:  # whom no permission stops
        os.seteuid(65534)
    try:
        with pytest.raises(EmbeddedServerError, match=r"cannot be written: Permission denied\.$"):
            EmbeddedServer(tmp_path).start()
    finally:
        if root:
            os.seteuid(0)
        tmp_path.chmod(0o700)


def test_a_server_that_ends_at_once_is_one_sentence_and_its_log_a_debug_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho no memory today\nexit 3\n")
    broken.chmod(0o700)
    with caplog.at_level("DEBUG"), pytest.raises(EmbeddedServerError) as refused:
        EmbeddedServer(tmp_path, binary=broken).start()
    log = tmp_path / "valkey" / "server.log"
    assert str(refused.value) == (
        f"The embedded server ended at once with code 3: its log is {log}."
    )
    assert "no memory today" in caplog.text


def test_a_server_that_never_answers_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "START_SECONDS", 0)
    mute = tmp_path / "mute"
    mute.write_text("#!/bin/sh\nexec sleep 60\n")
    mute.chmod(0o700)
    with pytest.raises(EmbeddedServerError, match="did not answer within 0 seconds"):
        EmbeddedServer(tmp_path, binary=mute).start()


@pytest.mark.parametrize("guard", ["kernel"])
def test_a_missing_binary_is_named(tmp_path: Path, guard: Guard) -> None:
    with pytest.raises(EmbeddedServerError) as refused:
        EmbeddedServer(tmp_path, guard=guard, binary=tmp_path / "none").start()
    assert str(refused.value) == (
        f"The embedded server {tmp_path}/none cannot be run: No such file or directory."
    )


def test_a_failed_start_leaves_the_folder_free(tmp_path: Path) -> None:
    with pytest.raises(EmbeddedServerError):
        EmbeddedServer(tmp_path, binary=tmp_path / "none").start()
    with EmbeddedServer(tmp_path) as url:
        assert not is_gone(url)


@guards
def test_a_server_that_does_not_hear_is_killed(
    tmp_path: Path, guard: Guard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "TERM_SECONDS", 0.1)
    server = EmbeddedServer(tmp_path, guard=guard)
    url = server.start()
    os.kill(server_pid(url), signal.SIGSTOP)
    server.stop()
    assert is_gone(url)


@guards
def test_a_server_that_is_dead_already_is_stopped_without_complaint(
    tmp_path: Path, guard: Guard
) -> None:
    server = EmbeddedServer(tmp_path, guard=guard)
    url = server.start()
    os.kill(server_pid(url), signal.SIGKILL)
    eventually(lambda: is_gone(url))
    server.stop()
    server.stop()


def test_a_thread_may_start_the_server_and_end(tmp_path: Path) -> None:
    server = EmbeddedServer(tmp_path)
    thread = Thread(target=server.start)
    thread.start()
    thread.join()
    try:
        assert not is_gone(url_of(tmp_path))
    finally:
        server.stop()


def test_it_listens_for_its_owner_alone_and_loses_nothing(tmp_path: Path) -> None:
    with EmbeddedServer(tmp_path) as url, Redis.from_url(url) as redis:
        settings = redis.config_get("port", "appendonly", "appendfsync", "maxmemory-policy", "save")
    assert settings == {
        "port": "0",
        "appendonly": "yes",
        "appendfsync": "always",
        "maxmemory-policy": "noeviction",
        "save": "",
    }
    assert (tmp_path / "valkey").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("name", ["a b", "quote'\"d", "per%20cent?#", "spadés ♠", "-"])
def test_any_folder_name_will_do(tmp_path: Path, name: str) -> None:
    with EmbeddedServer(tmp_path / name) as url:
        assert not is_gone(url)


def test_a_relative_folder_is_the_one_it_names_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with EmbeddedServer(Path(".data")) as url:
        assert running_url(tmp_path / ".data") == url


def test_a_path_too_long_for_a_socket_gets_a_short_one(tmp_path: Path) -> None:
    folder = tmp_path / ("deep" * 30)
    with EmbeddedServer(folder) as url:
        assert not is_gone(url)
        assert str(folder) not in url
        assert running_url(folder) == url
    assert not Path(url.removeprefix("unix://")).parent.exists()


@guards
def test_another_process_finds_a_running_server_and_never_a_dead_one(
    tmp_path: Path, guard: Guard
) -> None:
    assert running_url(tmp_path) is None
    with service(tmp_path, guard) as process:
        assert not is_gone(url_of(tmp_path))
        process.kill()
    eventually(lambda: running_url(tmp_path) is None)


def test_a_stopped_server_is_not_found(tmp_path: Path) -> None:
    with EmbeddedServer(tmp_path) as url:
        assert running_url(tmp_path) == url
    assert running_url(tmp_path) is None


def test_a_socket_is_had_where_every_usual_path_is_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("deep" * 30)
    deep.mkdir()
    monkeypatch.setenv("TMPDIR", str(deep))
    monkeypatch.setattr("tempfile.tempdir", None)
    with EmbeddedServer(deep / "data", fsync="no") as url:
        assert Redis.from_url(url).ping()

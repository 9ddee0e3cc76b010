"""The service as its users run it: `spades serve`, a process on a port with a folder of its own."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Final, cast

from redis import Redis

from spades_adapters.embedded import running_url
from spades_adapters.redis import keys

SPADES: Final = Path(sys.executable).with_name("spades")
PLATFORM_KEY: Final = "the-key-of-a-platform"
SECRET: Final = "what the service signs its tokens with"
PATIENCE: Final = 20.0
"""Seconds after which a test no longer waits; what it waits for takes far less."""

Code = int
Entry = tuple[bytes, Mapping[bytes, bytes]]


def eventually(condition: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Wait until the condition holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds:.0f} seconds in vain"
        time.sleep(0.01)


def free_port() -> int:
    """A port that nobody listens at, below those that the system gives to clients."""
    while True:
        port = random.randrange(10_000, 32_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def environment(**settings: str) -> dict[str, str]:
    """This process's environment with the service's settings replaced by these."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name != "REDIS_URL" and not name.startswith("SPADES_")
    }
    return {**kept, "PYTHONUNBUFFERED": "1", "NO_COLOR": "1", **settings}


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        if Path("/proc/self").exists():
            return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class Service:
    """A service that can be started, stopped, killed, and started again on the same folder."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.port = free_port()
        self.data = folder / "data"
        folder.mkdir(parents=True, exist_ok=True)
        self._log = folder / "service.log"
        self._settings = {
            "SPADES_PORT": str(self.port),
            "SPADES_DATA": str(self.data),
            "SPADES_PLATFORM_KEY": PLATFORM_KEY,
            "SPADES_SECRET": SECRET,
            **settings,
        }
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        """All that the service has said since its first start."""
        return self._log.read_text()

    @property
    def pid(self) -> int:
        assert self._process is not None, "the service has not been started"
        return self._process.pid

    @property
    def store_url(self) -> str:
        """Where its store can be asked behind its back."""
        if "REDIS_URL" in self._settings:
            return self._settings["REDIS_URL"]
        url = running_url(self.data)
        assert url is not None, "the service runs no server of its own"
        return url

    @property
    def store_pid(self) -> int:
        with Redis.from_url(self.store_url) as redis:
            return int(redis.info("server")["process_id"])

    def entries(self, table: str) -> list[Entry]:
        """A table's stream, read behind the service's back."""
        with Redis.from_url(self.store_url) as redis:
            return cast("list[Entry]", redis.xrange(keys.stream(table)))

    def start(self) -> None:
        """Start it, and wait until it is ready."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [SPADES, "serve"],
                env=environment(**self._settings),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # A Ctrl-C at the tests' terminal ends the tests, which end the service.
                start_new_session=True,
            )
        eventually(self._ready)

    def _ready(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, f"the service has ended: {self.log}"
        # A client of httpx's would keep the processor busy that the service needs to start.
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("GET", "/health/ready")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def stop(self) -> Code:
        """End it as a supervisor does, with SIGTERM; its exit code."""
        return self.end(signal.SIGTERM)

    def kill(self) -> None:
        """End it and its own server at one blow, as a power cut does."""
        os.kill(self.pid, signal.SIGSTOP)  # so that it cannot take note of its server's end
        self.kill_store()
        self.end(signal.SIGKILL)

    def kill_store(self) -> None:
        """End its own server, and nothing else."""
        store = self.store_pid
        os.kill(store, signal.SIGKILL)
        eventually(lambda: not alive(store))

    def end(self, signal_: int) -> Code:
        """Send a signal, and wait for the end; the exit code."""
        self.signal(signal_)
        return self.wait()

    def signal(self, signal_: int) -> None:
        """Send a signal."""
        assert self._process is not None
        self._process.send_signal(signal_)

    def wait(self) -> Code:
        """Wait for the end; the exit code."""
        assert self._process is not None
        return self._process.wait(PATIENCE)

    def close(self) -> None:
        """Leave nothing behind, however the test went."""
        if self._process is not None and self._process.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                self.stop()
                return
            self.end(signal.SIGKILL)


@contextmanager
def running(folder: Path, **settings: str) -> Iterator[Service]:
    """A service that is ready."""
    service = Service(folder, **settings)
    try:
        service.start()
        yield service
    finally:
        service.close()

"""The service that a demonstration plays at: one that answers already, or one of its own."""

import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from secrets import token_urlsafe
from subprocess import DEVNULL, Popen, TimeoutExpired
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Final, NoReturn

import httpx
from msgspec import Struct
from msgspec.structs import replace

from spades_service.cli.demo_client import NO_TLS
from spades_service.cli.root import Root, Unusable
from spades_service.settings import Settings

START_SECONDS: Final = 30.0
STOP_SECONDS: Final = 15.0
LOOPBACK: Final = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104
"""Where a service that listens everywhere is reached."""
KILLED: Final = 128 + signal.SIGTERM


class Host(Struct, frozen=True):
    """Where the service answers, its platform's key, and the store that holds its games.

    `started`: by this process, which ends it. `kept`: the games are there afterwards.
    """

    url: str
    platform_key: str
    settings: Settings
    store: str
    started: bool
    kept: bool


@contextmanager
def host(root: Root, settings: Settings) -> Iterator[Host]:
    """The service at SPADES_HOST and SPADES_PORT where one answers, else one that is started here
    and ended afterwards; raises Unusable.
    """
    url = _url(settings.host, settings.port)
    with ExitStack() as stack:
        if _ready(url):
            key = _platform_key(settings, url)
            store = stack.enter_context(root.store(settings))
            root.check(store)
            yield Host(url, key, settings, store, started=False, kept=True)
        else:
            store, folder = _own_store(stack, root, settings)
            root.check(store)
            found = settings if folder is None else replace(settings, data=folder)
            key = settings.platform_key or token_urlsafe(32)
            url = stack.enter_context(_service(found, store, key))
            yield Host(url, key, found, store, started=True, kept=folder is None)


def _own_store(stack: ExitStack, root: Root, settings: Settings) -> tuple[str, Path | None]:
    """The store of the settings, or else a new one in a folder that goes away with the stack."""
    try:
        return stack.enter_context(root.own_store(settings)), None
    except Unusable:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="spades-demo-")))
        return stack.enter_context(root.own_store(replace(settings, data=folder))), folder


def _platform_key(settings: Settings, url: str) -> str:
    if settings.platform_key is not None:
        return settings.platform_key
    path = settings.data / "platform-key"
    try:
        return path.read_text().strip()
    except OSError:
        raise Unusable(
            f"a service answers at {url}, and its platform key is not to be read from {path}: "
            "set SPADES_PLATFORM_KEY to its key, or SPADES_DATA to its data folder"
        ) from None


def _url(name: str, port: int) -> str:
    name = LOOPBACK.get(name, name)
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


def _ready(url: str) -> bool:
    """Whether a spades-service answers there and can be relied on."""
    try:
        answer = httpx.get(f"{url}/health/ready", timeout=2.0, trust_env=False, verify=NO_TLS)
        return answer.is_success and answer.json() == {"status": "ready"}
    except (httpx.HTTPError, httpx.InvalidURL, ValueError):
        return False


@contextmanager
def _service(settings: Settings, store: str, key: str) -> Iterator[str]:
    """A service on this store in a process of its own; its URL, once it can be relied on."""
    port = _free_port()
    url = _url("127.0.0.1", port)
    environ = {
        **os.environ,
        "SPADES_HOST": "127.0.0.1",
        "SPADES_PORT": str(port),
        "SPADES_DATA": str(settings.data),
        "SPADES_PLATFORM_KEY": key,
        "REDIS_URL": store,
    }
    with TemporaryFile() as output, _terminated_by_exception():
        process = Popen(
            [sys.executable, "-m", "spades_service.main", "serve"],
            env=environ,
            stdin=DEVNULL,
            stdout=DEVNULL,
            stderr=output,
            # A terminal's Ctrl-C reaches this process alone, which then ends the service.
            start_new_session=True,
        )
        try:
            _await_ready(process, url, output)
            yield url
        finally:
            _end(process)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def _await_ready(process: Popen[bytes], url: str, output: IO[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not _ready(url):
        if process.poll() is not None:
            raise Unusable(f"the service that was started for this ended at once: {_last(output)}")
        if time.monotonic() > deadline:
            raise Unusable(
                f"the service that was started for this is not ready after {START_SECONDS:.0f} "
                f"seconds: {_last(output)}"
            )
        time.sleep(0.05)


def _last(output: IO[bytes]) -> str:
    output.seek(0)
    lines = output.read().decode(errors="replace").split("\n")
    said = next((line for line in reversed(lines) if line.strip()), "it did not say why")
    return said.strip().removeprefix("spades: ")


def _end(process: Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def _terminated_by_exception() -> Iterator[None]:
    """SIGTERM unwinds the stack, so that what was started here is ended here."""

    def leave(*_: object) -> NoReturn:
        raise SystemExit(KILLED)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)

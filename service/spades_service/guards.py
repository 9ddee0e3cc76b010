"""What keeps one client from taking the service away from the others.

Players and platforms are counted by who they are, wherever they come from; strangers by their
address. Streams and sockets are capped in each process, rates hold over all replicas together.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any, Final, Protocol

import structlog
from msgspec import Struct

from spades_service.callers import Caller, Role
from spades_service.ports import StoreUnavailable
from spades_service.recent import Recent

KNOWN: Final = 100_000
"""Counted ones that are remembered; who is forgotten begins anew."""

log = structlog.get_logger(__name__)


class Rate(Struct, frozen=True):
    """So many of something in so many seconds."""

    what: str
    most: int
    seconds: int

    @property
    def share(self) -> int:
        """What each process lets through without asking, and for how many it asks at once."""
        return max(1, self.most // 5)


class Cap(Struct, frozen=True):
    """So many of something at a time."""

    what: str
    most: int


REQUESTS: Final = Rate("requests", 20_000, 10)
COMMANDS: Final = Rate("commands", 5_000, 10)
PLATFORM_COMMANDS: Final = Rate("commands", 50_000, 10)
GUESTS: Final = Rate("new guests", 20, 60)

SOCKETS: Final = Cap("sockets from one address", 500)
WATCHES: Final = Cap("streams of one player", 50)
WATCHES_FROM: Final = Cap("streams from one address", 2000)


class TooMany(Exception):
    """More than is allowed; the message says what, and `seconds` when it may be tried again."""

    def __init__(self, message: str, seconds: int) -> None:
        super().__init__(message)
        self.seconds = seconds


class Tallies(Protocol):
    """Counts that all replicas share. Raises StoreUnavailable."""

    async def spend(self, rate: Rate, who: str, amount: int) -> int:
        """Count something that somebody does; 0, or in how many seconds there is room for it."""
        ...


class Window(Struct):
    """What somebody has done lately in this process, and what they may do without asking."""

    ends: float
    spent: int
    granted: int
    refused: bool = False


class Limiter:
    """Holds rates with hardly a question.

    Most never do enough to be asked about: each process lets a share through by itself, and for
    those who want more it asks for as much again at a time. So `most` can be passed by a share for
    each replica, and a command costs a round trip only now and then. Without a store each replica
    counts alone.
    """

    def __init__(self, tallies: Tallies, now: Callable[[], float] = time.monotonic) -> None:
        self._tallies = tallies
        self._now = now
        self._windows: Recent[tuple[str, str], Window] = Recent(KNOWN)

    async def admit(self, rate: Rate, who: str, amount: int = 1) -> None:
        """Let something through; raises TooMany."""
        window = self._window(rate, who)
        if window.refused:
            raise self._too_many(rate, window)
        window.spent += amount
        lacking = window.spent - window.granted
        if lacking <= 0:
            return
        batch = max(lacking, rate.share)
        wait = await self._spend(rate, who, batch)
        if wait:
            window.spent -= amount
            window.refused, window.ends = True, self._now() + wait
            raise self._too_many(rate, window)
        window.granted += batch

    def _window(self, rate: Rate, who: str) -> Window:
        key, now = (rate.what, who), self._now()
        window = self._windows.get(key)
        if window is None or window.ends <= now:
            window = Window(now + rate.seconds, 0, rate.share)
            self._windows.put(key, window)
        return window

    async def _spend(self, rate: Rate, who: str, batch: int) -> int:
        try:
            return await self._tallies.spend(rate, who, batch)
        except StoreUnavailable as error:
            log.warning("guards.alone", reason=str(error))
            return 0

    def _too_many(self, rate: Rate, window: Window) -> TooMany:
        seconds = max(1, round(window.ends - self._now()))
        return TooMany(
            f"there may be {rate.most} {rate.what} in {rate.seconds} seconds: "
            f"try again in {seconds} seconds",
            seconds,
        )


class Guards:
    """Everything that a face asks before it does something. Without tallies nothing is limited."""

    def __init__(self, tallies: Tallies | None) -> None:
        self._limiter = None if tallies is None else Limiter(tallies)
        self._held: Counter[tuple[str, str]] = Counter()

    async def request(self, caller: Caller, address: str) -> None:
        """Someone asks for something. Raises TooMany."""
        await self._admit(REQUESTS, caller.id or address)

    async def commands(self, caller: Caller, address: str, count: int = 1) -> None:
        """Someone wants something done. Raises TooMany."""
        rate = PLATFORM_COMMANDS if caller.role is Role.PLATFORM else COMMANDS
        await self._admit(rate, caller.id or address, count)

    async def guest(self, address: str) -> None:
        """A stranger signs in. Raises TooMany."""
        await self._admit(GUESTS, address)

    async def _admit(self, rate: Rate, who: str, count: int = 1) -> None:
        if self._limiter is not None and who:
            await self._limiter.admit(rate, who, count)

    @contextmanager
    def socket(self, address: str) -> Iterator[None]:
        """A socket, as long as it is open. Raises TooMany."""
        with self._hold(SOCKETS, address):
            yield

    @contextmanager
    def watch(self, caller: Caller, address: str) -> Iterator[None]:
        """A stream, as long as it lasts. Raises TooMany."""
        with self._hold(WATCHES_FROM, address), self._hold(WATCHES, caller.player or ""):
            yield

    def held(self, cap: Cap, who: str) -> int:
        """How many of something somebody has right now."""
        return self._held[cap.what, who]

    @contextmanager
    def _hold(self, cap: Cap, who: str) -> Iterator[None]:
        key = (cap.what, who)
        if self._limiter is not None and who and self._held[key] >= cap.most:
            raise TooMany(f"there may be {cap.most} {cap.what} at a time: close one first", 60)
        self._held[key] += 1
        try:
            yield
        finally:
            self._held[key] -= 1
            if not self._held[key]:
                del self._held[key]


def address_of(scope: Mapping[str, Any]) -> str:
    """Where a request comes from; an IPv6 network counts as one, since it is handed out as one.

    Behind proxies the server has put there whom the trusted ones name. This machine itself has no
    address: a proxy on it that is not trusted would be taken for all of its clients.
    """
    client = scope.get("client")
    if not client:
        return ""
    try:
        address = ip_address(client[0])
    except ValueError:
        return str(client[0])
    if address.is_loopback:
        return ""
    if isinstance(address, IPv6Address):
        return str(ip_network((address, 64), strict=False))
    return str(address)

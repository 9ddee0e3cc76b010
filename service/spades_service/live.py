"""Live tables: every update behind a version, then each as it happens, none lost or doubled."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing, suppress
from itertools import islice
from typing import Any, Final, Protocol

import structlog

from spades_service.ports import BrokenHistory, Nudge, Nudges, StoreUnavailable
from spades_service.tables import Tables, Update

PAUSE_SECONDS: Final = 1.0
BUFFERED: Final = 256
"""Updates of a table kept for its watchers; who is further behind reads the store again."""

log = structlog.get_logger(__name__)


class Channel:
    """What the watchers of one table share: its latest updates, and a bell."""

    def __init__(self) -> None:
        self.recent: deque[Update] = deque(maxlen=BUFFERED)
        self.version = 0
        self.watchers = 0
        self.lock = asyncio.Lock()
        self.bell = asyncio.Event()
        """Rings at the next update; who takes it first and looks then cannot miss one."""

    def add(self, updates: tuple[Update, ...]) -> None:
        """Take in what follows the latest update; a gap empties the buffer, never hides."""
        news = [update for update in updates if update.version > self.version]
        if not news:
            return
        if news[0].version != self.version + 1:
            self.recent.clear()
        self.recent.extend(news)
        self.version = news[-1].version
        self.ring()

    def since(self, version: int) -> tuple[Update, ...] | None:
        """The updates behind a version, or None where the buffer no longer holds them all."""
        if version >= self.version:
            return ()
        first = self.recent[0].version if self.recent else self.version + 1
        if version + 1 < first:
            return None
        return tuple(islice(self.recent, version + 1 - first, None))

    def ring(self) -> None:
        """Wake every watcher."""
        self.bell.set()
        self.bell = asyncio.Event()


class Companion(Protocol):
    """Someone else who wants to hear what happens elsewhere."""

    def heard(self, nudge: Nudge) -> None:
        """Called for each nudge."""
        ...

    def stop(self) -> None:
        """Called when the service stops: every stream has to end."""
        ...


class Live:
    """Turns nudges into updates for everyone who watches a table in this process."""

    def __init__(self, tables: Tables, nudges: Nudges) -> None:
        self._tables = tables
        self._nudges = nudges
        self._channels: dict[str, Channel] = {}
        self._stopping = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._companions: list[Companion] = []
        self.listening = False
        tables.follow(self)

    def accompany(self, companion: Companion) -> None:
        """Let someone else hear the nudges, too."""
        self._companions.append(companion)

    @property
    def watchers(self) -> int:
        """How many are watching right now."""
        return sum(channel.watchers for channel in self._channels.values())

    def written(self, table: str, updates: tuple[Update, ...]) -> None:
        """What this process wrote itself needs no reading back."""
        channel = self._channels.get(table)
        if channel is not None:
            channel.add(updates)

    async def run(self) -> None:
        """Listen for nudges, for ever; a nudge without a table makes every channel look.

        Whatever goes wrong, it listens again: the nudge that comes first then makes up for what was
        lost, and until it comes the service does not call itself ready.
        """
        while True:
            try:
                await self._listen()
            except Exception:
                log.exception("live.deaf")
            self.listening = False
            await asyncio.sleep(PAUSE_SECONDS)

    async def _listen(self) -> None:
        async with aclosing(self._nudges.listen()) as nudges:
            async for nudge in nudges:
                self.listening = True
                self._heed(nudge)
                for companion in self._companions:
                    companion.heard(nudge)

    def _heed(self, nudge: Nudge) -> None:
        for name in list(self._channels) if nudge.table is None else [nudge.table]:
            channel = self._channels.get(name)
            if channel is not None and (nudge.table is None or channel.version < nudge.version):
                self._spawn(self._catch_up(name, channel))

    def stop(self) -> None:
        """End every watch, so that a shutdown waits for nobody."""
        self._stopping = True
        for channel in self._channels.values():
            channel.ring()
        for companion in self._companions:
            companion.stop()

    async def watch(self, table: str, after: int) -> AsyncGenerator[Update, None]:
        """Every update behind `after`, oldest first, until the service stops.

        The channel is joined before the history is read: what happens in between is in the
        channel, and what is in both is passed on once.
        """
        channel = self._channels.setdefault(table, Channel())
        channel.watchers += 1
        try:
            await self._catch_up(table, channel)
            seen = after
            while True:
                bell = channel.bell
                if self._stopping:
                    return
                news = channel.since(seen)
                if news is None:
                    news = await self._tables.updates(table, seen)
                for update in news:
                    yield update
                    seen = update.version
                if seen >= channel.version:
                    await bell.wait()
        finally:
            channel.watchers -= 1
            if not channel.watchers:
                self._channels.pop(table, None)

    async def _catch_up(self, table: str, channel: Channel) -> None:
        async with channel.lock:
            try:
                channel.add(await self._tables.updates(table, channel.version))
            except (StoreUnavailable, BrokenHistory) as error:
                log.warning("live.behind", table=table, reason=str(error))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Cancel what is still catching up."""
        for task in self._tasks:
            task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*self._tasks, return_exceptions=True)

"""Nudges within one process."""

from asyncio import Queue
from collections.abc import AsyncGenerator

from spades_service.ports import Nudge


class MemoryNudges:
    """Hands every nudge to every listener."""

    def __init__(self) -> None:
        self._listeners: set[Queue[Nudge]] = set()

    def publish(self, nudge: Nudge) -> None:
        """Reach all who are listening now."""
        for listener in self._listeners:
            listener.put_nowait(nudge)

    async def listen(self) -> AsyncGenerator[Nudge, None]:
        heard: Queue[Nudge] = Queue()
        self._listeners.add(heard)
        try:
            yield Nudge(None)
            while True:
                yield await heard.get()
        finally:
            self._listeners.discard(heard)

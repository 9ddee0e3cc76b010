"""Nudges over pub/sub: lost ones are made up for by a nudge without a table."""

import asyncio
import random
from collections.abc import AsyncGenerator
from contextlib import aclosing
from time import monotonic
from typing import Any, Final, cast

import structlog
from redis.asyncio.client import PubSub
from redis.exceptions import RedisError

from spades_adapters.redis import keys
from spades_adapters.redis.connect import Clients
from spades_service.ports import Nudge

QUIET: Final = 5.0
"""Seconds without a message after which the server is asked whether it is still there."""

FIRST_PAUSE: Final = 0.1
LONGEST_PAUSE: Final = 5.0

log = structlog.get_logger(__name__)


class RedisNudges:
    """Nudges as `append.lua` publishes them, `<version> <table>` on the partition's channel."""

    def __init__(self, clients: Clients, *, quiet: float = QUIET) -> None:
        self._listener = clients.listener
        self._calls = clients.calls
        self._address = clients.address
        self._quiet = quiet

    async def listen(self) -> AsyncGenerator[Nudge, None]:
        pause = FIRST_PAUSE
        while True:
            begun = monotonic()
            try:
                async with aclosing(self._subscribed()) as nudges:
                    async for nudge in nudges:
                        yield nudge
            except (RedisError, OSError) as error:
                log.warning("nudges.lost", server=self._address, reason=type(error).__name__)
            # A subscription that held for a while was no failed try.
            if monotonic() - begun > LONGEST_PAUSE:
                pause = FIRST_PAUSE
            await asyncio.sleep(pause * random.uniform(0.5, 1))
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _subscribed(self) -> AsyncGenerator[Nudge]:
        """One subscription's nudges, until its connection fails."""
        pubsub = self._listener.pubsub()
        try:
            async with asyncio.timeout(self._quiet):
                await pubsub.psubscribe(keys.EVERY_CHANNEL)
            while True:
                message = await self._message(pubsub)
                match message["type"]:
                    case "psubscribe":
                        yield Nudge(None)
                    case "pmessage":
                        yield _nudge(message["data"])
        finally:
            await self._calls.to_the_end(pubsub.aclose())  # type: ignore[no-untyped-call]

    async def _message(self, pubsub: PubSub) -> dict[str, Any]:
        """The next message; TimeoutError where the server does not answer a ping either.

        redis-py's own health check sends pings, but does not miss the answers. And the whole is
        bounded, since on an error redis-py first connects anew, for which it has no limit here.
        """
        async with asyncio.timeout(2 * self._quiet):
            while not (message := await pubsub.get_message(timeout=self._quiet)):
                await pubsub.ping()
            return cast("dict[str, Any]", message)


def _nudge(data: bytes) -> Nudge:
    version, _, table = data.partition(b" ")
    try:
        return Nudge(table.decode(), int(version))
    except ValueError:
        # Not ours; whoever published it may have meant anything.
        return Nudge(None)

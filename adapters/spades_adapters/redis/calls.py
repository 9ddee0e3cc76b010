"""Calls to Redis that are not broken off halfway."""

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

Result = TypeVar("Result")


class Calls:
    """Runs each call to its end, even where its caller is cancelled meanwhile.

    A client that hangs up would otherwise cost a connection: redis-py has to throw it away, since
    a reply is still to come on it. And in a storm of hang-ups redis-py swallows one cancellation in
    twenty, so that the caller goes on as if nothing had happened.
    """

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    async def to_the_end(self, call: Awaitable[Result]) -> Result:
        """The call's result, unless the caller is cancelled first."""
        task = asyncio.create_task(_awaited(call))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return await asyncio.shield(task)

    async def ended(self) -> None:
        """Wait for the calls whose callers have gone."""
        if self._running:
            await asyncio.wait(self._running)


async def _awaited(call: Awaitable[Result]) -> Result:
    return await call

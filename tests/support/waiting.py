"""Waiting on a condition within the loop, never for a time."""

import asyncio
from collections.abc import Callable


async def until(condition: Callable[[], object], seconds: float = 10) -> None:
    """Let the others run until the condition holds."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 what is waited for rings no bell
            await asyncio.sleep(0)


async def a_while() -> None:
    """Let whoever is ready run to where they wait."""
    for _ in range(50):
        await asyncio.sleep(0)

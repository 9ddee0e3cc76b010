"""Memory always answers."""


class MemoryHealth:
    """Never finds fault."""

    async def check(self) -> None:
        pass

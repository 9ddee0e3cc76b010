"""Players' names in memory."""

from collections.abc import Collection, Mapping


class MemoryDirectory:
    """The directory as a dictionary."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    async def save(self, player: str, name: str) -> None:
        self._names[player] = name

    async def names(self, players: Collection[str]) -> Mapping[str, str]:
        return {player: self._names[player] for player in players if player in self._names}

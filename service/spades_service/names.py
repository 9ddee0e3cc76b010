"""Players and their names, kept at hand so that showing a table asks the store for nothing."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Final

from spades_service.ports import Directory

KEPT: Final = 50_000


class Names:
    """What players are called; a name changed on another replica shows once forgotten here."""

    def __init__(self, directory: Directory, *, keep: int = KEPT) -> None:
        self._directory = directory
        self._keep = keep
        self._kept: OrderedDict[str, str] = OrderedDict()

    async def save(self, player: str, name: str) -> None:
        """Remember or change a player's name."""
        if self._kept.get(player) != name:
            await self._directory.save(player, name)
        self._note(player, name)

    async def of(self, players: Iterable[str | None]) -> Mapping[str, str]:
        """The names of the players given; nobody's for an empty seat."""
        wanted = [player for player in players if player is not None]
        missing = [player for player in wanted if player not in self._kept]
        if missing:
            for player, name in (await self._directory.names(missing)).items():
                self._note(player, name)
        return {player: self._kept[player] for player in wanted if player in self._kept}

    def _note(self, player: str, name: str) -> None:
        self._kept[player] = name
        self._kept.move_to_end(player)
        while len(self._kept) > self._keep:
            self._kept.popitem(last=False)

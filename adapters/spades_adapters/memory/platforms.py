"""Platforms and their keys in memory."""

from collections.abc import Sequence

from msgspec.structs import replace

from spades_service.platforms import Platform, PlatformKey


class MemoryPlatforms:
    """Platforms and keys as two dictionaries."""

    def __init__(self) -> None:
        self._platforms: dict[str, Platform] = {}
        self._keys: dict[str, PlatformKey] = {}

    async def add(self, platform: Platform) -> None:
        self._platforms[platform.id] = platform

    async def all(self) -> Sequence[Platform]:
        return sorted(self._platforms.values(), key=_age)

    async def find(self, platform: str) -> Platform | None:
        return self._platforms.get(platform)

    async def add_key(self, key: PlatformKey) -> None:
        self._keys[key.id] = key

    async def keys(self, platform: str) -> Sequence[PlatformKey]:
        theirs = [key for key in self._keys.values() if key.platform == platform]
        return sorted(theirs, key=_age)

    async def key(self, id: str) -> PlatformKey | None:  # noqa: A002
        return self._keys.get(id)

    async def revoke(self, key: str, at: int) -> None:
        held = self._keys.get(key)
        if held is not None and held.good(at):
            self._keys[key] = replace(held, revoked=at)


def _age(made: Platform | PlatformKey) -> tuple[int, str]:
    return made.created, made.id

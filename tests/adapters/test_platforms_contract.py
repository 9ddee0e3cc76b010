"""What every keeper of platforms and their keys must do."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from spades_adapters.memory.platforms import MemoryPlatforms
from spades_adapters.redis.connect import Clients, connect
from spades_adapters.redis.platforms import RedisPlatforms
from spades_service.platforms import Platform, PlatformKey, Platforms
from spades_service.ports import StoreUnavailable

ARCADE = Platform("arcade", "The Arcade ♠", 1_000)
CLUB = Platform("club", "The Club", 2_000)


def key(name: str, platform: str = "arcade", created: int = 1_000) -> PlatformKey:
    return PlatformKey(name, platform, b"\x00\xff digest of " + name.encode(), "beef", created)


class PlatformsContract:
    async def test_a_platform_that_was_added_is_found(self, platforms: Platforms) -> None:
        await platforms.add(ARCADE)

        assert await platforms.find("arcade") == ARCADE

    async def test_there_are_no_platforms_and_keys_that_nobody_added(
        self, platforms: Platforms
    ) -> None:
        assert await platforms.all() == []
        assert await platforms.find("arcade") is None
        assert await platforms.key("k1") is None
        assert await platforms.keys("arcade") == []

    async def test_platforms_are_listed_the_oldest_first(self, platforms: Platforms) -> None:
        await platforms.add(CLUB)
        await platforms.add(ARCADE)

        assert await platforms.all() == [ARCADE, CLUB]

    async def test_a_key_that_was_added_is_found_byte_for_byte(self, platforms: Platforms) -> None:
        await platforms.add_key(key("k1"))

        assert await platforms.key("k1") == key("k1")

    async def test_each_platform_has_its_own_keys_the_oldest_first(
        self, platforms: Platforms
    ) -> None:
        late, early, other = key("k1", created=9), key("k2", created=3), key("k3", "club")
        for added in (late, early, other):
            await platforms.add_key(added)

        assert await platforms.keys("arcade") == [early, late]
        assert await platforms.keys("club") == [other]

    async def test_a_revoked_key_says_since_when_alone_and_in_the_list(
        self, platforms: Platforms
    ) -> None:
        await platforms.add_key(key("k1"))
        await platforms.add_key(key("k2"))
        await platforms.revoke("k1", 1_798_000_000_123)

        found = await platforms.key("k1")
        assert found is not None
        assert found.revoked == 1_798_000_000_123
        assert await platforms.keys("arcade") == [found, key("k2")]

    @pytest.mark.parametrize("times", [(5_000, 3_000), (3_000, 5_000), (3_000, 3_000)])
    async def test_of_two_ends_the_earlier_holds(
        self, platforms: Platforms, times: tuple[int, int]
    ) -> None:
        await platforms.add_key(key("k1"))
        for at in times:
            await platforms.revoke("k1", at)

        found = await platforms.key("k1")
        assert found is not None
        assert found.revoked == 3_000

    async def test_many_who_revoke_at_once_leave_the_earliest_end(
        self, platforms: Platforms
    ) -> None:
        await platforms.add_key(key("k1"))
        await asyncio.gather(*(platforms.revoke("k1", at) for at in range(4_020, 3_999, -1)))

        found = await platforms.key("k1")
        assert found is not None
        assert found.revoked == 4_000


class TestMemoryPlatforms(PlatformsContract):
    @pytest.fixture
    def platforms(self) -> Platforms:
        return MemoryPlatforms()


class TestRedisPlatforms(PlatformsContract):
    @pytest.fixture
    def platforms(self, clients: Clients) -> Platforms:
        return RedisPlatforms(clients)


class TestRedisPlatformsWithoutAServer:
    @pytest.fixture
    async def platforms(self) -> AsyncIterator[Platforms]:
        clients = connect("redis://127.0.0.1:1")
        yield RedisPlatforms(clients)
        await clients.aclose()

    async def test_it_says_that_the_store_is_unavailable(self, platforms: Platforms) -> None:
        for call in (
            platforms.add(ARCADE),
            platforms.all(),
            platforms.find("arcade"),
            platforms.add_key(key("k1")),
            platforms.keys("arcade"),
            platforms.key("k1"),
            platforms.revoke("k1", 5),
        ):
            with pytest.raises(StoreUnavailable):
                await call

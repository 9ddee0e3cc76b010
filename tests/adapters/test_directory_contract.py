"""What every directory of players' names must do."""

from collections.abc import AsyncIterator

import pytest

from spades_adapters.memory.directory import MemoryDirectory
from spades_adapters.redis.connect import Clients, connect
from spades_adapters.redis.directory import RedisDirectory
from spades_service.ports import Directory, StoreUnavailable


class DirectoryContract:
    async def test_a_name_that_was_saved_is_known(self, directory: Directory) -> None:
        await directory.save("p1", "Ann")
        await directory.save("p2", "Zoë ♠")

        assert await directory.names(["p1", "p2"]) == {"p1": "Ann", "p2": "Zoë ♠"}

    async def test_a_name_can_be_changed(self, directory: Directory) -> None:
        await directory.save("p1", "Ann")
        await directory.save("p1", "Anna")

        assert await directory.names({"p1"}) == {"p1": "Anna"}

    async def test_an_unknown_player_is_left_out(self, directory: Directory) -> None:
        await directory.save("p1", "Ann")

        assert await directory.names(["p3", "p1"]) == {"p1": "Ann"}
        assert await directory.names([]) == {}


class TestMemoryDirectory(DirectoryContract):
    @pytest.fixture
    def directory(self) -> Directory:
        return MemoryDirectory()


class TestRedisDirectory(DirectoryContract):
    @pytest.fixture
    def directory(self, clients: Clients) -> Directory:
        return RedisDirectory(clients)


class TestRedisDirectoryWithoutAServer:
    @pytest.fixture
    async def directory(self) -> AsyncIterator[Directory]:
        clients = connect("redis://127.0.0.1:1")
        yield RedisDirectory(clients)
        await clients.aclose()

    async def test_it_says_that_the_store_is_unavailable(self, directory: Directory) -> None:
        with pytest.raises(StoreUnavailable):
            await directory.save("p1", "Ann")
        with pytest.raises(StoreUnavailable):
            await directory.names(["p1"])

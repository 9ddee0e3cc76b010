"""What every index of tables must do."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from spades_adapters.memory.table_index import MemoryTableIndex
from spades_adapters.redis import keys
from spades_adapters.redis.connect import Clients, connect
from spades_adapters.redis.table_index import RedisTableIndex
from spades_service.ports import Listed, StoreUnavailable, TableIndex

NINE = [Listed(1_000 + place // 3, f"table-{place}") for place in range(9)]
"""In order; three tables at a time were opened in the same millisecond."""


async def filled(index: TableIndex, shelf: str = "s") -> TableIndex:
    for listed in (NINE[4], NINE[8], *NINE):
        await index.add([shelf], listed)
    return index


class TableIndexContract:
    async def test_a_shelf_is_read_from_the_newest_to_the_oldest(self, index: TableIndex) -> None:
        await filled(index)

        assert await index.page("s", 100) == NINE[::-1]
        assert await index.page("s", 4) == NINE[:4:-1]

    async def test_or_from_the_oldest_to_the_newest(self, index: TableIndex) -> None:
        await filled(index)

        assert await index.page("s", 100, ascending=True) == NINE
        assert await index.page("s", 4, ascending=True) == NINE[:4]

    async def test_a_page_begins_beyond_any_place(self, index: TableIndex) -> None:
        await filled(index)

        assert await index.page("s", 3, beyond=NINE[5]) == [NINE[4], NINE[3], NINE[2]]
        assert await index.page("s", 3, beyond=NINE[5], ascending=True) == NINE[6:]
        assert await index.page("s", 9, beyond=Listed(1_001, "")) == NINE[2::-1]
        assert await index.page("s", 9, beyond=Listed(1_001, ""), ascending=True) == NINE[3:]
        assert await index.page("s", 9, beyond=NINE[0]) == []
        assert await index.page("s", 9, beyond=NINE[8], ascending=True) == []

    async def test_a_page_may_begin_where_a_table_stood(self, index: TableIndex) -> None:
        await filled(index)
        await index.remove("s", [NINE[5]])

        assert await index.page("s", 2, beyond=NINE[5]) == [NINE[4], NINE[3]]
        assert await index.page("s", 2, beyond=NINE[5], ascending=True) == [NINE[6], NINE[7]]

    async def test_places_are_numbers_of_any_length(self, index: TableIndex) -> None:
        places = [0, 7, 10, 999, 1_000, 1_780_000_000_000, 9_999_999_999_999]
        for place in places:
            await index.add(["s"], Listed(place, "t"))

        assert [at.place for at in await index.page("s", 9, ascending=True)] == places

    async def test_a_table_can_be_put_on_several_shelves_at_once(self, index: TableIndex) -> None:
        await index.add(["one", "two: {p17}", "3 ♠"], NINE[0])

        for shelf in ("one", "two: {p17}", "3 ♠"):
            assert await index.page(shelf, 9) == [NINE[0]]

    async def test_what_was_taken_off_is_gone_from_that_shelf_alone(
        self, index: TableIndex
    ) -> None:
        await index.add(["one", "two"], NINE[0])
        await index.remove("one", [NINE[0], NINE[1]])
        await index.remove("one", [])

        assert await index.page("one", 9) == []
        assert await index.page("two", 9) == [NINE[0]]

    async def test_a_shelf_that_nobody_has_filled_is_empty(self, index: TableIndex) -> None:
        await index.remove("none", [NINE[0]])

        assert await index.page("none", 9) == []

    async def test_who_puts_something_on_a_shelf_at_once_with_others_finds_it_there(
        self, index: TableIndex
    ) -> None:
        async def put(listed: Listed) -> bool:
            await index.add(["s"], listed)
            return listed in await index.page("s", 9)

        assert all(await asyncio.gather(*map(put, NINE)))


class TestMemoryTableIndex(TableIndexContract):
    @pytest.fixture
    def index(self) -> TableIndex:
        return MemoryTableIndex()


class TestRedisTableIndex(TableIndexContract):
    @pytest.fixture
    def index(self, clients: Clients) -> TableIndex:
        return RedisTableIndex(clients)

    async def test_a_shelf_is_one_key(self, index: TableIndex, redis: Redis) -> None:
        await filled(index)

        assert await redis.keys() == [keys.shelf("s").encode()]
        assert keys.shelf("s") == "spades:shelf:s"

    async def test_a_shelf_is_forgotten_only_where_that_was_asked_for(
        self, index: TableIndex, redis: Redis
    ) -> None:
        await index.add(["for ever"], NINE[0])
        await index.add(["a while"], NINE[0], seconds=60)

        assert await redis.ttl(keys.shelf("for ever")) == -1
        assert 0 < await redis.ttl(keys.shelf("a while")) <= 60


class TestRedisTableIndexWithoutAServer:
    @pytest.fixture
    async def index(self) -> AsyncIterator[TableIndex]:
        clients = connect("redis://127.0.0.1:1")
        yield RedisTableIndex(clients)
        await clients.aclose()

    async def test_it_says_that_the_store_is_unavailable(self, index: TableIndex) -> None:
        with pytest.raises(StoreUnavailable):
            await index.add(["s"], NINE[0])
        with pytest.raises(StoreUnavailable):
            await index.remove("s", [NINE[0]])
        with pytest.raises(StoreUnavailable):
            await index.page("s", 1)

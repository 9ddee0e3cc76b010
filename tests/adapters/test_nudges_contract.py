"""What every source of nudges must do, and how the one on Redis outlives its connections."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

import pytest
from redis.asyncio import Redis

from spades_adapters.memory.nudges import MemoryNudges
from spades_adapters.memory.store import MemoryEventStore
from spades_adapters.redis import keys
from spades_adapters.redis.connect import Clients, connect
from spades_adapters.redis.nudges import RedisNudges
from spades_adapters.redis.store import RedisEventStore
from spades_service.ports import EventStore, Nudge, Nudges
from support.appends import card, command
from support.proxy import Proxy, proxy

STANDING = Nudge(None)

Heard = asyncio.Queue[Nudge]


@asynccontextmanager
async def listening(nudges: Nudges) -> AsyncIterator[Heard]:
    """What is heard from when the listener stands."""
    heard: Heard = asyncio.Queue()

    async def listen() -> None:
        async for nudge in nudges.listen():
            heard.put_nowait(nudge)

    task = asyncio.create_task(listen())
    assert await following(heard) == STANDING
    yield heard
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert task.cancelled()


async def following(heard: Heard) -> Nudge:
    return await asyncio.wait_for(heard.get(), 20)


async def until(heard: Heard, nudge: Nudge) -> None:
    while await following(heard) != nudge:
        pass


class NudgesContract:
    async def test_the_first_nudge_says_that_the_listener_stands(self, nudges: Nudges) -> None:
        async with listening(nudges):
            pass

    async def test_a_nudge_follows_an_append_with_its_last_version(
        self, store: EventStore, nudges: Nudges, table: str
    ) -> None:
        async with listening(nudges) as heard:
            await store.append(command(table, 0))
            await store.append(command(table, 1, events=[card(1), card(2)]))

            assert await following(heard) == Nudge(table, 1)
            assert await following(heard) == Nudge(table, 3)

    async def test_the_events_are_there_when_the_nudge_arrives(
        self, store: EventStore, nudges: Nudges, table: str
    ) -> None:
        async with listening(nudges) as heard:
            append = asyncio.create_task(store.append(command(table, 0)))

            assert (await following(heard)).version == len(await store.read(table))
            await append

    async def test_nothing_written_is_no_nudge(
        self, store: EventStore, nudges: Nudges, table: str
    ) -> None:
        async with listening(nudges) as heard:
            await store.append(command(table, 0))
            await store.append(command(table, 0))
            await store.append(command(table, 1))

            assert await following(heard) == Nudge(table, 1)
            assert await following(heard) == Nudge(table, 2)

    async def test_tables_of_every_partition_are_heard_by_every_listener(
        self, store: EventStore, nudges: Nudges, table: str
    ) -> None:
        names = {f"{table}-{number}" for number in range(64)}
        async with listening(nudges) as one, listening(nudges) as other:
            for name in names:
                await store.append(command(name, 0))

            assert {(await following(one)).table for _ in names} == names
            assert {(await following(other)).table for _ in names} == names


class TestMemoryNudges(NudgesContract):
    @pytest.fixture
    def nudges(self) -> MemoryNudges:
        return MemoryNudges()

    @pytest.fixture
    def store(self, nudges: MemoryNudges) -> EventStore:
        return MemoryEventStore(nudges)

    async def test_a_listener_that_left_is_forgotten(self, nudges: MemoryNudges) -> None:
        async with listening(nudges):
            pass

        assert not nudges._listeners


class TestRedisNudges(NudgesContract):
    @pytest.fixture
    def nudges(self, clients: Clients) -> Nudges:
        return RedisNudges(clients)

    @pytest.fixture
    def store(self, clients: Clients) -> EventStore:
        return RedisEventStore(clients)

    async def test_a_listener_that_left_gives_its_connection_back(
        self, clients: Clients, nudges: Nudges
    ) -> None:
        async with listening(nudges):
            pass

        _, (in_use, _) = clients.listener.connection_pool.get_connection_count()
        assert in_use == 0

    async def test_a_listener_ends_where_it_is_closed(
        self, clients: Clients, nudges: Nudges
    ) -> None:
        listener = nudges.listen()
        assert await anext(listener) == STANDING
        assert isinstance(listener, AsyncGenerator)
        await listener.aclose()

        _, (in_use, _) = clients.listener.connection_pool.get_connection_count()
        assert in_use == 0

    async def test_a_message_that_is_no_nudge_makes_everyone_look(
        self, nudges: Nudges, redis: Redis, table: str
    ) -> None:
        async with listening(nudges) as heard:
            for message in (b"nonsense", b"1 \xff", b""):
                await redis.publish(keys.channel(table), message)

                assert await following(heard) == STANDING


class TestRedisNudgesOverABadNetwork:
    @pytest.fixture
    async def network(self, redis_url: str) -> AsyncIterator[Proxy]:
        async with proxy(redis_url) as network:
            yield network

    @pytest.fixture
    async def nudges(self, network: Proxy) -> AsyncIterator[Nudges]:
        clients = connect(network.url)
        yield RedisNudges(clients, quiet=0.25)
        await clients.aclose()

    async def test_after_a_lost_connection_everyone_looks_and_nudges_arrive_again(
        self, network: Proxy, nudges: Nudges, redis_store: RedisEventStore, table: str
    ) -> None:
        async with listening(nudges) as heard:
            for version in range(3):
                network.cut()
                await until(heard, STANDING)

                await redis_store.append(command(table, version))
                await until(heard, Nudge(table, version + 1))

    async def test_a_connection_that_is_half_dead_is_noticed(
        self, network: Proxy, nudges: Nudges, redis_store: RedisEventStore, table: str
    ) -> None:
        async with listening(nudges) as heard:
            network.freeze()
            await redis_store.append(command(table, 0))
            await until(heard, STANDING)

            await redis_store.append(command(table, 1))
            await until(heard, Nudge(table, 2))

    async def test_a_server_that_is_away_for_long_is_found_again(
        self, network: Proxy, nudges: Nudges, redis_store: RedisEventStore, table: str
    ) -> None:
        async with listening(nudges) as heard:
            network.refusing = True
            network.cut()
            await self._several_tries(network)
            network.refusing = False
            await until(heard, STANDING)

            await redis_store.append(command(table, 0))
            await until(heard, Nudge(table, 1))

    async def _several_tries(self, network: Proxy) -> None:
        enough = network.refused + 3
        await network.until(lambda: network.refused >= enough)

    async def test_silence_is_no_lost_connection(
        self, network: Proxy, nudges: Nudges, redis_store: RedisEventStore, table: str
    ) -> None:
        async with listening(nudges) as heard:
            await network.until(lambda: sum(b"PING" in sent for sent in network.requests) >= 4)

            await redis_store.append(command(table, 0))
            assert await following(heard) == Nudge(table, 1)

    async def test_a_server_that_was_never_there_is_waited_for(
        self, network: Proxy, nudges: Nudges
    ) -> None:
        network.refusing = True
        trying = asyncio.create_task(self._several_tries(network))
        trying.add_done_callback(lambda _: setattr(network, "refusing", False))

        async with listening(nudges):
            assert trying.done()

"""What the Redis event store writes, and what it makes of what others wrote."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from spades.events import TrickTaken
from spades_adapters.codec import encode
from spades_adapters.redis import keys, store
from spades_adapters.redis.connect import Clients, connect
from spades_adapters.redis.store import RedisEventStore
from spades_service.ports import Appended, BrokenHistory, StoreUnavailable, VersionConflict
from support.appends import card, command, fill, versions
from support.redis_users import user
from support.weighing import bytes_per_card

pytestmark = pytest.mark.usefixtures("redis_url")


async def put(redis: Redis, table: str, *ids: str) -> None:
    """Entries as the store writes them, under IDs of the test's choice."""
    name, body = encode(card(1))
    for id_ in ids:
        entry = {b"t": name, b"c": b"key-%s" % id_.encode(), b"w": 1, b"b": body}
        await redis.xadd(keys.stream(table), entry, id_)  # type: ignore[arg-type]


class TestWhatIsWritten:
    async def test_an_entry_has_its_version_as_id_and_four_short_fields(
        self, redis_store: RedisEventStore, redis: Redis, table: str
    ) -> None:
        append = command(table, 0, b"\x00\xff", [card(1), TrickTaken(2)])
        await redis_store.append(append)

        at = str(append.at).encode()
        assert await redis.xrange(keys.stream(table)) == [
            (b"1-0", {b"t": b"CardPlayed", b"c": b"\x00\xff", b"w": at, b"b": b'[1,"C3"]'}),
            (b"2-0", {b"t": b"TrickTaken", b"c": b"", b"w": at, b"b": b"[2]"}),
        ]

    async def test_each_append_stands_in_its_partitions_feed(
        self, redis_store: RedisEventStore, redis: Redis, table: str
    ) -> None:
        await redis_store.append(command(table, 0))
        await redis_store.append(command(table, 1, events=[card(1), card(2)]))

        assert [fields for _, fields in await redis.xrange(keys.feed(table)) or ()] == [
            {b"table": table.encode(), b"from": b"1", b"to": b"1"},
            {b"table": table.encode(), b"from": b"2", b"to": b"3"},
        ]

    async def test_what_wrote_nothing_leaves_the_feed_alone(
        self, redis_store: RedisEventStore, redis: Redis, table: str
    ) -> None:
        append = command(table, 0)
        await redis_store.append(append)

        await redis_store.append(append)
        with pytest.raises(VersionConflict):
            await redis_store.append(command(table, 0, b"other"))

        assert await redis.xlen(keys.feed(table)) == 1

    async def test_a_feed_does_not_grow_without_end(
        self,
        redis_store: RedisEventStore,
        redis: Redis,
        table: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(store, "FEED_LENGTH", 10)
        await fill(redis_store, table, 500)

        assert 10 <= await redis.xlen(keys.feed(table)) < 300
        assert len(await redis_store.read(table)) == 500

    async def test_an_append_is_one_call_of_the_script(
        self, redis_store: RedisEventStore, redis: Redis, table: str
    ) -> None:
        await redis_store.append(command(table, 0))
        await redis.config_resetstat()
        await fill_from(redis_store, table, 1, 11)

        calls = await redis.info("commandstats")
        assert calls["cmdstat_evalsha"]["calls"] == 10
        assert "cmdstat_eval" not in calls

    async def test_a_server_that_forgot_the_script_is_given_it_again(
        self, redis_store: RedisEventStore, redis: Redis, table: str
    ) -> None:
        await redis_store.append(command(table, 0))
        await redis.script_flush()

        assert await redis_store.append(command(table, 1)) == Appended(2, repeated=False)

    async def test_a_played_card_takes_at_most_a_hundred_bytes(
        self, redis_store: RedisEventStore, redis: Redis, table: str
    ) -> None:
        assert await bytes_per_card(redis_store, redis, table) <= 100


async def fill_from(redis_store: RedisEventStore, table: str, start: int, end: int) -> None:
    for version in range(start, end):
        await redis_store.append(command(table, version))


class TestBrokenHistories:
    async def test_a_hole_is_told_when_it_is_read(
        self, redis_store: RedisEventStore, redis: Redis, table: str
    ) -> None:
        await put(redis, table, "1-0", "2-0", "4-0")

        with pytest.raises(BrokenHistory, match="no version 3"):
            await redis_store.read(table)
        assert len(await redis_store.read(table, limit=2)) == 2

    async def test_a_missing_beginning_is_a_hole(
        self, redis_store: RedisEventStore, redis: Redis, table: str
    ) -> None:
        await put(redis, table, "2-0")

        with pytest.raises(BrokenHistory, match="no version 1"):
            await redis_store.read(table)

    async def test_an_id_that_is_no_version_is_a_broken_history(
        self, redis_store: RedisEventStore, redis: Redis, table: str
    ) -> None:
        await put(redis, table, "1-0", "2-7")

        with pytest.raises(BrokenHistory):
            await redis_store.read(table)
        with pytest.raises(BrokenHistory):
            await redis_store.append(command(table, 2))

    async def test_a_command_on_the_edge_of_a_hole_is_not_written(
        self, redis_store: RedisEventStore, redis: Redis, table: str
    ) -> None:
        await put(redis, table, "1-0", "3-0")

        with pytest.raises(BrokenHistory):
            await redis_store.append(command(table, 1))

    async def test_nothing_is_written_behind_a_lost_tail(
        self, redis_store: RedisEventStore, redis: Redis, table: str
    ) -> None:
        await fill(redis_store, table, 3)
        await redis.xdel(keys.stream(table), "3-0")

        with pytest.raises(BrokenHistory):
            await redis_store.append(command(table, 2, b"again", [card(1), card(2)]))
        with pytest.raises(BrokenHistory):
            await redis_store.append(command(table, 3))
        assert await versions(redis_store, table) == [1, 2]
        assert await redis.xlen(keys.feed(table)) == 3

    async def test_nothing_is_written_to_an_emptied_stream(
        self, redis_store: RedisEventStore, redis: Redis, table: str
    ) -> None:
        await fill(redis_store, table, 2)
        await redis.xtrim(keys.stream(table), maxlen=0, approximate=False)

        with pytest.raises(BrokenHistory):
            await redis_store.append(command(table, 0))

    @pytest.mark.parametrize(
        "entry",
        [
            pytest.param({"t": "CardBurned", "c": "k", "w": 1, "b": '[2,"SA"]'}, id="type"),
            pytest.param({"t": "CardPlayed", "c": "k", "w": 1, "b": '[2,"SX"]'}, id="body"),
            pytest.param({"t": "CardPlayed", "c": "k", "w": "now", "b": '[2,"SA"]'}, id="time"),
            pytest.param({"t": "CardPlayed", "c": "k", "b": '[2,"SA"]'}, id="field"),
        ],
    )
    async def test_what_no_release_has_written_is_a_broken_history(
        self,
        redis_store: RedisEventStore,
        redis: Redis,
        table: str,
        entry: dict[str, str],
    ) -> None:
        await redis.xadd(keys.stream(table), entry, "1-0")  # type: ignore[arg-type]

        with pytest.raises(BrokenHistory) as broken:
            await redis_store.read(table)

        assert "version 1" in str(broken.value)
        assert "SA" not in str(broken.value)
        assert "SX" not in str(broken.value)

    async def test_a_field_that_a_later_release_adds_is_no_harm(
        self, redis_store: RedisEventStore, redis: Redis, table: str
    ) -> None:
        entry = {"t": "CardPlayed", "c": "k", "w": 1, "b": '[1,"C3"]', "h": "chain"}
        await redis.xadd(keys.stream(table), entry, "1-0")  # type: ignore[arg-type]

        assert [recorded.event for recorded in await redis_store.read(table)] == [card(1)]

    async def test_a_key_of_another_type_is_no_table(
        self, redis_store: RedisEventStore, redis: Redis, table: str
    ) -> None:
        await redis.set(keys.stream(table), "not a stream")

        with pytest.raises(BrokenHistory):
            await redis_store.read(table)
        with pytest.raises(BrokenHistory):
            await redis_store.append(command(table, 0))
        assert not await redis.exists(keys.feed(table))

    async def test_a_feed_of_another_type_keeps_everything_from_being_written(
        self, redis_store: RedisEventStore, redis: Redis, table: str
    ) -> None:
        await redis.set(keys.feed(table), "not a stream")

        with pytest.raises(BrokenHistory):
            await redis_store.append(command(table, 0))
        assert not await redis.exists(keys.stream(table))


class TestServersThatRefuse:
    @pytest.fixture
    async def full(self, redis: Redis) -> AsyncIterator[None]:
        """A server without any memory left, once the test says so."""
        yield
        await redis.config_set("maxmemory", 0)

    @pytest.mark.usefixtures("full")
    async def test_a_full_server_takes_nothing_and_still_answers_truly(
        self, redis_store: RedisEventStore, redis: Redis, table: str
    ) -> None:
        await fill(redis_store, table, 2)
        await redis.config_set("maxmemory", 1)

        with pytest.raises(StoreUnavailable):
            await redis_store.append(command(table, 2, events=[card(1), card(2)]))
        assert await redis_store.append(command(table, 1)) == Appended(2, repeated=True)
        with pytest.raises(VersionConflict):
            await redis_store.append(command(table, 1, b"other"))
        assert await versions(redis_store, table) == [1, 2]

    async def test_a_server_that_forbids_nudges_still_takes_events(
        self, redis: Redis, redis_url: str, table: str
    ) -> None:
        async with user(redis, redis_url, "~*", "+@all", "resetchannels") as url:
            clients = connect(url)
            appended = await RedisEventStore(clients).append(command(table, 0))
            await clients.aclose()

        assert appended == Appended(1, repeated=False)

    async def test_a_server_that_forbids_the_feed_takes_nothing(
        self, redis: Redis, redis_url: str, table: str
    ) -> None:
        async with user(redis, redis_url, "~*:table:*", "&*", "+@all") as url:
            clients = connect(url)
            with pytest.raises(StoreUnavailable):
                await RedisEventStore(clients).append(command(table, 0))
            await clients.aclose()

        assert not await redis.exists(keys.stream(table))


class TestCancellation:
    async def test_a_storm_of_cancelled_appends_crosses_no_replies(
        self, redis_store: RedisEventStore, clients: Clients, table: str
    ) -> None:
        """Each task fills a table of its own with so many events that no other answer fits it."""
        answers = await asyncio.gather(
            *(self._storm(redis_store, f"{table}-{number}", number) for number in range(300)),
            return_exceptions=True,
        )

        for number, answer in enumerate(answers):
            assert isinstance(answer, asyncio.CancelledError) == (number % 3 > 0)
            if number % 3 == 0:
                assert answer == Appended(number + 1, repeated=False)

    async def _storm(self, redis_store: RedisEventStore, table: str, number: int) -> Appended:
        append = command(table, 0, events=[card(number) for number in range(number + 1)])
        task = asyncio.create_task(redis_store.append(append))
        if number % 3 > 0:
            for _ in range(number % 17):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.sleep(0)
            task.cancel()
        return await task

    async def test_the_pool_recovers_from_cancelled_calls(
        self, redis_store: RedisEventStore, clients: Clients, table: str
    ) -> None:
        await asyncio.gather(
            *(self._storm(redis_store, f"{table}-{number}", number) for number in range(200)),
            return_exceptions=True,
        )
        await clients.calls.ended()

        _, (in_use, _) = clients.writer.connection_pool.get_connection_count()
        assert in_use == 0
        await fill(redis_store, table, 5)

    async def test_a_cancelled_append_is_written_whole_or_not_at_all(
        self, redis_store: RedisEventStore, clients: Clients, table: str
    ) -> None:
        await asyncio.gather(
            *(self._storm(redis_store, f"{table}-{number}", number) for number in range(60)),
            return_exceptions=True,
        )
        await clients.calls.ended()

        for number in range(60):
            assert len(await redis_store.read(f"{table}-{number}")) in (0, number + 1)

    async def test_more_callers_than_connections_wait_for_their_turn(
        self, redis_store: RedisEventStore, clients: Clients, table: str
    ) -> None:
        answers = await asyncio.gather(
            *(redis_store.append(command(f"{table}-{number}", 0)) for number in range(500))
        )

        assert answers == [Appended(1, repeated=False)] * 500

"""What every event store must do, whatever stands behind it."""

import asyncio
from collections.abc import Sequence

import pytest

from spades.events import GameStarted, TrickTaken
from spades_adapters.memory.nudges import MemoryNudges
from spades_adapters.memory.store import MemoryEventStore
from spades_adapters.redis.connect import Clients
from spades_adapters.redis.store import RedisEventStore
from spades_service.ports import (
    Append,
    Appended,
    BrokenHistory,
    EventStore,
    Recorded,
    VersionConflict,
)
from support.appends import card, command, compete, events, fill, versions


class EventStoreContract:
    """The sentences of the port; each store below is held to all of them."""

    async def test_a_table_that_nobody_opened_reads_as_empty(
        self, store: EventStore, table: str
    ) -> None:
        assert not await store.read(table)
        assert not await store.read(table, after=7)

    async def test_what_was_appended_is_read_back_in_full(
        self, store: EventStore, table: str
    ) -> None:
        append = Append(table, 0, 1_764_550_000_123, b"\x00\xff key", (GameStarted(3), card(1)))

        assert await store.append(append) == Appended(2, repeated=False)

        assert list(await store.read(table)) == [
            Recorded(1, append.at, append.command, GameStarted(3)),
            Recorded(2, append.at, b"", card(1)),
        ]

    async def test_versions_are_contiguous_from_one(self, store: EventStore, table: str) -> None:
        await fill(store, table, 3)
        await store.append(command(table, 3, events=[card(3), card(4), card(5)]))
        await store.append(command(table, 6))

        assert await versions(store, table) == [1, 2, 3, 4, 5, 6, 7]

    async def test_a_history_is_read_from_behind_any_version(
        self, store: EventStore, table: str
    ) -> None:
        await fill(store, table, 5)

        assert [recorded.version for recorded in await store.read(table, after=3)] == [4, 5]
        assert not await store.read(table, after=5)
        assert not await store.read(table, after=9)

    async def test_a_reader_gets_no_more_than_it_asked_for(
        self, store: EventStore, table: str
    ) -> None:
        await fill(store, table, 5)

        assert [recorded.version for recorded in await store.read(table, 1, limit=2)] == [2, 3]
        assert len(await store.read(table, limit=99)) == 5
        assert not await store.read(table, limit=0)

    async def test_a_long_history_is_read_whole(self, store: EventStore, table: str) -> None:
        long = [card(number) for number in range(1_200)]
        await store.append(command(table, 0, events=long))

        assert await events(store, table) == long
        assert len(await store.read(table, after=100, limit=1_050)) == 1_050

    async def test_tables_do_not_mix(self, store: EventStore, table: str) -> None:
        other = f"{table}-other"
        await fill(store, table, 2)
        await fill(store, other, 3)

        assert await versions(store, table) == [1, 2]
        assert await versions(store, other) == [1, 2, 3]

    async def test_of_two_commands_on_one_version_one_wins_and_the_other_is_told_the_version(
        self, store: EventStore, table: str
    ) -> None:
        await store.append(command(table, 0, b"first", [card(1), card(2)]))

        with pytest.raises(VersionConflict) as conflict:
            await store.append(command(table, 0, b"second", [card(3)]))

        assert conflict.value.version == 2
        assert await events(store, table) == [card(1), card(2)]

    async def test_a_conflict_in_the_middle_of_a_command_writes_nothing(
        self, store: EventStore, table: str
    ) -> None:
        await store.append(command(table, 0, b"first", [card(1), card(2)]))

        with pytest.raises(VersionConflict):
            await store.append(command(table, 1, b"second"))

        assert await versions(store, table) == [1, 2]

    async def test_the_same_command_again_is_the_same_answer_and_one_event(
        self, store: EventStore, table: str
    ) -> None:
        await fill(store, table, 2)
        append = command(table, 2)

        assert await store.append(append) == Appended(3, repeated=False)
        assert await store.append(append) == Appended(3, repeated=True)
        assert await versions(store, table) == [1, 2, 3]

    async def test_a_command_of_many_events_again_is_the_same_answer(
        self, store: EventStore, table: str
    ) -> None:
        append = command(table, 0, events=[card(1), TrickTaken(2), card(3)])

        assert await store.append(append) == Appended(3, repeated=False)
        assert await store.append(append) == Appended(3, repeated=True)
        assert await versions(store, table) == [1, 2, 3]

    async def test_the_same_command_again_is_known_when_others_have_followed(
        self, store: EventStore, table: str
    ) -> None:
        append = command(table, 0, b"first", [card(1), card(2)])
        await store.append(append)
        await store.append(command(table, 2, b"second", [card(3), card(4)]))
        await store.append(command(table, 4, b"third"))

        assert await store.append(append) == Appended(2, repeated=True)
        assert await versions(store, table) == [1, 2, 3, 4, 5]

    async def test_a_key_used_again_on_another_version_is_another_command(
        self, store: EventStore, table: str
    ) -> None:
        await store.append(command(table, 0, b"key"))

        assert await store.append(command(table, 1, b"key")) == Appended(2, repeated=False)

    async def test_a_stream_that_ends_before_the_expected_version_is_a_broken_history(
        self, store: EventStore, table: str
    ) -> None:
        await fill(store, table, 2)

        with pytest.raises(BrokenHistory):
            await store.append(command(table, 3))
        with pytest.raises(BrokenHistory):
            await store.append(command(f"{table}-unopened", 1))

        assert await versions(store, table) == [1, 2]

    async def test_fifty_writers_make_one_line_and_every_success_is_an_event(
        self, store: EventStore, table: str
    ) -> None:
        written: Sequence[int] = await asyncio.gather(
            *(compete(store, table, b"writer-%d" % number, tries=5) for number in range(50))
        )

        history = await store.read(table)
        assert sum(written) == len(history) > 0
        assert [recorded.version for recorded in history] == list(range(1, len(history) + 1))
        assert len({recorded.command for recorded in history}) == len(history)

    async def test_of_fifty_at_once_on_one_version_exactly_one_wins(
        self, store: EventStore, table: str
    ) -> None:
        answers = await asyncio.gather(
            *(store.append(command(table, 0, b"writer-%d" % number)) for number in range(50)),
            return_exceptions=True,
        )

        assert answers.count(Appended(1, repeated=False)) == 1
        assert sum(isinstance(answer, VersionConflict) for answer in answers) == 49
        assert await versions(store, table) == [1]

    async def test_the_same_command_fifty_times_at_once_is_one_event(
        self, store: EventStore, table: str
    ) -> None:
        answers = await asyncio.gather(*(store.append(command(table, 0)) for _ in range(50)))

        assert answers.count(Appended(1, repeated=False)) == 1
        assert answers.count(Appended(1, repeated=True)) == 49
        assert await versions(store, table) == [1]


class TestMemoryEventStore(EventStoreContract):
    @pytest.fixture
    def store(self) -> EventStore:
        return MemoryEventStore(MemoryNudges())


class TestRedisEventStore(EventStoreContract):
    @pytest.fixture
    def store(self, clients: Clients) -> EventStore:
        return RedisEventStore(clients)

"""Watching a table: no event is missed, doubled or out of order, and every watch ends."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager

import pytest

from spades_service.live import BUFFERED, Live
from spades_service.ports import Nudge
from spades_service.requests import LeaveSeat, PlaceBid, TakeSeat
from spades_service.tables import Tables, Update
from support.house import PLAYERS, House
from support.waiting import a_while, until


@asynccontextmanager
async def listening(tables: Tables, house: House) -> AsyncGenerator[Live, None]:
    live = Live(tables, house.nudges)
    listener = asyncio.create_task(live.run())
    await until(lambda: live.listening)
    yield live
    listener.cancel()
    await asyncio.gather(listener, return_exceptions=True)
    await live.close()


async def versions(updates: AsyncGenerator[Update, None], count: int) -> list[int]:
    seen: list[int] = []
    async with asyncio.timeout(5):
        while len(seen) < count:
            seen.append((await anext(updates)).version)
    return seen


async def test_a_watcher_sees_the_past_and_then_each_move(house: House) -> None:
    table = await house.opened()
    async with listening(house.tables, house) as live, aclosing(live.watch(table, 0)) as updates:
        assert await versions(updates, 7) == [1, 2, 3, 4, 5, 6, 7]
        await house.tables.execute(PLAYERS[0], table, PlaceBid(3))
        assert await versions(updates, 1) == [8]


async def test_a_watcher_sees_the_table_as_it_was_after_each_event(house: House) -> None:
    table = await house.opened()
    async with listening(house.tables, house) as live, aclosing(live.watch(table, 0)) as updates:
        for _ in range(7):
            update = await anext(updates)
            assert update.table == (await house.tables.at(table, update.version)).table


async def test_a_watcher_resumes_behind_the_version_it_has_seen(house: House) -> None:
    table = await house.opened()
    async with listening(house.tables, house) as live:
        async with aclosing(live.watch(table, 0)) as updates:
            await versions(updates, 4)
        async with aclosing(live.watch(table, 4)) as updates:
            assert await versions(updates, 3) == [5, 6, 7]


async def test_moves_made_on_another_replica_are_seen(house: House) -> None:
    table = await house.opened()
    other = house.replica()
    async with listening(other, house) as live, aclosing(live.watch(table, 7)) as updates:
        waiting = asyncio.create_task(versions(updates, 2))
        await house.tables.execute(PLAYERS[0], table, PlaceBid(3))
        await house.tables.execute(PLAYERS[1], table, PlaceBid(3))
        assert await waiting == [8, 9]


async def test_a_lost_nudge_is_made_up_for_by_the_next_connection(house: House) -> None:
    table = await house.opened()
    other = house.replica()
    async with listening(other, house) as live, aclosing(live.watch(table, 7)) as updates:
        waiting = asyncio.create_task(versions(updates, 1))
        await asyncio.sleep(0)
        listeners, house.nudges._listeners = house.nudges._listeners, set()
        await house.tables.execute(PLAYERS[0], table, PlaceBid(3))
        house.nudges._listeners = listeners
        house.nudges.publish(Nudge(None))
        assert await waiting == [8]


async def test_own_moves_are_pushed_without_reading_them_back(house: House) -> None:
    table = await house.opened()
    async with listening(house.tables, house) as live, aclosing(live.watch(table, 7)) as updates:
        waiting = asyncio.create_task(versions(updates, 1))
        await until(lambda: live.watchers)
        await a_while()
        house.store.reads = 0
        await house.tables.execute(PLAYERS[0], table, PlaceBid(3))
        assert await waiting == [8]
        assert house.store.reads == 0


async def test_who_is_far_behind_reads_the_store_and_misses_nothing(house: House) -> None:
    table = await house.opened(seated=0, started=False)
    async with listening(house.tables, house) as live, aclosing(live.watch(table, 0)) as updates:
        assert await versions(updates, 1) == [1]
        moves = BUFFERED + 50
        for number in range(moves):
            request = TakeSeat(0) if number % 2 == 0 else LeaveSeat()
            await house.tables.execute(PLAYERS[0], table, request)
        assert await versions(updates, moves) == list(range(2, moves + 2))


@pytest.mark.parametrize("after", range(8))
async def test_joining_while_moves_are_made_misses_and_doubles_nothing(
    house: House, after: int
) -> None:
    table = await house.opened()
    other = house.replica()

    async def bids() -> None:
        for player in PLAYERS:
            await house.tables.execute(player, table, PlaceBid(3))
            await asyncio.sleep(0)

    async with listening(other, house) as live, aclosing(live.watch(table, after)) as updates:
        _, seen = await asyncio.gather(bids(), versions(updates, 11 - after))
        assert seen == list(range(after + 1, 12))


async def test_every_watch_ends_when_the_service_stops(house: House) -> None:
    table = await house.opened()
    async with listening(house.tables, house) as live:

        async def watch() -> list[int]:
            return [update.version async for update in live.watch(table, 0)]

        watches = [asyncio.create_task(watch()) for _ in range(5)]
        await until(lambda: live.watchers == 5)
        await a_while()
        live.stop()
        async with asyncio.timeout(5):
            assert await asyncio.gather(*watches) == [[1, 2, 3, 4, 5, 6, 7]] * 5
        assert live.watchers == 0


async def test_a_watch_that_is_dropped_leaves_nothing_behind(house: House) -> None:
    table = await house.opened()
    async with listening(house.tables, house) as live:
        watch = asyncio.create_task(anext(live.watch(table, 7)))
        await until(lambda: live.watchers)
        watch.cancel()
        await asyncio.gather(watch, return_exceptions=True)
        assert live.watchers == 0

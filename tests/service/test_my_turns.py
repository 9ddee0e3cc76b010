"""What waits for a player: at the start all of it, then each table as it begins to wait."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager

import pytest

from spades.events import BotLevel
from spades.play import legal_plays
from spades.refusals import Refused
from spades.state import Playing, Table
from spades.view import awaited_seats
from spades_service.callers import STRANGER, Caller
from spades_service.live import Live
from spades_service.my_turns import MyTurns, Turn, require_player
from spades_service.ports import Nudge
from spades_service.requests import LookAtHand, OpenTable, PlaceBid, PlayCard
from spades_service.tables import Accepted, Tables
from support.house import PLAYERS, House
from support.waiting import a_while, until


@asynccontextmanager
async def turns_at(house: House, tables: Tables) -> AsyncGenerator[MyTurns, None]:
    """The turns of players who are connected to a replica."""
    live = Live(tables, house.nudges)
    mine = MyTurns(tables, house.lobby_of(tables), live)
    listener = asyncio.create_task(live.run())
    await until(lambda: live.listening)
    yield mine
    live.stop()
    listener.cancel()
    await asyncio.gather(listener, return_exceptions=True)
    await live.close()


@asynccontextmanager
async def told(mine: MyTurns, player: Caller) -> AsyncGenerator[list[Turn], None]:
    """All that a player has been told so far; at first what waits already."""
    turns: list[Turn] = []

    async def listen() -> None:
        async with aclosing(mine.watch(player)) as stream:
            async for turn in stream:
                turns.append(turn)  # noqa: PERF401 whoever looks on wants each at once

    before = mine.watchers
    listening = asyncio.create_task(listen())
    await until(lambda: mine.watchers > before)
    await a_while()
    yield turns
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)


async def bid(house: House, table: str, *seats: int) -> None:
    for seat in seats:
        answer = await house.tables.execute(PLAYERS[seat], table, PlaceBid(3))
        assert isinstance(answer, Accepted)
    await a_while()


async def test_at_the_start_every_table_that_waits_is_told_of(house: House) -> None:
    waiting = {await house.opened(), await house.opened()}
    await bid(house, await house.opened(), 0)
    await house.opened(started=False)
    async with turns_at(house, house.tables) as mine, told(mine, PLAYERS[0]) as turns:
        assert {turn.id for turn in turns} == waiting
        assert [(turn.version, turn.seat, turn.deadline) for turn in turns] == [(7, 0, None)] * 2


async def test_a_table_is_told_of_when_it_begins_to_wait(house: House) -> None:
    table = await house.opened()
    async with turns_at(house, house.tables) as mine, told(mine, PLAYERS[2]) as turns:
        await bid(house, table, 0)
        assert turns == []
        await bid(house, table, 1)
        assert [(turn.id, turn.version, turn.seat) for turn in turns] == [(table, 9, 2)]


async def test_every_move_of_a_round_is_told_to_whoever_has_to_make_it(house: House) -> None:
    table = await house.opened()
    async with AsyncExitStack() as stack:
        mine = await stack.enter_async_context(turns_at(house, house.tables))
        heard = [await stack.enter_async_context(told(mine, player)) for player in PLAYERS]
        moved: list[tuple[int, int]] = []
        for _ in range(4 + 52):
            loaded = await house.tables.load(table)
            (seat,) = awaited_seats(loaded.table)
            moved.append((seat, loaded.version))
            await house.tables.execute(PLAYERS[seat], table, some_move(loaded.table))
            await a_while()
        told_of = {(turn.seat, turn.version) for turns in heard for turn in turns}
        assert set(moved) <= told_of
        assert len(told_of) == len(moved) + 1, "the next round waits, too"


def some_move(table: Table) -> PlaceBid | PlayCard:
    if isinstance(table, Playing):
        return PlayCard(legal_plays(table)[0])
    return PlaceBid(3)


async def test_a_move_on_another_replica_is_heard_of(house: House) -> None:
    table = await house.opened()
    async with turns_at(house, house.replica()) as mine, told(mine, PLAYERS[1]) as turns:
        await bid(house, table, 0)
        assert [(turn.id, turn.version) for turn in turns] == [(table, 8)]


async def test_a_game_begun_on_another_replica_is_heard_of(house: House) -> None:
    async with turns_at(house, house.replica()) as mine, told(mine, PLAYERS[0]) as turns:
        table = await house.opened()
        await until(lambda: turns)
        assert [turn.id for turn in turns] == [table]


async def test_other_peoples_games_on_other_replicas_are_read_once(house: House) -> None:
    table = await house.opened()
    stranger = Caller(player="nobody here")
    async with turns_at(house, house.replica()) as mine, told(mine, stranger) as turns:
        await bid(house, table, 0)
        reads = house.store.reads
        await bid(house, table, 1, 2, 3)
        assert house.store.reads == reads
        assert turns == []


async def test_who_comes_later_hears_of_games_that_concerned_nobody_before(house: House) -> None:
    table = await house.opened()
    async with turns_at(house, house.replica()) as mine, told(mine, Caller(player="nobody")):
        await bid(house, table, 0)
        async with told(mine, PLAYERS[2]) as turns:
            await bid(house, table, 1)
            assert [turn.version for turn in turns] == [9]


async def test_after_a_lost_connection_what_waits_is_looked_for_anew(house: House) -> None:
    table = await house.opened()
    async with turns_at(house, house.replica()) as mine, told(mine, PLAYERS[1]) as turns:
        listeners, house.nudges._listeners = house.nudges._listeners, set()
        await bid(house, table, 0)
        assert turns == []
        house.nudges._listeners = listeners
        house.nudges.publish(Nudge(None))
        await until(lambda: turns)


async def test_a_turn_that_was_told_of_is_not_told_again(house: House) -> None:
    await house.opened()
    async with turns_at(house, house.tables) as mine, told(mine, PLAYERS[0]) as turns:
        house.nudges.publish(Nudge(None))
        await a_while()
        assert len(turns) == 1


async def test_looking_at_a_hand_is_no_new_turn(house: House) -> None:
    table = await house.opened(preset="modern")
    async with turns_at(house, house.tables) as mine, told(mine, PLAYERS[0]) as turns:
        for player in PLAYERS:
            await house.tables.execute(player, table, LookAtHand())
        await a_while()
        assert len(turns) == 1


async def test_of_a_slow_reader_is_kept_the_latest_of_each_table_alone(house: House) -> None:
    first, second = await house.opened(), await house.opened()
    async with turns_at(house, house.tables) as mine, aclosing(mine.watch(PLAYERS[0])) as turns:
        begun = await anext(turns)
        other = second if begun.id == first else first
        await bid(house, other, 0, 1, 2, 3)
        latest = await anext(turns)
        assert (latest.id, latest.version) == (other, 11)


async def test_a_turn_that_is_over_before_it_was_told_of_is_none(house: House) -> None:
    first, second = await house.opened(), await house.opened()
    async with turns_at(house, house.tables) as mine, aclosing(mine.watch(PLAYERS[0])) as turns:
        begun = await anext(turns)
        await bid(house, second if begun.id == first else first, 0)
        third = await house.opened()
        assert (await anext(turns)).id == third


async def test_a_turn_has_a_deadline_where_the_table_has_a_clock(house: House) -> None:
    request = OpenTable(
        {"preset": "classic"}, dealer=3, turn_seconds=30, seat=0, fill=BotLevel.EASY
    )
    opened = await house.tables.open(PLAYERS[0], request)
    assert isinstance(opened, Accepted)
    loaded = await house.tables.load(opened.id)
    async with turns_at(house, house.tables) as mine, told(mine, PLAYERS[0]) as turns:
        assert [turn.deadline for turn in turns] == [loaded.since + 30_000]


async def test_every_stream_ends_when_the_service_stops(house: House) -> None:
    async with turns_at(house, house.tables) as mine:

        async def watch() -> list[Turn]:
            return [turn async for turn in mine.watch(PLAYERS[0])]

        streams = [asyncio.create_task(watch()) for _ in range(3)]
        await until(lambda: mine.watchers == 3)
        mine.stop()
        async with asyncio.timeout(5):
            assert await asyncio.gather(*streams) == [[]] * 3
        assert mine.watchers == 0


async def test_a_stream_that_is_dropped_leaves_nothing_behind(house: House) -> None:
    async with turns_at(house, house.tables) as mine:
        async with told(mine, PLAYERS[0]):
            assert mine.watchers == 1
        assert mine.watchers == 0


@pytest.mark.parametrize(
    ("caller", "code"), [(STRANGER, "UNAUTHENTICATED"), (Caller(platform="p"), "NOT_ALLOWED")]
)
def test_only_players_have_turns(caller: Caller, code: str) -> None:
    with pytest.raises(Refused) as refused:
        require_player(caller)
    assert refused.value.code == code

"""The house moves: for computers at once, for people when their time has run out."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from spades.events import BidPlaced, BotLevel, CardPlayed, EndReason, GameFinished, PlayerBack
from spades.state import Finished
from spades_service.clocks import DESERTED_MILLIS, IDLE_MILLIS, SEATING_MILLIS
from spades_service.computers import Computers
from spades_service.ports import Recorded
from spades_service.requests import (
    ComeBack,
    LeaveSeat,
    LookAtHand,
    OpenTable,
    PlaceBid,
    SeatBot,
    StartGame,
    TakeSeat,
)
from spades_service.tables import Accepted, Tables
from support.house import PLAYERS, CountingEntropy, House
from support.waiting import a_while, until


class SetClock:
    """Stands still until it is set."""

    def __init__(self) -> None:
        self.time = 1_000_000

    def now(self) -> int:
        return self.time


class Watched:
    """A house on one clock, with computers that look at every deadline when they are told to."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.clock = SetClock()
        self.tables = Tables(house.store, self.clock, CountingEntropy())
        self.computers = self.more()

    def more(self, tables: Tables | None = None) -> Computers:
        """Another replica's computers."""
        store = self.house.store.store
        return Computers(tables or self.tables, store, self.clock, CountingEntropy())

    async def look(self, computers: Computers | None = None) -> None:
        """What the computers do once in a while."""
        looking = asyncio.create_task((computers or self.computers).run())
        await a_while()
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)

    async def later(self, seconds: float) -> None:
        """Some time goes by, and the deadlines are looked at."""
        self.clock.time += int(seconds * 1000)
        await self.look()

    async def open(self, **options: object) -> str:
        request = OpenTable({"preset": "classic"}, dealer=3, **options)  # type: ignore[arg-type]
        answer = await self.tables.open(PLAYERS[0], request)
        assert isinstance(answer, Accepted), answer
        await a_while()
        return answer.id

    async def game(self, **options: object) -> str:
        """Four people, and seat 0 is to bid."""
        table = await self.open(**options)
        for seat, player in enumerate(PLAYERS):
            await self.tables.execute(player, table, TakeSeat(seat))
        await self.tables.execute(PLAYERS[0], table, StartGame())
        return table

    async def history(self, table: str) -> list[Recorded]:
        return list(await self.house.store.read(table))

    async def bids(self, table: str) -> list[BidPlaced]:
        return [r.event for r in await self.history(table) if isinstance(r.event, BidPlaced)]


@asynccontextmanager
async def watched(house: House) -> AsyncIterator[Watched]:
    found = Watched(house)
    yield found
    await found.computers.close()


async def test_computers_bid_at_once_after_a_person_has(house: House) -> None:
    async with watched(house) as room:
        table = await room.open(seat=0, fill=BotLevel.EASY)
        await room.tables.execute(PLAYERS[0], table, PlaceBid(3))
        await until(lambda: not room.computers.busy)
        bids = await room.bids(table)
        assert [made.seat for made in bids] == [0, 1, 2, 3]
        assert not any(made.automatic for made in bids)


async def test_a_table_of_computers_alone_plays_to_its_end(house: House) -> None:
    async with watched(house) as room:
        request = OpenTable({"preset": "classic", "max_rounds": 1}, fill=BotLevel.EASY)
        answer = await room.tables.open(PLAYERS[0], request)
        assert isinstance(answer, Accepted)
        await until(lambda: not room.computers.busy)
        loaded = await room.tables.load(answer.id)
        assert isinstance(loaded.table, Finished)
        assert loaded.table.reason is EndReason.ROUNDS


async def test_what_a_replica_that_died_owed_another_does(house: House) -> None:
    async with watched(house) as room:
        room.tables._followers.clear()  # nobody here looks after it: the process is as good as dead
        table = await room.open(seat=0, fill=BotLevel.EASY)
        await room.tables.execute(PLAYERS[0], table, PlaceBid(3))
        assert len(await room.bids(table)) == 1
        other = room.more(Tables(house.store, room.clock, CountingEntropy()))
        room.clock.time += 2_000
        await room.look(other)
        await until(lambda: not other.busy)
        assert len(await room.bids(table)) == 4
        await other.close()


async def test_of_several_replicas_one_makes_each_move(house: House) -> None:
    async with watched(house) as room:
        others = [room.more(Tables(house.store, room.clock, CountingEntropy())) for _ in range(4)]
        table = await room.open(seat=0, fill=BotLevel.EASY)
        await room.tables.execute(PLAYERS[0], table, PlaceBid(3))
        room.clock.time += 2_000
        await asyncio.gather(*(room.look(other) for other in others))
        await until(lambda: not any(each.busy for each in (room.computers, *others)))
        history = await room.history(table)
        assert [recorded.version for recorded in history] == list(range(1, len(history) + 1))
        assert [made.seat for made in await room.bids(table)] == [0, 1, 2, 3]
        for other in others:
            await other.close()


async def test_when_the_time_is_over_one_legal_move_is_made_and_marked(house: House) -> None:
    async with watched(house) as room:
        table = await room.game(turn_seconds=30)
        await room.later(29.9)
        assert await room.bids(table) == []
        await room.later(0.2)
        (made,) = await room.bids(table)
        assert (made.seat, made.automatic) == (0, True)


async def test_a_restart_costs_nobody_their_time(house: House) -> None:
    async with watched(house) as room:
        table = await room.game(turn_seconds=30)
        await room.later(20)
        again = room.more(Tables(house.store, room.clock, CountingEntropy()))
        await room.look(again)
        assert await room.bids(table) == []
        room.clock.time += 10_000
        await room.look(again)
        assert len(await room.bids(table)) == 1
        await again.close()


async def test_others_who_come_and_go_and_a_look_give_no_new_time(house: House) -> None:
    async with watched(house) as room:
        request = OpenTable({"preset": "lowest-club"}, dealer=3, turn_seconds=30)
        answer = await room.tables.open(PLAYERS[0], request)
        assert isinstance(answer, Accepted)
        table = answer.id
        for seat, player in enumerate(PLAYERS):
            await room.tables.execute(player, table, TakeSeat(seat))
        await room.tables.execute(PLAYERS[0], table, StartGame())
        await room.later(25)
        await room.tables.execute(PLAYERS[0], table, LookAtHand())
        await room.tables.execute(PLAYERS[2], table, LeaveSeat())
        await room.tables.execute(PLAYERS[2], table, TakeSeat(2))
        await room.later(5)
        assert [made.seat for made in await room.bids(table)] == [0]


async def test_who_is_away_is_moved_for_at_once_until_they_come_back(house: House) -> None:
    async with watched(house) as room:
        table = await room.game(turn_seconds=30)
        await room.later(30)
        for player in PLAYERS[1:]:
            await room.tables.execute(player, table, PlaceBid(3))
        await room.later(30)
        plays = [r.event for r in await room.history(table) if isinstance(r.event, CardPlayed)]
        assert [(play.seat, play.automatic) for play in plays] == [(0, True)]
        loaded = await room.tables.load(table)
        assert not isinstance(loaded.table, Finished)
        back = await room.tables.execute(PLAYERS[0], table, ComeBack())
        assert isinstance(back, Accepted)
        assert isinstance(back.updates[0].recorded.event, PlayerBack)


async def test_a_game_that_everybody_has_left_ends_and_says_why(house: House) -> None:
    async with watched(house) as room:
        table = await room.game(turn_seconds=30)
        for player in PLAYERS:
            await room.tables.execute(player, table, LeaveSeat())
        await a_while()
        left = await room.history(table)
        await room.later(60)
        assert await room.history(table) == left  # nobody would see the computers play on
        await room.later(DESERTED_MILLIS / 1000)
        latest = (await room.history(table))[-1].event
        assert latest == GameFinished((), EndReason.ABANDONED)


async def test_one_who_comes_back_in_time_saves_the_game(house: House) -> None:
    async with watched(house) as room:
        table = await room.game(turn_seconds=30)
        for player in PLAYERS:
            await room.tables.execute(player, table, LeaveSeat())
        await room.later(DESERTED_MILLIS / 1000 - 1)
        await room.tables.execute(PLAYERS[0], table, TakeSeat(0))
        await room.later(2)
        assert not isinstance((await room.tables.load(table)).table, Finished)


async def test_a_computer_in_the_empty_seat_plays_on(house: House) -> None:
    async with watched(house) as room:
        table = await room.game()
        await room.tables.execute(PLAYERS[0], table, LeaveSeat())
        await room.tables.execute(PLAYERS[1], table, SeatBot(0))
        await until(lambda: not room.computers.busy)
        assert [made.seat for made in await room.bids(table)] == [0]


async def test_a_table_whose_game_never_begins_is_closed_after_a_day(house: House) -> None:
    async with watched(house) as room:
        table = await room.open()
        await room.later(SEATING_MILLIS / 1000 - 1)
        assert len(await room.history(table)) == 1
        await room.later(1)
        assert (await room.history(table))[-1].event == GameFinished((), EndReason.ABANDONED)


async def test_a_game_without_a_clock_waits_a_week(house: House) -> None:
    async with watched(house) as room:
        table = await room.game()
        await room.later(IDLE_MILLIS / 1000 - 1)
        assert not isinstance((await room.tables.load(table)).table, Finished)
        await room.later(1)
        assert isinstance((await room.tables.load(table)).table, Finished)

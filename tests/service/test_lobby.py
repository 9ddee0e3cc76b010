"""The lobby: what is found there and by whom, being seated, and playing again."""

import asyncio
from collections.abc import Sequence
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spades.commands import Abandon
from spades.deal import deal
from spades.events import BotLevel, GameStarted, SeatTaken, TableOpened
from spades.refusals import RefusalCode, Refused
from spades.rules import PRESETS, Game
from spades.state import Bidding, Opened, Seating, opened
from spades.view import Status
from spades_service import browsing
from spades_service.callers import STRANGER, Caller
from spades_service.lobby import Filter, Lobby
from spades_service.pages import Page, Part, part, read_cursor
from spades_service.ports import Append, Appended, BrokenHistory, Listed, StoreUnavailable
from spades_service.requests import (
    LeaveSeat,
    LookAtHand,
    OpenTable,
    PlaceBid,
    QuickMatch,
    SeatBot,
    StartGame,
    TableRequest,
    TakeSeat,
)
from spades_service.shelves import OPENING_MILLIS, PublicTables, TablesOf
from spades_service.tables import Accepted, Rejected, Tables
from support.house import INVITES, PLAYERS, CountedStore, House, house_on_memory

ANN, BEN, CLEO, DAN = PLAYERS
EVE = Caller(player="eve")
ALL = Filter()
CAMPUS = {"preset": "campus"}
PRIVATE = OpenTable(CAMPUS, private=True, seat=0)
NO_TABLE = Rejected(RefusalCode.NOT_FOUND, "there is no such table")


async def table(house: House, caller: Caller = ANN, **more: object) -> str:
    """A table's id; at a public table of the campus nobody sits unless more is said."""
    answer = await house.tables.open(caller, OpenTable(**{"rules": CAMPUS, **more}))  # type: ignore[arg-type]
    assert isinstance(answer, Accepted), answer
    return answer.id


async def do(house: House, caller: Caller, at: str, request: TableRequest) -> Accepted:
    answer = await house.tables.execute(caller, at, request)
    assert isinstance(answer, Accepted), answer
    return answer


async def at(house: House, table: str) -> Opened:
    return opened((await house.tables.load(table)).table)


async def end(house: House, table: str) -> None:
    """Nobody comes back to this table."""
    await house.tables.house(await house.tables.load(table), Abandon())


def ids(page: Page) -> list[str]:
    return [found.id for found in page.tables]


async def listed(house: House, caller: Caller = EVE, wanted: Filter = ALL) -> list[str]:
    return ids(await house.lobby.public(caller, wanted, Part()))


async def mine(house: House, caller: Caller, wanted: Filter = ALL) -> list[str]:
    return ids(await house.lobby.of(caller, wanted, Part()))


# The list of public tables


async def test_a_table_just_opened_is_the_first_of_the_list(house: House) -> None:
    older, newer = await table(house), await table(house, BEN)
    assert await listed(house) == [newer, older]


async def test_a_stranger_is_told_to_sign_in(house: House) -> None:
    for ask in (house.lobby.public(STRANGER, ALL, Part()), house.lobby.of(STRANGER, ALL, Part())):
        with pytest.raises(Refused, match="UNAUTHENTICATED"):
            await ask
    with pytest.raises(Refused, match="UNAUTHENTICATED"):
        await house.lobby.invited(STRANGER, "code")


async def test_every_platform_has_a_list_of_its_own(house: House) -> None:
    arcade = Caller(platform="arcade", tenant="arcade")
    player = Caller(player="p", tenant="arcade")
    theirs = [await table(house, arcade), await table(house, player)]
    ours = await table(house)
    assert await listed(house, player) == await listed(house, arcade) == theirs[::-1]
    assert await listed(house) == [ours]
    assert await listed(house, Caller(auditor="a", tenant="arcade")) == theirs[::-1]
    assert await listed(house, Caller(admin=True)) == []


async def test_a_list_can_be_of_one_status_or_of_several(house: House) -> None:
    seating = await table(house)
    playing = await table(house, seat=0, fill=BotLevel.EASY)
    finished = await table(house, seat=0, fill=BotLevel.EASY)
    await end(house, finished)
    for statuses, expected in (
        (None, [finished, playing, seating]),
        ({Status.SEATING}, [seating]),
        ({Status.PLAYING}, [playing]),
        ({Status.FINISHED}, [finished]),
        ([Status.FINISHED, Status.SEATING], [finished, seating]),
        ([], []),
    ):
        assert await listed(house, EVE, Filter(statuses=statuses)) == expected


async def test_a_list_can_be_of_a_preset_of_a_game_or_of_tables_with_a_free_seat(
    house: House,
) -> None:
    campus = await table(house)
    to_250 = await table(house, rules={"preset": "campus", "target": 250})
    two = await table(house, rules={"preset": "two-handed"}, seat=0)
    await do(house, BEN, two, TakeSeat(1))
    assert await listed(house, EVE, Filter(preset="campus")) == [campus]
    assert await listed(house, EVE, Filter(game=Game.PARTNERSHIP)) == [to_250, campus]
    assert await listed(house, EVE, Filter(with_free_seat=True)) == [to_250, campus]
    assert await listed(house, EVE, Filter(with_free_seat=False)) == [two]
    assert await listed(house, EVE, Filter(preset="campus", game=Game.TWO_HANDED)) == []


async def test_a_preset_that_there_is_not_is_named(house: House) -> None:
    with pytest.raises(Refused, match="there is no preset 'golf'"):
        await house.lobby.public(EVE, Filter(preset="golf"), Part())


async def test_a_seat_that_was_left_in_a_game_is_free(house: House) -> None:
    game = await house.opened()
    assert await listed(house, EVE, Filter(with_free_seat=True)) == []
    await do(house, PLAYERS[1], game, LeaveSeat())
    assert await listed(house, EVE, Filter([Status.PLAYING], with_free_seat=True)) == [game]


async def test_a_table_that_cannot_be_read_spoils_no_list(house: House) -> None:
    good, bad = await table(house), await table(house)
    await house.store.append(Append(bad, 1, 5, b"k" * 24, (GameStarted(0), GameStarted(0))))
    with pytest.raises(BrokenHistory):
        await house.replica().load(bad)
    lobby = house.lobby_of(house.replica())
    assert ids(await lobby.public(EVE, ALL, Part())) == [good]


# One's own tables


async def test_ones_own_tables_are_those_that_one_has_opened_and_those_where_one_sits(
    house: House,
) -> None:
    hers = await table(house, ANN)
    his = await table(house, BEN, private=True, seat=2)
    assert await mine(house, ANN) == [hers]
    await do(house, ANN, his, TakeSeat(0, INVITES.code(his)))
    assert await mine(house, ANN) == [his, hers]
    await do(house, ANN, his, LeaveSeat())
    assert await mine(house, ANN) == [hers]
    assert await mine(house, BEN) == [his]
    assert await mine(house, EVE) == []
    assert await mine(house, ANN, Filter([Status.PLAYING])) == []


async def test_a_platform_finds_the_tables_that_it_has_opened(house: House) -> None:
    arcade = Caller(platform="arcade", tenant="arcade")
    theirs = await table(house, arcade, private=True)
    assert await mine(house, arcade) == [theirs]


async def test_a_computer_has_no_list(house: House) -> None:
    await table(house, seat=0, fill=BotLevel.EASY)
    assert await house.index.page(TablesOf("computer-1").name, 9) == []


# Written ahead


async def test_a_table_is_on_every_shelf_before_its_events_are_written(house: House) -> None:
    class Watching(CountedStore):
        async def append(self, append: Append) -> Appended:
            for event in append.events:
                match event:
                    case TableOpened(tenant=tenant):
                        await shelved(PublicTables(tenant, Status.SEATING).name, append)
                    case SeatTaken(player=player, level=None):
                        await shelved(TablesOf(player).name, append)
                    case GameStarted():
                        await shelved(PublicTables("", Status.PLAYING).name, append)
            return await super().append(append)

    seen = count()

    async def shelved(shelf: str, append: Append) -> None:
        assert append.table in [there.table for there in await house.index.page(shelf, 9)]
        next(seen)

    tables = house.replica(Watching(house.store.store))
    answer = await tables.open(ANN, OpenTable(CAMPUS, seat=0))
    assert isinstance(answer, Accepted)
    for seat, player in enumerate((BEN, CLEO, DAN), 1):
        await tables.execute(player, answer.id, TakeSeat(seat))
    await tables.execute(ANN, answer.id, StartGame())
    assert next(seen) == 6


async def test_bids_and_plays_cost_the_index_nothing(house: House) -> None:
    game = await house.opened()
    house.index.adds = house.index.pages = 0
    for player in PLAYERS:
        await do(house, player, game, PlaceBid(3))
    assert (house.index.adds, house.index.pages) == (0, 0)


async def test_whatever_changes_the_lists_is_one_round_trip_more(house: House) -> None:
    for request in (TakeSeat(1), LeaveSeat(), TakeSeat(1)):
        game = await house.opened(seated=1, started=False)
        if isinstance(request, LeaveSeat):
            await do(house, BEN, game, TakeSeat(1))
        house.index.adds = 0
        await do(house, BEN, game, request)
        assert house.index.adds == 1


class Dying(CountedStore):
    """The process ends right before the events would be written."""

    async def append(self, append: Append) -> Appended:
        raise StoreUnavailable


async def test_a_table_whose_opening_was_not_written_is_on_no_list(house: House) -> None:
    dying = house.replica(Dying(house.store.store))
    with pytest.raises(StoreUnavailable):
        await dying.open(ANN, OpenTable(CAMPUS, seat=0), "once")
    assert await house.index.page(PublicTables("", Status.SEATING).name, 9) != []
    assert await listed(house) == await mine(house, ANN) == []


async def test_it_is_there_once_when_it_is_opened_again(house: House) -> None:
    dying = house.replica(Dying(house.store.store))
    for _ in range(2):
        with pytest.raises(StoreUnavailable):
            await dying.open(ANN, OpenTable(CAMPUS), "once")
    answer = await house.tables.open(ANN, OpenTable(CAMPUS), "once")
    assert isinstance(answer, Accepted)
    assert await listed(house) == await mine(house, ANN) == [answer.id]


async def test_a_seat_that_was_not_written_is_nobodys(house: House) -> None:
    game = await table(house, BEN)
    dying = house.replica(Dying(house.store.store))
    with pytest.raises(StoreUnavailable):
        await dying.execute(ANN, game, TakeSeat(0))
    assert await mine(house, ANN) == []
    await do(house, ANN, game, TakeSeat(0))
    assert await mine(house, ANN) == [game]


async def test_what_may_come_true_is_never_taken_off_and_what_never_will_is(house: House) -> None:
    shelf = PublicTables("", Status.PLAYING).name
    game = await table(house, seat=0)
    dying = house.replica(Dying(house.store.store))
    for seat in range(1, 4):
        await do(house, ANN, game, SeatBot(seat))
    with pytest.raises(StoreUnavailable):
        await dying.execute(ANN, game, StartGame())
    assert await listed(house, EVE, Filter([Status.PLAYING])) == []
    assert [there.table for there in await house.index.page(shelf, 9)] == [game]
    await do(house, ANN, game, StartGame())
    assert await listed(house, EVE, Filter([Status.PLAYING])) == [game]
    await end(house, game)
    assert await listed(house, EVE, Filter([Status.PLAYING])) == []
    assert await house.index.page(shelf, 9) == []


async def test_a_table_that_was_never_opened_is_forgotten_after_an_hour(house: House) -> None:
    shelf = PublicTables("", Status.SEATING).name
    now = (await house.tables.load(await table(house))).opened
    ghost, young = Listed(now - OPENING_MILLIS - 60_000, "a" * 16), Listed(now - 1, "b" * 16)
    for there in (ghost, young):
        await house.index.add([shelf], there)
    assert len(await listed(house)) == 1
    assert ghost not in await house.index.page(shelf, 9)
    assert young in await house.index.page(shelf, 9)


async def test_a_game_that_is_over_leaves_the_list_of_who_had_left_it(house: House) -> None:
    game = await house.opened()
    await do(house, BEN, game, LeaveSeat())
    assert await mine(house, BEN) == []
    assert len(await house.index.page(TablesOf("player-1").name, 9)) == 1
    await end(house, game)
    assert await mine(house, BEN) == []
    assert await house.index.page(TablesOf("player-1").name, 9) == []
    assert await mine(house, ANN) == [game]


async def test_a_shelf_that_was_lost_is_filled_by_the_next_who_sits_down(house: House) -> None:
    game = await table(house)
    await house.index.remove(
        PublicTables("", Status.SEATING).name,
        await house.index.page(PublicTables("", Status.SEATING).name, 9),
    )
    assert await listed(house) == []
    await do(house, BEN, game, TakeSeat(0))
    assert await listed(house) == [game]


# Pages


class StandingClock:
    """Several things happen in one millisecond."""

    def __init__(self) -> None:
        self._ticks = count(3_000_000)

    def now(self) -> int:
        return next(self._ticks) // 3


async def forwards(house: House, size: int, between: Sequence[int]) -> tuple[list[str], list[str]]:
    """All pages from the first to the last, and the tables that were there at the beginning."""
    there = [found.table for found in await everything(house)]
    seen: list[str] = []
    cursor, more, openings = None, True, iter(between)
    while more:
        page = await house.lobby.public(EVE, ALL, part(size, cursor, None, None))
        assert len(page.tables) <= size
        assert page.before == (cursor is not None)
        seen += ids(page)
        cursor, more = page.end, page.after
        await several(house, next(openings, 0))
    return seen, there


async def backwards(house: House, size: int, between: Sequence[int]) -> tuple[list[str], list[str]]:
    there = [found.table for found in await everything(house)]
    seen: list[str] = []
    cursor, more, openings = None, True, iter(between)
    while more:
        page = await house.lobby.public(EVE, ALL, part(None, None, size, cursor))
        assert len(page.tables) <= size
        assert page.after == (cursor is not None)
        seen = ids(page) + seen
        cursor, more = page.start, page.before
        await several(house, next(openings, 0))
    return seen, there


async def everything(house: House) -> list[Listed]:
    page = await house.lobby.public(EVE, ALL, Part(10_000))
    return [Listed(found.opened, found.id) for found in page.tables]


async def several(house: House, count_: int) -> None:
    for _ in range(count_):
        await table(house)


WALKS = given(
    tables=st.integers(0, 12),
    ghosts=st.integers(0, 6),
    size=st.integers(1, 6),
    between=st.lists(st.integers(0, 3), max_size=5),
    patience=st.sampled_from((2, 5, 1_000)),
)


async def crowded(tables: int, ghosts: int) -> House:
    """A house with tables of every status, and others on its shelves that there are not."""
    house = house_on_memory(StandingClock())
    for number in range(tables):
        at = await table(house, seat=0, fill=BotLevel.EASY if number % 3 else None)
        if number % 3 == 2:
            await end(house, at)
        if number % 4 == 0:
            await table(house, private=True)
    for number in range(ghosts):
        shelf = PublicTables("", list(Status)[number % 3]).name
        await house.index.add([shelf], Listed(1_000_000 + number, f"{'a' * 15}{number + 2}"))
    return house


@WALKS
@settings(max_examples=60)
def test_going_on_from_page_to_page_shows_every_table_once_and_in_order(
    tables: int, ghosts: int, size: int, between: list[int], patience: int
) -> None:
    async def walk() -> None:
        house = await crowded(tables, ghosts)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(browsing, "MOST_LOOKED_AT", patience)
            seen, there = await forwards(house, size, between)
        assert [id_ for id_ in seen if id_ in there] == there
        assert len(seen) == len(set(seen))

    asyncio.run(walk())


@WALKS
@settings(max_examples=60)
def test_going_back_from_page_to_page_shows_every_table_once_and_in_order(
    tables: int, ghosts: int, size: int, between: list[int], patience: int
) -> None:
    async def walk() -> None:
        house = await crowded(tables, ghosts)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(browsing, "MOST_LOOKED_AT", patience)
            seen, there = await backwards(house, size, between)
        assert [id_ for id_ in seen if id_ in there] == there
        assert len(seen) == len(set(seen))
        assert seen == [found.table for found in await everything(house) if found.table in seen]

    asyncio.run(walk())


async def test_a_page_is_looked_at_with_as_many_reads_as_it_has_tables(house: House) -> None:
    await several(house, 30)
    house.store.reads = house.index.pages = 0
    page = await house.lobby.public(EVE, Filter([Status.SEATING]), Part(10))
    assert len(page.tables) == 10
    assert (house.index.pages, house.store.reads) == (1, 11)


async def test_who_looks_for_what_there_is_not_is_sent_on_before_the_whole_list_is_read(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browsing, "MOST_LOOKED_AT", 10)
    await several(house, 40)
    house.store.reads = 0
    page = await house.lobby.public(EVE, Filter(game=Game.SIX_HANDED), Part(5))
    assert (page.tables, page.after) == ((), True)
    assert house.store.reads < 30
    assert page.end is not None


@pytest.mark.parametrize(
    ("first", "after", "last", "before"),
    [
        (0, None, None, None),
        (101, None, None, None),
        (-1, None, None, None),
        (None, None, 0, None),
        (2, None, 2, None),
        (2, None, None, "x"),
        (None, "x", 2, None),
        (None, "", None, None),
        (None, "x", None, None),
        (None, "é", None, None),
        (None, "=", None, None),
        (None, "MTAwOg", None, None),
        (None, "a" * 10_000, None, None),
        (None, None, None, "MTAwOmFhYWFhYWFhYWFhYWFhYWE="),
    ],
)
def test_a_page_that_cannot_be_is_refused(
    first: int | None, after: str | None, last: int | None, before: str | None
) -> None:
    with pytest.raises(Refused, match="BAD_COMMAND") as refused:
        part(first, after, last, before)
    assert len(str(refused.value)) < 300


@given(st.text())
def test_a_cursor_is_read_as_it_was_written_or_not_at_all(text: str) -> None:
    with pytest.raises(Refused):
        read_cursor(text)


def test_a_page_has_twenty_tables_unless_more_are_asked_for() -> None:
    assert part(None, None, None, None) == Part(20)
    assert part(100, None, None, None) == Part(100)
    assert part(None, None, 3, None) == Part(3, backwards=True)


# Private tables


async def test_a_private_table_is_on_no_list(house: House) -> None:
    await house.tables.open(ANN, PRIVATE)
    for caller in (ANN, EVE):
        assert await listed(house, caller) == []


async def test_a_private_table_is_to_others_a_table_that_there_is_not(house: House) -> None:
    hidden = await table(house, private=True, seat=0)
    assert not (await house.tables.load_for(EVE, hidden)).exists
    for request in (TakeSeat(1), LeaveSeat(), StartGame(), LookAtHand(), PlaceBid(3), SeatBot(1)):
        assert await house.tables.execute(EVE, hidden, request) == NO_TABLE
        missing = await house.tables.execute(EVE, "a" * 16, request)
        assert missing == NO_TABLE
    wrong = await house.tables.execute(EVE, hidden, TakeSeat(1, "0123456789"))
    assert wrong == NO_TABLE
    assert await house.tables.execute(EVE, hidden, TakeSeat(1), expected_version=2) == NO_TABLE


async def test_a_private_table_is_there_for_those_whose_it_is(house: House) -> None:
    hidden = await table(house, private=True)
    await do(house, BEN, hidden, TakeSeat(1, INVITES.code(hidden)))
    for caller in (ANN, BEN, Caller(platform="default"), Caller(auditor="a")):
        assert (await house.tables.load_for(caller, hidden)).exists
    for caller in (CLEO, STRANGER, Caller(platform="x", tenant="x"), Caller(admin=True)):
        assert not (await house.tables.load_for(caller, hidden)).exists


async def test_who_leaves_a_private_table_knows_of_it_no_more_but_hears_that_they_left(
    house: House,
) -> None:
    hidden = await table(house, private=True)
    await do(house, BEN, hidden, TakeSeat(1, INVITES.code(hidden)))
    first = await house.tables.execute(BEN, hidden, LeaveSeat(), command_id="bye")
    assert isinstance(first, Accepted)
    assert not (await house.tables.load_for(BEN, hidden)).exists
    assert await house.tables.execute(BEN, hidden, LeaveSeat(), command_id="bye") == first
    assert await house.tables.execute(BEN, hidden, LeaveSeat()) == NO_TABLE


async def test_an_invitation_lets_its_bearer_look_and_sit_down(house: House) -> None:
    hidden = await table(house, private=True)
    code = house.lobby.invite_code(ANN, hidden, await at(house, hidden))
    assert code is not None
    found = await house.lobby.invited(EVE, code)
    assert found.id == hidden
    assert (await house.tables.load_for(EVE, hidden, code)).exists
    await do(house, EVE, hidden, TakeSeat(3, code))
    assert (await house.tables.load_for(EVE, hidden)).exists


async def test_a_code_may_be_written_down_by_hand(house: House) -> None:
    hidden = await table(house, private=True)
    code = INVITES.code(hidden)
    written = f"{code[:5].lower()}-{code[5:]} ".replace("0", "o").replace("1", "l")
    assert (await house.lobby.invited(EVE, written)).id == hidden
    assert INVITES.admits(hidden, written)


async def test_a_code_is_short_and_tells_nothing_to_who_has_no_secret() -> None:
    codes = {INVITES.code(f"table-{number}") for number in range(2_000)}
    assert len(codes) == 2_000
    assert all(len(code) == 10 and not set(code) & set("OIL") for code in codes)
    assert all(sum(code[place] == "0" for code in codes) < 150 for place in range(10))


async def test_a_code_opens_one_table_alone(house: House) -> None:
    one, other = await table(house, private=True), await table(house, private=True)
    code = INVITES.code(one)
    assert not (await house.tables.load_for(EVE, other, code)).exists
    assert not (await house.lobby.invited(EVE, "")).exists
    assert not (await house.lobby.invited(EVE, code[:-1])).exists
    assert not (await house.lobby.invited(EVE, code + "0")).exists
    assert not (await house.lobby.invited(EVE, "?" * 10_000)).exists
    for shape in ("", "\x00", "é", None):
        assert not INVITES.admits(one, shape)


async def test_a_code_opens_nothing_to_another_platforms_players(house: House) -> None:
    hidden = await table(house, private=True)
    other = Caller(player="p", tenant="arcade")
    assert not (await house.lobby.invited(other, INVITES.code(hidden))).exists
    answer = await house.tables.execute(other, hidden, TakeSeat(1, INVITES.code(hidden)))
    assert answer == NO_TABLE


async def test_a_public_table_has_no_code_and_an_auditor_gets_none(house: House) -> None:
    public, hidden = await table(house), await table(house, private=True)
    assert house.lobby.invite_code(ANN, public, await at(house, public)) is None
    auditor = Caller(auditor="a")
    assert house.lobby.invite_code(auditor, hidden, await at(house, hidden)) is None
    assert not (await house.lobby.invited(EVE, INVITES.code(public))).exists


# Quick match


async def match(
    lobby: Lobby, caller: Caller, command_id: str | None = None, **more: object
) -> Accepted:
    request = QuickMatch(**{"rules": CAMPUS, **more})  # type: ignore[arg-type]
    answer = await lobby.quick_match(caller, request, command_id)
    assert isinstance(answer, Accepted), answer
    return answer


def seat(answer: Accepted, caller: Caller) -> tuple[str, int]:
    return answer.id, opened(answer.table).match.players.index(caller.player)


async def test_who_finds_nobody_waits_at_a_table_of_their_own(house: House) -> None:
    answer = await match(house.lobby, ANN)
    assert isinstance(answer.table, Seating)
    assert seat(answer, ANN) == (answer.id, 0)
    assert await listed(house) == [answer.id]


async def test_four_who_ask_one_after_the_other_are_a_game(house: House) -> None:
    answers = [await match(house.lobby, player) for player in PLAYERS]
    assert {answer.id for answer in answers} == {answers[0].id}
    assert isinstance(answers[2].table, Seating)
    assert isinstance(answers[3].table, Bidding)
    assert [type(u.recorded.event).__name__ for u in answers[3].updates] == [
        "SeatTaken",
        "GameStarted",
        "RoundDealt",
    ]


async def test_a_table_that_somebody_has_opened_by_hand_is_as_good(house: House) -> None:
    waiting = await table(house, EVE, seat=2)
    assert seat(await match(house.lobby, ANN), ANN) == (waiting, 0)


async def test_who_has_waited_longest_is_joined_first(house: House) -> None:
    older, newer = await table(house, BEN, seat=0), await table(house, CLEO, seat=0)
    assert (await match(house.lobby, ANN)).id == older != newer


@pytest.mark.parametrize(
    "other",
    [
        {"rules": {"preset": "campus", "target": 250}},
        {"rules": {"preset": "classic"}},
        {"turn_seconds": 30},
        {"private": True},
    ],
)
async def test_a_table_that_plays_something_else_is_left_alone(
    house: House, other: dict[str, object]
) -> None:
    waiting = await table(house, EVE, seat=0, **other)
    assert (await match(house.lobby, ANN)).id != waiting


async def test_the_same_rules_said_otherwise_are_the_same_rules(house: House) -> None:
    waiting = await table(house, EVE, seat=0, turn_seconds=30)
    rules = {"preset": "campus", "target": 500}
    assert (await match(house.lobby, ANN, rules=rules, turn_seconds=30)).id == waiting


async def test_nobody_is_matched_into_set_deals_another_platform_or_a_full_table(
    house: House,
) -> None:
    hands, _ = deal(PRESETS["campus"].rules, 0, bytes(32))
    set_deals = await table(house, Caller(platform="default"), deals=(hands,))
    elsewhere = await table(house, Caller(platform="arcade", tenant="arcade"))
    full = await table(house, EVE)
    for place, player in enumerate(("a", "b", "c", "d")):
        await do(house, Caller(player=player), full, TakeSeat(place))
    answer = await match(house.lobby, ANN)
    assert answer.id not in {set_deals, elsewhere, full}


async def test_a_second_match_is_a_second_table(house: House) -> None:
    first, second = await match(house.lobby, ANN), await match(house.lobby, ANN)
    assert first.id != second.id
    assert seat(await match(house.lobby, BEN), BEN) == (first.id, 1)


async def test_with_computers_a_match_begins_at_once(house: House) -> None:
    answer = await match(house.lobby, ANN, fill=BotLevel.EASY)
    assert isinstance(answer.table, Bidding)
    assert answer.table.match.bots == (None, *(BotLevel.EASY,) * 3)


async def test_computers_take_only_the_seats_that_are_left(house: House) -> None:
    waiting = await table(house, EVE, seat=1)
    answer = await match(house.lobby, ANN, fill=BotLevel.EASY)
    assert answer.id == waiting
    assert opened(answer.table).match.bots == (None, None, BotLevel.EASY, BotLevel.EASY)
    assert isinstance(answer.table, Bidding)


@pytest.mark.parametrize("fill", [None, BotLevel.EASY])
async def test_a_match_asked_for_again_is_the_same_seat(
    house: House, fill: BotLevel | None
) -> None:
    await table(house, EVE, seat=0)
    first = await match(house.lobby, ANN, "one", fill=fill)
    other = house.lobby_of(house.replica())
    assert await match(house.lobby, ANN, "one", fill=fill) == first
    assert await match(other, ANN, "one", fill=fill) == first
    assert await mine(house, ANN) == [first.id]


async def test_a_match_of_the_last_seat_asked_for_again_is_the_same_seat(house: House) -> None:
    answers = [await match(house.lobby, player, "one") for player in PLAYERS]
    for player, answer in zip(PLAYERS, answers, strict=True):
        assert await match(house.lobby_of(house.replica()), player, "one") == answer


async def test_the_same_command_id_for_another_match_is_refused(house: House) -> None:
    await match(house.lobby, ANN, "one")
    answer = await house.lobby.quick_match(ANN, QuickMatch(CAMPUS, turn_seconds=30), "one")
    assert isinstance(answer, Rejected)
    assert answer.code is RefusalCode.COMMAND_ID_REUSED


async def test_a_match_whose_answer_was_lost_is_found_again(house: House) -> None:
    class Deaf(CountedStore):
        async def append(self, append: Append) -> Appended:
            await super().append(append)
            raise StoreUnavailable

    waiting = await table(house, EVE, seat=0)
    deaf = house.lobby_of(house.replica(Deaf(house.store.store)))
    with pytest.raises(StoreUnavailable):
        await deaf.quick_match(ANN, QuickMatch(CAMPUS, fill=BotLevel.EASY), "one")
    again = await match(house.lobby, ANN, "one", fill=BotLevel.EASY)
    assert again.id == waiting
    assert await mine(house, ANN) == [waiting]


async def test_a_match_that_was_not_written_costs_nobody_anything(house: House) -> None:
    dying = house.lobby_of(house.replica(Dying(house.store.store)))
    with pytest.raises(StoreUnavailable):
        await dying.quick_match(ANN, QuickMatch(CAMPUS), "one")
    assert await listed(house) == []
    first, second = await match(house.lobby, BEN), await match(house.lobby, ANN, "one")
    assert first.id == second.id


async def test_two_who_ask_at_once_sit_at_one_table(house: House) -> None:
    for _ in range(20):
        house = house_on_memory()
        lobbies = (house.lobby, house.lobby_of(house.replica()))
        answers = await asyncio.gather(
            *(match(lobby, player) for lobby, player in zip(lobbies, PLAYERS, strict=False))
        )
        assert len({answer.id for answer in answers}) == 1
        assert len({seat(*pair) for pair in zip(answers, PLAYERS, strict=False)}) == 2


async def test_a_hundred_who_ask_at_once_are_twenty_five_games(house: House) -> None:
    lobbies = [house.lobby, *(house.lobby_of(house.replica()) for _ in range(2))]
    players = [Caller(player=f"p{number}") for number in range(100)]
    answers = await asyncio.gather(
        *(match(lobbies[number % 3], player) for number, player in enumerate(players))
    )
    seats = {seat(*pair) for pair in zip(answers, players, strict=True)}
    assert len(seats) == 100
    assert len({table_ for table_, _ in seats}) == 25
    for table_ in {table_ for table_, _ in seats}:
        assert isinstance(await at(house, table_), Bidding)


async def test_the_same_command_twice_at_once_is_one_seat(house: House) -> None:
    for _ in range(10):
        house = house_on_memory()
        await table(house, EVE, seat=0)
        answers = await asyncio.gather(*(match(house.lobby, ANN, "one") for _ in range(3)))
        assert answers[0] == answers[1] == answers[2]


async def test_who_may_not_be_matched_is_told_why(house: House) -> None:
    for caller, code in (
        (STRANGER, RefusalCode.UNAUTHENTICATED),
        (Caller(platform="default"), RefusalCode.NOT_ALLOWED),
        (Caller(auditor="a"), RefusalCode.NOT_ALLOWED),
    ):
        answer = await house.lobby.quick_match(caller, QuickMatch(CAMPUS))
        assert isinstance(answer, Rejected)
        assert answer.code is code
    for request, code in (
        (QuickMatch({"preset": "golf"}), RefusalCode.UNKNOWN_PRESET),
        (QuickMatch({"preset": "campus", "target": 0}), RefusalCode.BAD_RULES),
        (QuickMatch(CAMPUS, turn_seconds=1), RefusalCode.BAD_COMMAND),
        (QuickMatch(CAMPUS, fill=BotLevel.HARD), RefusalCode.BAD_COMMAND),
    ):
        answer = await house.lobby.quick_match(ANN, request)
        assert isinstance(answer, Rejected)
        assert answer.code is code
    assert await listed(house) == []


async def test_too_many_games_at_once_is_an_answer(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spades_service.quick_match.MOST_NUMBERS", 0)
    answer = await house.lobby.quick_match(ANN, QuickMatch(CAMPUS))
    assert isinstance(answer, Rejected)
    assert answer.code is RefusalCode.VERSION_CONFLICT


# Playing again


async def finished(house: House, *, private: bool = False) -> str:
    request = OpenTable({"preset": "classic"}, dealer=3, private=private, turn_seconds=30)
    answer = await house.tables.open(ANN, request)
    assert isinstance(answer, Accepted)
    for place, player in enumerate(PLAYERS):
        await do(house, player, answer.id, TakeSeat(place, INVITES.code(answer.id)))
    await do(house, ANN, answer.id, StartGame())
    await end(house, answer.id)
    return answer.id


async def again(house: House, caller: Caller, old: str, command_id: str | None = None) -> Accepted:
    answer = await house.lobby.rematch(caller, old, command_id)
    assert isinstance(answer, Accepted), answer
    return answer


@pytest.mark.parametrize("private", [False, True])
async def test_all_who_played_play_again_each_one_seat_further(
    house: House, *, private: bool
) -> None:
    old = await finished(house, private=private)
    answers = [await again(house, player, old) for player in (CLEO, ANN, DAN, BEN)]
    assert len({answer.id for answer in answers}) == 1
    assert isinstance(answers[2].table, Seating)
    begun = answers[3].table
    assert isinstance(begun, Bidding)
    then, now = (await at(house, old)).match, begun.match
    assert now.players == (DAN.player, ANN.player, BEN.player, CLEO.player)
    assert (now.rules, now.turn_seconds, now.private) == (then.rules, 30, private)
    assert now.dealer == 3


async def test_the_first_deal_is_another_players(house: House) -> None:
    old = await finished(house)
    answers = [await again(house, player, old) for player in PLAYERS]
    table_ = opened(answers[-1].table)
    assert table_.match.players[table_.match.dealer or 0] == CLEO.player
    assert (await at(house, old)).match.players[3] == DAN.player


async def test_computers_are_there_at_once(house: House) -> None:
    old = await table(house, rules=CAMPUS, seat=1, fill=BotLevel.EASY)
    await end(house, old)
    answer = await again(house, ANN, old)
    assert isinstance(answer.table, Bidding)
    assert answer.table.match.players[2] == ANN.player
    assert answer.table.match.bots == (BotLevel.EASY, BotLevel.EASY, None, BotLevel.EASY)


async def test_a_finished_table_names_its_rematch_once_there_is_one(house: House) -> None:
    old = await finished(house)
    assert await house.lobby.rematch_of(old, await at(house, old)) is None
    new = (await again(house, ANN, old)).id
    for lobby in (house.lobby, house.lobby_of(house.replica())):
        assert await lobby.rematch_of(old, await at(house, old)) == new
    assert await house.lobby.rematch_of(new, await at(house, new)) is None


async def test_a_rematch_can_be_played_again(house: House) -> None:
    old = await finished(house)
    *_, new = [(await again(house, player, old)).id for player in PLAYERS]
    await end(house, new)
    newest = await again(house, ANN, new)
    assert newest.id not in {old, new}
    assert seat(newest, ANN) == (newest.id, 2)


async def test_a_rematch_asked_for_again_is_the_same_seat(house: House) -> None:
    old = await finished(house)
    first = await again(house, ANN, old, "one")
    assert await again(house, ANN, old, "one") == first
    other = house.lobby_of(house.replica())
    assert await other.rematch(ANN, old, "one") == first
    twice = await house.lobby.rematch(ANN, old)
    assert isinstance(twice, Rejected)
    assert twice.code is RefusalCode.ALREADY_SEATED


async def test_all_who_ask_at_once_get_one_table(house: House) -> None:
    old = await finished(house)
    lobbies = (house.lobby, house.lobby_of(house.replica())) * 2
    answers = await asyncio.gather(
        *(lobby.rematch(player, old) for lobby, player in zip(lobbies, PLAYERS, strict=True))
    )
    assert len({answer.id for answer in answers if isinstance(answer, Accepted)}) == 1
    assert all(isinstance(answer, Accepted) for answer in answers), answers
    (new,) = {answer.id for answer in answers if isinstance(answer, Accepted)}
    assert isinstance(await at(house, new), Bidding)


async def test_only_who_has_played_may_ask(house: House) -> None:
    old, hidden = await finished(house), await finished(house, private=True)
    answer = await house.lobby.rematch(EVE, old)
    assert isinstance(answer, Rejected)
    assert answer.code is RefusalCode.NOT_SEATED
    assert await house.lobby.rematch(EVE, hidden) == NO_TABLE
    assert await house.lobby.rematch(EVE, "nonsense") == NO_TABLE
    stranger = await house.lobby.rematch(STRANGER, old)
    assert isinstance(stranger, Rejected)
    assert stranger.code is RefusalCode.UNAUTHENTICATED
    assert await house.lobby.rematch_of(old, await at(house, old)) is None


async def test_a_game_that_goes_on_or_never_began_is_not_played_again(house: House) -> None:
    playing, never = await house.opened(), await house.opened(started=False)
    await end(house, never)
    for old in (playing, never):
        answer = await house.lobby.rematch(ANN, old)
        assert isinstance(answer, Rejected)
        assert answer.code is RefusalCode.WRONG_PHASE


async def test_a_seat_of_somebody_who_left_stays_free(house: House) -> None:
    old = await house.opened()
    await do(house, DAN, old, LeaveSeat())
    await end(house, old)
    answer = await house.lobby.rematch(DAN, old)
    assert isinstance(answer, Rejected)
    assert answer.code is RefusalCode.NOT_SEATED
    for player in (ANN, BEN, CLEO):
        last = await again(house, player, old)
    assert opened(last.table).match.players == (None, ANN.player, BEN.player, CLEO.player)
    assert isinstance(last.table, Seating)


async def test_seats_of_a_rematch_are_kept_for_those_who_played(house: House) -> None:
    old = await finished(house)
    new = (await again(house, ANN, old)).id
    elsewhere = await match(house.lobby, EVE, rules={"preset": "classic"}, turn_seconds=30)
    assert elsewhere.id != new


async def test_tables_without_an_announcer_are_played_all_the_same(house: House) -> None:
    plain = Tables(house.store, StandingClock(), house.tables._entropy)
    answer = await plain.open(ANN, OpenTable(CAMPUS))
    assert isinstance(answer, Accepted)
    assert await listed(house) == []

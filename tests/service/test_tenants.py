"""Tenants: a table of another's is, in every answer, a table that there is not."""

import pytest

from spades.cards import Card
from spades.refusals import RefusalCode
from spades.state import Seating
from spades_service.callers import STRANGER, Caller
from spades_service.requests import (
    AskRedeal,
    ComeBack,
    DrawCard,
    ExchangeCards,
    LeaveSeat,
    LookAtHand,
    OpenTable,
    PlaceBid,
    PlayCard,
    SeatBot,
    StartGame,
    TableRequest,
    TakeSeat,
)
from spades_service.tables import Accepted, Loaded, Rejected, visible_to
from support.house import PLAYERS, House

CLASSIC = OpenTable({"preset": "classic"}, dealer=3)
ARCADE = Caller(platform="arcade", tenant="arcade")
ANN = Caller(player="ann", tenant="arcade")
EVE = Caller(auditor="eve", tenant="arcade")
BOB = Caller(player="bob", tenant="club")
CLUB = Caller(platform="club", tenant="club")
ADMIN = Caller(admin=True)
GUEST = PLAYERS[0]

NOTHING = Rejected(RefusalCode.NOT_FOUND, "there is no such table")
REQUESTS: tuple[TableRequest, ...] = (
    TakeSeat(0),
    LeaveSeat(),
    SeatBot(1),
    ComeBack(),
    StartGame(),
    LookAtHand(),
    PlaceBid(3),
    ExchangeCards((Card.S2,)),
    DrawCard(keep=True),
    PlayCard(Card.SA),
    AskRedeal(),
)
OTHERS = pytest.mark.parametrize(
    "other", [BOB, CLUB, GUEST, ADMIN, Caller(auditor="eve", tenant="club")]
)


async def opened(house: House, caller: Caller = ARCADE) -> str:
    answer = await house.tables.open(caller, CLASSIC)
    assert isinstance(answer, Accepted)
    return answer.id


async def test_every_request_that_there_is_is_tried_here() -> None:
    assert {type(request) for request in REQUESTS} == set(TableRequest.__args__)


async def test_a_table_is_of_the_tenant_of_who_opened_it(house: House) -> None:
    for caller in (ARCADE, ANN, GUEST):
        loaded = await house.tables.load(await opened(house, caller))
        assert isinstance(loaded.table, Seating)
        assert loaded.table.match.tenant == caller.tenant


async def test_a_tenants_own_people_see_its_tables(house: House) -> None:
    table = await opened(house)
    for caller in (ARCADE, ANN, EVE):
        assert (await house.tables.load_for(caller, table)).version == 1


@OTHERS
async def test_anothers_table_reads_like_one_that_there_is_not(house: House, other: Caller) -> None:
    table, none = await opened(house), "a" * 16
    assert await house.tables.load_for(other, table) == Loaded(table)
    assert await house.tables.load_for(other, none) == Loaded(none)


@OTHERS
@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: type(request).__name__)
async def test_a_command_at_anothers_table_is_answered_as_at_none(
    house: House, other: Caller, request_: TableRequest
) -> None:
    table = await opened(house)
    for tables in (house.tables, house.replica()):
        for expected in (None, 1, 7):
            answer = await tables.execute(
                other, table, request_, command_id="c", expected_version=expected
            )
            assert answer == NOTHING
            assert answer == await tables.execute(
                other, "a" * 16, request_, command_id="c", expected_version=expected
            )
    assert (await house.tables.load(table)).version == 1


async def test_a_stranger_learns_no_version_of_any_table(house: House) -> None:
    table = await opened(house, GUEST)
    answer = await house.tables.execute(STRANGER, table, StartGame())
    assert isinstance(answer, Rejected)
    assert (answer.code, answer.version) == (RefusalCode.UNAUTHENTICATED, None)
    assert visible_to(STRANGER, await house.tables.load(table)) == Loaded(table)


async def test_two_tenants_may_use_the_same_command_ids_and_names(house: House) -> None:
    first = await house.tables.open(ARCADE, CLASSIC, "mine")
    second = await house.tables.open(CLUB, CLASSIC, "mine")
    assert isinstance(first, Accepted)
    assert isinstance(second, Accepted)
    assert first.id != second.id


async def test_guests_sit_at_the_tables_of_the_house(house: House) -> None:
    table = await opened(house, Caller(platform="default"))
    for seat, player in enumerate(PLAYERS):
        assert isinstance(await house.tables.execute(player, table, TakeSeat(seat)), Accepted)


async def test_a_platforms_players_play_at_its_table(house: House) -> None:
    table = await opened(house)
    for seat in range(4):
        player = Caller(player=f"p{seat}", tenant="arcade")
        assert isinstance(await house.tables.execute(player, table, TakeSeat(seat)), Accepted)
    assert isinstance(await house.tables.execute(ARCADE, table, StartGame()), Accepted)


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: type(request).__name__)
async def test_an_auditor_moves_nothing(house: House, request_: TableRequest) -> None:
    table = await opened(house)
    answer = await house.tables.execute(EVE, table, request_)
    assert isinstance(answer, Rejected)
    assert (answer.code, answer.version) == (RefusalCode.NOT_ALLOWED, 1)


@pytest.mark.parametrize("caller", [EVE, ADMIN])
async def test_auditors_and_the_admin_open_no_tables(house: House, caller: Caller) -> None:
    for request in (CLASSIC, OpenTable({"preset": "classic"}, seat=0)):
        answer = await house.tables.open(caller, request)
        assert isinstance(answer, Rejected)
        assert answer.code is RefusalCode.NOT_ALLOWED

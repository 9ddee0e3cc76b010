"""What is executed once for many is what each would have been told alone, and nobody else's."""

import asyncio
from contextlib import aclosing
from typing import Any, Final

import msgspec
import pytest
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext
from strawberry.types import ExecutionResult

from spades.rules import PRESETS
from spades_schema.build import Schema, build_schema
from spades_schema.context import Context
from spades_schema.shared import Shared
from spades_service.callers import STRANGER, Caller
from spades_service.requests import LeaveSeat, PlaceBid, StartGame, TakeSeat
from spades_service.services import Services
from support.client import SUBSCRIPTION
from support.house import PLAYERS, House
from support.on_memory import services_on, told
from support.play_out import play_out
from support.waiting import a_while, until

SPECTATOR: Final = Caller(player="somebody else")
PLATFORM: Final = Caller(platform="default")
AUDITOR: Final = Caller(auditor="somebody careful")
CALLERS: Final = (*PLAYERS, SPECTATOR, PLATFORM, AUDITOR)
TABLE_ID: Final = "aaaaaaaaaaaaaaaa"
ALIASED: Final = """
subscription Watch($table: ID!, $after: Int = 0) {
  happened: tableEvents(tableId: $table, after: $after) {
    __typename
    table { who: seat cards: hand rules { preset sheet { title sentences } } ...Seats }
    event { at ... on RoundDealt { hand } ...on CardPlayed { it: card } }
    table { hand version }
  }
}
fragment Seats on Table { seats { number player { name } } seats { bid } deadline }
"""


@pytest.fixture(scope="module")
def schema() -> Schema:
    """As Strawberry and graphql-core would execute it, with nothing of our own."""
    schema = build_schema()
    schema.execution_context_class = StrawberryGraphQLCoreExecutionContext
    return schema


@pytest.fixture(scope="module")
def own() -> Schema:
    return build_schema()


@pytest.fixture
def shared(own: Schema) -> Shared:
    return Shared(own)


@pytest.fixture
def services(house: House) -> Services:
    return services_on(house)


async def alone(
    schema: Schema, context: Context, document: str, variables: dict[str, Any], count: int
) -> list[str]:
    """What the usual way tells one subscriber."""
    found: list[str] = []
    async with aclosing(await schema.stream(document, variables, context)) as results:
        async for result in results:
            assert isinstance(result, ExecutionResult)
            found.append(written(result))
            if len(found) == count:
                break
    return found


def written(result: ExecutionResult) -> str:
    content: dict[str, Any] = {"data": result.data}
    if result.errors:
        content["errors"] = [error.formatted for error in result.errors]
    return msgspec.json.encode(content).decode()


async def together(
    shared: Shared, context: Context, document: str, variables: dict[str, Any], count: int
) -> list[str]:
    """What the shared way tells one subscriber."""
    watch = shared.watch(context, document, variables, None)
    assert watch is not None
    found: list[str] = []
    async with aclosing(shared.payloads(watch, context)) as payloads:
        async for payload in payloads:
            found.append(payload)
            if len(found) == count:
                break
    return found


@pytest.mark.parametrize("document", [SUBSCRIPTION, ALIASED], ids=["whole", "aliased"])
@pytest.mark.parametrize("preset", ["modern", "two-handed", "three-handed"])
async def test_each_viewer_is_told_word_for_word_what_they_are_told_alone(  # noqa: PLR0917
    schema: Schema, shared: Shared, house: House, services: Services, preset: str, document: str
) -> None:
    events = play_out(PRESETS[preset].rules, seed=7, rounds=1)[:40]
    await told(house, TABLE_ID, events)
    variables = {"table": TABLE_ID, "after": 0}
    for caller in CALLERS:
        context = Context(services, caller)
        usual = await alone(schema, context, document, variables, len(events))
        for _ in range(2):
            shown = await together(shared, context, document, variables, len(events))
            assert shown == usual


async def test_those_who_are_shown_the_same_share_one_execution(
    shared: Shared, house: House, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    shows = 0
    show = Services.show

    async def counted(self: Services, *given: Any, **more: Any) -> Any:
        nonlocal shows
        shows += 1
        return await show(self, *given, **more)

    monkeypatch.setattr(Services, "show", counted)
    table = await house.opened()
    watching = [
        asyncio.create_task(
            together(shared, Context(services, caller), SUBSCRIPTION, {"table": table}, 2)
        )
        for caller in (*PLAYERS, *PLAYERS, SPECTATOR, Caller(player="another"), AUDITOR)
    ]
    await until(lambda: services.live.watchers == len(watching))
    await a_while()
    for player in PLAYERS[:2]:
        await house.tables.execute(player, table, PlaceBid(3))
    await asyncio.gather(*watching)
    # Each of two updates for four seats, for those without one, and for auditors.
    assert shows == 2 * (4 + 1 + 1)


async def test_who_sits_down_while_watching_sees_their_cards_from_then_on(
    shared: Shared, house: House, services: Services
) -> None:
    table = await house.opened(seated=3, started=False)
    newcomer = Context(services, PLAYERS[3])
    watching = asyncio.create_task(
        together(shared, newcomer, SUBSCRIPTION, {"table": table, "after": None}, 3)
    )
    spectating = asyncio.create_task(
        together(shared, Context(services, SPECTATOR), SUBSCRIPTION, {"table": table}, 3)
    )
    await until(lambda: services.live.watchers == 2)
    await house.tables.execute(PLAYERS[3], table, TakeSeat(3))
    await house.tables.execute(PLAYERS[0], table, StartGame())
    hands = [table_of(payload)["hand"] for payload in await watching]
    assert [len(hand or ()) for hand in hands] == [0, 0, 13]
    assert [table_of(payload)["hand"] for payload in await spectating] == [None, None, None]


async def test_who_gets_up_while_watching_is_told_what_every_spectator_is(
    shared: Shared, house: House, services: Services
) -> None:
    table = await house.opened(started=False)
    context = Context(services, PLAYERS[0])
    await house.tables.execute(PLAYERS[0], table, LeaveSeat())
    shown = await together(shared, context, SUBSCRIPTION, {"table": table, "after": 0}, 6)
    assert [table_of(payload)["seat"] for payload in shown] == [None, 0, 0, 0, 0, None]


def table_of(payload: str) -> dict[str, Any]:
    table: dict[str, Any] = msgspec.json.decode(payload)["data"]["tableEvents"]["table"]
    return table


async def test_what_fails_for_one_viewer_is_told_to_that_one_and_masked(
    shared: Shared, house: House, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await house.opened()
    variables = {"table": table, "after": 6}
    context = Context(services, PLAYERS[0])
    watch = shared.watch(context, SUBSCRIPTION, variables, None)
    assert watch is not None

    class Broken:
        version = 7

        @property
        def id(self) -> str:
            raise RuntimeError("the secret of the house")

    async def broken(*_: Any, **__: Any) -> Any:
        return Broken()

    with monkeypatch.context() as patched:
        patched.setattr(Services, "show", broken)
        (failed,) = await together(shared, context, SUBSCRIPTION, variables, 1)
    assert "something went wrong here" in failed
    assert "secret" not in failed
    (whole,) = await together(shared, context, SUBSCRIPTION, variables, 1)
    assert "errors" not in msgspec.json.decode(whole)


UNUSUAL: Final = {
    "a directive with a variable": "subscription($table: ID!, $no: Boolean = false) "
    "{ tableEvents(tableId: $table) { table { id hand @include(if: $no) } } }",
    "a directive in a fragment": "subscription($table: ID!) { tableEvents(tableId: $table) "
    "{ ...F } } fragment F on TableUpdate { table { id @skip(if: true) version } }",
    "a query": "query($table: ID!) { table(id: $table) { id } }",
    "no such field": "subscription($table: ID!) { tableEvents(tableId: $table) { secrets } }",
    "no document": "subscription {",
}


@pytest.mark.parametrize("document", UNUSUAL.values(), ids=UNUSUAL)
def test_what_is_not_plain_goes_the_usual_way(
    shared: Shared, services: Services, document: str
) -> None:
    assert shared.watch(Context(services), document, {"table": "t"}, None) is None


@pytest.mark.parametrize("variables", [{}, {"table": None}, {"table": "t", "after": "x"}, None])
def test_variables_that_do_not_fit_go_the_usual_way_and_spoil_nothing(
    shared: Shared, services: Services, variables: dict[str, Any] | None
) -> None:
    assert shared.watch(Context(services), SUBSCRIPTION, variables, None) is None
    assert shared.watch(Context(services), SUBSCRIPTION, {"table": "t"}, None) is not None


@pytest.mark.parametrize(
    ("caller", "after", "code"),
    [
        (STRANGER, 0, "UNAUTHENTICATED"),
        (PLAYERS[0], 8, "BAD_COMMAND"),
        (PLAYERS[0], -1, "BAD_COMMAND"),
        (Caller(player="p", tenant="another"), 0, "NOT_FOUND"),
    ],
)
async def test_a_watch_that_cannot_begin_is_refused_as_it_is_alone(  # noqa: PLR0917
    schema: Schema,
    shared: Shared,
    house: House,
    services: Services,
    caller: Caller,
    after: int,
    code: str,
) -> None:
    table = await house.opened()
    context, variables = Context(services, caller), {"table": table, "after": after}
    refused = await together(shared, context, SUBSCRIPTION, variables, 2)
    assert refused == await alone(schema, context, SUBSCRIPTION, variables, 2)
    (error,) = msgspec.json.decode(refused[0])["errors"]
    assert error["extensions"]["code"] == code


async def test_a_cursor_ahead_of_the_table_is_told_where_the_table_is(
    shared: Shared, house: House, services: Services
) -> None:
    table = await house.opened()
    context = Context(services, PLAYERS[0])
    (payload,) = await together(shared, context, SUBSCRIPTION, {"table": table, "after": 99}, 2)
    (error,) = msgspec.json.decode(payload)["errors"]
    assert error["extensions"]["version"] == 7
    assert "read the table again" in error["message"]

"""Nothing answers to anybody unless it is written here that it does.

Every field of the schema and every route of the application is tried by a stranger, with a token
that is none, and by a player of another tenant. What is new is denied to all three, or stands in
one of the lists below, where a reader sees who it is for.
"""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final
from warnings import catch_warnings

import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    build_schema,
    get_named_type,
    is_composite_type,
    is_required_argument,
    is_required_input_field,
)
from litestar.routes import HTTPRoute, WebSocketRoute
from msgspec import Struct

from spades_schema import build
from spades_schema.controller import graphql_controller
from spades_service.app import create_app
from support.client import Json, User, visiting
from support.service import Service, running

Route = tuple[str, str]

ADMIN_KEY: Final = "the-key-of-the-one-who-administers"

FIELDS_FOR_EVERYBODY: Final = {"Query.ruleSets", "Query.me"}
"""The rules are no secret, and `me` is nobody for a stranger."""
FIELDS_FOR_WHOEVER_IS_SIGNED_IN: Final = {
    *FIELDS_FOR_EVERYBODY,
    "Query.tables",
    "Query.myTables",
    "Mutation.openTable",
    "Mutation.quickMatch",
}
"""What is no other tenant's; each is searched for the other tenant's table all the same."""

FIELDS_OF_ONES_OWN: Final = {"Subscription.myTurns"}
"""What tells of one's own tables alone, and is silent until one of them waits: see
`test_my_turns.py`."""

ROUTES_FOR_EVERYBODY: Final[set[Route]] = {
    ("GET", "/v1/rule-sets"),
    ("POST", "/v1/guests"),
    ("GET", "/health/live"),
    ("GET", "/health/ready"),
    ("GET", "/docs"),
    ("GET", "/docs/scalar"),
    ("GET", "/docs/swagger"),
    ("GET", "/docs/{path}"),
    ("GET", "/docs/openapi.json"),
    ("GET", "/docs/oauth2-redirect.html"),
    # Field by field, below.
    ("GET", "/graphql"),
    ("POST", "/graphql"),
    ("WEBSOCKET", "/graphql"),
}
ROUTES_FOR_WHOEVER_IS_SIGNED_IN: Final[set[Route]] = {
    *ROUTES_FOR_EVERYBODY,
    ("GET", "/v1/tables"),
    ("GET", "/v1/me/tables"),
    ("GET", "/v1/me/turns"),
    ("POST", "/v1/tables"),
    ("POST", "/v1/quick-match"),
    ("POST", "/v1/tokens"),
}

BODIES: Final[dict[Route, Json]] = {
    ("POST", "/v1/players"): {"externalId": "u-17", "name": "Ann"},
    ("POST", "/v1/auditors"): {"name": "Eve"},
    ("POST", "/v1/tables"): {"rules": {"preset": "campus"}},
    ("POST", "/v1/quick-match"): {"rules": {"preset": "campus"}},
    ("POST", "/v1/tables/{table}/commands"): {"type": "takeSeat", "seat": 0},
    ("POST", "/v1/admin/platforms"): {"name": "Arcade"},
    ("POST", "/v1/admin/keys/{key}/rotate"): {},
}
"""What is sent, where a request without a body would be refused for that alone."""

DENIED: Final = {"UNAUTHENTICATED", "NOT_FOUND", "NOT_ALLOWED"}


def schema() -> GraphQLSchema:
    return build_schema(build.build_schema().as_str())


def fields() -> Iterator[tuple[str, GraphQLField]]:
    found = schema()
    for root in (found.query_type, found.mutation_type, found.subscription_type):
        assert root is not None
        for name, field in root.fields.items():
            yield f"{root.name}.{name}", field


def routes() -> Iterator[Route]:
    services: Any = None
    face = graphql_controller(build.build_schema(), graphiql=False)
    # How handlers name what they depend on changes with the framework's next major version.
    with catch_warnings(action="ignore", category=DeprecationWarning):
        app = create_app(services, faces=[face])
    for route in app.routes:
        if isinstance(route, HTTPRoute):
            for method in sorted(route.methods - {"OPTIONS"}):
                yield method, route.path_format
        else:
            assert isinstance(route, WebSocketRoute), "nothing else is known to be denied"
            yield "WEBSOCKET", route.path_format


FIELDS: Final = dict(fields())
ROUTES: Final = sorted(routes())
every_field = pytest.mark.parametrize("name", FIELDS)
every_route = pytest.mark.parametrize("route", ROUTES, ids=" ".join)


class House(Struct):
    """Whoever tries, and the table that is none of theirs."""

    stranger: User
    impostor: User
    foreigner: User
    foreign_platform: User
    table: str
    key: str

    @property
    def outsiders(self) -> tuple[User, User]:
        return self.foreigner, self.foreign_platform


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running(tmp_path_factory.mktemp("guarded"), SPADES_ADMIN_KEY=ADMIN_KEY) as service:
        yield service


@pytest.fixture
async def house(guarded: Service) -> AsyncIterator[House]:
    async with visiting(guarded.url) as stranger:
        admin = stranger.having(ADMIN_KEY)
        made = [
            (await admin.post("/v1/admin/platforms", {"name": name})).json()
            for name in ("Arcade", "Club")
        ]
        arcade, club = (stranger.having(platform["key"]) for platform in made)
        opened = await arcade.open()
        assert opened.accepted
        yield House(
            stranger=stranger,
            impostor=stranger.having("nobody.gave.this"),
            foreigner=await club.platform_player("u-17", "Bob"),
            foreign_platform=club,
            table=opened.id,
            key=made[0]["about"]["id"],
        )


# The fields of the schema


def plausible(kind: GraphQLInputType, table: str) -> Any:
    """A value that the type takes; every id is the table's."""
    if isinstance(kind, GraphQLNonNull):
        return plausible(kind.of_type, table)
    if isinstance(kind, GraphQLList):
        return [plausible(kind.of_type, table)]
    if isinstance(kind, GraphQLEnumType):
        return next(iter(kind.values))
    if isinstance(kind, GraphQLInputObjectType):
        return {
            name: plausible(field.type, table)
            for name, field in kind.fields.items()
            if is_required_input_field(field)
        }
    values = {"ID": table, "Int": 0, "String": "campus", "Boolean": True, "Card": "SA"}
    return values[kind.name]


def ids_in(kind: Any, depth: int = 4) -> str:
    """A selection of every id that can be reached as tables are listed."""
    found = get_named_type(kind)
    if not is_composite_type(found):
        return ""
    selected = ["__typename"]
    if isinstance(found, GraphQLObjectType) and depth:
        ways = {"id", "edges", "node", "nodes", "table", "tables"} & set(found.fields)
        selected += [f"{way} {ids_in(found.fields[way].type, depth - 1)}" for way in sorted(ways)]
    elif any(kind.name == "Refused" for kind in getattr(found, "types", ())):
        selected.append("... on Refused { code }")
    return "{ " + " ".join(selected) + " }"


def operation(name: str, table: str) -> tuple[str, Json]:
    """A document for one field, and its variables."""
    root, _, field = name.partition(".")
    arguments = {
        argument: kind for argument, kind in FIELDS[name].args.items() if is_required_argument(kind)
    }
    declared = ", ".join(f"${argument}: {kind.type}" for argument, kind in arguments.items())
    passed = ", ".join(f"{argument}: ${argument}" for argument in arguments)
    document = (
        f"{root.lower()}{f'({declared})' if declared else ''} "
        f"{{ it: {field}{f'({passed})' if passed else ''} {ids_in(FIELDS[name].type)} }}"
    )
    return document, {key: plausible(kind.type, table) for key, kind in arguments.items()}


async def answered(user: User, name: str, table: str) -> Json:
    """The answer to a field; of a subscription the first."""
    document, variables = operation(name, table)
    if not name.startswith("Subscription."):
        answer: Json = (await user.ask(document, **variables)).json()
        return answer
    async with user.socket() as socket:
        await socket.subscribe(document, **variables)
        message = await socket.receive()
    payload = message["payload"]
    return {"errors": payload} if message["type"] == "error" else payload


def code_of(answer: Json) -> str | None:
    """Why there is no answer: an error's code, or a refusal's; None where there is one."""
    if answer.get("errors"):
        code: str | None = answer["errors"][0].get("extensions", {}).get("code", "an error")
        return code
    it = answer["data"]["it"]
    if it is None:
        return "NOT_FOUND"
    return it.get("code") if isinstance(it, dict) else None


@every_field
async def test_a_field_answers_no_stranger(house: House, name: str) -> None:
    answer = await answered(house.stranger, name, house.table)
    if name in FIELDS_FOR_EVERYBODY:
        assert not answer.get("errors")
        assert house.table not in json.dumps(answer)
    else:
        assert code_of(answer) == "UNAUTHENTICATED", answer


@every_field
async def test_a_field_answers_nobody_whose_token_is_none(house: House, name: str) -> None:
    document, variables = operation(name, house.table)
    if not name.startswith("Subscription."):
        assert (await house.impostor.ask(document, **variables)).status_code == 401
        return
    async with house.impostor.socket(init=False) as socket:
        payload = house.impostor.headers
        await socket.send({"type": "connection_init", "payload": payload})
        await socket.send({"id": "1", "type": "subscribe", "payload": {"query": document}})
        assert await socket.closed() == 4403


@every_field
async def test_a_field_tells_nobody_of_another_tenants_table(house: House, name: str) -> None:
    if name in FIELDS_OF_ONES_OWN:
        return
    for outsider in house.outsiders:
        answer = await answered(outsider, name, house.table)
        if name in FIELDS_FOR_WHOEVER_IS_SIGNED_IN:
            assert not answer.get("errors"), answer
            assert house.table not in json.dumps(answer)
        else:
            assert code_of(answer) in DENIED - {"UNAUTHENTICATED"}, answer


# The routes of the application


async def status(user: User, route: Route, house: House) -> int:
    method, path = route
    names = {"platform": "a" * 16, "path": "nothing", "code": "0" * 10}
    path = path.format(table=house.table, key=house.key, **names)
    response = await user.request(method, path, json=BODIES.get(route))
    return response.status_code


@every_route
async def test_a_route_answers_no_stranger(house: House, route: Route) -> None:
    if route in ROUTES_FOR_EVERYBODY:
        return
    assert await status(house.stranger, route, house) in {401, 403}


@every_route
async def test_a_route_answers_nobody_whose_token_is_none(house: House, route: Route) -> None:
    if route in ROUTES_FOR_EVERYBODY:
        return
    assert await status(house.impostor, route, house) == 401


@every_route
async def test_a_route_tells_nobody_of_another_tenants_table(house: House, route: Route) -> None:
    if route in ROUTES_FOR_WHOEVER_IS_SIGNED_IN:
        return
    assert await status(house.foreigner, route, house) in {403, 404}


def test_what_is_listed_here_is_still_there() -> None:
    assert set(FIELDS) >= FIELDS_FOR_WHOEVER_IS_SIGNED_IN | FIELDS_OF_ONES_OWN
    assert set(ROUTES) >= ROUTES_FOR_WHOEVER_IS_SIGNED_IN
    assert set(ROUTES) >= set(BODIES)
    assert len(FIELDS) > 15
    assert len(ROUTES) > 20

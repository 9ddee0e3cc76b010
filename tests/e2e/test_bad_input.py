"""Whatever comes in: one clear sentence goes out, nothing of the inside, and nothing is written."""

import re
import time
from collections.abc import AsyncIterator
from typing import Any, Final
from urllib.parse import quote

import httpx
import jwt
import pytest

from support.client import SUBSCRIPTION, Json, Socket, User
from support.service import SECRET

INSIDE: Final = re.compile(
    r"Traceback|spades_|msgspec|strawberry|litestar|graphql-core|uvicorn|redis|valkey|asyncio"
    r"|\.py\b|\.lua\b|site-packages|<class|object at 0x|0x[0-9a-f]{6}|Exception\b|\w+Error\b",
    re.IGNORECASE,
)
"""What no client should ever read. `Syntax Error` of GraphQL's is two words."""

BRACKETS: Final = "[" * 30_000
NESTED: Final = '{"rules":' * 6_000 + "1" + "}" * 6_000
LARGE: Final = 100_000 * "a"
UNKNOWN_IDS: Final = {
    "an id that nobody has": "aaaaaaaaaaaaaaaa",
    "another word": "nope",
    "spaces": "a table of mine",
    "a path": "../../etc/passwd",
    "dots": "..",
    "10 kB": 10_000 * "x",
    "unicode": "🂡é漢",
    "a null byte": "\0",
    "a line break": "a\r\nSet-Cookie: b",
    "a key of the store": "{p1}:table:x*",
    "a quote": "'\"`$(true)",
}
every_unknown_id: Final = pytest.mark.parametrize("unknown", UNKNOWN_IDS.values(), ids=UNKNOWN_IDS)


def assert_plain(text: str) -> None:
    """One sentence, of a length that people read, without anything of the inside."""
    assert text.strip(), "nothing is said"
    assert "\n" not in text
    assert not INSIDE.search(text), text


def assert_problem(response: httpx.Response, status: int) -> str:
    """A problem document; its sentence."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    body = response.json()
    assert body["status"] == status
    assert_plain(body["detail"])
    assert not INSIDE.search(response.text)
    return str(body["detail"])


def assert_graphql_error(response: httpx.Response) -> list[Json]:
    """An answer with errors for the client; the errors."""
    assert response.status_code in (200, 400, 413, 415), response.text
    errors: list[Json] = response.json()["errors"]
    assert errors
    for error in errors:
        assert_plain(error["message"])
        assert "went wrong" not in error["message"]
    assert not INSIDE.search(response.text), response.text
    return errors


@pytest.fixture
async def table(ann: User) -> AsyncIterator[str]:
    """A table that is as it was once the test is over."""
    opened = await ann.open()
    yield opened.id
    assert await ann.events(opened.id) == opened.events


# Commands over REST

COMMANDS: Final[dict[str, object]] = {
    "nothing": b"",
    "half an object": b"{",
    "null": None,
    "a list": [],
    "a word": "startGame",
    "a number": 5,
    "no UTF-8": b'{"type": "\xff"}',
    "half a surrogate pair": b'{"type": "startGame", "commandId": "\\ud800"}',
    "thousands of brackets": BRACKETS.encode(),
    "deep nesting": NESTED.encode(),
    "no type": {"card": "SA"},
    "an unknown type": {"type": "cheat"},
    "a type of 10 kB": {"type": 10_000 * "x"},
    "a type that is no word": {"type": {"a": 1}},
    "another request's type": {"type": "openTable", "rules": {"preset": "campus"}},
    "an unknown field": {"type": "takeSeat", "seat": 0, "player": "somebody else"},
    "a missing field": {"type": "takeSeat"},
    "a seat in words": {"type": "takeSeat", "seat": "0"},
    "a seat that is true": {"type": "takeSeat", "seat": True},
    "half a seat": {"type": "takeSeat", "seat": 0.5},
    "an unknown card": {"type": "playCard", "card": "XX"},
    "a card in small letters": {"type": "playCard", "card": "sa"},
    "a picture of a card": {"type": "playCard", "card": "🂡"},
    "a list of cards": {"type": "playCard", "card": ["SA"]},
    "a bid in words": {"type": "placeBid", "tricks": "four"},
    "a command id that is no word": {"type": "startGame", "commandId": 5},
}


@pytest.mark.parametrize("body", COMMANDS.values(), ids=COMMANDS)
async def test_what_is_no_command_is_refused_and_writes_nothing(
    ann: User, table: str, body: object
) -> None:
    path = f"/v1/tables/{table}/commands"
    sent = {"content": body} if isinstance(body, bytes) else {"json": body}
    assert_problem(await ann.request("POST", path, **sent), 400)


@pytest.mark.parametrize("seat", [4, 99, -1, 10**30])
async def test_a_seat_that_there_is_not_is_refused(ann: User, table: str, seat: int) -> None:
    rest = await ann.over("rest").sit(table, seat)
    assert rest.code == "NO_SUCH_SEAT"
    assert_plain(rest.message)
    if seat < 2**31:
        assert await ann.sit(table, seat) == rest


@pytest.mark.parametrize(
    "version", ["abc", "-1", '"-1"', "*", '"²"', "", '""', '"1", "2"', '"99999999999"', "1.0"]
)
async def test_an_if_match_that_is_no_version_is_refused(
    ann: User, table: str, version: str
) -> None:
    response = await ann.post(
        f"/v1/tables/{table}/commands",
        {"type": "takeSeat", "seat": 0},
        headers={b"If-Match": version.encode()},
    )
    assert "If-Match" in assert_problem(response, 400)


async def test_a_body_of_100_kilobytes_is_refused(ann: User, table: str) -> None:
    for path in (f"/v1/tables/{table}/commands", "/v1/tables", "/v1/guests"):
        assert_problem(await ann.post(path, {"type": LARGE, "query": LARGE}), 413)
    response = await ann.post("/graphql", {"query": LARGE})
    assert response.status_code == 413
    assert_graphql_error(response)


# Everything else over REST

OPENINGS: Final[dict[str, tuple[object, str | None]]] = {
    "no rules": ({}, None),
    "rules in a word": ({"rules": "campus"}, None),
    "an unknown preset": ({"rules": {"preset": "nope"}}, "UNKNOWN_PRESET"),
    "a preset that is no word": ({"rules": {"preset": ["campus"]}}, "UNKNOWN_PRESET"),
    "an unknown option": ({"rules": {"preset": "campus", "cheating": "on"}}, "BAD_RULES"),
    "an unknown value": ({"rules": {"preset": "campus", "bags": "never"}}, "BAD_RULES"),
    "a list as a value": ({"rules": {"preset": "campus", "bags": ["carry"]}}, "BAD_RULES"),
    "an object as a value": ({"rules": {"preset": "campus", "nil": {"a": 1}}}, "BAD_RULES"),
    "a target in words": ({"rules": {"preset": "campus", "target": "high"}}, "BAD_RULES"),
    "a huge target": ({"rules": {"preset": "campus", "target": 10**30}}, "BAD_RULES"),
    "a target below zero": ({"rules": {"preset": "campus", "target": -5}}, "BAD_RULES"),
    "a contradiction": ({"rules": {"preset": "cutthroat", "exchange": 2}}, "BAD_RULES"),
    "a dealer without a seat": ({"rules": {"preset": "campus"}, "dealer": 4}, "NO_SUCH_SEAT"),
    "a dealer in words": ({"rules": {"preset": "campus"}, "dealer": "me"}, None),
    "an unknown field": ({"rules": {"preset": "campus"}, "cheating": True}, None),
    "a command id that is no word": ({"rules": {"preset": "campus"}, "commandId": []}, None),
    "cards that are none": ({"rules": {"preset": "campus"}, "deals": [[["XX"]]]}, None),
    "deals that are none": ({"rules": {"preset": "campus"}, "deals": "all spades"}, None),
}


@pytest.mark.parametrize(("body", "code"), OPENINGS.values(), ids=OPENINGS)
async def test_a_table_that_cannot_be_is_not_opened(
    ann: User, body: object, code: str | None
) -> None:
    response = await ann.post("/v1/tables", body)
    assert_problem(response, 404 if code == "NO_SUCH_SEAT" else 400)
    assert response.json().get("code") == code


DEALS: Final[dict[str, list[list[list[str]]]]] = {
    "no hands": [[]],
    "one hand": [[["SA"]]],
    "empty hands": [[[], [], [], []]],
    "the same card all over": [[["SA"] * 13] * 4],
    "jokers in a game without": [[["BJ"] * 13] * 4],
}


@pytest.mark.parametrize("deals", DEALS.values(), ids=DEALS)
async def test_a_deal_that_is_none_of_this_pack_is_refused(
    platform: User, deals: list[list[list[str]]]
) -> None:
    for user in (platform, platform.over("rest")):
        outcome = await user.open(deals=deals)
        assert outcome.code == "BAD_DEAL"
        assert_plain(outcome.message)


BODIES: Final[dict[str, bytes]] = {
    "nothing": b"",
    "half an object": b'{"name": ',
    "null": b"null",
    "a list": b"[]",
    "a word": b'"Ann"',
    "a form": b"name=Ann",
    "no UTF-8": b'{"name": "\xff"}',
    "thousands of brackets": BRACKETS.encode(),
    "deep nesting": NESTED.encode(),
    "no name": b"{}",
    "a number for a name": b'{"name": 5}',
    "an empty name": b'{"name": "  "}',
    "a long name": b'{"name": "%b"}' % (b"x" * 300),
    "a name with control characters": b'{"name": "\\u0000\\u001b[31m"}',
    "an unknown field": b'{"name": "Ann", "admin": true}',
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
async def test_a_guest_without_a_proper_name_is_refused(stranger: User, body: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    said = assert_problem(
        await stranger.request("POST", "/v1/guests", content=body, headers=headers), 400
    )
    assert "data:" not in said


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "application/xml", "x"])
async def test_a_body_is_read_as_json_whatever_it_calls_itself(stranger: User, kind: str) -> None:
    headers = {"Content-Type": kind}
    response = await stranger.request(
        "POST", "/v1/guests", content=b'{"name": "Ann"}', headers=headers
    )
    assert response.status_code == 201
    response = await stranger.request("POST", "/v1/guests", content=b"<name/>", headers=headers)
    assert_problem(response, 400)


@every_unknown_id
async def test_over_rest_a_table_that_there_is_not_is_not_found(ann: User, unknown: str) -> None:
    path = f"/v1/tables/{quote(unknown, safe='')}"
    responses = [
        await ann.get(path),
        await ann.get(f"{path}/events"),
        await ann.get(f"{path}/events", headers={"Accept": "text/event-stream"}),
        await ann.post(f"{path}/commands", {"type": "startGame"}),
    ]
    for response in responses:
        said = assert_problem(response, 404)
        assert len(said) < 200
        assert "set-cookie" not in response.headers


@pytest.mark.parametrize(
    "asked",
    [
        "after=x",
        "after=-1",
        "after=1.5",
        f"after={2**64}",
        f"after={10**40}",
        "first=0",
        "first=x",
        "first=100000",
    ],
)
async def test_a_list_of_events_that_cannot_be_is_refused(
    ann: User, table: str, asked: str
) -> None:
    assert_problem(await ann.get(f"/v1/tables/{table}/events?{asked}"), 400)


@pytest.mark.parametrize(
    ("version", "status"), [("x", 400), ("1.5", 400), ("-1", 404), ("0", 404), ("99", 404)]
)
async def test_a_table_cannot_be_seen_at_a_version_that_it_never_had(
    ann: User, table: str, version: str, status: int
) -> None:
    assert_problem(await ann.get(f"/v1/tables/{table}?atVersion={version}"), status)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/v1", 404),
        ("GET", "/nowhere", 404),
        ("GET", "/v1/tables/../../etc/passwd", 404),
        ("DELETE", "/v1/tables", 405),
        ("PUT", "/v1/guests", 405),
        ("PUT", "/graphql", 405),
    ],
)
async def test_a_path_that_there_is_not_is_a_problem_document_too(
    stranger: User, method: str, path: str, status: int
) -> None:
    assert " " in assert_problem(await stranger.request(method, path), status)


# Who asks


def signed(claims: Json, secret: str = SECRET, algorithm: str = "HS256") -> str:
    whole = {"iss": "spades-service", "tnt": "", "role": "player", **claims}
    return f"Bearer {jwt.encode(whole, secret, algorithm=algorithm)}"


NOW: Final = int(time.time())
CREDENTIALS: Final = {
    "a word": "Bearer nonsense",
    "a long word": "Bearer " + 9_000 * "x",
    "no word": "Bearer",
    "another scheme": "Basic YW5uOnNlY3JldA==",
    "letters beyond ASCII": "Bearer é",
    "an expired token": signed({"sub": "a" * 16, "exp": NOW - 1}),
    "a token that never expires": signed({"sub": "a" * 16}),
    "a token of nobody": signed({"exp": NOW + 1000}),
    "a token of a number": signed({"sub": 5, "exp": NOW + 1000}),
    "a token signed by somebody else": signed(
        {"sub": "a" * 16, "exp": NOW + 1000}, "what somebody else signs tokens with"
    ),
    "a token that nobody signed": signed({"sub": "a" * 16, "exp": NOW + 1000}, "", "none"),
}


@pytest.mark.parametrize("credential", CREDENTIALS.values(), ids=CREDENTIALS)
async def test_a_token_that_is_not_good_is_refused_everywhere(
    stranger: User, table: str, credential: str
) -> None:
    headers = {b"Authorization": credential.encode()}
    responses = [
        await stranger.get(f"/v1/tables/{table}", headers=headers),
        await stranger.get(f"/v1/tables/{table}/events", headers=headers),
        await stranger.post(f"/v1/tables/{table}/commands", {"type": "startGame"}, headers=headers),
        await stranger.post("/v1/tables", {"rules": {"preset": "campus"}}, headers=headers),
        await stranger.post("/v1/players", {"externalId": "u", "name": "U"}, headers=headers),
        await stranger.post("/graphql", {"query": "{ me { id } }"}, headers=headers),
    ]
    for response in responses:
        assert_problem(response, 401)
        assert response.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("credential", CREDENTIALS.values(), ids=CREDENTIALS)
async def test_a_socket_that_shows_a_token_that_is_not_good_is_closed(
    stranger: User, credential: str
) -> None:
    async with stranger.socket(init=False) as socket:
        await socket.send({"type": "connection_init", "payload": {"authorization": credential}})
        assert await socket.closed() == 4403


async def test_a_stranger_may_neither_read_nor_play_nor_watch(stranger: User, table: str) -> None:
    path = f"/v1/tables/{table}"
    responses = [
        await stranger.get(path),
        await stranger.get(f"{path}/events"),
        await stranger.get(f"{path}/events", headers={"Accept": "text/event-stream"}),
        await stranger.post(f"{path}/commands", {"type": "takeSeat", "seat": 0}),
        await stranger.post("/v1/tables", {"rules": {"preset": "campus"}}),
    ]
    for response in responses:
        assert_problem(response, 401)
        assert response.json()["code"] == "UNAUTHENTICATED"
    assert (await stranger.sit(table, 0)).code == "UNAUTHENTICATED"
    assert (await stranger.open()).code == "UNAUTHENTICATED"
    for query in (
        f'{{ table(id: "{table}") {{ id }} }}',
        f'{{ events(tableId: "{table}") {{ version }} }}',
    ):
        (error,) = assert_graphql_error(await stranger.ask(query))
        assert error["extensions"]["code"] == "UNAUTHENTICATED"


async def test_a_guest_is_no_platform(ann: User, stranger: User) -> None:
    for user in (ann, stranger):
        response = await user.post("/v1/players", {"externalId": "u-17", "name": "Ann"})
        assert_problem(response, 403)


@pytest.mark.parametrize("external", ["", 300 * "x"])
async def test_a_platforms_player_needs_a_proper_id(platform: User, external: str) -> None:
    response = await platform.post("/v1/players", {"externalId": external, "name": "Ann"})
    assert "externalId" in assert_problem(response, 400)


# GraphQL over HTTP

REQUESTS: Final[dict[str, object]] = {
    "nothing": b"",
    "half an object": b"{",
    "null": None,
    "a list": [],
    "a batch": [{"query": "{ me { id } }"}],
    "a word": "{ me { id } }",
    "no UTF-8": b'{"query": "\xff"}',
    "half a surrogate pair": b'{"query": "{ me { id } }", "variables": {"a": "\\ud800"}}',
    "thousands of brackets": BRACKETS.encode(),
    "deep nesting": NESTED.encode(),
    "no query": {},
    "a query that is no word": {"query": ["{ me { id } }"]},
    "variables in a list": {"query": "{ me { id } }", "variables": []},
    "a number for a name": {"query": "{ me { id } }", "operationName": 5},
    "an unknown name": {"query": "{ me { id } }", "operationName": "other"},
    "extensions in a list": {"query": "{ me { id } }", "extensions": []},
    "a subscription without a stream": {
        "query": 'subscription { tableEvents(tableId: "a") { event { version } } }'
    },
}


@pytest.mark.parametrize("body", REQUESTS.values(), ids=REQUESTS)
async def test_what_is_no_graphql_request_is_refused(ann: User, body: object) -> None:
    headers = {"Content-Type": "application/json"}
    sent = {"content": body} if isinstance(body, bytes) else {"json": body}
    response = await ann.request("POST", "/graphql", headers=headers, **sent)
    assert response.status_code == 400
    assert_graphql_error(response)


@pytest.mark.parametrize("kind", ["text/plain", "multipart/form-data", "application/graphql", ""])
async def test_graphql_reads_json_alone(ann: User, kind: str) -> None:
    response = await ann.request(
        "POST",
        "/graphql",
        content=b'{"query": "{ me { id } }"}',
        headers={"Content-Type": kind},
    )
    assert response.status_code == 415
    assert_graphql_error(response)


async def test_a_get_that_is_no_query_is_refused_and_changes_nothing(ann: User) -> None:
    for document in ("mutation { startGame { __typename } }", "", "{"):
        assert_graphql_error(
            await ann.get("/graphql", params={"query": document, "variables": "{"})
        )
        assert_graphql_error(
            await ann.get(
                "/graphql", params={"query": document}, headers={"Accept": "application/json"}
            )
        )


DOCUMENTS: Final = {
    "a syntax error": "{ me { id }",
    "an unknown field": "{ me { password } }",
    "an unknown query": "{ secrets }",
    "an unknown argument": "{ me(as: 1) { id } }",
    "an unknown type": "query($a: Secret) { me { id } }",
    "a fragment alone": "fragment Me on Player { id }",
    "a fragment in itself": "{ me { ...A } } fragment A on Player { ...A }",
    "no selection": "{ me }",
    "too many words": "{" + 5_000 * " me" + "}",
    "deep nesting": "{" + 700 * "me {" + "id" + 700 * "}" + "}",
    "deep lists": "{ table(id: " + 800 * "[" + 800 * "]" + ") { id } }",
    "a card that is none": 'mutation { playCard(input: {tableId: "", card: "ZZ"}) { __typename } }',
    "a number for a card": 'mutation { playCard(input: {tableId: "", card: 5}) { __typename } }',
}


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
async def test_a_document_that_cannot_be_answered_says_why(ann: User, document: str) -> None:
    assert_graphql_error(await ann.ask(document))


async def test_a_hostile_document_costs_little(ann: User) -> None:
    hostile = "{" + 20_000 * " me" + "}"
    began = time.perf_counter()
    for _ in range(5):
        (error,) = assert_graphql_error(await ann.ask(hostile))
        assert "tokens" in error["message"]
    assert time.perf_counter() - began < 1


VARIABLES: Final[dict[str, tuple[str, str, object]]] = {
    "a card that is none": ("playCard", "PlayCardInput", {"card": "XX"}),
    "a card of 5 kB": ("playCard", "PlayCardInput", {"card": 5_000 * "x"}),
    "a number for a card": ("playCard", "PlayCardInput", {"card": 5}),
    "null for a card": ("playCard", "PlayCardInput", {"card": None}),
    "no card": ("playCard", "PlayCardInput", {}),
    "a seat in words": ("takeSeat", "TakeSeatInput", {"seat": "0"}),
    "half a seat": ("takeSeat", "TakeSeatInput", {"seat": 0.5}),
    "a seat beyond 32 bits": ("takeSeat", "TakeSeatInput", {"seat": 2**31}),
    "an unknown field": ("takeSeat", "TakeSeatInput", {"seat": 0, "player": "somebody else"}),
    "a list for an input": ("takeSeat", "TakeSeatInput", []),
    "null for an input": ("takeSeat", "TakeSeatInput", None),
    "a version in words": ("takeSeat", "TakeSeatInput", {"seat": 0, "expectedVersion": "1"}),
    "an id that is none": ("startGame", "TableCommandInput", {"tableId": {"a": 1}}),
    "a preset that is no word": ("openTable", "OpenTableInput", {"rules": {"preset": 5}}),
    "an unknown option": ("openTable", "OpenTableInput", {"rules": {"preset": "campus", "x": 1}}),
    "an unknown value": (
        "openTable",
        "OpenTableInput",
        {"rules": {"preset": "campus", "bags": "NEVER"}},
    ),
}


@pytest.mark.parametrize(("what", "kind", "given"), VARIABLES.values(), ids=VARIABLES)
async def test_variables_of_the_wrong_type_are_refused(
    ann: User, table: str, what: str, kind: str, given: object
) -> None:
    if isinstance(given, dict) and what != "openTable":
        given = {"tableId": table, **given}
    document = f"mutation($input: {kind}!) {{ {what}(input: $input) {{ __typename }} }}"
    response = await ann.ask(document, input=given)
    assert_graphql_error(response)
    assert len(response.content) < 1_000


@pytest.mark.parametrize(
    ("rules", "code"),
    [
        ({"preset": "nope"}, "UNKNOWN_PRESET"),
        ({"preset": "campus", "target": -5}, "BAD_RULES"),
        ({"preset": "campus", "target": 2**31 - 1}, "BAD_RULES"),
        ({"preset": "campus", "target": None}, "BAD_RULES"),
        ({"preset": "campus", "exchange": 1}, "BAD_RULES"),
        ({"preset": "cutthroat", "exchange": 2}, "BAD_RULES"),
    ],
)
async def test_rules_that_cannot_be_are_refused_and_the_refusal_says_what_could(
    ann: User, rules: dict[str, Any], code: str
) -> None:
    outcome = await ann.open(**rules)
    assert outcome.code == code
    assert_plain(outcome.message)


@every_unknown_id
async def test_over_graphql_a_table_that_there_is_not_is_null_or_not_found(
    ann: User, unknown: str
) -> None:
    data = await ann.query("query($id: ID!) { table(id: $id) { id } }", id=unknown)
    assert data == {"table": None}
    refused = await ann.start(unknown)
    assert refused.code == "NOT_FOUND"
    assert_plain(refused.message)
    assert len(refused.message) < 200
    response = await ann.ask("query($id: ID!) { events(tableId: $id) { version } }", id=unknown)
    (error,) = assert_graphql_error(response)
    assert error["extensions"]["code"] == "NOT_FOUND"
    assert len(error["message"]) < 200


@pytest.mark.parametrize(("after", "first"), [(-1, 10), (0, -1), (0, 1001), (0, 2**31 - 1)])
async def test_over_graphql_too_many_events_are_refused(
    ann: User, table: str, after: int, first: int
) -> None:
    response = await ann.ask(
        "query($id: ID!, $after: Int!, $first: Int!)"
        " { events(tableId: $id, after: $after, first: $first) { version } }",
        id=table,
        after=after,
        first=first,
    )
    (error,) = assert_graphql_error(response)
    assert error["extensions"]["code"] == "BAD_COMMAND"


async def test_one_failing_part_does_not_take_the_others_with_it(ann: User, table: str) -> None:
    document = (
        f'{{ me {{ name }} good: table(id: "{table}") {{ version }} bad: table(id: "nope")'
        " { version } }"
    )
    data = await ann.query(document)
    assert data == {"me": {"name": "Ann"}, "good": {"version": 1}, "bad": None}


# GraphQL over streams of HTTP


@pytest.mark.parametrize("media", ["text/event-stream", "multipart/mixed;subscriptionSpec=1.0"])
@pytest.mark.parametrize(
    "document",
    [
        "{ me",
        "subscription { secrets }",
        "fragment Me on Player { id }",
        "{" + 5_000 * " me" + "}",
        'subscription { tableEvents(tableId: "nope") { event { version } } }',
    ],
)
async def test_a_stream_that_cannot_begin_says_why_and_ends(
    ann: User, media: str, document: str
) -> None:
    response = await ann.post("/graphql", {"query": document}, headers={"Accept": media})
    assert response.status_code == 200
    assert '"errors":[{"message":"' in response.text
    assert "went wrong" not in response.text
    assert not INSIDE.search(response.text)


# GraphQL over a WebSocket


def subscribing(**payload: object) -> Json:
    return {"type": "subscribe", "id": "1", "payload": payload}


MESSAGES: Final[dict[str, object]] = {
    "null": None,
    "a number": 5,
    "a word": "ping",
    "a list": [],
    "no type": {},
    "a type that is no word": {"type": 5},
    "an unknown type": {"type": "pinch"},
    "an unknown type of 3 kB": {"type": 3_000 * "x"},
    "a subscription without an id": {"type": "subscribe", "payload": {"query": "{ me { id } }"}},
    "a subscription without a payload": {"type": "subscribe", "id": "1"},
    "a subscription without a query": subscribing(),
    "a query that is no word": subscribing(query=5),
    "variables in a list": subscribing(query="{ me { id } }", variables=[]),
    "an id that is no word": {"type": "complete", "id": []},
    "an end of nothing": {"type": "complete"},
    "a syntax error": subscribing(query="{ me"),
    "a syntax error of 3 kB": subscribing(query="query { me { id } } " + 3_000 * "x"),
    "too many words": subscribing(query="{" + 5_000 * " me" + "}"),
    "an unknown operation": subscribing(query="{ me { id } }", operationName=3_000 * "x"),
}


@pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES)
async def test_what_is_no_message_closes_the_socket_with_4400(ann: User, message: object) -> None:
    async with ann.socket() as socket:
        await socket.send(message)
        assert await socket.closed() == 4400
        assert_plain(socket.connection.close_reason or "")


@pytest.mark.parametrize("frame", [b"\x00\xff", b'{"type": "ping"}', "", "{", BRACKETS])
async def test_what_is_no_json_closes_the_socket_with_4400(ann: User, frame: str | bytes) -> None:
    async with ann.socket() as socket:
        await socket.connection.send(frame)
        assert await socket.closed() == 4400


async def test_a_message_of_100_kilobytes_closes_the_socket(ann: User) -> None:
    async with ann.socket() as socket:
        await socket.send(LARGE)
        assert await socket.closed() == 1009


async def test_who_subscribes_before_saying_hello_is_shown_out_with_4401(ann: User) -> None:
    async with ann.socket(init=False) as socket:
        await socket.send(subscribing(query="{ me { id } }"))
        assert await socket.closed() == 4401


async def test_who_says_hello_twice_is_shown_out_with_4429(ann: User) -> None:
    async with ann.socket() as socket:
        await socket.send({"type": "connection_init"})
        assert await socket.closed() == 4429


async def test_who_subscribes_twice_under_one_id_is_shown_out_with_4409(
    ann: User, table: str
) -> None:
    async with ann.socket() as socket:
        message = subscribing(query=SUBSCRIPTION, variables={"table": table})
        await socket.send(message)
        await socket.send(message)
        assert await socket.closed() == 4409


@pytest.mark.parametrize("protocol", ["graphql-ws", "mqtt", None])
async def test_who_speaks_another_protocol_is_shown_out_with_4406(
    ann: User, protocol: str | None
) -> None:
    async with ann.socket(init=False, protocol=protocol) as socket:
        assert await socket.closed() == 4406


async def error_of(socket: Socket, document: str, **variables: Any) -> Json:
    """The error that a subscription ends with."""
    name = await socket.subscribe(document, **variables)
    message = await socket.receive()
    assert message["id"] == name
    payload = message["payload"]
    if message["type"] == "next":
        assert (await socket.receive()) == {"type": "complete", "id": name}
        payload = payload["errors"]
    (error,) = payload
    assert_plain(error["message"])
    return dict(error)


async def test_a_subscription_that_cannot_begin_says_why_and_the_socket_goes_on(
    ann: User, table: str
) -> None:
    async with ann.socket() as socket:
        assert "secrets" in (await error_of(socket, "subscription { secrets }"))["message"]
        await error_of(socket, "")
        await error_of(socket, SUBSCRIPTION, table=table, after="x")
        await error_of(socket, SUBSCRIPTION, table=None)
        for id_ in UNKNOWN_IDS.values():
            error = await error_of(socket, SUBSCRIPTION, table=id_)
            assert error["extensions"]["code"] == "NOT_FOUND"
        for after in (-1, 2, 2**31 - 1):
            error = await error_of(socket, SUBSCRIPTION, table=table, after=after)
            assert error["extensions"]["code"] == "BAD_COMMAND"
        await socket.send({"type": "ping"})
        assert await socket.receive() == {"type": "pong"}


async def test_a_socket_carries_ten_subscriptions_and_says_so_to_the_eleventh(
    ann: User, table: str
) -> None:
    async with ann.socket() as socket:
        for _ in range(10):
            await socket.watch(table)
        eleventh = await socket.watch(table)
        message = await socket.receive()
        assert (message["id"], message["type"]) == (eleventh, "error")
        assert_plain(message["payload"][0]["message"])


async def test_a_stranger_may_open_a_socket_and_watch_nothing(stranger: User, table: str) -> None:
    async with stranger.socket() as socket:
        error = await error_of(socket, SUBSCRIPTION, table=table)
        assert error["extensions"]["code"] == "UNAUTHENTICATED"

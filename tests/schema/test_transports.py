"""Over the network: faults stay inside, limits hold, and nothing is left behind."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin, Subprotocol

from spades_service import guards
from spades_service.callers import Caller
from spades_service.guards import SOCKETS, WATCHES, Cap, Guards, Rate
from spades_service.names import Names
from spades_service.requests import LeaveSeat, TakeSeat
from support.client import SUBSCRIPTION, TRANSPORT_WS, Json, User, first, versions, visiting
from support.house import House
from support.in_process import Serving, serving
from support.waiting import until

SECRET: Final = "the secret of the house"
GOING: Final = "https://play.example.com"


class SharedTallies:
    """Counts that begin with the test."""

    def __init__(self) -> None:
        self.spent: dict[str, int] = {}

    async def spend(self, rate: Rate, who: str, amount: int) -> int:
        self.spent[who] = self.spent.get(who, 0) + amount
        return 0 if self.spent[who] <= rate.most else rate.seconds


@pytest.fixture
async def served(house: House) -> AsyncIterator[Serving]:
    async with serving(house) as served:
        yield served


@asynccontextmanager
async def guarded(house: House) -> AsyncIterator[tuple[Serving, User]]:
    """A service behind a trusted proxy, asked by somebody from far away."""
    async with (
        serving(house, guards=Guards(SharedTallies()), trusted_proxies="127.0.0.1") as served,
        visiting(served.url) as stranger,
    ):
        stranger.http.headers["X-Forwarded-For"] = "203.0.113.7"
        yield served, stranger


@pytest.fixture
async def ann(served: Serving) -> AsyncIterator[User]:
    async with visiting(served.url) as stranger:
        yield await stranger.guest("Ann")


# Faults


async def over_post(ann: User, table: str) -> str:
    return (await ann.ask("query($table: ID!) { table(id: $table) { id } }", table=table)).text


async def over_rest(ann: User, table: str) -> str:
    return (await ann.get(f"/v1/tables/{table}")).text


async def over_a_socket(ann: User, table: str) -> str:
    async with ann.socket() as socket:
        await socket.watch(table, 0)
        return json.dumps(await socket.receive())


async def over_a_socket_the_usual_way(ann: User, table: str) -> str:
    document = SUBSCRIPTION.replace("{ event", "{ __typename @include(if: true) event")
    async with ann.socket() as socket:
        await socket.subscribe(document, table=table, after=0)
        return json.dumps(await socket.receive())


async def over_a_stream(ann: User, table: str, accept: str) -> str:
    body = {"query": SUBSCRIPTION, "variables": {"table": table, "after": 0}}
    headers = {**ann.headers, "Accept": accept}
    async with ann.http.stream("POST", "/graphql", json=body, headers=headers) as response:
        return "".join([part async for part in response.aiter_text()])


async def over_server_sent_events(ann: User, table: str) -> str:
    return await over_a_stream(ann, table, "text/event-stream")


async def over_multipart(ann: User, table: str) -> str:
    return await over_a_stream(
        ann, table, 'multipart/mixed;boundary=graphql;subscriptionSpec="1.0"'
    )


@pytest.mark.parametrize(
    "over",
    [
        over_post,
        over_rest,
        over_a_socket,
        over_a_socket_the_usual_way,
        over_server_sent_events,
        over_multipart,
    ],
)
async def test_a_fault_is_told_without_its_inside(
    ann: User,
    monkeypatch: pytest.MonkeyPatch,
    over: Callable[[User, str], Awaitable[str]],
) -> None:
    table = (await ann.open()).id

    async def broken(*_: Any) -> Any:
        raise RuntimeError(SECRET)

    monkeypatch.setattr(Names, "of", broken)
    async with asyncio.timeout(10):
        told = await over(ann, table)
    assert "something went wrong here" in told
    assert SECRET not in told
    assert "RuntimeError" not in told


async def test_a_fault_in_a_plain_stream_breaks_it_off(
    ann: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = (await ann.open()).id

    async def broken(*_: Any) -> Any:
        raise RuntimeError(SECRET)

    monkeypatch.setattr(Names, "of", broken)
    with pytest.raises(httpx.RemoteProtocolError):
        async with asyncio.timeout(10), ann.streaming(table, after=0) as updates:
            await anext(updates)


# What is left behind


async def test_no_watch_outlives_its_client(served: Serving, ann: User) -> None:
    live, mine = served.services.live, served.services.my_turns
    table = (await ann.open()).id
    async with (
        ann.watching(table, 0) as socket,
        ann.streaming(table, after=0) as stream,
        ann.streaming(table, "ndjson", after=0) as lines,
        ann.http.stream(
            "GET", "/v1/me/turns", headers=ann.headers | {"Accept": "text/event-stream"}
        ),
    ):
        for updates in (socket, stream, lines):
            await first(updates, 1)
        await until(lambda: mine.watchers == 1)
        assert live.watchers == 3
        assert served.services.guards.held(WATCHES, ann.id) == 4
    await until(lambda: not live.watchers and not mine.watchers)
    await until(lambda: not served.services.guards.held(WATCHES, ann.id))


async def test_no_watch_outlives_a_client_that_vanishes(served: Serving, ann: User) -> None:
    live = served.services.live
    table = (await ann.open()).id
    async with ann.socket() as socket:
        for _ in range(10):
            await socket.watch(table)
        await until(lambda: live.watchers == 10)
        socket.connection.transport.abort()
        await until(lambda: not live.watchers)


async def test_a_client_that_ends_a_watch_may_begin_another(served: Serving, ann: User) -> None:
    table = (await ann.open()).id
    async with ann.socket() as socket:
        for _ in range(30):
            name = await socket.watch(table)
            await until(lambda: served.services.live.watchers == 1)
            await socket.send({"type": "complete", "id": name})
            await until(lambda: not served.services.live.watchers)


class Deaf:
    """A WebSocket client that says what it has to, and then reads nothing."""

    def __init__(self, url: str, headers: Json, *messages: Json) -> None:
        self.line = socket.socket()
        self.line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.line.connect(("127.0.0.1", int(url.rpartition(":")[2])))
        self.line.sendall(
            b"GET /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
            b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            b"Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n"
        )
        assert self.line.recv(1024).startswith(b"HTTP/1.1 101")
        for message in ({"type": "connection_init", "payload": headers}, *messages):
            body = json.dumps(message).encode()
            size = b"\xfe" + len(body).to_bytes(2, "big")
            self.line.sendall(b"\x81" + size + bytes(4) + body)


async def test_for_a_client_that_reads_nothing_nothing_piles_up(served: Serving, ann: User) -> None:
    table, player = (await ann.open()).id, Caller(player=ann.id)
    watch = {"query": SUBSCRIPTION, "variables": {"table": table, "after": 0}}
    subscribe = {"type": "subscribe", "id": "1", "payload": watch}
    deaf = await asyncio.to_thread(Deaf, served.url, ann.headers, subscribe)
    with deaf.line:
        await until(lambda: served.services.live.watchers == 1)
        async with ann.watching(table, 0) as updates:
            for number in range(600):
                request = TakeSeat(0) if number % 2 == 0 else LeaveSeat()
                await served.house.tables.execute(player, table, request)
            assert versions(await first(updates, 601)) == [*range(1, 602)]
        assert served.services.live.watchers == 1
        assert max(served.waiting_to_be_read()) < 256 * 1024
    await until(lambda: not served.services.live.watchers)


# Who may ask


async def handshake(served: Serving, origin: str | None) -> int:
    """How a handshake from a page ends: 101 or 403."""
    url = served.url.replace("http", "ws", 1) + "/graphql"
    protocols = [Subprotocol(TRANSPORT_WS)]
    try:
        page = None if origin is None else Origin(origin)
        async with connect(url, subprotocols=protocols, origin=page, proxy=None):
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


async def test_pages_of_other_origins_open_no_socket(served: Serving) -> None:
    assert await handshake(served, None) == 101
    assert await handshake(served, served.url) == 101
    assert await handshake(served, GOING) == 403
    assert await handshake(served, "null") == 403


async def test_pages_of_the_origins_that_are_named_open_sockets(house: House) -> None:
    async with serving(house, origins=(GOING,)) as served:
        assert await handshake(served, GOING) == 101
        assert await handshake(served, "https://elsewhere.example.com") == 403
        assert await handshake(served, "http://play.example.com") == 403


async def test_all_pages_open_sockets_where_all_may(house: House) -> None:
    async with serving(house, origins=("*",)) as served:
        assert await handshake(served, "https://elsewhere.example.com") == 101


ANSWERS: Final = {
    "an answer": ("GET", "/v1/rule-sets", None, 200),
    "a refusal": ("GET", "/v1/tables/aaaaaaaaaaaaaaaa", None, 401),
    "no such path": ("GET", "/nothing", None, 404),
    "a body that is too large": ("POST", "/v1/guests", {"name": 100_000 * "a"}, 413),
    "GraphQL": ("POST", "/graphql", {"query": "{ me { id } }"}, 200),
    "no GraphQL": ("POST", "/graphql", {"query": 5}, 400),
}


@pytest.mark.parametrize("asked", ANSWERS.values(), ids=ANSWERS)
async def test_a_page_that_may_ask_reads_answers_and_errors_alike(
    house: House, asked: tuple[str, str, Any, int]
) -> None:
    method, path, body, status = asked
    async with serving(house, origins=(GOING,)) as served, visiting(served.url) as stranger:
        for origin, allowed in ((GOING, GOING), ("https://elsewhere.example.com", None)):
            response = await stranger.request(method, path, json=body, headers={"Origin": origin})
            assert response.status_code == status
            assert response.headers.get("access-control-allow-origin") == allowed


async def test_a_page_asks_first_and_is_told_what_it_may_send(house: House) -> None:
    asking = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type",
    }
    async with serving(house, origins=(GOING,)) as served, visiting(served.url) as stranger:
        for path in ("/graphql", "/v1/tables"):
            headers = asking | {"Origin": GOING}
            response = await stranger.request("OPTIONS", path, headers=headers)
            assert response.status_code == 204
            assert response.headers["access-control-allow-origin"] == GOING
            assert "if-match" in response.headers["access-control-allow-headers"].lower()


# Too much of it


async def test_guests_from_one_address_come_one_after_the_other(house: House) -> None:
    async with guarded(house) as (_, stranger):
        response = await stranger.post("/v1/guests", {"name": "Ann"})
        for _ in range(40):
            if response.status_code != 201:
                break
            response = await stranger.post("/v1/guests", {"name": "Ann"})
        assert response.status_code == 429
        assert int(response.headers["retry-after"]) > 0
        assert response.headers["content-type"] == "application/problem+json"
        assert response.json()["code"] == "RATE_LIMITED"
        stranger.http.headers["X-Forwarded-For"] = "203.0.113.8"
        assert (await stranger.post("/v1/guests", {"name": "Bob"})).status_code == 201


async def test_only_a_trusted_proxy_says_where_somebody_comes_from(house: House) -> None:
    async with (
        serving(house, guards=Guards(SharedTallies())) as served,
        visiting(served.url) as stranger,
    ):
        stranger.http.headers["X-Forwarded-For"] = "203.0.113.7"
        for _ in range(40):
            assert (await stranger.post("/v1/guests", {"name": "Ann"})).status_code == 201


TEN: Final = (
    "mutation {"
    + "".join(f' a{n}: startGame(input: {{tableId: "none"}}) {{ __typename }}' for n in range(10))
    + "}"
)


async def test_every_command_counts_however_many_come_in_one_request(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spades_service.guards.COMMANDS", Rate("commands", 500, 10))
    async with guarded(house) as (_, stranger):
        ann = await stranger.guest("Ann")
        response = await ann.ask(TEN)
        for _ in range(100):
            if response.status_code != 200:
                break
            response = await ann.ask(TEN)
        assert response.status_code == 429
        assert int(response.headers["retry-after"]) > 0
        (error,) = response.json()["errors"]
        assert error["extensions"]["code"] == "RATE_LIMITED"
        refused = await ann.over("rest").start("none")
        assert refused.code == "RATE_LIMITED"
        async with ann.socket() as socket:
            await socket.subscribe(TEN)
            message = await socket.receive()
            assert message["type"] == "error"
            assert message["payload"][0]["extensions"]["code"] == "RATE_LIMITED"
        bob = await stranger.guest("Bob")
        assert (await bob.ask(TEN)).status_code == 200


async def test_a_player_watches_so_much_and_no_more_however(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guards, "WATCHES", Cap("streams of one player", 3))
    async with guarded(house) as (_, stranger):
        ann = await stranger.guest("Ann")
        table = (await ann.open()).id
        async with ann.watching(table, 0) as one, ann.streaming(table, after=0) as two:
            await first(one, 1)
            await first(two, 1)
            async with ann.watching(table, 0) as three:
                await first(three, 1)
                response = await ann.get(
                    f"/v1/tables/{table}/events", headers={"Accept": "text/event-stream"}
                )
                assert response.status_code == 429
                async with ann.socket() as socket:
                    await socket.watch(table)
                    message = await socket.receive()
                    assert message["type"] == "error"
                    assert message["payload"][0]["extensions"]["code"] == "RATE_LIMITED"
                told = await over_server_sent_events(ann, table)
                assert "RATE_LIMITED" in told


async def test_an_address_opens_so_many_sockets_and_no_more(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guards, "SOCKETS", Cap("sockets from one address", 2))
    async with guarded(house) as (served, _):
        url = served.url.replace("http", "ws", 1) + "/graphql"
        far = {"X-Forwarded-For": "203.0.113.7"}
        opened = [
            await connect(
                url, subprotocols=[Subprotocol(TRANSPORT_WS)], additional_headers=far, proxy=None
            )
            for _ in range(3)
        ]
        await opened[2].wait_closed()
        assert opened[2].close_code == 1013
        await opened[0].close()
        await until(lambda: served.services.guards.held(SOCKETS, "203.0.113.7") == 1)
        await opened[1].close()

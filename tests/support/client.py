"""Those who use the service: players, platforms and strangers, over GraphQL, REST and live streams.

Nothing here knows the service's code; it knows what is written in the schema and in the protocols.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

Json = dict[str, Any]
Face = Literal["graphql", "rest"]
Wire = Literal["sse", "ndjson"]

PATIENCE: Final = 15.0
TRANSPORT_WS: Final = "graphql-transport-ws"
MEDIA: Final[Mapping[Wire, str]] = {
    "sse": "text/event-stream",
    "ndjson": "application/x-ndjson",
}

EVENT: Final = """
fragment Event on TableEvent {
  __typename version at
  ... on TableOpened { game target firstDealer setDeals }
  ... on SeatTaken { seat playerId playerName }
  ... on SeatLeft { seat playerId }
  ... on GameStarted { dealer }
  ... on RoundDealt { number dealer hand withheld }
  ... on DealThrownIn { seat }
  ... on CardDrawn { seat looked kept discarded }
  ... on HandSeen { seat }
  ... on BidPlaced { seat tricks blind }
  ... on CardsOffered { seat cards }
  ... on CardsExchanged { seats given received }
  ... on CardPlayed { seat card }
  ... on TrickTaken { seat }
  ... on RoundScored { sides { contract taken change score bags lines { what points } } }
  ... on GameFinished { winner reason }
}
"""
TABLE: Final = """
fragment Table on Table {
  id version status phase setDeals dealer turn awaited seat hand handWithheld legalPlays legalBids
  mayBidBlind topCard offered winner
  rules { preset target }
  seats { number player { id name } bot cardCount bid blind taken }
  round { number spadesBroken trickNumber trick { seat card } lastTrick { seat card } }
  sides { seats contract taken score bags }
}
"""
RESULT: Final = """
    __typename
    ... on Accepted { version events { ...Event } table { ...Table } }
    ... on Refused { code message refusedAt: version }
    """
SUBSCRIPTION: Final = (
    "subscription($table: ID!, $after: Int) { tableEvents(tableId: $table, after: $after)"
    " { event { ...Event } table { ...Table } } }" + EVENT + TABLE
)


class Unanswered(Exception):
    """A GraphQL request that brought errors and no data."""

    def __init__(self, errors: list[Json]) -> None:
        super().__init__("; ".join(str(error["message"]) for error in errors))
        self.errors = errors


@dataclass(frozen=True)
class Outcome:
    """What became of a command: what it brought about, or why it was refused.

    The version is the table's, 0 for a table that there is not.
    """

    version: int
    events: list[Json] = field(default_factory=list)
    table: Json = field(default_factory=dict)
    code: str | None = None
    message: str = ""

    @property
    def accepted(self) -> bool:
        return self.code is None

    @property
    def id(self) -> str:
        """The table's id, for a table just opened."""
        return str(self.table["id"])


@dataclass(frozen=True)
class Heard:
    """Everything that came over the wires for somebody, byte for byte."""

    raw: list[bytes] = field(default_factory=list)
    listeners: list[Callable[[bytes], None]] = field(default_factory=list)

    def note(self, data: str | bytes) -> None:
        data = data.encode() if isinstance(data, str) else data
        self.raw.append(data)
        for listener in self.listeners:
            listener(data)


@dataclass(frozen=True)
class User:
    """Someone with a token, a key, or nothing to show; commands go over `face`."""

    http: httpx.AsyncClient
    token: str | None = None
    id: str = ""
    name: str = ""
    face: Face = "graphql"
    heard: Heard = field(default_factory=Heard, repr=False)

    def over(self, face: Face) -> "User":
        """The same user, over GraphQL or REST."""
        return replace(self, face=face)

    def having(self, token: str | None) -> "User":
        """Somebody with this token or key, or with none."""
        return User(self.http, token, face=self.face)

    @property
    def headers(self) -> dict[str, str]:
        return {} if self.token is None else {"Authorization": f"Bearer {self.token}"}

    async def request(self, method: str, path: str, **more: Any) -> httpx.Response:
        """Any request at all."""
        headers = {**self.headers, **more.pop("headers", {})}
        response = await self.http.request(method, path, headers=headers, **more)
        self.heard.note(_whole(response))
        return response

    async def get(self, path: str, **more: Any) -> httpx.Response:
        return await self.request("GET", path, **more)

    async def post(self, path: str, body: object = None, **more: Any) -> httpx.Response:
        return await self.request("POST", path, json=body, **more)

    async def ask(self, document: str, **variables: Any) -> httpx.Response:
        """A GraphQL request, and the answer as it comes."""
        return await self.post("/graphql", {"query": document, "variables": variables})

    async def query(self, document: str, **variables: Any) -> Json:
        """A GraphQL request's data; raises Unanswered where it has errors."""
        answer = (await self.ask(document, **variables)).json()
        if answer.get("errors"):
            raise Unanswered(answer["errors"])
        data: Json = answer["data"]
        return data

    # What players and platforms do

    async def guest(self, name: str) -> "User":
        """A new player whom nobody knows."""
        return await self._signed_in("/v1/guests", {"name": name})

    async def platform_player(self, external_id: str, name: str) -> "User":
        """A platform's own user; takes the platform's key."""
        return await self._signed_in("/v1/players", {"externalId": external_id, "name": name})

    async def _signed_in(self, path: str, body: Json) -> "User":
        response = await self.http.post(path, json=body, headers=self.headers)
        assert response.status_code == 201, response.text
        signed = response.json()
        player = signed["player"]
        return User(self.http, signed["token"], player["id"], player["name"], self.face)

    async def open(
        self,
        preset: str = "campus",
        *,
        dealer: int | None = None,
        deals: list[list[list[str]]] | None = None,
        command_id: str | None = None,
        **options: Any,
    ) -> Outcome:
        """Open a table; options that differ are named as the face names them."""
        given = {
            "rules": {"preset": preset, **options},
            "dealer": dealer,
            "deals": deals,
            "commandId": command_id,
        }
        body = {key: value for key, value in given.items() if value is not None}
        if self.face == "graphql":
            return await self._mutation("openTable", "OpenTableInput", body)
        return _outcome(await self.post("/v1/tables", body))

    async def do(
        self,
        what: str,
        table: str,
        *,
        command_id: str | None = None,
        expected_version: int | None = None,
        **fields: Any,
    ) -> Outcome:
        """A command at a table, by the name that both faces give it."""
        named = {} if command_id is None else {"commandId": command_id}
        if self.face == "rest":
            headers = {} if expected_version is None else {"If-Match": f'"{expected_version}"'}
            body = {"type": what, **fields, **named}
            return _outcome(await self.post(f"/v1/tables/{table}/commands", body, headers=headers))
        if expected_version is not None:
            named = {**named, "expectedVersion": expected_version}  # type: ignore[dict-item]
        return await self._mutation(what, INPUTS[what], {"tableId": table, **fields, **named})

    async def _mutation(self, what: str, kind: str, input_: Json) -> Outcome:
        document = f"mutation($input: {kind}!) {{ {what}(input: $input) {{ {RESULT} }} }}"
        data = await self.query(document + EVENT + TABLE, input=input_)
        result = data[what]
        if result["__typename"] == "Refused":
            return Outcome(result["refusedAt"] or 0, code=result["code"], message=result["message"])
        return Outcome(result["version"], result["events"], result["table"])

    async def sit(self, table: str, seat: int, **more: Any) -> Outcome:
        return await self.do("takeSeat", table, seat=seat, **more)

    async def leave(self, table: str, **more: Any) -> Outcome:
        return await self.do("leaveSeat", table, **more)

    async def start(self, table: str, **more: Any) -> Outcome:
        return await self.do("startGame", table, **more)

    async def look(self, table: str, **more: Any) -> Outcome:
        return await self.do("lookAtHand", table, **more)

    async def bid(self, table: str, tricks: int, **more: Any) -> Outcome:
        return await self.do("placeBid", table, tricks=tricks, **more)

    async def play(self, table: str, card: str, **more: Any) -> Outcome:
        return await self.do("playCard", table, card=card, **more)

    # What everybody may read

    async def table(self, table: str) -> Json:
        """The table as this user sees it."""
        if self.face == "rest":
            response = await self.get(f"/v1/tables/{table}")
            assert response.status_code == 200, response.text
            shown: Json = response.json()
            return shown
        data = await self.query("query($id: ID!) { table(id: $id) { ...Table } }" + TABLE, id=table)
        assert data["table"] is not None, f"there is no table {table}"
        found: Json = data["table"]
        return found

    async def version(self, table: str) -> int:
        return int((await self.table(table))["version"])

    async def events(self, table: str, after: int = 0, first: int = 1000) -> list[Json]:
        """What happened at a table as this user sees it."""
        if self.face == "rest":
            response = await self.get(
                f"/v1/tables/{table}/events", params={"after": after, "first": first}
            )
            assert response.status_code == 200, response.text
            listed: list[Json] = response.json()
            return listed
        data = await self.query(
            "query($id: ID!, $after: Int!, $first: Int!)"
            " { events(tableId: $id, after: $after, first: $first) { ...Event } }" + EVENT,
            id=table,
            after=after,
            first=first,
        )
        found: list[Json] = data["events"]
        return found

    # What goes on

    @asynccontextmanager
    async def socket(
        self, *, init: bool = True, protocol: str | None = TRANSPORT_WS
    ) -> AsyncIterator["Socket"]:
        """A WebSocket, greeted with this user's token unless `init` is off."""
        url = f"{self.http.base_url}".replace("http", "ws", 1).rstrip("/") + "/graphql"
        protocols = None if protocol is None else [Subprotocol(protocol)]
        async with connect(url, subprotocols=protocols, proxy=None) as connection:
            socket = Socket(connection, self.heard)
            if init:
                await socket.greet(self.headers)
            yield socket

    @asynccontextmanager
    async def watching(self, table: str, after: int | None = None) -> AsyncIterator["Updates"]:
        """The updates of a table over a WebSocket of its own."""
        async with self.socket() as socket:
            name = await socket.watch(table, after)
            yield socket.updates(name)

    @asynccontextmanager
    async def streaming(
        self,
        table: str,
        wire: Wire = "sse",
        *,
        after: int | None = None,
        last_event_id: int | None = None,
    ) -> AsyncIterator["Updates"]:
        """The updates of a table as server-sent events, or as one JSON object a line."""
        headers = {**self.headers, "Accept": MEDIA[wire]}
        if last_event_id is not None:
            headers["Last-Event-ID"] = str(last_event_id)
        params = {} if after is None else {"after": after}
        path = f"/v1/tables/{table}/events"
        async with self.http.stream("GET", path, headers=headers, params=params) as response:
            assert response.status_code == 200, (await response.aread()).decode()
            assert response.headers["content-type"].startswith(MEDIA[wire])
            lines = _lines(response, self.heard)
            yield _server_sent(lines) if wire == "sse" else _one_a_line(lines)


Updates = AsyncIterator[Json]
"""What a watcher gets: `{"event": ..., "table": ...}`, until the stream ends."""

INPUTS: Final[Mapping[str, str]] = {
    "takeSeat": "TakeSeatInput",
    "leaveSeat": "TableCommandInput",
    "startGame": "TableCommandInput",
    "lookAtHand": "TableCommandInput",
    "placeBid": "PlaceBidInput",
    "exchangeCards": "ExchangeCardsInput",
    "drawCard": "DrawCardInput",
    "playCard": "PlayCardInput",
}


class Socket:
    """One WebSocket that speaks graphql-transport-ws."""

    def __init__(self, connection: ClientConnection, heard: Heard) -> None:
        self.connection = connection
        self._heard = heard
        self._subscriptions = 0

    async def send(self, message: object) -> None:
        """Send any JSON, a message or not."""
        await self.connection.send(json.dumps(message))

    async def receive(self) -> Json:
        """The next message; raises ConnectionClosed where there is none any more."""
        async with asyncio.timeout(PATIENCE):
            data = await self.connection.recv()
        self._heard.note(data)
        message: Json = json.loads(data)
        return message

    async def greet(self, payload: Json) -> None:
        """Say who this is, and wait to be let in."""
        await self.send({"type": "connection_init", "payload": payload})
        answer = await self.receive()
        assert answer["type"] == "connection_ack", answer

    async def subscribe(self, document: str, **variables: Any) -> str:
        """Begin an operation; its id."""
        self._subscriptions += 1
        name = f"operation-{self._subscriptions}"
        payload = {"query": document, "variables": variables}
        await self.send({"id": name, "type": "subscribe", "payload": payload})
        return name

    async def watch(self, table: str, after: int | None = None) -> str:
        """Begin to watch a table; the subscription's id."""
        return await self.subscribe(SUBSCRIPTION, table=table, after=after)

    async def updates(self, name: str) -> Updates:
        """The updates of a subscription until it is complete; raises Unanswered on errors."""
        while True:
            message = await self.receive()
            if message.get("id") != name:
                continue
            if message["type"] == "complete":
                return
            if message["type"] == "error":
                raise Unanswered(message["payload"])
            if message["payload"].get("errors"):
                raise Unanswered(message["payload"]["errors"])
            yield message["payload"]["data"]["tableEvents"]

    async def closed(self) -> int:
        """Wait for the other side to hang up; the close code."""
        async with asyncio.timeout(PATIENCE):
            with suppress(ConnectionClosed):
                while True:
                    self._heard.note(await self.connection.recv())
        assert self.connection.close_code is not None
        return self.connection.close_code


@asynccontextmanager
async def visiting(url: str) -> AsyncIterator[User]:
    """A stranger at a service, from whom all others are made: `guest`, and `having` a key."""
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=50)
    async with httpx.AsyncClient(
        base_url=url, timeout=PATIENCE, limits=limits, verify=False, trust_env=False
    ) as http:
        yield User(http)


async def first(updates: Updates, count: int) -> list[Json]:
    """The next so many updates."""
    found: list[Json] = []
    async with asyncio.timeout(PATIENCE):
        while len(found) < count:
            found.append(await anext(updates))
    return found


async def through(updates: Updates, version: int) -> list[Json]:
    """Every update up to a version's."""
    found: list[Json] = []
    async with asyncio.timeout(PATIENCE):
        while not found or found[-1]["event"]["version"] < version:
            found.append(await anext(updates))
    return found


async def rest_of(updates: Updates) -> list[Json]:
    """Every update until the stream ends."""
    async with asyncio.timeout(PATIENCE):
        return [update async for update in updates]


def versions(updates: list[Json]) -> list[int]:
    return [int(update["event"]["version"]) for update in updates]


def _outcome(response: httpx.Response) -> Outcome:
    body = response.json()
    if response.is_success:
        return Outcome(body["version"], body["events"], body["table"])
    assert response.headers["content-type"] == "application/problem+json", response.text
    assert "code" in body, response.text
    return Outcome(body.get("version", 0), code=body["code"], message=body["detail"])


def _whole(response: httpx.Response) -> bytes:
    """An answer with its headers."""
    head = b"\n".join(b"%b: %b" % pair for pair in response.headers.raw)
    return head + b"\n\n" + response.content


async def _lines(response: httpx.Response, heard: Heard) -> AsyncIterator[str]:
    async for line in response.aiter_lines():
        heard.note(line)
        yield line


async def _server_sent(lines: AsyncIterator[str]) -> Updates:
    fields: dict[str, str] = {}
    async for line in lines:
        if line.startswith(":"):
            continue
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
            continue
        if fields:
            update = json.loads(fields["data"])
            assert fields["event"] == "update"
            assert fields["id"] == str(update["event"]["version"])
            yield update
            fields = {}


async def _one_a_line(lines: AsyncIterator[str]) -> Updates:
    async for line in lines:
        if line:
            yield json.loads(line)


@dataclass(frozen=True)
class Game:
    """A table and those who sit at it, by seat."""

    id: str
    players: tuple[User, ...]

    async def turn(self) -> User | None:
        """Whose move it is."""
        seat = (await self.players[0].table(self.id))["turn"]
        return None if seat is None else self.players[seat]

    async def step(self) -> Outcome:
        """One move by whoever's turn it is: a bid of 3, or the first card that may be played."""
        player = await self.turn()
        assert player is not None, "it is nobody's turn"
        seen = await player.table(self.id)
        if seen["phase"] == "BIDDING":
            return await player.bid(self.id, 3)
        return await player.play(self.id, seen["legalPlays"][0])

    async def steps(self, count: int) -> Outcome:
        """So many moves; what came of the last."""
        outcomes = [await self.step() for _ in range(count)]
        assert all(outcome.accepted for outcome in outcomes), outcomes
        return outcomes[-1]


async def started(
    opener: User,
    players: tuple[User, ...],
    preset: str = "campus",
    *,
    dealer: int | None = None,
    deals: list[list[list[str]]] | None = None,
    **options: Any,
) -> Game:
    """A game that has begun."""
    opened = await opener.open(preset, dealer=dealer, deals=deals, **options)
    assert opened.accepted, opened
    for seat, player in enumerate(players):
        outcome = await player.sit(opened.id, seat)
        assert outcome.accepted, outcome
    outcome = await players[0].start(opened.id)
    assert outcome.accepted, outcome
    return Game(opened.id, players)


async def four(stranger: User) -> tuple[User, User, User, User]:
    """Four guests who know each other."""
    north, east, south, west = [
        await stranger.guest(name) for name in ("North", "East", "South", "West")
    ]
    return north, east, south, west


CARD: Final = re.compile(rb"(?<![\w-])(?:[CDHS][2-9TJQKA]|[BL]J)(?![\w-])")


def cards_in(data: bytes) -> set[str]:
    """Every card that stands in some bytes, in whatever place."""
    return {found.decode() for found in CARD.findall(data)}

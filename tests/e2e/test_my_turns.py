"""What waits for my move: over GraphQL, over REST, across replicas, and never what is another's."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from support.client import Game, Json, Unanswered, User, four, started, visiting
from support.service import Service, running

MY_TURNS: Final = """subscription { myTurns {
  tableId version seat phase deadline table { id version seat awaited legalBids deadline } } }"""
every_way = pytest.mark.parametrize("way", ["websocket", "sse", "ndjson"])


@asynccontextmanager
async def turns(player: User, way: str) -> AsyncIterator[AsyncIterator[Json]]:
    """A player's turns, over a WebSocket or as a plain stream."""
    if way == "websocket":
        async with player.socket() as socket:
            name = await socket.subscribe(MY_TURNS)
            yield over_a_socket(player, socket, name)
        return
    media = "text/event-stream" if way == "sse" else "application/x-ndjson"
    headers = {**player.headers, "Accept": media}
    async with player.http.stream("GET", "/v1/me/turns", headers=headers) as response:
        assert response.status_code == 200
        assert response.headers["content-type"].startswith(media)
        yield in_lines(response.aiter_lines())


async def over_a_socket(player: User, socket: object, name: str) -> AsyncIterator[Json]:
    while True:
        message = await socket.receive()  # type: ignore[attr-defined]
        assert message["id"] == name
        if message["type"] == "error" or message["payload"].get("errors"):
            raise Unanswered(message["payload"])
        yield message["payload"]["data"]["myTurns"]


async def in_lines(lines: AsyncIterator[str]) -> AsyncIterator[Json]:
    async for line in lines:
        if line.startswith("event: "):
            assert line == "event: turn"
        elif line and not line.startswith(":"):
            yield json.loads(line.removeprefix("data: "))


async def told(news: AsyncIterator[Json]) -> Json:
    async with asyncio.timeout(10):
        return await anext(news)


@every_way
async def test_a_player_is_told_what_waits_and_then_each_turn(stranger: User, way: str) -> None:
    players = await four(stranger)
    one = await started(players[0], players, "classic", dealer=3)
    two = await started(players[0], players, "classic", dealer=3)
    async with turns(players[0], way) as mine, turns(players[1], way) as next_ones:
        first = [await told(mine), await told(mine)]
        assert {turn["tableId"] for turn in first} == {one.id, two.id}
        for turn in first:
            assert (turn["seat"], turn["phase"], turn["deadline"]) == (0, "BIDDING", None)
            assert turn["table"]["version"] == turn["version"]
            assert turn["table"]["awaited"] == [0]
            assert turn["table"]["legalBids"]
        bid = await players[0].bid(two.id, 3)
        turn = await told(next_ones)
        assert (turn["tableId"], turn["version"], turn["seat"]) == (two.id, bid.version, 1)


@every_way
async def test_a_turn_has_a_deadline_where_the_table_has_a_clock(stranger: User, way: str) -> None:
    ann = await stranger.guest("Ann")
    body = {
        "rules": {"preset": "classic"},
        "dealer": 3,
        "turnSeconds": 600,
        "seat": 0,
        "fill": "easy",
    }
    opened = (await ann.post("/v1/tables", body)).json()
    async with turns(ann, way) as mine:
        turn = await told(mine)
    assert turn["tableId"] == opened["table"]["id"]
    assert turn["deadline"] == turn["table"]["deadline"] == opened["table"]["deadline"]
    assert turn["deadline"].endswith("Z")


async def test_a_list_says_what_waits_now(stranger: User) -> None:
    players = await four(stranger)
    game = await started(players[0], players, "classic", dealer=3)
    waiting = await asyncio.gather(*(player.get("/v1/me/turns") for player in players))
    assert [[turn["tableId"] for turn in one.json()] for one in waiting] == [[game.id], [], [], []]


async def test_a_turn_shows_no_cards_but_ones_own(stranger: User) -> None:
    players = await four(stranger)
    await started(players[0], players, "classic", dealer=3)
    async with turns(players[0], "ndjson") as mine:
        turn = await told(mine)
    assert turn["table"]["hand"] is not None
    hidden = {card for player in players[1:] for card in await hand_of(player)}
    assert not hidden & set(turn["table"]["hand"])
    assert not any(card in json.dumps(turn) for card in hidden)


async def hand_of(player: User) -> list[str]:
    tables = (await player.get("/v1/me/tables")).json()["edges"]
    return list((await player.table(tables[0]["node"]["id"]))["hand"])


@pytest.mark.parametrize(("who", "code"), [("stranger", 401), ("platform", 403)])
async def test_who_can_have_no_turn_is_told_so(
    stranger: User, platform: User, who: str, code: int
) -> None:
    asking = stranger if who == "stranger" else platform
    for accept in ("application/json", "text/event-stream"):
        response = await asking.get("/v1/me/turns", headers={"Accept": accept})
        assert response.status_code == code
    async with asking.socket() as socket:
        await socket.subscribe(MY_TURNS)
        message = await socket.receive()
        (error,) = message["payload"]["errors"]
        assert error["extensions"]["code"] in {"UNAUTHENTICATED", "NOT_ALLOWED"}


@pytest.mark.parametrize("way", ["websocket", "sse"])
async def test_a_turn_that_began_at_another_replica_is_told_here(
    tmp_path: Path, service: Service, way: str
) -> None:
    with running(tmp_path / "other", REDIS_URL=service.store_url) as other:
        async with visiting(service.url) as here, visiting(other.url) as there:
            players = await four(here)
            away = [there.having(player.token) for player in players]
            async with turns(away[0], way) as mine, turns(away[1], way) as next_ones:
                game: Game = await started(players[0], players, "classic", dealer=3)
                assert (await told(mine))["tableId"] == game.id
                bid = await players[0].bid(game.id, 3)
                turn = await told(next_ones)
                assert (turn["tableId"], turn["version"]) == (game.id, bid.version)

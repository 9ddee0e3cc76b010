"""Those who watch: nothing missed, nothing told twice, over dropped lines and at every replica."""

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from typing import Final

import httpx
import pytest

from spades_adapters.embedded import EmbeddedServer
from support.client import (
    Face,
    Game,
    Json,
    Updates,
    User,
    first,
    four,
    rest_of,
    started,
    through,
    versions,
    visiting,
)
from support.service import PLATFORM_KEY, Service, running

WAYS: Final = ("websocket", "sse", "ndjson")
every_way = pytest.mark.parametrize("way", WAYS)


def watching(
    user: User, way: str, table: str, after: int | None
) -> AbstractAsyncContextManager[Updates]:
    match way:
        case "websocket":
            return user.watching(table, after)
        case "sse":
            return user.streaming(table, "sse", after=after)
        case _:
            return user.streaming(table, "ndjson", after=after)


@pytest.fixture
async def game(stranger: User) -> Game:
    return await started(await stranger.guest("Opener"), await four(stranger))


@every_way
async def test_who_watches_from_the_beginning_is_told_everything_old_and_new_in_order(
    game: Game, ann: User, way: str
) -> None:
    await game.steps(3)
    async with watching(ann, way, game.id, 0) as updates:
        last = await game.steps(6)
        seen = await through(updates, last.version)
    assert versions(seen) == [*range(1, last.version + 1)]
    face: Face = "graphql" if way == "websocket" else "rest"
    listed = await ann.over(face).events(game.id)
    assert [update["event"] for update in seen] == listed
    assert seen[-1]["table"] == await ann.over(face).table(game.id)


@every_way
async def test_who_watches_from_a_version_is_told_what_came_after_it(
    game: Game, ann: User, way: str
) -> None:
    version = (await game.steps(6)).version
    async with watching(ann, way, game.id, version - 2) as updates:
        assert versions(await first(updates, 2)) == [version - 1, version]
        last = await game.steps(1)
        assert versions(await through(updates, last.version)) == [
            *range(version + 1, last.version + 1)
        ]
    async with watching(ann, way, game.id, last.version) as updates:
        moved = await game.steps(1)
        assert versions(await through(updates, moved.version)) == [
            *range(last.version + 1, moved.version + 1)
        ]


@every_way
async def test_who_names_no_version_is_told_what_happens_from_now_on(
    ann: User, bob: User, way: str
) -> None:
    opened = await ann.open()
    before = (await ann.sit(opened.id, 0)).version
    async with watching(bob, way, opened.id, None) as updates:
        arriving = asyncio.create_task(first(updates, 5))
        while not arriving.done():
            await ann.leave(opened.id)
            await ann.sit(opened.id, 0)
        seen = versions(await arriving)
    assert seen[0] > before
    assert seen == [*range(seen[0], seen[0] + 5)]


@every_way
async def test_a_player_who_watches_is_shown_their_own_cards_and_no_others(
    game: Game, way: str
) -> None:
    north = game.players[0]
    async with watching(north, way, game.id, 0) as updates:
        last = await game.steps(5)
        seen = await through(updates, last.version)
    (dealt,) = [update["event"] for update in seen if "hand" in update["event"]]
    assert len(dealt["hand"]) == 13
    assert seen[-1]["table"]["hand"] == (await north.table(game.id))["hand"]


@every_way
async def test_lines_that_drop_again_and_again_cost_nobody_an_update_or_a_doubled_one(
    game: Game, ann: User, way: str
) -> None:
    moving = asyncio.create_task(game.steps(30))
    seen: list[int] = []
    for count in (1, 3, 2, 7, 5, 1):
        async with watching(ann, way, game.id, seen[-1] if seen else 0) as updates:
            seen += versions(await first(updates, count))
    last = await moving
    async with watching(ann, way, game.id, seen[-1]) as updates:
        seen += versions(await through(updates, last.version))
    assert seen == [*range(1, last.version + 1)]


@pytest.mark.parametrize("wire", ["sse", "ndjson"])
async def test_a_stream_goes_on_after_the_last_event_id(game: Game, ann: User, wire: str) -> None:
    version = await ann.version(game.id)
    path, media = f"/v1/tables/{game.id}/events", {"sse": "text/event-stream"}
    headers = {
        **ann.headers,
        "Accept": media.get(wire, "application/x-ndjson"),
        "Last-Event-ID": str(version - 1),
    }
    # A browser sends the id that it saw last beside the query that it began with.
    async with ann.http.stream("GET", path, headers=headers, params={"after": 0}) as response:
        assert response.headers["cache-control"] == "no-store"
        async with asyncio.timeout(10):
            line = await anext(response.aiter_lines())
    assert line == f"id: {version}" if wire == "sse" else f'"version":{version}' in line


async def test_all_who_watch_a_table_hear_the_same_at_the_same_versions(
    game: Game, stranger: User
) -> None:
    watchers = [await stranger.guest(f"Watcher {number}") for number in range(10)]

    async def heard(watcher: User, way: str, until: int) -> list[Json]:
        async with watching(watcher, way, game.id, 0) as updates:
            return [update["event"] for update in await through(updates, until)]

    until = await watchers[0].version(game.id) + 10
    hearing = [asyncio.create_task(heard(watcher, "websocket", until)) for watcher in watchers]
    await game.steps(11)
    one, *others = [events[:until] for events in await asyncio.gather(*hearing)]
    assert all(other == one for other in others)


async def test_a_watcher_who_hangs_up_does_not_disturb_the_others(
    game: Game, ann: User, bob: User
) -> None:
    async with ann.watching(game.id, 0) as anns:
        async with bob.watching(game.id, 0) as bobs:
            await first(bobs, 2)
        last = await game.steps(8)
        assert versions(await through(anns, last.version)) == [*range(1, last.version + 1)]


async def test_an_operation_that_is_ended_says_no_more_and_its_socket_goes_on(
    game: Game, ann: User
) -> None:
    async with ann.socket() as socket:
        ended = await socket.watch(game.id, 0)
        await first(socket.updates(ended), 1)
        await socket.send({"id": ended, "type": "complete"})
        going_on = await socket.watch(game.id, 0)
        last = await game.steps(5)
        seen = await through(socket.updates(going_on), last.version)
        assert versions(seen) == [*range(1, last.version + 1)]
        await socket.send({"type": "ping"})
        assert await socket.receive() == {"type": "pong"}


# Two replicas on one store


@dataclass
class Replicas:
    """The same user at each of two services, and a game that both can see."""

    here: User
    there: User
    game: Game

    def at_the_other(self, player: User) -> User:
        """A player of the game, signed in at the second service."""
        return User(self.there.http, player.token, player.id, player.name)


@pytest.fixture(scope="session")
def two_services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, Service]]:
    folder = tmp_path_factory.mktemp("replicas")
    with (
        EmbeddedServer(folder / "store", fsync="no") as url,
        running(folder / "one", REDIS_URL=url) as one,
        running(folder / "other", REDIS_URL=url) as other,
    ):
        yield one, other


@pytest.fixture
async def replicas(two_services: tuple[Service, Service]) -> AsyncIterator[Replicas]:
    one, other = two_services
    async with visiting(one.url) as stranger, visiting(other.url) as there:
        ann = await stranger.guest("Ann")
        game = await started(ann, await four(stranger))
        yield Replicas(ann, User(there.http, ann.token, ann.id, ann.name), game)


@every_way
async def test_moves_made_at_one_replica_are_seen_at_the_other(
    replicas: Replicas, way: str
) -> None:
    game = replicas.game
    async with (
        watching(replicas.here, way, game.id, 0) as here,
        watching(replicas.there, way, game.id, 0) as there,
    ):
        last = await game.steps(20)
        one, other = await asyncio.gather(
            *(through(updates, last.version) for updates in (here, there))
        )
    assert versions(other) == [*range(1, last.version + 1)]
    assert other == one


async def test_moves_made_at_both_replicas_in_turn_work_although_each_is_behind(
    replicas: Replicas,
) -> None:
    game = replicas.game
    for number in range(24):
        player = await game.turn()
        assert player is not None
        user = player if number % 2 else replicas.at_the_other(player)
        seen = await player.table(game.id)
        if seen["phase"] == "BIDDING":
            outcome = await user.bid(game.id, 3)
        else:
            outcome = await user.play(game.id, seen["legalPlays"][0])
        assert outcome.accepted, outcome
    assert await replicas.there.table(game.id) == await replicas.here.table(game.id)


async def test_what_is_read_at_a_replica_is_what_was_answered_at_the_other(
    replicas: Replicas,
) -> None:
    game = replicas.game
    for _ in range(10):
        outcome = await game.step()
        assert await replicas.there.version(game.id) == outcome.version
        assert (await replicas.there.events(game.id))[-1] == outcome.events[-1]


async def test_a_command_answered_at_one_replica_is_answered_the_same_at_the_other(
    replicas: Replicas,
) -> None:
    game = replicas.game
    player = await game.turn()
    assert player is not None
    elsewhere = replicas.at_the_other(player)
    first_time = await player.bid(game.id, 3, command_id="once")
    assert first_time.accepted
    assert await elsewhere.bid(game.id, 3, command_id="once") == first_time
    assert (await elsewhere.bid(game.id, 4, command_id="once")).code == "COMMAND_ID_REUSED"
    await game.steps(4)
    assert await elsewhere.bid(game.id, 3, command_id="once") == first_time


async def test_of_two_commands_for_one_version_at_two_replicas_exactly_one_wins(
    replicas: Replicas,
) -> None:
    here, there = replicas.here, replicas.there
    bob = await here.having(None).guest("Bob")
    elsewhere = User(there.http, bob.token, bob.id, bob.name)
    table = (await here.open()).id
    for seat in range(4):
        version = await here.version(table)
        outcomes = await asyncio.gather(
            here.sit(table, seat, expected_version=version),
            elsewhere.sit(table, seat, expected_version=version),
        )
        assert sorted(outcome.accepted for outcome in outcomes) == [False, True]
        assert {outcome.version for outcome in outcomes} == {version + 1}
        (loser,) = [outcome for outcome in outcomes if not outcome.accepted]
        assert loser.code == "VERSION_CONFLICT"
        winner = here if outcomes[0].accepted else elsewhere
        assert (await winner.leave(table)).accepted


async def test_a_platforms_key_and_its_players_are_the_same_at_both_replicas(
    replicas: Replicas,
) -> None:
    one, other = [
        await user.having(PLATFORM_KEY).platform_player("u-17", "Dora")
        for user in (replicas.here, replicas.there)
    ]
    assert one.id == other.id


async def test_where_one_replica_is_killed_the_watcher_goes_on_at_the_other(
    replicas: Replicas, two_services: tuple[Service, Service]
) -> None:
    game, (_, other) = replicas.game, two_services
    seen: list[int] = []
    async with replicas.there.streaming(game.id, "sse", after=0) as updates:
        seen += versions(await first(updates, 5))
        other.end(signal.SIGKILL)
        with suppress(httpx.TransportError):
            seen += versions(await rest_of(updates))
    try:
        last = await game.steps(5)
        async with replicas.here.streaming(game.id, "sse", last_event_id=seen[-1]) as updates:
            seen += versions(await through(updates, last.version))
    finally:
        await asyncio.to_thread(other.start)
    assert seen == [*range(1, last.version + 1)]

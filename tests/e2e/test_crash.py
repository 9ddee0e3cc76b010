"""The power goes: service and store are killed in mid-game, and everything is there again."""

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Final

import httpx
import pytest

from support.client import Game, Json, Outcome, User, four, started, visiting
from support.service import Service, running

MOMENTS: Final = {
    "in mid-bidding": 2,
    "in mid-trick": 4 + 4 + 2,
    "between two tricks": 4 + 5 * 4,
    "before the last card": 4 + 51,
}
"""After how many moves the service is killed."""
MOVES_OF_A_ROUND: Final = 56


@pytest.fixture
async def own(tmp_path: Path) -> AsyncIterator[tuple[Service, User]]:
    """A service that may be killed, and a stranger at it."""
    with running(tmp_path) as service:
        async with visiting(service.url) as stranger:
            yield service, stranger


async def seen_by_all(game: Game, spectator: User) -> list[tuple[Json, list[Json]]]:
    """The table and its history as each seat and a spectator see them, over both faces."""
    return [
        (await viewer.table(game.id), await viewer.events(game.id))
        for user in (*game.players, spectator)
        for viewer in (user, user.over("rest"))
    ]


async def named_move(game: Game) -> tuple[User, Callable[[], Awaitable[Outcome]], Outcome]:
    """A move under a command id: who made it, the same command once more, and its outcome."""
    mover = await game.turn()
    assert mover is not None
    seen = await mover.table(game.id)

    async def command() -> Outcome:
        if seen["phase"] == "BIDDING":
            return await mover.bid(game.id, 3, command_id="named")
        return await mover.play(game.id, seen["legalPlays"][0], command_id="named")

    outcome = await command()
    assert outcome.accepted, outcome
    return mover, command, outcome


@pytest.mark.parametrize("moves", MOMENTS.values(), ids=MOMENTS)
async def test_a_game_goes_on_after_a_crash_as_if_there_had_been_none(
    own: tuple[Service, User], moves: int
) -> None:
    service, stranger = own
    game = await started(await stranger.guest("Opener"), await four(stranger))
    spectator = await stranger.guest("Spectator")
    if moves > 1:
        await game.steps(moves - 1)
    mover, command, first = await named_move(game)
    before = await seen_by_all(game, spectator)

    service.kill()
    service.start()

    assert await seen_by_all(game, spectator) == before
    assert await command() == first
    assert await seen_by_all(game, spectator) == before
    assert await mover.version(game.id) == first.version

    last = await game.steps(MOVES_OF_A_ROUND - moves)
    assert "RoundScored" in [event["__typename"] for event in last.events]
    assert await command() == first
    assert [event["version"] for event in await spectator.events(game.id)] == [
        *range(1, last.version + 1)
    ]


async def test_what_was_answered_before_a_crash_in_the_midst_of_moves_is_there_after_it(
    own: tuple[Service, User],
) -> None:
    service, stranger = own
    opener = await stranger.guest("Opener")
    tables = [(await opener.open()).id for _ in range(4)]
    answered: list[tuple[str, int]] = []
    enough = asyncio.Event()

    async def sit_and_leave(player: User, table: str) -> None:
        with suppress(httpx.TransportError):
            for number in count():
                leaving = number % 2
                outcome = await (player.leave(table) if leaving else player.sit(table, 0))
                assert outcome.accepted, outcome
                answered.append((table, outcome.version))
                if len(answered) > 100:
                    enough.set()

    players = [await stranger.guest(f"Player {number}") for number in range(4)]
    busy = [
        asyncio.create_task(sit_and_leave(player, table))
        for player, table in zip(players, tables, strict=True)
    ]
    async with asyncio.timeout(10):
        await enough.wait()
    await asyncio.to_thread(service.kill)
    await asyncio.gather(*busy)

    await asyncio.to_thread(service.start)
    for table in tables:
        events = await opener.events(table)
        assert [event["version"] for event in events] == [*range(1, len(events) + 1)]
        told = [version for name, version in answered if name == table]
        assert told == [*range(2, len(told) + 2)]
        # At most the one command that was under way may be there without its answer.
        assert len(told) + 1 <= len(events) <= len(told) + 2


async def test_a_crash_of_the_store_alone_loses_nothing_and_readiness_tells_of_it(
    own: tuple[Service, User],
) -> None:
    service, stranger = own
    ann = await stranger.guest("Ann")
    table = (await ann.open()).id
    service.kill_store()
    assert (await stranger.get("/health/ready")).status_code == 503
    assert (await stranger.get("/health/live")).status_code == 200
    response = await ann.get(f"/v1/tables/{table}")
    assert response.status_code == 503
    assert response.headers["content-type"] == "application/problem+json"

    service.end(signal.SIGKILL)
    service.start()
    assert (await ann.table(table))["version"] == 1

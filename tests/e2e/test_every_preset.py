"""A table of every preset: opened, played by its clients over GraphQL, killed halfway, played on.

The clients know no rules; they do what the API offers them.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest
import pytest_asyncio

from spades.rules import PRESETS
from spades.seats import LAYOUTS
from support.client import Json, Outcome, User, visiting
from support.service import Service, running


@dataclass
class Party:
    """A table and those who play at it."""

    preset: str
    players: list[User]
    table: str
    chance: Random
    seen: list[Json] = field(default_factory=list)
    """What each player saw just before the crash."""

    async def views(self) -> list[Json]:
        return [await player.table(self.table) for player in self.players]

    async def step(self) -> Json:
        """Whoever is awaited does something that is offered; the table after it, as they see it."""
        shown = await self.players[0].table(self.table)
        seat = self.chance.choice(shown["awaited"])
        player = self.players[seat]
        mine = await player.table(self.table)
        outcome = await self._move(player, mine)
        assert outcome.accepted, (self.preset, outcome.message)
        return outcome.table

    async def _move(self, player: User, mine: Json) -> Outcome:
        match mine["phase"]:
            case "DRAWING":
                keep = mine["topCard"][1] in "AKQJT"
                return await player.do("drawCard", self.table, keep=keep)
            case "BIDDING" if mine["mayBidBlind"] and self.chance.random() < 0.5:
                return await player.bid(self.table, 0, blind=True)
            case "BIDDING" if mine["handWithheld"]:
                return await player.look(self.table)
            case "BIDDING":
                return await player.bid(self.table, self.chance.choice(mine["legalBids"][:5]))
            case "EXCHANGING":
                return await player.do("exchangeCards", self.table, cards=mine["hand"][:2])
            case _:
                return await player.play(self.table, self.chance.choice(mine["legalPlays"]))

    async def play(self, moves: int | None = None) -> Json:
        """So many moves, or on to the end of the game; the table as it then is."""
        shown = await self.players[0].table(self.table)
        done = 0
        while shown["status"] == "PLAYING" and done != moves:
            shown = await self.step()
            done += 1
        return shown


async def seated(service: Service, stack: AsyncExitStack, preset: str) -> Party:
    stranger = await stack.enter_async_context(visiting(service.url))
    count = LAYOUTS[PRESETS[preset].rules.game].seats
    players = [await stranger.guest(f"Player {seat}") for seat in range(count)]
    opened = await players[0].open(preset, dealer=count - 1, maxRounds=1)
    for seat, player in enumerate(players):
        await player.sit(opened.id, seat)
    started = await players[0].start(opened.id)
    assert started.accepted, started.message
    return Party(preset, players, opened.id, Random(preset))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def parties(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[dict[str, Party]]:
    """Every preset's table halfway through its round, after a crash and a new start."""
    folder: Path = tmp_path_factory.mktemp("presets")
    with running(folder) as service:
        async with AsyncExitStack() as stack:
            found = {preset: await seated(service, stack, preset) for preset in PRESETS}
            await asyncio.gather(*(party.play(moves=30) for party in found.values()))
            for party in found.values():
                party.seen = await party.views()
            await asyncio.to_thread(service.kill)
            await asyncio.to_thread(service.start)
            yield found


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize("preset", PRESETS)
async def test_a_table_is_rebuilt_as_every_player_saw_it_and_played_to_its_end(
    parties: dict[str, Party], preset: str
) -> None:
    party = parties[preset]
    assert party.seen[0]["status"] == "PLAYING"
    assert await party.views() == party.seen
    end = await party.play()
    assert end["status"] == "FINISHED"
    assert end["winner"] is not None
    history = await party.players[0].events(party.table)
    assert [event["version"] for event in history] == list(range(1, end["version"] + 1))
    cards = sum(event["__typename"] == "CardPlayed" for event in history)
    layout = LAYOUTS[PRESETS[preset].rules.game]
    assert cards == layout.seats * layout.cards_each
    scored = next(event for event in history if event["__typename"] == "RoundScored")
    for side, sheet in zip(end["sides"], scored["sides"], strict=True):
        assert sheet["change"] == sum(line["points"] for line in sheet["lines"])
        assert (side["score"], side["bags"]) == (sheet["score"], sheet["bags"])

"""A round that was once played at a real table, played again by four clients while others watch."""

import asyncio
import json
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

import pytest

from support.client import Face, Game, Outcome, Updates, User, four, started, through, versions
from support.records import CAMPUS, plain
from support.service import Service

SEATS: Final = "NESW"
RECORD: Final[Any] = plain(CAMPUS)["rounds"][0]
DEALER: Final = SEATS.index(RECORD["dealer"])
HANDS: Final[list[list[str]]] = [RECORD["deal"][seat].split() for seat in SEATS]
BIDS: Final = [(SEATS.index(seat), tricks) for seat, tricks in RECORD["bids"].items()]
PLAYS: Final = [
    (SEATS.index(play[0]), play[2:]) for trick in RECORD["tricks"] for play in trick.split()
]


async def deal(platform: User, stranger: User, face: Face) -> Game:
    """The table before the first bid; the platform has set the deal."""
    north, east, south, west = await four(stranger.over(face))
    return await started(
        platform.over(face), (north, east, south, west), dealer=DEALER, deals=[HANDS]
    )


async def play(game: Game) -> Outcome:
    """Every bid and card as they came; the outcome of the last card."""
    bids = [await game.players[seat].bid(game.id, tricks) for seat, tricks in BIDS]
    plays = [await game.players[seat].play(game.id, card) for seat, card in PLAYS]
    for outcome in (*bids, *plays):
        assert outcome.accepted, outcome
    return plays[-1]


def watching(watcher: User, face: Face, table: str) -> AbstractAsyncContextManager[Updates]:
    return (
        watcher.watching(table, 0)
        if face == "graphql"
        else watcher.streaming(table, "ndjson", after=0)
    )


@pytest.mark.parametrize("face", ["graphql", "rest"])
async def test_the_recorded_round_comes_out_as_recorded_and_whoever_watches_misses_nothing(
    service: Service, stranger: User, platform: User, face: Face
) -> None:
    game = await deal(platform, stranger, face)
    ann, bob = await stranger.guest("Ann"), await stranger.guest("Bob")
    async with (
        watching(ann, face, game.id) as anns,
        bob.streaming(game.id, "sse", after=0) as bobs,
    ):
        last = await play(game)
        seen = await asyncio.gather(*(through(updates, last.version) for updates in (anns, bobs)))

    north_south, east_west = last.table["sides"]
    assert (north_south["score"], north_south["bags"]) == (61, 1)
    assert (east_west["score"], east_west["bags"]) == (-80, 0)
    (scored,) = [event for event in last.events if "sides" in event]
    assert [side["taken"] for side in scored["sides"]] == [7, 6]

    for updates in seen:
        assert versions(updates) == [*range(1, last.version + 1)]
        assert [update["table"]["version"] for update in updates] == versions(updates)
        assert [said(update) for update in updates if said(update)] == [*BIDS, *PLAYS]
    assert stored(service, game.id) == [*BIDS, *PLAYS]


def said(update: dict[str, Any]) -> tuple[int, Any] | None:
    """A bid or a card, and whose it was."""
    event = update["event"]
    match event.get("__typename", event.get("type")):
        case "BidPlaced":
            return event["seat"], event["tricks"]
        case "CardPlayed":
            return event["seat"], event["card"]
        case _:
            return None


def stored(service: Service, table: str) -> list[tuple[int, Any]]:
    """Every bid and card that the table's stream holds, read behind the service's back."""
    entries = service.entries(table)
    assert [entry.decode() for entry, _ in entries] == [
        f"{version}-0" for version in range(1, len(entries) + 1)
    ]
    bodies = [json.loads(fields[b"b"]) for _, fields in entries if fields[b"t"] in SAID]
    return [(seat, what) for seat, what, *_ in bodies]


SAID: Final = (b"BidPlaced", b"CardPlayed")

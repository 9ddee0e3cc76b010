"""Every byte that leaves the service in a round, looked through for cards that are hidden."""

import asyncio
import json
import re
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

from spades.deal import Hands
from spades.events import CardPlayed, Event, RoundDealt
from spades_adapters.codec import decode
from support.client import Game, Heard, Updates, User, Wire, cards_in, four, started, through
from support.leaks import leaks
from support.records import CAMPUS, plain
from support.service import Service

SEATS: Final = ("North", "East", "South", "West")
WIRES: Final[tuple[Wire, ...]] = ("sse", "ndjson")
HAND: Final = re.compile(rb'"hand":(null|\[[^\]]*\])')


@dataclass
class Witness:
    """Writes down what each viewer receives, and how many cards had been played by then."""

    played: list[str] = field(default_factory=list)
    received: list[tuple[str, int, bytes]] = field(default_factory=list)
    viewers: dict[str, User] = field(default_factory=dict)

    def follow(self, name: str, user: User) -> User:
        self.viewers[name] = user
        user.heard.listeners.append(
            lambda data: self.received.append((name, len(self.played), data))
        )
        return user

    def assert_nobody_knows_more_than_they_may(self, history: list[Event]) -> None:
        """Every piece, by what had happened when it came; of the next round, see below."""
        assert len(self.received) > 1000
        plays = [place for place, event in enumerate(history) if isinstance(event, CardPlayed)]
        ends = [plays[0], *(place + 1 for place in plays)]
        for name, moment, data in self.received:
            if moment < len(self.played):
                found = leaks(data.split(b"\n\n", 1), history[: ends[moment]], seat_of(name))
                assert not found, (name, moment, found, data)
        # A search that finds nothing proves nothing: everybody has seen all that was played.
        for name in self.viewers:
            told = (cards_in(data) for viewer, _, data in self.received if viewer == name)
            assert set().union(*told) == {*self.played}


def seat_of(name: str) -> int | None:
    return SEATS.index(name) if name in SEATS else None


def stored(service: Service, table: str) -> list[Event]:
    """Everything that has happened at a table, as it lies in the store."""
    return [decode(fields[b"t"], fields[b"b"]) for _, fields in service.entries(table)]


async def everything(user: User, table: str, version: int) -> None:
    """All that can be read of a table, over both faces, now and as it was."""
    for face in (user, user.over("rest")):
        await face.table(table)
        await face.events(table)
    for past in (1, version // 2, version - 1, version):
        await user.get(f"/v1/tables/{table}", params={"atVersion": past})
        await user.ask(
            "query($id: ID!, $at: Int!) { table(id: $id, atVersion: $at) {"
            " hand legalPlays topCard offered round { trick { card } lastTrick { card } } } }",
            id=table,
            at=past,
        )


async def watch_all(witness: Witness, table: str, stack: AsyncExitStack) -> list[Updates]:
    """Everybody watches over a WebSocket, and over one of the plainer wires."""
    return [
        await stack.enter_async_context(way)
        for place, user in enumerate(witness.viewers.values())
        for way in (user.watching(table, 0), user.streaming(table, WIRES[place % 2], after=0))
    ]


async def test_over_a_whole_round_nobody_receives_a_card_that_is_hidden_from_them(
    service: Service, stranger: User, platform: User
) -> None:
    chance, witness = Random(1), Witness()
    players = await four(stranger)
    for name, player in zip(SEATS, players, strict=True):
        witness.follow(name, player)
    witness.follow("spectator", await stranger.guest("Spectator"))
    witness.follow("platform", platform)
    game = await started(platform, players)

    async with AsyncExitStack() as stack:
        hearing = [
            asyncio.create_task(until_the_next_deal(updates))
            for updates in await watch_all(witness, game.id, stack)
        ]
        for _ in range(4):
            await game.step()
        for number in range(52):
            mover = await game.turn()
            assert mover is not None
            card = chance.choice((await mover.table(game.id))["legalPlays"])
            if number % 4 == 3:
                await assert_guesses_tell_nothing(game, mover)
            witness.played.append(card)
            outcome = await mover.over(chance.choice(["graphql", "rest"])).play(game.id, card)
            assert outcome.accepted
            if number % 8 == 5:
                for user in witness.viewers.values():
                    await everything(user, game.id, outcome.version)
        await asyncio.gather(*hearing)

    history = stored(service, game.id)
    deals = [event for event in history if isinstance(event, RoundDealt)]
    witness.assert_nobody_knows_more_than_they_may(history)
    assert_hands_are_own(witness, deals)
    await assert_only_own_cards_now(witness, game, deals[-1].hands)
    for deal in deals:
        assert deal.seed is not None
        assert not any(deal.seed.encode() in data for _, _, data in witness.received)


async def until_the_next_deal(updates: Updates) -> None:
    async with asyncio.timeout(30):
        async for update in updates:
            if update["event"].get("number") == 2:
                return


async def assert_guesses_tell_nothing(game: Game, mover: User) -> None:
    """Who names a card of another's hand is told nothing but what they have said themselves."""
    nosy = replace(mover, heard=Heard())
    for other in game.players:
        hand = (await replace(other, heard=Heard()).table(game.id))["hand"]
        if other is mover or not hand:
            continue
        refused = await nosy.play(game.id, hand[0])
        assert refused.code == "CARD_NOT_HELD"
        assert cards_in(refused.message.encode()) <= {hand[0]}
        refused = await other.play(game.id, hand[0])
        assert refused.code == "NOT_YOUR_TURN"
        assert not cards_in(refused.message.encode())


def assert_hands_are_own(witness: Witness, deals: list[RoundDealt]) -> None:
    """Whatever is called a hand holds cards that its viewer was dealt in one of the rounds."""
    for name, _, data in witness.received:
        seat = seat_of(name)
        for found in HAND.findall(data):
            hand = json.loads(found)
            if seat is None:
                assert hand is None
            elif hand is not None:
                assert any({*hand} <= {*deal.hands[seat]} for deal in deals)


async def assert_only_own_cards_now(witness: Witness, game: Game, hands: Hands) -> None:
    """The next round has been dealt: of its cards each knows 13, and who only watches none."""
    for name, user in witness.viewers.items():
        seat = seat_of(name)
        for response in (
            await user.get(f"/v1/tables/{game.id}"),
            await user.ask(f'{{ table(id: "{game.id}") {{ hand legalPlays topCard offered }} }}'),
        ):
            assert cards_in(response.content) == (set() if seat is None else {*hands[seat]})


async def test_a_hand_that_is_withheld_is_not_even_shown_to_its_player_until_they_look(
    stranger: User,
) -> None:
    players = await four(stranger)
    opener = await stranger.guest("Opener")
    users = (*players, opener)
    game = await started(opener, players, "lowest-club")
    version = await opener.version(game.id)
    for user in users:
        await everything(user, game.id, version)
        assert not any(map(cards_in, user.heard.raw)), user.name

    east = players[1]
    looked = await east.look(game.id)
    for user in users:
        await everything(user, game.id, looked.version)
        seen = set().union(*map(cards_in, user.heard.raw))
        assert seen == ({*looked.table["hand"]} if user is east else set()), user.name
    assert len(looked.table["hand"]) == 13


async def test_deals_that_a_platform_has_set_are_shown_to_nobody_before_they_are_dealt(
    stranger: User, platform: User
) -> None:
    deal = plain(CAMPUS)["rounds"][0]["deal"]
    hands = [deal[seat].split() for seat in "NESW"]
    players = await four(stranger)
    spectator = await stranger.guest("Spectator")
    opened = await platform.open(dealer=2, deals=[hands, [*reversed(hands)]])
    assert opened.table["setDeals"] is True
    users = (*players, spectator, platform)
    async with AsyncExitStack() as stack:
        for seat, player in enumerate(players):
            assert (await player.sit(opened.id, seat)).accepted
        for user in users:
            streams = (
                await stack.enter_async_context(user.watching(opened.id, 0)),
                await stack.enter_async_context(user.streaming(opened.id, "sse", after=0)),
            )
            await everything(user, opened.id, 5)
            for updates in streams:
                await through(updates, 5)
            assert not any(map(cards_in, user.heard.raw)), user.name

        begun = await platform.start(opened.id)
        for user in users:
            await everything(user, opened.id, begun.version)
    for user in users:
        seen = set().union(*map(cards_in, user.heard.raw))
        assert seen == ({*hands[players.index(user)]} if user in players else set()), user.name

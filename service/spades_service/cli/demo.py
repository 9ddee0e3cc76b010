"""`spades demo`: a recorded game played through the API, then rebuilt from its events."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from secrets import token_hex
from typing import Any, Final

import msgspec
import rich_click as click
from msgspec import Struct
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from spades.events import (
    BidPlaced,
    CardDrawn,
    CardPlayed,
    CardsOffered,
    Event,
    HandSeen,
    RoundDealt,
)
from spades.record import Record, RecordFault
from spades.record_export import spelled
from spades.record_replay import replay_record
from spades.refusals import Refused
from spades.rules import Rules
from spades.score_sheet import score_sheet
from spades.table import replay
from spades_service.callers import Caller
from spades_service.cli.demo_client import Accepted, Client, Player, Unanswered
from spades_service.cli.demo_host import Host, host
from spades_service.cli.demo_words import Commentary, Move
from spades_service.cli.root import Root, Unusable, fail, root_of
from spades_service.ports import BrokenHistory, Recorded, StoreUnavailable
from spades_service.replay_cli import read_record

RECORDED_ROUND: Final = Path(__file__).with_name("recorded_round.json")
PACE: Final = 0.1
NAMES: Final = {"N": "North", "E": "East", "S": "South", "W": "West"}

MUTATIONS: Final[Mapping[type[Move], tuple[str, Callable[[Any], Mapping[str, Any]]]]] = {
    HandSeen: ("lookAtHand", lambda _: {}),
    CardDrawn: ("drawCard", lambda drawn: {"keep": drawn.looked}),
    BidPlaced: ("placeBid", lambda bid: {"tricks": bid.tricks, "blind": bid.blind}),
    CardsOffered: ("exchangeCards", lambda offer: {"cards": offer.cards}),
    CardPlayed: ("playCard", lambda play: {"card": play.card}),
}
"""What a player asks for, so that a recorded choice happens again. All other events follow."""


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option(
    "--pace",
    type=click.FloatRange(0, 60),
    help=f"Seconds between two moves: on a terminal {PACE}, else none, unless given.",
)
@click.pass_context
def demo(context: click.Context, file: Path | None, pace: float | None) -> None:
    """Play a recorded round through the API, then rebuild it from its events.

    FILE is another record to play. The service at SPADES_HOST and SPADES_PORT is used if one
    answers there; else one is started for this, and ended afterwards.
    """
    console = Console(highlight=False, markup=False, soft_wrap=True)
    if pace is None:
        pace = PACE if console.is_terminal else 0
    root = root_of(context)
    try:
        record = read_record(file or RECORDED_ROUND)
        moves = moves_of(record)
        with host(root, root.settings()) as found:
            asyncio.run(Demonstration(root, found, console).show(record, moves, pace))
    except (
        Unusable,
        RecordFault,
        Refused,
        Unanswered,
        StoreUnavailable,
        BrokenHistory,
    ) as error:
        fail(str(error))


def moves_of(record: Record) -> tuple[Move, ...]:
    """Every choice of a player, in order; raises RecordFault where one breaks a rule."""
    return tuple(event for event in replay_record(record).events if isinstance(event, Move))


def graphql_rules(rules: Rules) -> Mapping[str, object]:
    """Rules as a mutation takes them: camelCase, and the enums' words in capitals."""
    preset, *options = {"preset": "classic", **spelled(rules)}.items()
    return dict([preset, *((_camel(key), _enum(value)) for key, value in options)])


def _camel(key: str) -> str:
    head, *rest = key.split("_")
    return head + "".join(map(str.title, rest))


def _enum(value: object) -> object:
    return value.upper().replace("-", "_") if isinstance(value, str) else value


class Played(Struct, frozen=True):
    """The game as the clients left it."""

    table: str
    version: int
    players: tuple[Player, ...]
    platform: Client


class Demonstration:
    """One game, played and rebuilt in front of whoever watches."""

    def __init__(self, root: Root, found: Host, console: Console) -> None:
        self.root = root
        self.found = found
        self.console = console
        self.run = token_hex(4)
        self.sent = 0

    async def show(self, record: Record, moves: Sequence[Move], pace: float) -> None:
        """Play the record, print its score sheet, and rebuild it from the store."""
        started = "a service started for this" if self.found.started else "the service"
        self.console.print(f"Playing at {started} at {self.found.url}.")
        async with AsyncExitStack() as stack:
            platform = Client(self.found.url, self.found.platform_key)
            stack.push_async_callback(platform.aclose)
            players = []
            for label in record.labels:
                name = NAMES.get(label, label)
                player = await platform.sign_in(f"demo-{self.run}-{label}", name)
                stack.push_async_callback(player.aclose)
                players.append(player)
            played = await self.play(record, moves, pace, platform, tuple(players))
            await self.rebuild(record, played)

    async def command(self, client: Client, mutation: str, **given: Any) -> Accepted:
        """A command under an id of its own: sent twice, it would be carried out once."""
        self.sent += 1
        return await client.command(mutation, f"demo-{self.run}-{self.sent}", **given)

    async def play(
        self,
        record: Record,
        moves: Sequence[Move],
        pace: float,
        platform: Client,
        players: tuple[Player, ...],
    ) -> Played:
        """Open a table with the record's deals, seat everybody, and make each move in turn."""
        rounds = record.rounds
        answer = await self.command(
            platform,
            "openTable",
            rules=graphql_rules(record.rules),
            dealer=rounds[0].dealer if rounds else None,
            deals=[of_round.deal for of_round in rounds],
        )
        table = answer.table.id
        await self.require_store_of(table)
        for seat, player in enumerate(players):
            answer = await self.command(player, "takeSeat", tableId=table, seat=seat)
        if rounds:
            answer = await self.command(platform, "startGame", tableId=table)
        commentary = Commentary([player.name for player in players])
        with _progress(self.console) as progress:
            bar = progress.add_task("", total=len(moves))
            for move in moves:
                mutation, given = MUTATIONS[type(move)]
                answer = await self.command(
                    players[move.seat], mutation, tableId=table, **given(move)
                )
                takers = [event.seat for event in answer.events if event.kind == "TrickTaken"]
                for line in commentary.hear(move, takers[0] if takers else None):
                    progress.console.print(line, style="bold" if takers else None)
                progress.update(bar, advance=1, description=commentary.line)
                await asyncio.sleep(pace)
            for line in commentary.rest():
                progress.console.print(line)
        return Played(table, answer.version, players, platform)

    async def require_store_of(self, table: str) -> None:
        """Raises Unusable where the service at hand keeps its games in another store than ours."""
        async with self.root.services(self.found.settings, self.found.store) as services:
            if not await services.tables.history(table, 0, 1):
                raise Unusable(
                    f"the service at {self.found.url} keeps its games in another store: "
                    "set SPADES_DATA or REDIS_URL as it has them"
                )

    async def rebuild(self, record: Record, played: Played) -> None:
        """Read the stream, fold it, and hold the outcome against what the API answers."""
        async with self.root.services(self.found.settings, self.found.store) as services:
            recorded = await services.tables.history(played.table, 0, played.version)
            events = [entry.event for entry in recorded]
            self.console.print(f"\n{score_sheet(up_to(record, events))}\n")
            began = time.perf_counter()
            table = replay(events)
            took = time.perf_counter() - began
            self.console.print(
                f"Rebuilt from the stream of table {played.table}: {len(events)} events, "
                f"{_size(recorded):,} bytes, folded in {1000 * took:.1f} ms."
            )
            for viewer, client in _viewers(played):
                caller = Caller(player=client.player if isinstance(client, Player) else None)
                rebuilt = await services.show(caller, played.table, len(events), table)
                answered = await client.table(played.table)
                if msgspec.json.decode(msgspec.json.encode(rebuilt)) != answered:
                    raise Unusable(f"the rebuilt table is not what the API shows {viewer}")
                self.console.print(f"  {viewer}: the same table as the API shows")
        if self.found.kept:
            self.console.print(f"It stays in the store: spades export {played.table}")


def _viewers(played: Played) -> Sequence[tuple[str, Client]]:
    return (
        *((player.name, player) for player in played.players),
        ("a spectator", played.platform),
    )


def _size(recorded: Sequence[Recorded]) -> int:
    """Bytes of the events' bodies, as they stand in the store."""
    return sum(len(msgspec.json.encode(entry.event)) for entry in recorded)


def up_to(record: Record, events: Sequence[Event]) -> Sequence[Event]:
    """The record's own rounds: where the game goes on, the next is dealt already."""
    return [
        event
        for event in events
        if not (isinstance(event, RoundDealt) and event.number > len(record.rounds))
    ]


def _progress(console: Console) -> Progress:
    """Moves, and the words of the latest; without a terminal only what is printed above it."""
    return Progress(
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TextColumn("moves  {task.description}", markup=False),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )

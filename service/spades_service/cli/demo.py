"""`spades demo`: a recorded game played through the API, then rebuilt from its events."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from secrets import token_hex
from typing import Final

import msgspec
import rich_click as click
from msgspec import Struct
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from spades.events import Event, RoundDealt
from spades.record import Record, RecordFault
from spades.record_replay import replay_record
from spades.score_sheet import score_sheet
from spades.state import Table
from spades.table import replay
from spades_service.callers import Caller
from spades_service.cli.demo_client import Accepted, Client, Player, Unanswered, graphql_rules
from spades_service.cli.demo_host import Host, host
from spades_service.cli.demo_words import Commentary, Move
from spades_service.cli.root import Unusable, fail, root_of
from spades_service.ports import BrokenHistory, StoreUnavailable
from spades_service.replay_cli import read_record
from spades_service.services import Services

RECORDED_ROUND: Final = Path(__file__).with_name("recorded_round.json")
PACE: Final = 0.1
NAMES: Final = {"N": "North", "E": "East", "S": "South", "W": "West"}


class Different(Exception):
    """What the events lead to is not what the service shows: a fault of the service."""


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option(
    "--pace",
    type=click.FloatRange(0, 60),
    help=f"Seconds between two moves: unless given {PACE} on a terminal, and else none.",
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
    file = file or RECORDED_ROUND
    root = root_of(context)
    try:
        script = Script.of(read_record(file))

        async def run(found: Host) -> None:
            async with root.services(found.settings, found.store) as services:
                await Demonstration(found, services, console).run(script, pace)

        with host(root, root.settings()) as found:
            asyncio.run(run(found))
    except RecordFault as fault:
        fail(f"{click.format_filename(file)}: {fault}")
    except (Unusable, Unanswered, Different, StoreUnavailable, BrokenHistory) as error:
        fail(str(error))


class Script(Struct, frozen=True):
    """A record, and every move of its players in order."""

    record: Record
    moves: tuple[Move, ...]

    @classmethod
    def of(cls, record: Record) -> "Script":
        """What is to be played; raises RecordFault where a move breaks a rule."""
        events = replay_record(record).events
        return cls(record, tuple(event for event in events if isinstance(event, Move)))


class Played(Struct, frozen=True):
    """A table as the clients left it: who sits there, and whose platform watches."""

    table: str
    version: int
    players: Sequence[Player]
    platform: Client


class Demonstration:
    """A game that is played over the API and then rebuilt, in front of whoever watches."""

    def __init__(self, found: Host, services: Services, console: Console) -> None:
        self._found = found
        self._services = services
        self._console = console

    async def run(self, script: Script, pace: float) -> None:
        """Everything, from the first client to the last comparison."""
        whose = "a service started for this" if self._found.started else "the service that runs"
        self._console.print(f"Playing at {whose} at {self._found.url}.")
        async with self._clients(script.record) as (platform, players):
            begun = await self._begun(script.record, platform, players)
            version = await self._played(script.moves, begun, players, pace)
            await self._rebuild(script.record, Played(begun.table.id, version, players, platform))
        if self._found.kept:
            self._console.print(f"It stays in the store: spades export {begun.table.id}")

    @asynccontextmanager
    async def _clients(self, record: Record) -> AsyncIterator[tuple[Client, Sequence[Player]]]:
        """The platform, and a player for each seat, named after its label."""
        this_time = token_hex(8)
        async with AsyncExitStack() as stack:
            platform = await stack.enter_async_context(
                Client(self._found.url, self._found.platform_key)
            )
            players = [
                await stack.enter_async_context(
                    await platform.sign_in(f"demo-{this_time}-{label}", NAMES.get(label, label))
                )
                for label in record.labels
            ]
            yield platform, players

    async def _begun(self, record: Record, platform: Client, players: Sequence[Player]) -> Accepted:
        """A table with the record's rules and deals, everybody seated, and the game begun."""
        rounds = record.rounds
        opened = await platform.command(
            "openTable",
            rules=graphql_rules(record.rules),
            dealer=rounds[0].dealer if rounds else None,
            deals=[of_round.deal for of_round in rounds],
        )
        table = opened.table.id
        if not await self._services.tables.history(table, 0, opened.version):
            raise Unusable(
                f"the service at {self._found.url} keeps its games in another store: "
                "set SPADES_DATA or REDIS_URL as it has them"
            )
        for seat, player in enumerate(players):
            await player.command("takeSeat", tableId=table, seat=seat)
        return await platform.command("startGame", tableId=table)

    async def _played(
        self, moves: Sequence[Move], begun: Accepted, players: Sequence[Player], pace: float
    ) -> int:
        """Make each move in turn; gives the version that the table has come to."""
        version = begun.version
        commentary = Commentary([player.name for player in players])
        with _progress(self._console) as progress:
            bar = progress.add_task("", total=len(moves))
            for move in moves:
                answer = await players[move.seat].move(begun.table.id, move)
                version = answer.version
                for line in commentary.hear(move, answer.taker):
                    progress.console.print(line)
                progress.update(bar, advance=1, description=commentary.line)
                await asyncio.sleep(pace)
            for line in commentary.rest():
                progress.console.print(line)
        return version

    async def _rebuild(self, record: Record, played: Played) -> None:
        """Read the stream, fold it, and hold the outcome against what the API answers."""
        history = await self._services.tables.history(played.table, 0, played.version)
        events = [recorded.event for recorded in history]
        self._console.print(f"\n{score_sheet(of_record(record, events))}\n")
        began = time.perf_counter()
        table = replay(events)
        milliseconds = 1000 * (time.perf_counter() - began)
        self._console.print(
            f"Rebuilt from the stream of table {played.table}: {len(events)} events, "
            f"{_size(events):,} bytes, folded in {milliseconds:.1f} ms."
        )
        for player in played.players:
            await self._compare(played, table, player, player.name, Caller(player=player.player))
        await self._compare(played, table, played.platform, "a spectator", Caller())

    async def _compare(
        self, played: Played, table: Table, client: Client, name: str, caller: Caller
    ) -> None:
        """Raises Different unless the viewer is shown the same over the API."""
        rebuilt = await self._services.show(caller, played.table, played.version, table)
        if msgspec.json.decode(msgspec.json.encode(rebuilt)) != await client.table(played.table):
            raise Different(f"the rebuilt table is not what the API shows {name}")
        self._console.print(f"  {name}: the same table as the API shows")


def of_record(record: Record, events: Sequence[Event]) -> Sequence[Event]:
    """What the record tells of: where the game goes on, the next round has been dealt already."""
    return [
        event
        for event in events
        if not (isinstance(event, RoundDealt) and event.number > len(record.rounds))
    ]


def _size(events: Sequence[Event]) -> int:
    """Bytes of the events as they stand in the store."""
    return sum(len(msgspec.json.encode(event)) for event in events)


def _progress(console: Console) -> Progress:
    """How far the game is, and the latest moves in words; without a terminal, nothing."""
    return Progress(
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TextColumn("moves  {task.description}", markup=False),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )

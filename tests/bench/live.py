"""Moves while others watch: how soon they see them, and what each update costs the service.

One worker serves tables whose four players each hold a WebSocket, with the selection of a usual
client; nobody shares a seat, so that each update is shown four times. The viewers are a few lines
of protocol each, in a second process. Targets: 1,000 durable moves a second without viewers, 50 ms
at the 99th percentile for 200 moves a second with them, 40 microseconds for a delivered update, and
a memory that stays as it is.
"""

import asyncio
import base64
import os
import re
import secrets
import subprocess
import sys
import time
from collections.abc import Awaitable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import cycle
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from typing import Any, Final

import httpx
import msgspec
import uvloop
from bench.moves import KEY, Game, Wire, _await_ready, _cpu

from spades.commands import PlaceBid, PlayCard
from spades.play import legal_plays
from spades.state import Bidding, Playing
from spades_adapters.embedded import EmbeddedServer

PORT: Final = 8973
WATCH: Final = """
subscription Watch($table: ID!) { tableEvents(tableId: $table) {
  event { __typename version at ... on BidPlaced { seat tricks blind }
    ... on CardPlayed { seat card } ... on TrickTaken { seat } ... on RoundDealt { hand dealer } }
  table { version phase turn hand legalPlays
    seats { number cardCount bid taken } round { trickNumber spadesBroken trick { seat card } }
    sides { contract taken score bags } } } }
"""
TEXT: Final = 0x81
PING: Final = 0x89
PONG: Final = 0x8A
VERSION: Final = re.compile(rb'"version":(\d+)')


class Audience:
    """Who watches a table, and how long they waited for the latest move."""

    def __init__(self) -> None:
        self.version = 0
        self.mover = 0
        self.sent = 0.0
        self.waits: list[float] = []
        self.heard = 0

    def hear(self, seat: int, version: int) -> None:
        self.heard += 1
        if version == self.version + 1 and seat != self.mover:
            self.waits.append(time.perf_counter() - self.sent)


class Viewer(asyncio.Protocol):
    """A WebSocket client that knows just enough: frames without a mask, each a whole message."""

    def __init__(self, audience: Audience, seat: int, token: str, table: str) -> None:
        self.audience, self.seat, self.token, self.table = audience, seat, token, table
        self.buffer = b""
        self.upgraded = False
        self.watching = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        key = base64.b64encode(secrets.token_bytes(16)).decode()
        transport.write(
            f"GET /graphql HTTP/1.1\r\nHost: 127.0.0.1:{PORT}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        if not self.upgraded:
            head, found, self.buffer = self.buffer.partition(b"\r\n\r\n")
            if not found:
                self.buffer = head
                return
            self.upgraded = True
            self.send(
                {"type": "connection_init", "payload": {"Authorization": f"Bearer {self.token}"}}
            )
        while (message := self.message()) is not None:
            self.take(message)

    def message(self) -> bytes | None:
        """The next whole frame's payload."""
        if len(self.buffer) < 2:
            return None
        length, start = self.buffer[1], 2
        if length == 126:
            length, start = int.from_bytes(self.buffer[2:4], "big"), 4
        if len(self.buffer) < start + length:
            return None
        kind, message = self.buffer[0], self.buffer[start : start + length]
        self.buffer = self.buffer[start + length :]
        if kind == PING:
            self.frame(PONG, message)
            return self.message()
        return message

    def take(self, message: bytes) -> None:
        if b'"next"' in message[:40]:
            found = VERSION.search(message)
            assert found is not None, message
            self.audience.hear(self.seat, int(found[1]))
        elif b"connection_ack" in message:
            variables = {"table": self.table}
            self.send(
                {
                    "id": "1",
                    "type": "subscribe",
                    "payload": {"query": WATCH, "variables": variables},
                }
            )
            self.send({"type": "ping"})
        elif b"pong" in message and not self.watching.done():
            self.watching.set_result(None)

    def send(self, message: object) -> None:
        self.frame(TEXT, msgspec.json.encode(message))

    def frame(self, kind: int, body: bytes) -> None:
        mask = secrets.token_bytes(4)
        masked = bytes(byte ^ mask[place % 4] for place, byte in enumerate(body))
        size = (
            bytes([0x80 | len(body)]) if len(body) < 126 else b"\xfe" + len(body).to_bytes(2, "big")
        )
        self.transport.write(bytes([kind]) + size + mask + masked)


class Watched(Game):
    """A table whose audience is told of each move as it is sent."""

    def __init__(self, wire: Wire, tokens: Sequence[str], seed: int) -> None:
        super().__init__("graphql", wire, tokens, seed)
        self.audience = Audience()
        self.moving = asyncio.Lock()

    async def _rest(self, path: str, token: str, body: object) -> Any:
        answer = await super()._rest(path, token, body)
        self.audience.version = answer["version"]
        return answer

    async def watched(self) -> None:
        """Let its players watch."""
        loop = asyncio.get_running_loop()
        for seat, token in enumerate(self.tokens):
            _, viewer = await loop.create_connection(
                partial(Viewer, self.audience, seat, token, self.id), "127.0.0.1", PORT
            )
            await viewer.watching

    async def step(self) -> bool:
        """One move, or none where the game is over."""
        async with self.moving:
            return await self._step()

    async def _step(self) -> bool:
        if not isinstance(self.table, Bidding | Playing):
            return False
        seat = self.table.turn
        assert seat is not None
        if isinstance(self.table, Bidding):
            await self._move("bid", PlaceBid(seat, 3))
        else:
            card = self.chance.choice(legal_plays(self.table))
            await self._move("play", PlayCard(seat, card, bytes(32)))
        return True

    async def _move(self, kind: str, command: Any) -> None:
        audience, body = self.audience, self._body(kind, command)
        audience.mover, audience.sent = command.seat, time.perf_counter()
        version = None
        while version is None:
            version = VERSION.search(await self._posted(self.tokens[int(command.seat)], body))
        self.latencies.append(time.perf_counter() - audience.sent)
        audience.version = int(version[1])
        self.mirror(command)

    async def _posted(self, token: str, body: bytes) -> bytes:
        """The answer, or none from a line that was cut: the same command is then sent again."""
        try:
            answer = await self.wire.post("/graphql", token, body)
        except (OSError, asyncio.IncompleteReadError):
            await self.wire.open()
            return b""
        if b"Refused" in answer:
            raise RuntimeError(answer.decode())
        return answer


class Load:
    """A service, and the tables that are played at it."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    async def seated(self, tables: int, *, watched: bool) -> list[Watched]:
        """Tables that have begun, each with players of its own."""
        games = []
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{PORT}") as client:
            for seed in range(tables):
                names = [{"name": f"Player {seat}"} for seat in range(4)]
                signed = [await client.post("/v1/guests", json=name) for name in names]
                tokens = [answer.json()["token"] for answer in signed]
                games.append(Watched(await Wire(PORT).open(), tokens, seed))
        for game in games:
            await game.begin(rounds=20)
            if watched:
                await game.watched()
        return games

    async def flat_out(self, games: list[Watched], moves: int) -> dict[str, float]:
        """Every table moves as soon as it can."""
        left = iter(range(moves))

        async def play(game: Watched) -> None:
            for _ in left:
                if not await game.step():
                    return

        return await self._measured(games, asyncio.gather(*map(play, games)))

    async def paced(self, games: list[Watched], moves: int, a_second: int) -> dict[str, float]:
        """So many moves a second over all tables, whether or not the service keeps up."""

        async def play() -> None:
            loop = asyncio.get_running_loop()
            start, waiting = loop.time(), set()
            for number, game in zip(range(moves), cycle(games), strict=False):
                await asyncio.sleep(start + number / a_second - loop.time())
                task = asyncio.create_task(game.step())
                waiting.add(task)
                task.add_done_callback(waiting.discard)
            await asyncio.gather(*waiting)

        return await self._measured(games, play())

    async def _measured(self, games: list[Watched], play: Awaitable[object]) -> dict[str, float]:
        for game in games:
            game.audience.waits.clear()
            game.audience.heard = 0
        before, cpu, started = _moves(games), _cpu(self.pid), time.perf_counter()
        await play
        seconds, cpu = time.perf_counter() - started, _cpu(self.pid) - cpu
        moves = _moves(games) - before
        figures = {
            "moves per second": moves / seconds,
            "service CPU us per move": cpu / moves * 1e6,
            "updates delivered per move": sum(game.audience.heard for game in games) / moves,
        }
        return figures | _percentiles([wait for game in games for wait in game.audience.waits])


def _moves(games: list[Watched]) -> int:
    return sum(len(game.latencies) for game in games)


def _percentiles(waits: list[float]) -> dict[str, float]:
    if not waits:
        return {}
    cuts = quantiles(waits, n=100)
    return {"seen by the others, p50 ms": cuts[49] * 1000, "seen, p99 ms": cuts[98] * 1000}


def _resident(pid: int) -> float:
    """Megabytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def _drive(pid: int, tables: int, moves: int) -> dict[str, float]:
    load, figures = Load(pid), {}

    def note(title: str, measured: dict[str, float]) -> None:
        figures.update({f"{title}: {name}": value for name, value in measured.items()})

    alone = await load.seated(50, watched=False)
    unwatched = await load.flat_out(alone, 5_000)
    note("nobody watches", unwatched)
    games = await load.seated(tables, watched=True)
    await asyncio.sleep(1)  # until the last of them watches
    note("200 moves a second", await load.paced(games, 2_000, 200))
    before = _resident(pid)
    watched = await load.flat_out(games, moves)
    note("flat out", watched)
    delivered = watched["updates delivered per move"]
    more = watched["service CPU us per move"] - unwatched["service CPU us per move"]
    figures["service CPU us per delivered update"] = more / delivered
    figures["memory before, MB"] = before
    figures["memory after, MB"] = _resident(pid)
    return figures


@contextmanager
def _service() -> Iterator[int]:
    """One worker on a store that writes to its disk every second."""
    with TemporaryDirectory() as folder, EmbeddedServer(Path(folder), fsync="everysec") as url:
        environment = os.environ | {
            "REDIS_URL": url,
            "SPADES_PORT": str(PORT),
            "SPADES_PLATFORM_KEY": KEY,
            "SPADES_SECRET": "what the bench signs its tokens with",
            "SPADES_RATE_LIMITS": "off",
            "SPADES_ENV": "production",
        }
        service = subprocess.Popen(
            [sys.executable, "-m", "spades_service.main", "serve"],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            _await_ready(PORT)
            yield service.pid
        finally:
            service.terminate()
            service.wait(15)


def run(tables: int = 200, moves: int = 10_000) -> dict[str, float]:
    """Each figure by its name; `moves` is how many the memory is watched over."""
    with _service() as pid, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_drive(pid, tables, moves))


if __name__ == "__main__":
    for figure, value in run(*map(int, sys.argv[1:])).items():
        print(f"{figure:50} {value:12.1f}")

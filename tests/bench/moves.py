"""Moves per second over GraphQL and REST: one worker, many tables, a client that costs little.

The client deals the cards itself (a platform may), so it knows what is legal without asking, and
speaks HTTP/1.1 by hand, so that the second core is enough to keep the service busy.
"""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import quantiles
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import msgspec

from spades.commands import OpenTable, PlaceBid, PlayCard, StartGame, TakeSeat
from spades.deal import deal
from spades.play import legal_plays
from spades.rules import PRESETS
from spades.state import Bidding, Playing, Table, Unopened
from spades.table import decide, evolve

KEY = "bench-platform-key"
RULES = PRESETS["classic"].rules
PLAY = """
mutation Play($input: PlayCardInput!) { playCard(input: $input) { __typename
  ... on Accepted { version events { __typename version }
    table { version phase turn hand legalPlays
      seats { number cardCount bid taken } round { trickNumber spadesBroken trick { seat card } }
      sides { contract taken score bags } } }
  ... on Refused { code message } } }
"""
BID = """
mutation Bid($input: PlaceBidInput!) { placeBid(input: $input) { __typename
  ... on Accepted { version } ... on Refused { code message } } }
"""


class Wire:
    """One keep-alive connection that sends a POST and reads its answer."""

    def __init__(self, port: int) -> None:
        self.port = port

    async def open(self) -> "Wire":
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        return self

    async def post(self, path: str, token: str, body: bytes) -> bytes:
        self.writer.write(
            b"POST %b HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Authorization: Bearer %b\r\nContent-Length: %d\r\n\r\n%b"
            % (path.encode(), token.encode(), len(body), body)
        )
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        answer = await self.reader.readexactly(length)
        if not head.startswith((b"HTTP/1.1 200", b"HTTP/1.1 201")):
            raise RuntimeError(f"{head!r} {answer!r}")
        return answer


class Game:
    """One table, and the client's own copy of it."""

    def __init__(self, api: str, wire: Wire, tokens: Sequence[str], seed: int) -> None:
        self.api = api
        self.wire = wire
        self.tokens: Sequence[str] = tokens
        self.chance = Random(seed)
        self.seed = seed
        self.table: Table = Unopened()
        self.id = ""
        self.latencies: list[float] = []

    def mirror(self, command: Any) -> None:
        for event in decide(self.table, command):
            self.table = evolve(self.table, event)

    async def begin(self, rounds: int) -> None:
        deals = tuple(deal(RULES, 0, self.chance.randbytes(32))[0] for _ in range(rounds))
        opened = await self._rest(
            "/v1/tables", KEY, {"rules": {"preset": "classic"}, "dealer": 0, "deals": deals}
        )
        self.id = opened["table"]["id"]
        self.mirror(OpenTable(RULES, "bench", 0, deals))
        for seat, token in enumerate(self.tokens):
            await self._rest(
                f"/v1/tables/{self.id}/commands", token, {"type": "takeSeat", "seat": seat}
            )
            self.mirror(TakeSeat(seat, f"player-{seat}"))
        await self._rest(f"/v1/tables/{self.id}/commands", self.tokens[0], {"type": "startGame"})
        self.mirror(StartGame(bytes(32)))

    async def _rest(self, path: str, token: str, body: object) -> Any:
        return msgspec.json.decode(await self.wire.post(path, token, msgspec.json.encode(body)))

    async def play(self, rounds: int) -> None:
        while isinstance(self.table, Bidding | Playing) and self.table.match.round <= rounds:
            if isinstance(self.table, Bidding):
                await self._move("bid", PlaceBid(self.table.turn, 3))
            else:
                seat = self.table.turn
                assert seat is not None
                card = self.chance.choice(legal_plays(self.table))
                await self._move("play", PlayCard(seat, card, bytes(32)))

    async def _move(self, kind: str, command: Any) -> None:
        body = self._body(kind, command)
        path = "/graphql" if self.api == "graphql" else f"/v1/tables/{self.id}/commands"
        started = time.perf_counter()
        answer = await self.wire.post(path, self.tokens[int(command.seat)], body)
        self.latencies.append(time.perf_counter() - started)
        if b"Refused" in answer or b'"errors"' in answer:
            raise RuntimeError(answer.decode())
        self.mirror(command)

    def _body(self, kind: str, command: Any) -> bytes:
        id_ = f"{self.seed}-{len(self.latencies)}"
        if self.api == "rest":
            fields = (
                {"type": "placeBid", "tricks": command.tricks}
                if kind == "bid"
                else {"type": "playCard", "card": command.card}
            )
            return msgspec.json.encode({**fields, "commandId": id_})
        variables: dict[str, Any] = {"tableId": self.id, "commandId": id_}
        variables |= {"tricks": command.tricks} if kind == "bid" else {"card": command.card}
        return msgspec.json.encode(
            {"query": BID if kind == "bid" else PLAY, "variables": {"input": variables}}
        )


def _cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def _drive(api: str, port: int, pid: int, tables: int, rounds: int) -> dict[str, float]:
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
        tokens = [
            (await client.post("/v1/guests", json={"name": f"P{seat}"})).json()["token"]
            for seat in range(4)
        ]
    games = [Game(api, await Wire(port).open(), tokens, seed) for seed in range(tables)]
    await asyncio.gather(*(game.begin(rounds) for game in games))
    before, started = _cpu(pid), time.perf_counter()
    await asyncio.gather(*(game.play(rounds) for game in games))
    seconds, cpu = time.perf_counter() - started, _cpu(pid) - before
    latencies = [latency for game in games for latency in game.latencies]
    cuts = quantiles(latencies, n=100)
    return {
        "moves": len(latencies),
        "moves per second": len(latencies) / seconds,
        "p50 ms": cuts[49] * 1000,
        "p99 ms": cuts[98] * 1000,
        "service CPU us per move": cpu / len(latencies) * 1e6,
    }


def run(tables: int = 50, rounds: int = 2) -> dict[str, float]:
    """Figures for GraphQL and for REST, on a service with its own store."""
    figures: dict[str, float] = {}
    with TemporaryDirectory() as folder:
        port = 8971
        environment = os.environ | {
            "SPADES_DATA": folder,
            "SPADES_PORT": str(port),
            "SPADES_PLATFORM_KEY": KEY,
            "SPADES_ENV": "production",
            "SPADES_RATE_LIMITS": "off",
        }
        environment.pop("REDIS_URL", None)
        service = subprocess.Popen(
            [sys.executable, "-m", "spades_service.main", "serve"],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            _await_ready(port)
            for api in ("graphql", "rest"):
                for name, value in asyncio.run(
                    _drive(api, port, service.pid, tables, rounds)
                ).items():
                    figures[f"{api}: {name}"] = value
        finally:
            service.terminate()
            service.wait(15)
    return figures


def _await_ready(port: int) -> None:
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline:
        try:
            if httpx.get(f"http://127.0.0.1:{port}/health/ready").status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    raise RuntimeError("the service did not become ready")


if __name__ == "__main__":
    for figure, value in run().items():
        print(f"{figure:40} {value:12.1f}")

"""What the guarantees of an append cost, compared with the bare XADD of the same entry.

Both go through the same client to the same embedded server, in turns, one at a time. Targets: the
median at most twice that of the bare XADD, and at most 100 bytes for a played card.
"""

import asyncio
import secrets
from collections.abc import Awaitable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Final

from spades.cards import Card
from spades.events import CardPlayed
from spades_adapters.codec import encode
from spades_adapters.embedded import EmbeddedServer, Fsync
from spades_adapters.redis import keys
from spades_adapters.redis.connect import Clients, connect
from spades_adapters.redis.store import RedisEventStore
from spades_service.ports import Append

WARM_UP: Final = 200
APPENDS: Final = 3_000
FSYNCS: Final[tuple[Fsync, ...]] = ("everysec", "always")
TABLE: Final = "raced"
KEY_BYTES: Final = 24
PLAYED: Final = CardPlayed(2, Card.SA)


def run() -> dict[str, float | str]:
    """Each figure by its name."""
    figures: dict[str, float | str] = {}
    for fsync in FSYNCS:
        with TemporaryDirectory() as folder, EmbeddedServer(Path(folder), fsync=fsync) as url:
            figures |= asyncio.run(_measured(url, fsync))
    return figures


async def _measured(url: str, fsync: Fsync) -> dict[str, float]:
    clients = connect(url)
    appends, bare = await _raced(clients)
    weight = await clients.reader.memory_usage(keys.stream(TABLE), samples=0) or 0
    await clients.aclose()
    return {
        f"append, fsync {fsync}: median (us)": _percentile(appends, 50),
        f"append, fsync {fsync}: p99 (us)": _percentile(appends, 99),
        f"bare XADD, fsync {fsync}: median (us)": _percentile(bare, 50),
        f"bare XADD, fsync {fsync}: p99 (us)": _percentile(bare, 99),
        f"append to bare XADD, fsync {fsync}": _percentile(appends, 50) / _percentile(bare, 50),
        "a played card (bytes)": weight / (WARM_UP + APPENDS),
    }


async def _raced(clients: Clients) -> tuple[list[float], list[float]]:
    store = RedisEventStore(clients)
    appends, bare = [], []
    for version in range(WARM_UP + APPENDS):
        append = Append(
            TABLE, version, 1_764_550_000_000 + version, secrets.token_bytes(KEY_BYTES), (PLAYED,)
        )
        appends.append(await _timed(store.append(append)))
        bare.append(await _timed(_bare_xadd(clients, append)))
    return appends[WARM_UP:], bare[WARM_UP:]


async def _bare_xadd(clients: Clients, append: Append) -> None:
    name, body = encode(append.events[0])
    entry: dict[Any, Any] = {b"t": name, b"c": append.command, b"w": append.at, b"b": body}
    await clients.writer.xadd("bare", entry, f"{append.expected + 1}-0")


async def _timed(call: Awaitable[object]) -> float:
    begun = perf_counter()
    await call
    return perf_counter() - begun


def _percentile(seconds: list[float], percent: int) -> float:
    """In microseconds."""
    return sorted(seconds)[len(seconds) * percent // 100] * 1e6


if __name__ == "__main__":
    for figure, value in run().items():
        print(f"{figure:45} {value:10.2f}")

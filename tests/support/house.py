"""The use cases on memory: the same ports, no server, and every round trip counted."""

from collections.abc import Collection, Sequence
from itertools import count
from typing import Any

from msgspec import Struct

from spades_adapters.memory.nudges import MemoryNudges
from spades_adapters.memory.store import MemoryEventStore
from spades_adapters.memory.table_index import MemoryTableIndex
from spades_service.callers import Caller
from spades_service.invites import Invites
from spades_service.lobby import Lobby
from spades_service.ports import Append, Appended, Clock, Listed, Recorded
from spades_service.requests import OpenTable, StartGame, TakeSeat
from spades_service.shelves import Announcer
from spades_service.tables import Accepted, Tables

INVITES = Invites(b"the service's secret")
PLAYERS = tuple(Caller(player=f"player-{seat}") for seat in range(4))


class TickingClock:
    """A millisecond later each time it is looked at."""

    def __init__(self) -> None:
        self._ticks = count(1_000_000)

    def now(self) -> int:
        return next(self._ticks)


class CountingEntropy:
    """Other bytes each time, the same in every run."""

    def __init__(self) -> None:
        self._draws = count(1)

    def draw(self, count: int) -> bytes:
        return next(self._draws).to_bytes(count, "big")


class CountedStore:
    """A store that counts its round trips."""

    def __init__(self, store: MemoryEventStore) -> None:
        self.store = store
        self.reads = 0
        self.appends = 0

    async def append(self, append: Append) -> Appended:
        self.appends += 1
        return await self.store.append(append)

    async def read(
        self, table: str, after: int = 0, limit: int | None = None
    ) -> Sequence[Recorded]:
        self.reads += 1
        return await self.store.read(table, after, limit)


class CountedIndex(MemoryTableIndex):
    """An index that counts its round trips."""

    def __init__(self) -> None:
        super().__init__()
        self.adds = 0
        self.pages = 0

    async def add(
        self, shelves: Collection[str], listed: Listed, *, seconds: int | None = None
    ) -> None:
        self.adds += 1
        await super().add(shelves, listed, seconds=seconds)

    async def page(
        self, shelf: str, count: int, *, beyond: Listed | None = None, ascending: bool = False
    ) -> Sequence[Listed]:
        self.pages += 1
        return await super().page(shelf, count, beyond=beyond, ascending=ascending)


class House(Struct):
    """One store, and a service or two on it."""

    store: CountedStore
    nudges: MemoryNudges
    index: CountedIndex
    tables: Tables
    lobby: Lobby

    def replica(self, store: CountedStore | None = None) -> Tables:
        """A second process on the same store, with a memory of its own."""
        entropy: Any = CountingEntropy()
        entropy.draw(7)
        announcer = Announcer(self.index, INVITES)
        return Tables(store or self.store, TickingClock(), entropy, announcer, INVITES)

    def lobby_of(self, tables: Tables) -> Lobby:
        """The lobby of a replica."""
        return Lobby(tables, self.index, INVITES, TickingClock(), CountingEntropy())

    async def opened(
        self, *, seated: int = 4, started: bool = True, preset: str = "classic"
    ) -> str:
        """A table with its players, dealt by seat 3, so that seat 0 bids first."""
        request = OpenTable({"preset": preset}, dealer=3)
        answer = await self.tables.open(PLAYERS[0], request)
        assert isinstance(answer, Accepted)
        for seat, player in enumerate(PLAYERS[:seated]):
            await self.tables.execute(player, answer.id, TakeSeat(seat))
        if started:
            await self.tables.execute(PLAYERS[0], answer.id, StartGame())
        return answer.id


def house_on_memory(clock: Clock | None = None) -> House:
    """An empty house."""
    nudges = MemoryNudges()
    store, index = CountedStore(MemoryEventStore(nudges)), CountedIndex()
    clock, entropy = clock or TickingClock(), CountingEntropy()
    tables = Tables(store, clock, entropy, Announcer(index, INVITES), INVITES)
    lobby = Lobby(tables, index, INVITES, clock, entropy)
    return House(store, nudges, index, tables, lobby)

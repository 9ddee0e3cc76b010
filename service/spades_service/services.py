"""The use cases in one place, as every face of the service needs them."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from msgspec import Struct

from spades.state import Table, Unopened, opened
from spades.view import Names as PlayerNames
from spades.view import TableView, seat_of, view
from spades_service.callers import Caller
from spades_service.identity import Identity
from spades_service.live import Live
from spades_service.names import Names
from spades_service.ports import Health
from spades_service.records import Records
from spades_service.tables import Tables, Update


class Services(Struct, frozen=True):
    """Everything a request can ask for. `stopping` is set once the service shuts down."""

    tables: Tables
    live: Live
    records: Records
    names: Names
    identity: Identity
    health: Health
    stopping: asyncio.Event

    async def names_at(self, table: Table) -> PlayerNames:
        """What the players of a table are called."""
        return {} if isinstance(table, Unopened) else await self.names.of(table.match.players)

    async def show(self, caller: Caller, id: str, version: int, table: Table) -> TableView:  # noqa: A002
        """A table as the caller may see it; the only way out of the service for one."""
        return view(
            opened(table),
            seat_of(table, caller.player),
            id=id,
            version=version,
            names=await self.names_at(table),
        )

    async def watch(self, table: str, after: int | None) -> AsyncGenerator[Update, None]:
        """Updates behind a version, from now on where none is given."""
        if after is None:
            after = (await self.tables.load(table)).version
        async with aclosing(self.live.watch(table, after)) as updates:
            async for update in updates:
                yield update

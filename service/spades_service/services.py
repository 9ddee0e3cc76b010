"""The use cases in one place, as every face of the service needs them."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Hashable, Sequence
from contextlib import aclosing
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import asdict

from spades.state import Table, Unopened, opened
from spades.view import Names as PlayerNames
from spades.view import TableView, seat_of, view
from spades_service.callers import Caller
from spades_service.computers import Computers
from spades_service.guards import Guards
from spades_service.identity import Identity
from spades_service.live import Live
from spades_service.lobby import Lobby
from spades_service.my_turns import MyTurns, Turn, require_player
from spades_service.names import Names
from spades_service.ports import Health
from spades_service.records import Records
from spades_service.tables import Loaded, Tables, Update
from spades_service.times import instant_text

Item = TypeVar("Item")


class ShownTable(TableView, frozen=True, kw_only=True, rename="camel"):
    """A table as it leaves the service: what the viewer may see of it, and what stands beside it.

    `deadline` is when the time of the player in turn runs out, where the table has a clock;
    `invite_code` lets others in at a private table; `rematch` is where a finished game is played
    again.
    """

    deadline: str | None
    opened_at: str
    invite_code: str | None
    rematch: str | None


class Services(Struct, frozen=True):
    """Everything a request can ask for. `stopping` is set once the service shuts down."""

    tables: Tables
    lobby: Lobby
    live: Live
    my_turns: MyTurns
    computers: Computers
    records: Records
    names: Names
    identity: Identity
    health: Health
    guards: Guards
    stopping: asyncio.Event

    async def names_at(self, table: Table) -> PlayerNames:
        """What the players of a table are called; computers are called after their seats."""
        return {} if isinstance(table, Unopened) else await self.names.of(table.match.persons)

    async def viewpoint(self, caller: Caller, id: str, table: Table) -> Hashable:  # noqa: A002
        """All that what a caller is shown of a table depends on, beside the table: two callers with
        the same viewpoint are shown the same.
        """
        names = tuple((await self.names_at(table)).items())
        rematch = await self.lobby.rematch_of(id, table)
        return seat_of(table, caller.player), caller.role, caller.tenant, names, rematch

    async def show(
        self,
        caller: Caller,
        id: str,  # noqa: A002
        version: int,
        table: Table,
        deadline: int | None = None,
    ) -> ShownTable:
        """A table as the caller may see it; the only way out of the service for one."""
        seen = view(
            opened(table),
            seat_of(table, caller.player),
            id=id,
            version=version,
            names=await self.names_at(table),
        )
        return ShownTable(
            **asdict(seen),
            deadline=None if deadline is None else instant_text(deadline),
            opened_at=instant_text(await self.tables.opened_at(id)),
            invite_code=self.lobby.invite_code(caller, id, opened(table)),
            rematch=await self.lobby.rematch_of(id, table),
        )

    async def show_all(self, caller: Caller, tables: Sequence[Loaded]) -> list[ShownTable]:
        """Tables as the caller may see them; all of their players' names are asked for at once."""
        await self.names.of(
            player for loaded in tables for player in opened(loaded.table).match.persons
        )
        return await asyncio.gather(
            *(
                self.show(caller, loaded.id, loaded.version, loaded.table, loaded.deadline)
                for loaded in tables
            )
        )

    async def watch(
        self, caller: Caller, table: str, after: int | None, invite: str | None = None
    ) -> AsyncGenerator[Update, None]:
        """Updates behind a version, from now on where none is given, until the caller's token
        expires, they may know of the table no more, or the service stops.
        """
        now = await self.tables.load_for(caller, table, invite)
        if not now.exists:
            return
        after = now.version if after is None else after
        seconds = self.identity.seconds_left(caller)
        async with aclosing(self.live.watch(table, after)) as updates:
            async for update in updates if seconds is None else lasting(updates, seconds):
                then = Loaded(table, update.version, table=update.table)
                if update.version > now.version and not self._knows(caller, then, invite):
                    return
                yield update

    async def turns(self, caller: Caller) -> AsyncGenerator[Turn, None]:
        """The caller's turns now and then each as it begins, as long as the caller's token is good.

        Raises Refused where nobody is signed in, or nobody who could have a turn.
        """
        require_player(caller)
        seconds = self.identity.seconds_left(caller)
        async with aclosing(self.my_turns.watch(caller)) as turns:
            async for turn in turns if seconds is None else lasting(turns, seconds):
                yield turn

    def _knows(self, caller: Caller, loaded: Loaded, invite: str | None) -> bool:
        """Whether a caller may still know of the table: who left a private one does not."""
        return self.tables.known_to(caller, loaded, invite).exists


async def lasting(items: AsyncGenerator[Item, None], seconds: float) -> AsyncIterator[Item]:
    """What a stream brings, for so long."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while loop.time() < end:
        try:
            async with asyncio.timeout_at(end):
                item = await anext(items)
        except (TimeoutError, StopAsyncIteration):
            return
        yield item

"""The services on memory, as far as a test needs them, and who asks them."""

import asyncio
from typing import Any

from spades.events import Event
from spades_adapters.memory.directory import MemoryDirectory
from spades_service.guards import Guards
from spades_service.live import Live
from spades_service.my_turns import MyTurns
from spades_service.names import Names
from spades_service.ports import Append
from spades_service.services import Services
from support.house import House
from support.identity import door_on_memory


def services_on(house: House, **parts: Any) -> Services:
    """Services on a house; what a test does not name and these do not need is not there."""
    have: dict[str, Any] = dict.fromkeys(Services.__struct_fields__)
    live = Live(house.tables, house.nudges)
    have |= {
        "tables": house.tables,
        "lobby": house.lobby,
        "live": live,
        "my_turns": MyTurns(house.tables, house.lobby, live),
        "names": Names(MemoryDirectory()),
        "identity": door_on_memory().identity,
        "guards": Guards(None),
        "stopping": asyncio.Event(),
    }
    return Services(**{**have, **parts})


async def told(house: House, table: str, events: tuple[Event, ...]) -> None:
    """Write a history as it stands, one command for all of it."""
    await house.store.append(Append(table, 0, 1_764_550_000_000, b"all", events))

"""The whole service within the test's own process, on memory: its parts can be looked at, and
broken, while clients use it over the network.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from warnings import catch_warnings

import uvicorn
from msgspec import Struct

from spades_schema.build import build_schema
from spades_schema.controller import graphql_controller
from spades_service.app import create_app
from spades_service.server import config_of, listen
from spades_service.services import Services
from support.house import House
from support.on_memory import services_on
from support.service import free_port
from support.waiting import until


class Idle:
    """Computers that have nothing to do."""

    async def run(self) -> None:
        """Wait for ever."""
        await asyncio.Event().wait()

    async def close(self) -> None:
        """Nothing is left behind."""


class Serving(Struct):
    """A service that answers at an address, and what it is made of."""

    url: str
    services: Services
    house: House
    server: uvicorn.Server

    def waiting_to_be_read(self) -> list[int]:
        """Bytes that wait in this process for each client to read them."""
        connections: Any = self.server.server_state.connections
        return [connection.transport.get_write_buffer_size() for connection in connections]


@asynccontextmanager
async def serving(
    house: House,
    *,
    origins: tuple[str, ...] = (),
    trusted_proxies: str = "",
    **parts: Any,
) -> AsyncIterator[Serving]:
    """Serve a house until the end of the test."""
    services = services_on(house, computers=Idle(), **parts)
    graphql = graphql_controller(build_schema(), graphiql=False, origins=origins)
    # How handlers name what they depend on changes with the framework's next major version.
    with catch_warnings(action="ignore", category=DeprecationWarning):
        app = create_app(services, faces=[graphql], origins=origins)
    port = free_port()
    config = config_of(app, trusted_proxies)
    config.loop = "none"
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve(sockets=[listen("127.0.0.1", port)]))
    await until(lambda: server.started and services.live.listening)
    try:
        yield Serving(f"http://127.0.0.1:{port}", services, house, server)
    finally:
        services.live.stop()
        server.should_exit = True
        await running

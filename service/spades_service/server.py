"""Serving: a port, a signal, and an end within bounded time."""

import signal
import socket
import sys
from types import FrameType
from typing import Final

import uvicorn
from litestar import Litestar

from spades_service.services import Services

DRAIN_SECONDS: Final = 8
"""After this what still hangs is cut off, so that SIGTERM ends the service within 10 seconds."""


class PortBusy(Exception):
    """Somebody else listens there."""


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; raises PortBusy with one sentence."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(2048)
    except OSError as error:
        listener.close()
        raise PortBusy(
            f"cannot listen at {host}:{port}: {error.strerror or error}; "
            "set SPADES_PORT or SPADES_HOST to something free"
        ) from None
    listener.set_inheritable(True)
    return listener


class Server(uvicorn.Server):
    """Tells the streams to end as soon as a signal comes; uvicorn alone would wait for them."""

    def __init__(self, config: uvicorn.Config, services: Services) -> None:
        super().__init__(config)
        self._services = services

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Readiness goes first, then the streams, then the connections; a second Ctrl-C hurries.

        Uvicorn would raise the signal again once it has ended, and the store would not be closed.
        """
        self._services.stopping.set()
        self._services.live.stop()
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True


def serve(app: Litestar, services: Services, listener: socket.socket) -> None:
    """Answer requests until SIGTERM or SIGINT."""
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=DRAIN_SECONDS,
        ws="websockets-sansio",
        ws_max_size=64 * 1024,
        loop="uvloop" if sys.platform != "win32" else "asyncio",
    )
    Server(config, services).run(sockets=[listener])

"""Serving: a port, a signal, and an end within bounded time."""

import gc
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


DEAF_MILLIS: Final = 30_000
KEEP_ALIVE_SECONDS: Final = 75
"""Longer than proxies keep an idle connection: who sends must be the one who closes it."""


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
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # Who reads nothing any more loses the connection, and what is kept for them goes with it.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, DEAF_MILLIS)
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


def serve(
    app: Litestar, services: Services, listener: socket.socket, trusted_proxies: str = ""
) -> None:
    """Answer requests until SIGTERM or SIGINT; of proxies, the trusted ones name the clients."""
    _collect_garbage_seldom()
    Server(config_of(app, trusted_proxies), services).run(sockets=[listener])


def config_of(app: Litestar, trusted_proxies: str = "") -> uvicorn.Config:
    """How the application is served."""
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(trusted_proxies),
        forwarded_allow_ips=trusted_proxies,
        timeout_graceful_shutdown=DRAIN_SECONDS,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        ws="websockets-sansio",
        ws_max_size=64 * 1024,
        # Compressing a message anew for each viewer costs more than all the rest of its way.
        ws_per_message_deflate=False,
        loop="uvloop" if sys.platform != "win32" else "asyncio",
    )


def _collect_garbage_seldom() -> None:
    """What is here at the start stays to the end, and tables hold no cycles: to search all of it
    again and again would cost a tenth of the time, and moves would wait for it.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)

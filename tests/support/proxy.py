"""A network that fails on demand, between a client and a Redis server."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from enum import Enum, auto
from typing import Final
from urllib.parse import unquote, urlsplit

Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]

CHUNK: Final = 65536
PATIENCE: Final = 20.0


class Loss(Enum):
    """What becomes of a request, and with it of the connection that carries it."""

    REQUEST = auto()
    """It never reaches the server, and nobody is told."""
    REPLY = auto()
    """The server carries it out; its reply never arrives."""
    CUT_BEFORE = auto()
    """The connection breaks before the server has it."""
    CUT_AFTER = auto()
    """The server carries it out, and the connection breaks."""
    LATE = auto()
    """It reaches the server only after `release`, and the reply goes to nobody."""


class Proxy:
    """Passes everything on, but for requests that hold `marker` while a loss is set."""

    def __init__(self, server: str, marker: bytes) -> None:
        self._server = server
        self._marker = marker
        self._loss: Loss | None = None
        self._times = 0
        self._lines: dict[asyncio.Task[None], Line] = {}
        self.requests: list[bytes] = []
        self.refusing = False
        self.refused = 0
        self.port = 0
        self._news = asyncio.Event()
        self.lost = asyncio.Event()
        self.released = asyncio.Event()
        self.arrived = asyncio.Event()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    def lose(self, loss: Loss, times: int = 1) -> None:
        """The next requests meet this fate."""
        self._loss, self._times = loss, times

    async def release(self) -> None:
        """Let the server carry out what is late."""
        self.released.set()
        await asyncio.wait_for(self.arrived.wait(), PATIENCE)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until enough requests or refused connections have come."""
        async with asyncio.timeout(PATIENCE):
            while not holds():
                self._news.clear()
                await self._news.wait()

    def cut(self) -> None:
        """Break every connection."""
        for task in self._lines:
            task.cancel()

    def freeze(self) -> None:
        """Nothing passes any more on the connections there are, and nobody is told."""
        for line in self._lines.values():
            line.frozen = True

    def fate(self, request: bytes) -> Loss | None:
        """What becomes of this request."""
        self.requests.append(request)
        self._news.set()
        if self._marker not in request or not self._times:
            return None
        self._times -= 1
        self.lost.set()
        return self._loss

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One client's connection, until either side or the test ends it."""
        task = asyncio.current_task()
        assert task is not None
        try:
            if self.refusing:
                self.refused += 1
                self._news.set()
            else:
                line = Line(self, (reader, writer), await _open(self._server))
                self._lines[task] = line
                await line.relay()
        except (asyncio.CancelledError, OSError):
            pass
        finally:
            self._lines.pop(task, None)
            writer.transport.abort()


class Line:
    """A connection through the proxy."""

    def __init__(self, proxy: Proxy, client: Stream, server: Stream) -> None:
        self._proxy = proxy
        self._client = client
        self._server = server
        self._loss: Loss | None = None
        self.frozen = False

    async def relay(self) -> None:
        """Both directions, until one of them ends."""
        pumps = [asyncio.create_task(self._requests()), asyncio.create_task(self._replies())]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
            self._server[1].transport.abort()

    async def _requests(self) -> None:
        while request := await self._client[0].read(CHUNK):
            self._loss = self._proxy.fate(request) or self._loss
            match self._loss:
                case Loss.CUT_BEFORE:
                    return
                case Loss.LATE:
                    await self._proxy.released.wait()
                    await _send(self._server, request)
                    await self._proxy.arrived.wait()
                case Loss.REQUEST:
                    pass
                case _ if not self.frozen:
                    await _send(self._server, request)

    async def _replies(self) -> None:
        while reply := await self._server[0].read(CHUNK):
            match self._loss:
                case Loss.CUT_AFTER:
                    return
                case Loss.LATE:
                    self._proxy.arrived.set()
                case None if not self.frozen:
                    await _send(self._client, reply)


async def _send(stream: Stream, data: bytes) -> None:
    stream[1].write(data)
    await stream[1].drain()


async def _open(url: str) -> Stream:
    parts = urlsplit(url)
    if parts.scheme == "unix":
        return await asyncio.open_unix_connection(unquote(parts.path))
    return await asyncio.open_connection(parts.hostname, parts.port)


@asynccontextmanager
async def proxy(server: str, marker: bytes = b"EVALSHA") -> AsyncIterator[Proxy]:
    """A proxy before the server at this URL."""
    between = Proxy(server, marker)
    listening = await asyncio.start_server(between.serve, "127.0.0.1", 0)
    between.port = listening.sockets[0].getsockname()[1]
    try:
        yield between
    finally:
        listening.close()
        between.cut()
        with suppress(asyncio.CancelledError):
            await listening.wait_closed()

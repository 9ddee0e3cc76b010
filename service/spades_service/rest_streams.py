"""Live streams over plain HTTP: server-sent events, or one JSON object a line."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import ExitStack, aclosing, suppress
from typing import Any, Final, TypeVar

import msgspec
from litestar import Controller, Request, Response, get
from litestar.response import Stream
from msgspec import Struct

from spades.seats import Seat
from spades.view import PHASE, Phase, seat_of
from spades_service.callers import Caller
from spades_service.guards import address_of
from spades_service.my_turns import Turn, require_player
from spades_service.once import Once
from spades_service.seen import seen_event
from spades_service.services import Services, ShownTable
from spades_service.tables import Update

KEEP_ALIVE_SECONDS: Final = 15
Item = TypeVar("Item")


class Wire(Struct, frozen=True):
    """How a stream is written: what happened, by its kind and perhaps an id, and the silence
    between two.
    """

    media_type: str
    item: Callable[[str, int | None, bytes], bytes]
    silence: bytes


def _server_sent(kind: str, id_: int | None, body: bytes) -> bytes:
    named = b"" if id_ is None else b"id: %d\n" % id_
    return b"%bevent: %b\ndata: %b\n\n" % (named, kind.encode(), body)


def _one_a_line(kind: str, id_: int | None, body: bytes) -> bytes:
    """What a line holds is plain from its fields; a gap alone is said."""
    return b'{"gap":%b}\n' % body if kind == GAP else body + b"\n"


GAP: Final = "gap"
WIRES: Final = (
    Wire("text/event-stream", _server_sent, b": still here\n\n"),
    Wire("application/x-ndjson", _one_a_line, b"\n"),
)
BODIES: Final[Once[bytes]] = Once()


def wire_for(accept: str) -> Wire | None:
    """The stream that a request accepts; None for one that wants a plain answer."""
    return next((wire for wire in WIRES if wire.media_type in accept), None)


def seen_last(last_event_id: str | None, after: int | None) -> int | None:
    """The version behind which a stream goes on: a browser's own memory goes before its address.

    What is no version is one that never was.
    """
    if last_event_id is None:
        return after
    readable = last_event_id.isascii() and last_event_id.isdecimal() and len(last_event_id) < 10
    return int(last_event_id) if readable else -1


def streamed(
    services: Services,
    caller: Caller,
    request: Request[Any, Any, Any],
    wire: Wire,
    items: AsyncGenerator[bytes, None],
) -> Stream:
    """A response that goes on; raises TooMany where the caller has too many of them."""
    held = ExitStack()
    held.enter_context(services.guards.watch(caller, address_of(request.scope)))
    return Stream(
        _while_held(held, items),
        media_type=wire.media_type,
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _while_held(held: ExitStack, items: AsyncGenerator[bytes, None]) -> AsyncIterator[bytes]:
    with held:
        async with aclosing(items):
            async for item in items:
                yield item


class Watched(Struct, frozen=True):
    """A table that somebody watches: where it stands, behind which version they want to go on, and
    by which invitation.
    """

    table: str
    version: int
    after: int | None
    invite_code: str | None

    @property
    def gap(self) -> bytes | None:
        """What is said first where nothing can be gone on from: the client's copy is of no past
        that this table has.
        """
        if self.after is None or 0 <= self.after <= self.version:
            return None
        message = (
            f"the table is at version {self.version}: read it again, and go on from there; "
            f"this stream goes on behind version {self.version}"
        )
        return msgspec.json.encode({"version": self.version, "message": message})


async def updates(
    services: Services, caller: Caller, wire: Wire, watched: Watched
) -> AsyncGenerator[bytes, None]:
    """A table's updates."""
    after = watched.after
    if (gap := watched.gap) is not None:
        yield wire.item(GAP, watched.version, gap)
        after = watched.version
    watch = services.watch(caller, watched.table, after, watched.invite_code)
    async with aclosing(watch) as news:
        async for update in with_silences(news, KEEP_ALIVE_SECONDS):
            if update is None:
                yield wire.silence
            else:
                body = await _update(services, caller, watched.table, update)
                yield wire.item("update", update.version, body)


async def _update(services: Services, caller: Caller, table: str, update: Update) -> bytes:
    """An update as the caller may see it, written once for all who see the same."""
    key = (table, update.version, await services.viewpoint(caller, table, update.table))
    written = BODIES.get(update, key)
    if written is not None:
        return written
    shown = await services.show(caller, table, update.version, update.table, update.deadline)
    event = seen_event(update.recorded, seat_of(update.table, caller.player))
    return BODIES.put(update, key, msgspec.json.encode({"event": event, "table": shown}))


class MyTurn(Struct, rename="camel"):
    """A table that waits for the caller's move."""

    table_id: str
    version: int
    seat: Seat
    phase: Phase
    deadline: str | None
    table: ShownTable


async def my_turn(services: Services, caller: Caller, turn: Turn) -> MyTurn:
    """A turn as the caller may see it."""
    table = await services.show(caller, turn.id, turn.version, turn.table, turn.deadline)
    phase = PHASE[type(turn.table)]
    return MyTurn(turn.id, turn.version, turn.seat, phase, table.deadline, table)


async def turns(services: Services, caller: Caller, wire: Wire) -> AsyncGenerator[bytes, None]:
    """The caller's turns."""
    async with aclosing(services.turns(caller)) as news:
        async for turn in with_silences(news, KEEP_ALIVE_SECONDS):
            if turn is None:
                yield wire.silence
            else:
                body = msgspec.json.encode(await my_turn(services, caller, turn))
                yield wire.item("turn", None, body)


class TurnsFace(Controller):
    """What waits for the caller."""

    @get("/me/turns", summary="What waits for my move, as a list or live")
    async def my_turns(
        self, services: Services, caller: Caller, request: Request[Any, Any, Any]
    ) -> Response[Any]:
        """Every table that waits for the caller's move; with Accept text/event-stream or
        application/x-ndjson then also each as it begins to, and when its deadline moves. After a
        lost connection the stream begins anew with all that waits.
        """
        require_player(caller)
        wire = wire_for(request.headers.get("accept", ""))
        if wire is not None:
            items = turns(services, caller, wire)
            return streamed(services, caller, request, wire, items)
        waiting = await services.my_turns.waiting(caller)
        return Response([await my_turn(services, caller, turn) for turn in waiting])


async def with_silences(
    items: AsyncGenerator[Item, None], seconds: float
) -> AsyncGenerator[Item | None, None]:
    """The items, and None after each time in which none came: proxies cut silent streams."""
    following = asyncio.ensure_future(anext(items, STREAM_ENDED))
    try:
        while True:
            done, _ = await asyncio.wait({following}, timeout=seconds)
            if not done:
                yield None
                continue
            item = following.result()
            if isinstance(item, Ended):
                return
            following = asyncio.ensure_future(anext(items, STREAM_ENDED))
            yield item
    finally:
        following.cancel()
        with suppress(asyncio.CancelledError):
            await following


class Ended(Struct):
    """Nothing more: the stream is over."""


STREAM_ENDED: Final = Ended()

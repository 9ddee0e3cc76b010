"""GraphQL over WebSockets: graphql-transport-ws, on top of Strawberry's handler."""

import asyncio
from collections.abc import Mapping
from contextlib import aclosing, suppress
from typing import Any, Final, cast

import msgspec
from graphql import OperationType
from litestar.exceptions import WebSocketDisconnect
from msgspec.structs import replace
from strawberry.http.exceptions import WebSocketDisconnected
from strawberry.litestar.controller import LitestarWebSocketAdapter
from strawberry.subscriptions.protocols.graphql_transport_ws.handlers import (
    BaseGraphQLTransportWSHandler,
    Operation,
)
from strawberry.subscriptions.protocols.graphql_transport_ws.types import (
    ConnectionInitMessage,
    Message,
)

from spades_schema.build import Schema
from spades_schema.context import Context
from spades_schema.guarding import admitted, limited
from spades_schema.shared import Shared, Watch
from spades_service.callers import Caller, Unverifiable
from spades_service.guards import TooMany
from spades_service.ports import StoreUnavailable

FORBIDDEN: Final = 4403
"""What graphql-transport-ws says of a token that is not good; clients come back with a new one."""
TRY_AGAIN_LATER: Final = 1013
CLOSE_REASON_BYTES: Final = 123
"""What fits into the frame that closes a WebSocket; one byte more, and there is no frame."""


class SocketAdapter(LitestarWebSocketAdapter):
    """Sends what is JSON already, and closes also where the reason quotes a client at length."""

    async def send_text(self, text: str) -> None:
        """Send a message; waits while the client reads too slowly to take more."""
        try:
            await self.ws.send_data(text)
        except WebSocketDisconnect as gone:
            raise WebSocketDisconnected from gone

    async def close(self, code: int, reason: str) -> None:
        """Close with as much of the reason as fits."""
        cut = reason.encode()[:CLOSE_REASON_BYTES].decode(errors="ignore")
        await super().close(code, cut)


class SocketHandler(BaseGraphQLTransportWSHandler[Any, Any]):
    """Closes with 4400 on any message that is none, where the stock handler fails, and with 4403
    once the token expires that the socket was opened with.
    """

    shared: Shared
    """Bound to the schema by `sockets_of`."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._expiry: asyncio.Task[None] | None = None
        self._expired = False

    async def handle(self) -> None:
        """A socket, as long as it is open; one too many is asked to come again later."""
        context: Context = self.context
        try:
            with context.services.guards.socket(context.address):
                await super().handle()
        except TooMany as too_many:
            with suppress(WebSocketDisconnected):
                await self.websocket.close(TRY_AGAIN_LATER, str(too_many))

    async def handle_connection_init(self, message: ConnectionInitMessage) -> None:
        """Let the caller in for as long as their token is good."""
        try:
            await super().handle_connection_init(message)
        except (StoreUnavailable, Unverifiable):
            await self.websocket.close(TRY_AGAIN_LATER, "Try again later")
            return
        caller: Caller = self.context.caller
        seconds = self.context.services.identity.seconds_left(caller)
        if self.connection_acknowledged and seconds is not None and self._expiry is None:
            # From here on the socket has an end, so its subscriptions need none of their own.
            self.context.caller = replace(caller, expires=None)
            self._expiry = asyncio.create_task(self._expire(seconds))

    async def _expire(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        self._expired = True
        for operation in list(self.operations):
            await self.cleanup_operation(operation)
        await self.websocket.close(FORBIDDEN, "Token expired")

    async def shutdown(self) -> None:
        """Leave no timer behind."""
        if self._expiry is not None:
            self._expiry.cancel()
            with suppress(asyncio.CancelledError, WebSocketDisconnected):
                await self._expiry
        await super().shutdown()

    async def run_operation(self, operation: Operation[Any, Any]) -> None:
        """An operation, unless it is one too many."""
        try:
            await self._guarded(operation)
        except TooMany as too_many:
            with suppress(WebSocketDisconnected):
                await operation.send_initial_errors([limited(too_many)])

    async def _guarded(self, operation: Operation[Any, Any]) -> None:
        context: Context = self.context
        document = cast(Schema, self.schema).documents.prepare(operation.query).document
        wanted = await admitted(context, document, operation.operation_name)
        if wanted is None or wanted.operation is not OperationType.SUBSCRIPTION:
            await super().run_operation(operation)
            return
        with context.services.guards.watch(context.caller, context.address):
            await self._subscribe(operation)

    async def _subscribe(self, operation: Operation[Any, Any]) -> None:
        """Updates of a table are written once for all who are shown the same."""
        watch = self.shared.watch(
            self.context, operation.query, operation.variables, operation.operation_name
        )
        if watch is None:
            await super().run_operation(operation)
            return
        with suppress(WebSocketDisconnected):
            await self._pass_on(operation, watch)
            await operation.send_operation_message({"id": operation.id, "type": "complete"})

    async def _pass_on(self, operation: Operation[Any, Any], watch: Watch) -> None:
        """A payload is the same for all; what stands round it is this subscription's."""
        before = f'{{"id":{msgspec.json.encode(operation.id).decode()},"type":"next","payload":'
        socket = cast(SocketAdapter, self.websocket)
        async with aclosing(self.shared.payloads(watch, self.context)) as payloads:
            async for payload in payloads:
                await socket.send_text(f"{before}{payload}}}")

    async def handle_message(self, message: object) -> None:
        """Pass on what has the shape of a message."""
        if self._expired:
            return
        if not isinstance(message, dict) or not isinstance(message.get("type"), str):
            await self.handle_invalid_message("A message is an object with a type")
            return
        if message["type"] == "subscribe" and not _well_formed(message):
            await self.handle_invalid_message("A subscribe message has an id and a payload")
            return
        if message["type"] == "complete" and not isinstance(message.get("id"), str):
            await self.handle_invalid_message("A complete message has an id")
            return
        await super().handle_message(cast(Message, message))


def _well_formed(message: Mapping[str, Any]) -> bool:
    payload = message.get("payload")
    return (
        isinstance(message.get("id"), str)
        and isinstance(payload, dict)
        and isinstance(payload.get("query"), str)
        and isinstance(payload.get("variables"), dict | None)
        and isinstance(payload.get("operationName"), str | None)
    )


def sockets_of(watched: Shared) -> type[SocketHandler]:
    """The handler of one schema's sockets."""

    class Bound(SocketHandler):
        """Watches through what all sockets share."""

        shared = watched

    return Bound

"""GraphQL over HTTP, over WebSockets (graphql-transport-ws) and as server-sent events."""

from collections.abc import Mapping
from datetime import timedelta
from json import JSONDecodeError
from typing import Any, ClassVar, Final, cast

import msgspec
from cross_web import AsyncHTTPRequestAdapter, HTTPException
from litestar import MediaType, Request, Response, WebSocket
from litestar.di import Provide
from litestar.types import Dependencies
from strawberry.exceptions import ConnectionRejectionError
from strawberry.http import GraphQLRequestData
from strawberry.litestar.controller import GraphQLController, LitestarWebSocketAdapter
from strawberry.subscriptions import (
    GRAPHQL_SSE_PROTOCOL,
    GRAPHQL_TRANSPORT_WS_PROTOCOL,
    MULTIPART_SUBSCRIPTION_PROTOCOL,
)
from strawberry.subscriptions.protocols.graphql_transport_ws.handlers import (
    BaseGraphQLTransportWSHandler,
)
from strawberry.subscriptions.protocols.graphql_transport_ws.types import Message
from strawberry.types.unset import UnsetType

from spades_schema.build import Schema
from spades_schema.context import Context
from spades_service.identity import NotAuthenticated
from spades_service.services import Services

MOST_SUBSCRIPTIONS: Final = 10
INIT_WAIT: Final = timedelta(seconds=10)
CLOSE_REASON_BYTES: Final = 123
"""What fits into the frame that closes a WebSocket; one byte more, and there is no frame."""


class SocketAdapter(LitestarWebSocketAdapter):
    """Closes also where the reason quotes a client at length."""

    async def close(self, code: int, reason: str) -> None:
        """Close with as much of the reason as fits."""
        cut = reason.encode()[:CLOSE_REASON_BYTES].decode(errors="ignore")
        await super().close(code, cut)


class SocketHandler(BaseGraphQLTransportWSHandler[Any, Any]):
    """Closes with 4400 on any message that is none, where the stock handler fails."""

    async def handle_message(self, message: object) -> None:
        """Pass on what has the shape of a message."""
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


async def _context(services: Services, request: Request[Any, Any, Any]) -> Context:
    return Context(services, services.identity.caller(request.headers.get("authorization")))


async def _socket_context(services: Services, socket: WebSocket[Any, Any, Any]) -> Context:
    return Context(services, authorization=socket.headers.get("authorization"))


async def _response() -> Response[Any]:
    return Response(None)


def _authorization(params: Mapping[str, Any]) -> str | None:
    """`{"Authorization": "Bearer ..."}` in any case, as the usual clients send it."""
    for key, value in params.items():
        if key.lower() == "authorization" and isinstance(value, str):
            return value
    return None


class GraphQLFace(GraphQLController):
    """Strawberry's controller with its gaps closed; `graphql_controller` binds it to a schema."""

    path = "/graphql"
    include_in_schema = False
    allow_queries_via_get = False
    protocols = (
        GRAPHQL_TRANSPORT_WS_PROTOCOL,
        GRAPHQL_SSE_PROTOCOL,
        MULTIPART_SUBSCRIPTION_PROTOCOL,
    )
    connection_init_wait_timeout = INIT_WAIT
    max_subscriptions_per_connection = MOST_SUBSCRIPTIONS
    graphql_transport_ws_handler_class = SocketHandler
    websocket_adapter_class = SocketAdapter
    # The stock provider of `response` costs a hop to a thread.
    dependencies: ClassVar[Dependencies] = {  # type: ignore[misc]
        **GraphQLController.dependencies,
        "context": Provide(_context),
        "context_ws": Provide(_socket_context),
        "response": Provide(_response),
    }

    def decode_json(self, data: str | bytes) -> object:
        """JSON by msgspec; whatever it cannot read is a JSONDecodeError to the callers."""
        try:
            return msgspec.json.decode(data)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            raise JSONDecodeError(str(error), "", 0) from None

    def encode_json(self, data: object) -> bytes:
        """JSON by msgspec, which also knows the domain's own types."""
        return msgspec.json.encode(data)

    async def parse_http_body(self, request: AsyncHTTPRequestAdapter) -> GraphQLRequestData:
        """A request is one JSON object; lists and bare values are refused before their use."""
        if request.method == "POST" and "application/json" in (request.content_type or ""):
            body = self.parse_json(await request.get_body())
            if not isinstance(body, dict):
                raise HTTPException(400, "The body is a JSON object with a `query`")
        data = await super().parse_http_body(request)
        if isinstance(data, list) or not isinstance(data.operation_name, str | None):
            raise HTTPException(400, "`operationName` is a string or null")
        return data

    async def execute_request(
        self, request: Request[Any, Any, Any], context: Any, root_value: Any
    ) -> Response[Any]:
        """An answer in the form of GraphQL, also where the request was not one."""
        try:
            answer: Response[Any] = await self.run(request, context=context, root_value=root_value)
        except HTTPException as refused:
            return Response(
                {"errors": [{"message": refused.reason}]},
                status_code=refused.status_code,
                media_type=MediaType.JSON,
            )
        return answer

    async def on_ws_connect(self, context: Any) -> UnsetType | dict[str, object] | None:
        """A socket speaks for the token of its connection_init, or of its handshake."""
        authorization = _authorization(context.connection_params or {}) or context.authorization
        try:
            context.caller = context.services.identity.caller(authorization)
        except NotAuthenticated as error:
            raise ConnectionRejectionError({"message": str(error)}) from None
        return await super().on_ws_connect(context)


def graphql_controller(schema: Schema, *, graphiql: bool) -> type[GraphQLFace]:
    """The controller at `/graphql`; `graphiql` shows its page to browsers."""

    class Bound(GraphQLFace):
        """The face of one schema."""

    Bound.schema = schema
    Bound.graphql_ide = "graphiql" if graphiql else None
    return Bound

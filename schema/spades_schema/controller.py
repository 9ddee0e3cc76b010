"""GraphQL over HTTP, over WebSockets (graphql-transport-ws) and as server-sent events."""

from collections.abc import Mapping
from datetime import timedelta
from json import JSONDecodeError
from typing import Any, Final

import msgspec
from cross_web import HTTPException
from litestar import MediaType, Request, Response, WebSocket
from litestar.di import Provide
from strawberry.exceptions import ConnectionRejectionError
from strawberry.http import GraphQLRequestData
from strawberry.litestar import make_graphql_controller
from strawberry.litestar.controller import GraphQLController
from strawberry.subscriptions import (
    GRAPHQL_SSE_PROTOCOL,
    GRAPHQL_TRANSPORT_WS_PROTOCOL,
    MULTIPART_SUBSCRIPTION_PROTOCOL,
)
from strawberry.subscriptions.protocols.graphql_transport_ws.handlers import (
    BaseGraphQLTransportWSHandler,
)

from spades_schema.build import Schema
from spades_schema.context import Context
from spades_service.identity import NotAuthenticated
from spades_service.services import Services

MOST_SUBSCRIPTIONS: Final = 10
INIT_WAIT: Final = timedelta(seconds=10)


class SocketHandler(BaseGraphQLTransportWSHandler[Any, Any]):
    """Closes with 4400 on any message that is none, where the stock handler fails."""

    async def handle_message(self, message: Any) -> None:
        """Pass on what has the shape of a message."""
        if not isinstance(message, dict) or not isinstance(message.get("type"), str):
            await self.handle_invalid_message("A message is an object with a type")
            return
        if message["type"] == "subscribe" and not _well_formed(message):
            await self.handle_invalid_message("A subscribe message has an id and a payload")
            return
        await super().handle_message(message)


def _well_formed(message: Mapping[str, Any]) -> bool:
    payload = message.get("payload")
    return (
        isinstance(message.get("id"), str)
        and isinstance(payload, dict)
        and isinstance(payload.get("query"), str)
        and isinstance(payload.get("variables"), dict | None)
        and isinstance(payload.get("operationName"), str | None)
    )


def graphql_controller(
    schema: Schema, services: Services, *, graphiql: bool
) -> type[GraphQLController]:
    """The controller at `/graphql`; `graphiql` shows its page to browsers."""

    async def context(request: Request[Any, Any, Any]) -> Context:
        return Context(services, services.identity.caller(request.headers.get("authorization")))

    async def socket_context(socket: WebSocket[Any, Any, Any]) -> Context:
        return Context(services, authorization=socket.headers.get("authorization"))

    async def response() -> Response[Any]:
        return Response(None)

    base = make_graphql_controller(
        schema,
        path="/graphql",
        graphql_ide="graphiql" if graphiql else None,
        allow_queries_via_get=False,
        subscription_protocols=(
            GRAPHQL_TRANSPORT_WS_PROTOCOL,
            GRAPHQL_SSE_PROTOCOL,
            MULTIPART_SUBSCRIPTION_PROTOCOL,
        ),
        connection_init_wait_timeout=INIT_WAIT,
        max_subscriptions_per_connection=MOST_SUBSCRIPTIONS,
    )

    class GraphQL(base):  # type: ignore[misc, valid-type]
        include_in_schema = False
        graphql_transport_ws_handler_class = SocketHandler
        dependencies = {
            **base.dependencies,
            "context": Provide(context),
            "context_ws": Provide(socket_context),
            "response": Provide(response),
        }

        def decode_json(self, data: str | bytes) -> object:
            """JSON by msgspec; whatever it cannot read is a JSONDecodeError to the callers."""
            try:
                return msgspec.json.decode(data)
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
                raise JSONDecodeError(str(error), "", 0) from None

        def encode_json(self, data: object) -> bytes:
            return msgspec.json.encode(data)

        async def parse_http_body(self, request: Any) -> Any:
            """A request is one JSON object; lists and bare values are refused before their use."""
            if request.method == "POST" and "application/json" in (request.content_type or ""):
                body = self.parse_json(await request.get_body())
                if not isinstance(body, dict):
                    raise HTTPException(400, "The body is a JSON object with a `query`")
            data = await super().parse_http_body(request)
            if isinstance(data, GraphQLRequestData) and not isinstance(
                data.operation_name, str | None
            ):
                raise HTTPException(400, "`operationName` is a string or null")
            return data

        async def execute_request(
            self, request: Request[Any, Any, Any], context: Any, root_value: Any
        ) -> Response[Any]:
            """An answer in the form of GraphQL, also where the request was not one."""
            try:
                return await self.run(request, context=context, root_value=root_value)
            except HTTPException as refused:
                return Response(
                    {"errors": [{"message": refused.reason}]},
                    status_code=refused.status_code,
                    media_type=MediaType.JSON,
                )

        async def on_ws_connect(self, context: Context) -> Any:
            """A socket speaks for the token of its connection_init, or of its handshake."""
            params = context.connection_params or {}
            try:
                context.caller = services.identity.caller(
                    _authorization(params) or context.authorization
                )
            except NotAuthenticated as error:
                raise ConnectionRejectionError({"message": str(error)}) from None
            return await super().on_ws_connect(context)

    return GraphQL


def _authorization(params: Mapping[str, Any]) -> str | None:
    """`{"Authorization": "Bearer ..."}` in any case, as the usual clients send it."""
    for key, value in params.items():
        if key.lower() == "authorization" and isinstance(value, str):
            return value
    return None

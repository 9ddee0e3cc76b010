"""GraphQL over HTTP, over WebSockets (graphql-transport-ws) and as server-sent events."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import ExitStack, aclosing
from datetime import timedelta
from json import JSONDecodeError
from typing import Any, ClassVar, Final

import msgspec
from cross_web import AsyncHTTPRequestAdapter, HTTPException
from litestar import MediaType, Request, Response, WebSocket
from litestar.di import Provide
from litestar.types import Dependencies
from strawberry.exceptions import ConnectionRejectionError
from strawberry.http import GraphQLRequestData
from strawberry.http.websocket_origin import normalize_allowed_origins
from strawberry.litestar.controller import GraphQLController
from strawberry.subscriptions import (
    GRAPHQL_SSE_PROTOCOL,
    GRAPHQL_TRANSPORT_WS_PROTOCOL,
    MULTIPART_SUBSCRIPTION_PROTOCOL,
)
from strawberry.types import SubscriptionExecutionResult
from strawberry.types.unset import UnsetType

from spades_schema.build import Schema
from spades_schema.context import Context
from spades_schema.guarding import admitted, limited
from spades_schema.shared import Shared, Watch
from spades_schema.sockets import SocketAdapter, sockets_of
from spades_schema.thin import thin
from spades_service.callers import NotAuthenticated, Unverifiable
from spades_service.guards import TooMany, address_of
from spades_service.services import Services

MOST_SUBSCRIPTIONS: Final = 10
INIT_WAIT: Final = timedelta(seconds=10)


async def _context(services: Services, request: Request[Any, Any, Any]) -> Context:
    caller = await services.identity.caller(request.headers.get("authorization"))
    return Context(services, caller, address_of(request.scope))


async def _socket_context(services: Services, socket: WebSocket[Any, Any, Any]) -> Context:
    return Context(
        services,
        address=address_of(socket.scope),
        authorization=socket.headers.get("authorization"),
    )


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

    schema: Schema  # pyright: ignore[reportIncompatibleVariableOverride]
    shared: Shared
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
        except TooMany as too_many:
            again = {"Retry-After": str(too_many.seconds)}
            return _errors(429, limited(too_many).formatted, again)
        except HTTPException as refused:
            return _errors(refused.status_code, {"message": refused.reason})
        return answer

    async def execute_operation(  # noqa: PLR0917 Strawberry's own
        self,
        request: Any,
        request_adapter: Any,
        request_data: Any,
        context: Any,
        root_value: Any,
        sub_response: Any,
    ) -> Any:
        """A stream is counted, and what it carries is written once for all who see the same."""
        prepared = self.schema.documents.prepare(request_data.query or "")
        await admitted(context, prepared.document, request_data.operation_name)
        with ExitStack() as held:
            held.enter_context(context.services.guards.watch(context.caller, context.address))
            result = self._shared(request_data, context) or await super().execute_operation(
                request, request_adapter, request_data, context, root_value, sub_response
            )
            if isinstance(result, SubscriptionExecutionResult):  # pyright: ignore[reportGeneralTypeIssues]
                return _while_held(held.pop_all(), result)
            return result

    def _shared(
        self, data: GraphQLRequestData, context: Context
    ) -> AsyncGenerator[Any, None] | None:
        if data.protocol == "http":
            return None
        watch = self.shared.watch(context, data.query or "", data.variables, data.operation_name)
        return None if watch is None else self._raw(watch, context)

    async def _raw(self, watch: Watch, context: Context) -> AsyncGenerator[msgspec.Raw, None]:
        async with aclosing(self.shared.payloads(watch, context)) as payloads:
            async for payload in payloads:
                yield msgspec.Raw(payload)

    async def _process_stream_result(
        self, request: Any, value: Any, all_pending: list[Any]
    ) -> tuple[Any, list[Any]]:
        """What is JSON already is left as it is."""
        if isinstance(value, msgspec.Raw):
            return value, all_pending
        return await super()._process_stream_result(request, value, all_pending)

    async def on_ws_connect(self, context: Any) -> UnsetType | dict[str, object] | None:
        """A socket speaks for the token of its connection_init, or of its handshake."""
        authorization = _authorization(context.connection_params or {}) or context.authorization
        try:
            context.caller = await context.services.identity.caller(authorization)
        except Unverifiable:
            raise
        except NotAuthenticated as error:
            raise ConnectionRejectionError({"message": str(error)}) from None
        return await super().on_ws_connect(context)


def _errors(
    status: int, error: Mapping[str, Any], headers: Mapping[str, str] | None = None
) -> Response[Any]:
    content = {"errors": [error]}
    return Response(content, status_code=status, media_type=MediaType.JSON, headers=headers)


async def _while_held(held: ExitStack, results: Any) -> AsyncGenerator[Any, None]:
    with held:
        async with aclosing(results):
            async for result in results:
                yield result


def graphql_controller(
    schema: Schema, *, graphiql: bool, origins: Sequence[str] = ()
) -> type[GraphQLFace]:
    """The controller at `/graphql`; `graphiql` shows its page to browsers, and pages of these
    `origins` may open sockets, beside the service's own.
    """
    shared = Shared(schema)
    handler = sockets_of(shared)

    class Bound(GraphQLFace):
        """The face of one schema."""

        graphql_transport_ws_handler_class = handler

    Bound.schema = schema
    Bound.shared = shared
    Bound.allowed_origins = normalize_allowed_origins(origins)
    Bound.middleware = [thin(schema)]
    Bound.graphql_ide = "graphiql" if graphiql else None
    return Bound

"""GraphQL over HTTP, the short way: who wants one JSON answer goes straight to the schema.

The framework's own way (dependencies, a handler, a response object) costs as much as the operation.
What this does is the specification "GraphQL over HTTP": media types, status codes, and bodies that
are none. Streams and the page for browsers take the long way.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import parse_qsl

import msgspec
from graphql import ExecutionResult, GraphQLError, OperationType, execute
from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Receive, Scope, Send
from strawberry.execution.is_awaitable import optimized_is_awaitable

from spades_schema.build import Schema
from spades_schema.context import Context
from spades_schema.documents import operation
from spades_schema.guarding import admit, limited
from spades_service.callers import STRANGER, NotAuthenticated
from spades_service.guards import TooMany, address_of
from spades_service.services import Services

MOST_FIELDS: Final = 20
MOST_BYTES: Final = 64 * 1024
PLAIN: Final = b"application/json"
SPECIFIC: Final = b"application/graphql-response+json"
STREAMS: Final = (b"text/event-stream", b"multipart/mixed")
PAGE: Final = b"text/html"


class Answer(msgspec.Struct):
    """What a request is answered with, and what its header says beside the usual."""

    status: int
    media_type: bytes
    content: Mapping[str, Any]
    headers: Sequence[tuple[bytes, bytes]] = ()


class Malformed(Exception):
    """The body is no GraphQL request; the message says what one looks like."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Body(msgspec.Struct):
    """A GraphQL request."""

    query: str
    variables: dict[str, Any] | None = None
    operation_name: str | None = msgspec.field(default=None, name="operationName")
    extensions: dict[str, Any] | None = None


_DECODER: Final = msgspec.json.Decoder(Body)
_ENCODER: Final = msgspec.json.Encoder()


class ThinPost:
    """Answers plain requests, and leaves everything else to the application behind it."""

    def __init__(self, app: ASGIApp, schema: Schema, services: Services) -> None:
        self._app = app
        self._schema = schema
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take what is ours."""
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        accept = headers.get(b"accept", b"*/*")
        if _is_plain(scope, accept):
            await _send(send, await self._answer(scope, headers, accept, receive))
        else:
            await self._app(scope, receive, send)

    async def _answer(
        self, scope: HTTPScope, headers: Mapping[bytes, bytes], accept: bytes, receive: Receive
    ) -> Answer:
        media_type = SPECIFIC if SPECIFIC in accept else PLAIN
        reading = scope["method"] == "GET"
        try:
            context = await self._context(scope, headers.get(b"authorization"))
            asked = scope["query_string"]
            request = in_address(asked) if reading else decoded(headers, await _read(receive))
            content = await self._carried_out(request, context, reading=reading)
        except Malformed as malformed:
            allowed = [(b"allow", b"POST")] if malformed.status == 405 else []
            content = _errors(GraphQLError(str(malformed)))
            return Answer(malformed.status, media_type, content, allowed)
        except TooMany as too_many:
            again = (b"retry-after", b"%d" % too_many.seconds)
            return Answer(429, media_type, _errors(limited(too_many)), [again])
        # Without data the request was refused before anything was carried out.
        refused = "data" not in content
        return Answer(400 if refused and media_type is SPECIFIC else 200, media_type, content)

    async def _context(self, scope: Scope, authorization: bytes | None) -> Context:
        """Who asks, unless they ask too much; who cannot say who they are is counted by address."""
        services, address = self._services, address_of(scope)
        text = None if authorization is None else authorization.decode("latin-1")
        try:
            caller = await services.identity.caller(text)
        except NotAuthenticated:
            await services.guards.request(STRANGER, address)
            raise
        await services.guards.request(caller, address)
        return Context(services, caller, address)

    async def _carried_out(
        self, request: Body, context: Context, *, reading: bool
    ) -> Mapping[str, Any]:
        prepared = self._schema.documents.prepare(request.query)
        if prepared.document is None or prepared.errors:
            return _errors(*prepared.errors)
        wanted = operation(prepared.document, request.operation_name)
        if isinstance(wanted, str):
            raise Malformed(400, wanted)
        if reading and wanted.operation is not OperationType.QUERY:
            raise Malformed(405, "a GET only reads: send this as a POST")
        await admit(context, wanted)
        running = execute(
            self._schema.core,
            prepared.document,
            context_value=context,
            variable_values=request.variables,
            operation_name=request.operation_name,
            is_awaitable=optimized_is_awaitable,  # type: ignore[arg-type]
            executor_class=self._schema.executor,
        )
        result = running if isinstance(running, ExecutionResult) else await running
        if not result.errors:
            return {"data": result.data}
        content = _errors(*self._schema.told(result.errors))
        if result.data is None and not any(error.path for error in result.errors):
            return content
        return {"data": result.data, **content}


def decoded(headers: Mapping[bytes, bytes], body: bytes) -> Body:
    """The request in a body; raises Malformed."""
    kind, _, parameters = headers.get(b"content-type", b"").lower().partition(b";")
    if kind.strip() != PLAIN:
        raise Malformed(415, "send the request as application/json")
    charset = parameters.strip().removeprefix(b"charset=").strip(b'" ')
    if charset and charset not in {b"utf-8", b"utf8"}:
        raise Malformed(415, "send the request in UTF-8")
    try:
        return _DECODER.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        wrong = str(error) if isinstance(error, msgspec.ValidationError) else "it is not JSON"
        raise Malformed(400, f'the body is a JSON object with a "query": {wrong:.200}') from None


def _is_plain(scope: HTTPScope, accept: bytes) -> bool:
    """Whether one JSON answer is wanted, and no stream, nor a page for a browser."""
    if any(stream in accept for stream in STREAMS):
        return False
    if scope["method"] == "GET":
        return b"query=" in scope["query_string"] and PAGE not in accept
    return scope["method"] == "POST"


def in_address(query_string: bytes) -> Body:
    """The request in an address; raises Malformed."""
    try:
        asked = dict(parse_qsl(query_string.decode("latin-1"), max_num_fields=MOST_FIELDS))
        given: dict[str, Any] = {**asked}
        for name in asked.keys() & {"variables", "extensions"}:
            given[name] = msgspec.json.decode(asked[name])
        return msgspec.convert(given, Body)
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        wrong = str(error) if isinstance(error, msgspec.ValidationError) else "it is not JSON"
        raise Malformed(400, f"the address cannot be read as a request: {wrong:.200}") from None


async def _read(receive: Receive) -> bytes:
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise Malformed(400, "the request broke off")
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > MOST_BYTES:
            raise Malformed(413, f"a request has {MOST_BYTES} bytes at most")
        chunks.append(chunk)
        if not message.get("more_body", False):
            return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def _errors(*errors: GraphQLError) -> Mapping[str, Any]:
    return {"errors": [error.formatted for error in errors]}


async def _send(send: Send, answer: Answer) -> None:
    body = _ENCODER.encode(answer.content)
    await send(
        {
            "type": "http.response.start",
            "status": answer.status,
            "headers": [
                (b"content-type", answer.media_type + b"; charset=utf-8"),
                (b"content-length", b"%d" % len(body)),
                *answer.headers,
            ],
        }
    )
    await send({"type": "http.response.body", "body": body, "more_body": False})


def thin(schema: Schema) -> Callable[[ASGIApp], ASGIApp]:
    """The short way as a middleware of the GraphQL face."""

    def around(app: ASGIApp) -> ASGIApp:
        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            services: Services = scope["litestar_app"].state.services
            await ThinPost(app, schema, services)(scope, receive, send)

        return answer

    return around

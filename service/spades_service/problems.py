"""What goes wrong, as problem+json (RFC 9457): one sentence, no internal name, no stack trace."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

import structlog
from litestar import MediaType, Request, Response
from litestar.exceptions import HTTPException, ValidationException
from litestar.types import ExceptionHandlersMap

from spades.refusals import RefusalCode, Refused
from spades_service.callers import NotAuthenticated, Unverifiable
from spades_service.ports import BrokenHistory, StoreUnavailable
from spades_service.tables import Rejected

log = structlog.get_logger(__name__)

STATUS: Final = {
    RefusalCode.UNAUTHENTICATED: HTTPStatus.UNAUTHORIZED,
    RefusalCode.NOT_ALLOWED: HTTPStatus.FORBIDDEN,
    RefusalCode.NOT_FOUND: HTTPStatus.NOT_FOUND,
    RefusalCode.NO_SUCH_SEAT: HTTPStatus.NOT_FOUND,
    RefusalCode.VERSION_CONFLICT: HTTPStatus.CONFLICT,
    RefusalCode.COMMAND_ID_REUSED: HTTPStatus.CONFLICT,
    RefusalCode.BAD_COMMAND: HTTPStatus.BAD_REQUEST,
    RefusalCode.UNKNOWN_PRESET: HTTPStatus.BAD_REQUEST,
    RefusalCode.BAD_RULES: HTTPStatus.BAD_REQUEST,
    RefusalCode.BAD_DEAL: HTTPStatus.BAD_REQUEST,
    RefusalCode.BAD_RECORD: HTTPStatus.BAD_REQUEST,
}
"""Refusals that HTTP has a word for; what the rules say no to is 422."""

SENTENCES: Final[Mapping[int, str]] = {
    HTTPStatus.NOT_FOUND: "there is nothing at this path",
    HTTPStatus.METHOD_NOT_ALLOWED: "this path does not take this method",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "the body is too large",
}
"""What Litestar says with the status alone."""


def problem(status: int, detail: str, **more: Any) -> Response[dict[str, Any]]:
    """A problem document."""
    content = {"title": HTTPStatus(status).phrase, "status": status, "detail": detail, **more}
    headers = {"WWW-Authenticate": "Bearer"} if status == HTTPStatus.UNAUTHORIZED else None
    return Response(
        content,
        status_code=status,
        media_type="application/problem+json",
        headers=headers,
    )


def rejection(rejected: Rejected) -> Response[dict[str, Any]]:
    """A refusal with its code, and the version at which the table stands."""
    status = STATUS.get(rejected.code, HTTPStatus.UNPROCESSABLE_ENTITY)
    more = {} if rejected.version is None else {"version": rejected.version}
    return problem(status, rejected.message, code=rejected.code.value, **more)


def _refused(_: Request[Any, Any, Any], error: Refused) -> Response[dict[str, Any]]:
    return rejection(Rejected(error.code, error.message))


def _not_authenticated(
    request: Request[Any, Any, Any], error: NotAuthenticated
) -> Response[dict[str, Any]]:
    return problem(HTTPStatus.UNAUTHORIZED, str(error), code=RefusalCode.UNAUTHENTICATED.value)


def _unverifiable(request: Request[Any, Any, Any], error: Unverifiable) -> Response[dict[str, Any]]:
    return problem(HTTPStatus.SERVICE_UNAVAILABLE, str(error))


def _unavailable(
    request: Request[Any, Any, Any], error: StoreUnavailable
) -> Response[dict[str, Any]]:
    log.warning("store.unavailable", path=request.url.path, reason=str(error))
    return problem(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "the store does not answer: send the same command again with the same commandId, and it is "
        "answered truly",
    )


def _http(request: Request[Any, Any, Any], error: HTTPException) -> Response[dict[str, Any]]:
    detail = SENTENCES.get(error.status_code, error.detail)
    if isinstance(error, ValidationException) and isinstance(error.extra, list):
        named = [_named(fault) for fault in error.extra if isinstance(fault, dict)]
        detail = "; ".join(named) or "the request does not have the right form"
    if error.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return _fault(request, error)
    return problem(error.status_code, detail)


def _named(fault: dict[str, Any]) -> str:
    """What is wrong with a part of the request; Litestar calls the whole body "data"."""
    part, reason = fault.get("key", "data"), fault.get("message", "")
    if part != "data":
        return f"{part}: {reason}"
    return "the body is missing" if reason == "'data'" else f"the body: {reason}"


def _nested(request: Request[Any, Any, Any], error: RecursionError) -> Response[dict[str, Any]]:
    return problem(HTTPStatus.BAD_REQUEST, "the body is nested too deeply")


def _fault(request: Request[Any, Any, Any], error: Exception) -> Response[dict[str, Any]]:
    log.error("request.fault", path=request.url.path, exc_info=error)
    return problem(
        HTTPStatus.INTERNAL_SERVER_ERROR, "something went wrong here; the log holds the detail"
    )


HANDLERS: Final[ExceptionHandlersMap] = {
    Refused: _refused,
    NotAuthenticated: _not_authenticated,
    Unverifiable: _unverifiable,
    StoreUnavailable: _unavailable,
    BrokenHistory: _fault,
    HTTPException: _http,
    RecursionError: _nested,
    Exception: _fault,
}
JSON: Final = MediaType.JSON

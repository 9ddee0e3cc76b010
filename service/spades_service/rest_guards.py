"""The guards at the doors of REST."""

from typing import Any

from litestar import Request, Response

from spades_service.callers import STRANGER, Caller, NotAuthenticated
from spades_service.guards import TooMany, address_of
from spades_service.problems import problem
from spades_service.services import Services


async def guarded_caller(services: Services, request: Request[Any, Any, Any]) -> Caller:
    """Who asks, unless they ask too much; who cannot say who they are is counted by address.

    Raises TooMany, NotAuthenticated.
    """
    address = address_of(request.scope)
    try:
        caller = await services.identity.caller(request.headers.get("authorization"))
    except NotAuthenticated:
        await services.guards.request(STRANGER, address)
        raise
    await services.guards.request(caller, address)
    if request.method != "GET":
        await services.guards.commands(caller, address)
    return caller


def too_many(_: Request[Any, Any, Any], error: TooMany) -> Response[dict[str, Any]]:
    """What was too much, and when to come again."""
    refused = problem(429, str(error), code="RATE_LIMITED")
    refused.headers["Retry-After"] = str(error.seconds)
    return refused

"""What a resolver knows of the request: who asks, and the use cases."""

from collections.abc import Mapping
from typing import Any

import strawberry
from graphql import GraphQLError
from msgspec import Struct

from spades.refusals import RefusalCode
from spades_service.callers import STRANGER, Caller
from spades_service.services import Services


class Context(Struct):
    """One request, or one socket with all its operations."""

    services: Services
    caller: Caller = STRANGER
    address: str = ""
    authorization: str | None = None
    connection_params: Mapping[str, Any] | None = None


Info = strawberry.Info[Context, None]


def fault(code: RefusalCode, message: str) -> GraphQLError:
    """An answer that cannot be given, with a code that a client can act on."""
    return GraphQLError(message, extensions={"code": code.value})


def known_caller(info: Info) -> Caller:
    """Who asks; reads are for those who are signed in, as moves are."""
    return known(info.context)


def known(context: Context) -> Caller:
    """Who asks; raises GraphQLError for a stranger."""
    if not context.caller.known:
        raise fault(
            RefusalCode.UNAUTHENTICATED,
            "nobody is signed in: send a token as `Authorization: Bearer ...`",
        )
    return context.caller

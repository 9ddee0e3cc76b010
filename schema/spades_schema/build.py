"""The executable schema, with what keeps it fast and quiet."""

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any, Final

import strawberry
import structlog
from graphql import GraphQLError, GraphQLSyntaxError
from strawberry.extensions import MaskErrors, MaxTokensLimiter, ParserCache, ValidationCache
from strawberry.schema.config import StrawberryConfig
from strawberry.schema.exceptions import InvalidOperationTypeError
from strawberry.types.execution import ExecutionContext
from strawberry.types.graphql import OperationType

from spades_schema import events
from spades_schema.operations import Mutation, Query, Subscription, is_expected
from spades_schema.scalars import SCALARS

MOST_TOKENS: Final = 2000
DOCUMENTS_KEPT: Final = 512

log = structlog.get_logger(__name__)

EVENT_TYPES: Final = tuple(
    kind
    for kind in vars(events).values()
    if isinstance(kind, type)
    and issubclass(kind, events.TableEvent)
    and kind is not events.TableEvent
)


class Parsed(ParserCache):
    """Remembers what can be parsed, and leaves the rest to the stock parser.

    The stock cache lets a syntax error out where streams and sockets take it for a fault.
    """

    def on_parse(self) -> Iterator[None]:
        """The document, if it is one."""
        with suppress(GraphQLSyntaxError):
            self.execution_context.graphql_document = self.cached_parse_document(
                self.execution_context.query, **self.execution_context.parse_options
            )
        yield


class ManyAnswers(InvalidOperationTypeError):
    """A subscription came where there can be one answer only."""

    def as_http_error_reason(self, method: str) -> str:
        """What would be right."""
        return "a subscription takes a WebSocket, or `Accept: text/event-stream`"


class Schema(strawberry.Schema):
    """Logs the errors that no client sees, without the variables that they came with."""

    async def execute(self, *args: Any, **options: Any) -> Any:
        """One answer to a query or a mutation; the stock method takes subscriptions for faults."""
        allowed = {*(options.get("allowed_operation_types") or OperationType)}
        options["allowed_operation_types"] = allowed - {OperationType.SUBSCRIPTION}
        try:
            return await super().execute(*args, **options)
        except InvalidOperationTypeError as error:
            if error.operation_type is OperationType.SUBSCRIPTION:
                raise ManyAnswers(error.operation_type) from None
            raise

    def process_errors(
        self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None
    ) -> None:
        """Expected errors are answers; the others are faults of ours."""
        for error in errors:
            if not is_expected(error):
                log.error(
                    "graphql.fault",
                    path=".".join(map(str, error.path or ())),
                    exc_info=error.original_error,
                )


def build_schema() -> Schema:
    """Everything the API offers.

    Parsing and validation are remembered by document, which makes a request about eight times
    cheaper; both memories are bounded.
    """
    return Schema(
        query=Query,
        mutation=Mutation,
        subscription=Subscription,
        types=EVENT_TYPES,
        config=StrawberryConfig(scalar_map=SCALARS),
        extensions=[
            partial(MaxTokensLimiter, max_token_count=MOST_TOKENS),
            partial(Parsed, maxsize=DOCUMENTS_KEPT),
            partial(ValidationCache, maxsize=DOCUMENTS_KEPT),
            partial(
                MaskErrors,
                should_mask_error=lambda error: not is_expected(error),
                error_message="something went wrong here; the log holds the detail",
            ),
        ],
    )

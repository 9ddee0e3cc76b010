"""The executable schema, with what keeps it fast and quiet."""

from functools import partial
from typing import Final

import strawberry
import structlog
from graphql import GraphQLError
from strawberry.extensions import MaskErrors, MaxTokensLimiter, ParserCache, ValidationCache
from strawberry.schema.config import StrawberryConfig
from strawberry.types.execution import ExecutionContext

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


class Schema(strawberry.Schema):
    """Logs the errors that no client sees, without the variables that they came with."""

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
            partial(ParserCache, maxsize=DOCUMENTS_KEPT),
            partial(ValidationCache, maxsize=DOCUMENTS_KEPT),
            partial(
                MaskErrors,
                should_mask_error=lambda error: not is_expected(error),
                error_message="something went wrong here; the log holds the detail",
            ),
        ],
    )

"""The executable schema, with what keeps it fast and quiet."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, cast

import strawberry
import structlog
from graphql import GraphQLError, GraphQLSchema
from strawberry.extensions import MaskErrors, SchemaExtension
from strawberry.schema.config import StrawberryConfig
from strawberry.types.execution import ExecutionContext

from spades_schema import documents, events
from spades_schema.documents import Documents
from spades_schema.limits import MOST_TOKENS
from spades_schema.operations import Mutation, Query, Subscription, is_expected
from spades_schema.plans import planned_executor
from spades_schema.scalars import SCALARS
from spades_service.ports import StoreUnavailable

MASKED: Final = "something went wrong here; the log holds the detail"
UNAVAILABLE: Final = (
    "the store does not answer: send the same command again with the same commandId, and it is "
    "answered truly"
)

log = structlog.get_logger(__name__)

EVENT_TYPES: Final = tuple(
    kind
    for kind in vars(events).values()
    if isinstance(kind, type)
    and issubclass(kind, events.TableEvent)
    and kind is not events.TableEvent
)


class Schema(strawberry.Schema):
    """Logs the errors that no client sees, without the variables that they came with.

    `core` is the schema as graphql-core knows it; Strawberry offers no other way to it.
    """

    def __init__(self, *args: Any, **more: Any) -> None:
        self.executor = planned_executor()
        super().__init__(*args, **more, execution_context_class=self.executor)  # type: ignore[misc]
        self.core: GraphQLSchema = self._schema
        self.documents = Documents(self.core)

    def process_errors(
        self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None
    ) -> None:
        """Expected errors are answers; the others are faults of ours, or of the store."""
        for error in errors:
            path = ".".join(map(str, error.path or ()))
            if isinstance(error.original_error, StoreUnavailable):
                log.warning("store.unavailable", path=path, reason=str(error.original_error))
            elif not is_expected(error):
                log.error("graphql.fault", path=path, exc_info=error.original_error)

    def told(self, errors: Sequence[GraphQLError]) -> list[GraphQLError]:
        """What a client is told, after the log has been told all."""
        self.process_errors(list(errors))
        return [error if is_expected(error) else masked(error) for error in errors]


def masked(error: GraphQLError) -> GraphQLError:
    """Of an unexpected error only where it was, and what to do where there is something to do."""
    if isinstance(error.original_error, StoreUnavailable):
        extensions = {"code": "UNAVAILABLE"}
        return GraphQLError(UNAVAILABLE, error.nodes, path=error.path, extensions=extensions)
    return GraphQLError(MASKED, error.nodes, path=error.path)


class Masked(MaskErrors):
    """Streams and sockets tell of errors what any answer tells."""

    def __init__(self) -> None:
        super().__init__(should_mask_error=lambda error: not is_expected(error))

    def anonymise_error(self, error: GraphQLError) -> GraphQLError:
        """What is left of an unexpected error."""
        return masked(error)


class Prepared(SchemaExtension):
    """What streams and sockets ask for is read, checked and remembered as any POST is."""

    _prepared: documents.Prepared

    def on_operation(self) -> Iterator[None]:
        """A document that cannot be read is read once more, to say so; no longer than the first."""
        self.execution_context.parse_options["max_tokens"] = MOST_TOKENS
        yield

    def on_parse(self) -> Iterator[None]:
        """The document, if it is one."""
        schema = cast(Schema, self.execution_context.schema)
        self._prepared = schema.documents.prepare(self.execution_context.query or "")
        self.execution_context.graphql_document = self._prepared.document
        yield

    def on_validate(self) -> Iterator[None]:
        """What is wrong with it."""
        self.execution_context.pre_execution_errors = list(self._prepared.errors)
        yield


def build_schema() -> Schema:
    """Everything the API offers."""
    return Schema(
        query=Query,
        mutation=Mutation,
        subscription=Subscription,
        types=EVENT_TYPES,
        config=StrawberryConfig(scalar_map=SCALARS),
        extensions=[Prepared, Masked],
    )

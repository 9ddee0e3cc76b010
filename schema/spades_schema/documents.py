"""Documents are parsed and validated once, and remembered: both cost more than carrying one out."""

from functools import lru_cache
from typing import Final

from graphql import (
    DocumentNode,
    GraphQLError,
    GraphQLSchema,
    OperationDefinitionNode,
    OperationType,
    get_operation_ast,
    parse,
    validate,
)
from msgspec import Struct

from spades_schema.limits import MOST_TOKENS, excess

KEPT: Final = 512
MOST_ERRORS: Final = 5
"""What is wrong with a document is looked for so often; each error may cost a search for a name."""
LONGEST_MESSAGE: Final = 250
LONGEST_KEPT: Final = 16 * 1024
"""A longer document is not remembered: the memory is bounded in bytes, too."""


class Prepared(Struct, frozen=True):
    """A document that can be carried out, or what is wrong with it."""

    document: DocumentNode | None = None
    errors: tuple[GraphQLError, ...] = ()


class Documents:
    """Prepares documents for one schema."""

    def __init__(self, schema: GraphQLSchema) -> None:
        self._schema = schema
        self._remembered = lru_cache(maxsize=KEPT)(self._prepared)

    def prepare(self, text: str) -> Prepared:
        """The document behind a text, checked against the schema."""
        return self._prepared(text) if len(text) > LONGEST_KEPT else self._remembered(text)

    def _prepared(self, text: str) -> Prepared:
        try:
            document = parse(text, max_tokens=MOST_TOKENS)
        except GraphQLError as error:
            return Prepared(errors=(error,))
        too_much = excess(document)
        if too_much is not None:
            return Prepared(document, (too_much,))
        errors = validate(self._schema, document, max_errors=MOST_ERRORS)
        return Prepared(document, tuple(map(_brief, errors)))


def _brief(error: GraphQLError) -> GraphQLError:
    """An error that does not quote all that the client has sent."""
    if len(error.message) <= LONGEST_MESSAGE:
        return error
    return GraphQLError(f"{error.message[:LONGEST_MESSAGE]}...", nodes=error.nodes)


def operation(document: DocumentNode, name: str | None) -> OperationDefinitionNode | str:
    """The one operation that a request means, to be answered once; or why there is none."""
    found = get_operation_ast(document, name)
    if found is None:
        return "the document has several operations, or none by that name: say operationName"
    if found.operation is OperationType.SUBSCRIPTION:
        return "a subscription takes a WebSocket, or `Accept: text/event-stream`"
    return found

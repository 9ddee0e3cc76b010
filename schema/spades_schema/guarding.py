"""The guards, as GraphQL asks them and says what they said."""

from graphql import (
    DocumentNode,
    GraphQLError,
    OperationDefinitionNode,
    OperationType,
    get_operation_ast,
)

from spades_schema.context import Context
from spades_service.guards import TooMany


async def admit(context: Context, operation: OperationDefinitionNode) -> None:
    """Let an operation through; every field of a mutation is a command. Raises TooMany."""
    if operation.operation is OperationType.MUTATION:
        # A fragment at the root is one field at least, and the limits keep them to ten.
        count = len(operation.selection_set.selections)
        await context.services.guards.commands(context.caller, context.address, count)


async def admitted(
    context: Context, document: DocumentNode | None, name: str | None
) -> OperationDefinitionNode | None:
    """The operation that a stream or a socket asks for, if there is one, let through."""
    await context.services.guards.request(context.caller, context.address)
    operation = None if document is None else get_operation_ast(document, name)
    if operation is not None:
        await admit(context, operation)
    return operation


def limited(error: TooMany) -> GraphQLError:
    """What was too much, and when to come again."""
    return GraphQLError(
        str(error), extensions={"code": "RATE_LIMITED", "retryAfter": error.seconds}
    )

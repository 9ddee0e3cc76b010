"""Subscriptions to a table, executed once for all who would be told the same.

Of four players with one client, each sees cards that the others must not: what is shared is bound
to what a viewer may see at that very update and to the selection, never to the document alone. What
goes wrong is told to the one it went wrong for.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any, Final

import msgspec
from graphql import ExecutionResult, GraphQLError, OperationType, get_argument_values
from graphql.execution.execute import execute_subscription_event
from msgspec import Struct

from spades_schema.build import Schema
from spades_schema.context import Context
from spades_schema.plans import PlannedExecutor, RootPlan
from spades_schema.types import TableUpdate
from spades_schema.watching import shown_update, updates_of
from spades_service.once import Once
from spades_service.recent import Recent
from spades_service.tables import Update

KEPT: Final = 512
"""Selections; as many as documents."""
FIELD: Final = "tableEvents"
UNDERSTOOD: Final = {"tableId", "after", "inviteCode"}
"""An argument that is not known here may change what a subscriber is told."""


class Watch(Struct, frozen=True):
    """A subscription that can be shared: what is selected, of which table, behind which version."""

    executor: PlannedExecutor
    selection: RootPlan
    table: str
    after: int | None
    invite_code: str | None


class Shared:
    """Watches tables for subscribers."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._selections: Recent[tuple[str, str | None], RootPlan] = Recent(KEPT)
        self._payloads: Once[str] = Once()

    def watch(
        self, context: Context, text: str, variables: dict[str, Any] | None, name: str | None
    ) -> Watch | None:
        """The watch that a document asks for; None for whatever has to go the usual way."""
        prepared = self._schema.documents.prepare(text)
        if prepared.document is None or prepared.errors:
            return None
        executor = self._schema.executor.build(
            self._schema.core, prepared.document, None, context, variables, name
        )
        if not isinstance(executor, PlannedExecutor):
            return None
        selection = self._selection(text, name, executor)
        if selection is None:
            return None
        try:
            given = get_argument_values(selection.field, selection.node, executor.variable_values)
        except GraphQLError:
            return None
        if not given.keys() <= UNDERSTOOD:
            return None
        after, invite_code = given.get("after"), given.get("inviteCode")
        return Watch(executor, selection, given["tableId"], after, invite_code)

    def _selection(self, text: str, name: str | None, executor: PlannedExecutor) -> RootPlan | None:
        """What is selected; it depends on no variables, or it would not be plain."""
        known = self._selections.get((text, name))
        if known is not None:
            return known
        root = self._schema.core.subscription_type
        if executor.operation.operation is not OperationType.SUBSCRIPTION or root is None:
            return None
        found = executor.root_plan(root)
        if found is None or found.node.name.value != FIELD:
            return None
        self._selections.put((text, name), found)
        return found

    async def payloads(self, watch: Watch, context: Context) -> AsyncGenerator[str, None]:
        """What a subscriber is sent, as JSON; where something goes wrong, it is the last of it."""
        try:
            watched = await updates_of(context, watch.table, watch.after, watch.invite_code)
            async with aclosing(watched) as updates:
                async for update in updates:
                    yield await self._payload(watch, context, update)
        except Exception as error:  # noqa: BLE001 the schema tells apart what a client may know
            yield self._failed(error)

    async def _payload(self, watch: Watch, context: Context, update: Update) -> str:
        viewpoint = await context.services.viewpoint(context.caller, watch.table, update.table)
        key = (watch.selection, watch.table, update.version, viewpoint)
        known = self._payloads.get(update, key)
        if known is not None:
            return known
        shown = await shown_update(context, watch.table, update)
        try:
            data = watch.selection.complete(shown)
        except Exception:  # noqa: BLE001 the executor says what is wrong, to this viewer alone
            return await self._executed(watch, shown)
        return self._payloads.put(update, key, _json({"data": {watch.selection.name: data}}))

    async def _executed(self, watch: Watch, shown: TableUpdate) -> str:
        event = watch.executor.build_per_event_executor(shown)
        running = execute_subscription_event(event)
        result = running if isinstance(running, ExecutionResult) else await running
        return self._told(result)

    def _failed(self, error: Exception) -> str:
        if not isinstance(error, GraphQLError):
            error = GraphQLError(str(error), original_error=error)
        return self._told(ExecutionResult(None, [error]))

    def _told(self, result: ExecutionResult) -> str:
        content: dict[str, Any] = {"data": result.data}
        if result.errors:
            content["errors"] = [error.formatted for error in self._schema.told(result.errors)]
        return _json(content)


def _json(content: Mapping[str, Any]) -> str:
    return msgspec.json.encode(content).decode()

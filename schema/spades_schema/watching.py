"""What a subscription to a table is made of: where its updates come from, and how each is shown."""

from collections.abc import AsyncGenerator
from typing import cast

import strawberry
from graphql import GraphQLError

from spades.refusals import RefusalCode, Refused
from spades.view import PHASE, seat_of
from spades_schema.context import Context, fault, known
from spades_schema.events import shown_event
from spades_schema.scalars import Instant
from spades_schema.types import MyTurn, Table, TableUpdate
from spades_service.my_turns import Turn, require_player
from spades_service.tables import Update


async def updates_of(
    context: Context, table_id: str, after: int | None, invite_code: str | None = None
) -> AsyncGenerator[Update, None]:
    """A table's updates behind a version, from now on where none is given.

    Raises GraphQLError for a caller, a table or a version that there is no watching for.
    """
    services, caller = context.services, known(context)
    now = await services.tables.load_for(caller, table_id, invite_code)
    if not now.exists:
        raise fault(RefusalCode.NOT_FOUND, "there is no such table")
    if after is not None and not 0 <= after <= now.version:
        raise cannot_go_on(now.version)
    after = now.version if after is None else after
    return services.watch(caller, table_id, after, invite_code)


def cannot_go_on(version: int) -> GraphQLError:
    """A cursor that no event ever had: the client's copy is not of this table's past."""
    return GraphQLError(
        f"the table is at version {version}, and `after` is 0 to {version}: "
        "read the table again, and go on from its version",
        extensions={"code": RefusalCode.BAD_COMMAND.value, "version": version},
    )


async def shown_update(context: Context, table_id: str, update: Update) -> TableUpdate:
    """An update as the caller may see it, by where they sit at that moment."""
    services, caller = context.services, context.caller
    names = await services.names_at(update.table)
    shown = await services.show(caller, table_id, update.version, update.table, update.deadline)
    return TableUpdate(
        event=shown_event(update.recorded, seat_of(update.table, caller.player), names),
        table=cast(Table, shown),
    )


def turns_of(context: Context) -> AsyncGenerator[Turn, None]:
    """The caller's turns; raises GraphQLError for anybody who can have none."""
    try:
        require_player(context.caller)
    except Refused as refused:
        raise fault(refused.code, refused.message) from None
    return context.services.turns(context.caller)


async def shown_turn(context: Context, turn: Turn) -> MyTurn:
    """A turn as the caller may see it."""
    shown = await context.services.show(
        context.caller, turn.id, turn.version, turn.table, turn.deadline
    )
    return MyTurn(
        table_id=strawberry.ID(turn.id),
        version=turn.version,
        seat=turn.seat,
        phase=PHASE[type(turn.table)],
        deadline=cast(Instant | None, shown.deadline),
        table=cast(Table, shown),
    )

"""What commands are answered with."""

from typing import Annotated, cast

import strawberry

from spades.view import seat_of
from spades_schema.context import Info
from spades_schema.events import shown_event
from spades_schema.types import Accepted, Refused, Table
from spades_service import tables

CommandResult = Annotated[
    Accepted | Refused,
    strawberry.union(
        "CommandResult", description="Whether a command was carried out, and what came of it."
    ),
]


async def answer(info: Info, outcome: tables.Accepted | tables.Rejected) -> Accepted | Refused:
    """What a command brought about, as the caller may see it, or why it was refused."""
    if isinstance(outcome, tables.Rejected):
        return Refused(code=outcome.code, message=outcome.message, version=outcome.version)
    services, caller = info.context.services, info.context.caller
    names, seat = await services.names_at(outcome.table), seat_of(outcome.table, caller.player)
    shown = await services.show(
        caller, outcome.id, outcome.version, outcome.table, outcome.deadline
    )
    return Accepted(
        version=outcome.version,
        events=[shown_event(update.recorded, seat, names) for update in outcome.updates],
        table=cast(Table, shown),
    )

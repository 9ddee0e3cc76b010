"""The lobby's part of the API: lists in pages, invitations, quick matches and rematches."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import strawberry

from spades.events import BotLevel
from spades.refusals import Refused
from spades.rules import Game
from spades.view import Status
from spades_schema.answers import CommandResult, answer
from spades_schema.context import Info, fault, known_caller
from spades_schema.inputs import RulesInput
from spades_schema.types import Table
from spades_service import requests
from spades_service.lobby import Filter
from spades_service.pages import Page, cursor_of, part


@strawberry.type(description="A table in a list.")
class TableEdge:
    cursor: str = strawberry.field(description="Where the table stands in the list.")
    node: Table


@strawberry.type(description="Whether a list goes on, and where.")
class PageInfo:
    has_next_page: bool = strawberry.field(description="Whether there is more after `endCursor`.")
    has_previous_page: bool = strawberry.field(
        description="Whether there is more before `startCursor`."
    )
    start_cursor: str | None
    end_cursor: str | None


@strawberry.type(
    description="A page of tables, those opened last first. It can be short of tables and yet have "
    "a next one, where few are of the kind asked for."
)
class TableConnection:
    edges: list[TableEdge]
    page_info: PageInfo


@strawberry.input
class QuickMatchInput:
    rules: RulesInput
    turn_seconds: int | None = strawberry.field(
        default=None, description="The time for each move; only tables with the same are meant."
    )
    fill: BotLevel | None = strawberry.field(
        default=None,
        description="Computers of this level take the seats that are left, and the game begins.",
    )
    command_id: str | None = strawberry.field(
        default=None,
        description="A client's own id; a retry with it is the same seat at the same table.",
    )


@strawberry.input
class RematchInput:
    table_id: strawberry.ID
    command_id: str | None = None


@contextmanager
def _refusals() -> Iterator[None]:
    """What a query is refused for is an error with a code."""
    try:
        yield
    except Refused as refused:
        raise fault(refused.code, refused.message) from None


async def _connection(info: Info, page: Page) -> TableConnection:
    shown = await info.context.services.show_all(info.context.caller, page.tables)
    return TableConnection(
        edges=[
            TableEdge(cursor=cursor_of(loaded), node=cast(Table, node))
            for loaded, node in zip(page.tables, shown, strict=True)
        ],
        page_info=PageInfo(
            has_next_page=page.after,
            has_previous_page=page.before,
            start_cursor=page.start,
            end_cursor=page.end,
        ),
    )


@strawberry.type
class LobbyQuery:
    @strawberry.field(
        description="Public tables, those opened last first: `first` so many `after` a cursor, or "
        "`last` so many `before` one; 20 without a number, 100 at most."
    )
    async def tables(  # noqa: PLR0917 a resolver's parameters are the field's
        self,
        info: Info,
        status: list[Status] | None = None,
        first: int | None = None,
        after: str | None = None,
        last: int | None = None,
        before: str | None = None,
        preset: str | None = None,
        game: Game | None = None,
        with_free_seat: bool | None = None,
    ) -> TableConnection:
        with _refusals():
            page = await info.context.services.lobby.public(
                known_caller(info),
                Filter(status, preset, game, with_free_seat),
                part(first, after, last, before),
            )
        return await _connection(info, page)

    @strawberry.field(
        description="The tables at which the caller sits or which they have opened, private ones "
        "as well, in pages as of `tables`."
    )
    async def my_tables(  # noqa: PLR0917 a resolver's parameters are the field's
        self,
        info: Info,
        status: list[Status] | None = None,
        first: int | None = None,
        after: str | None = None,
        last: int | None = None,
        before: str | None = None,
    ) -> TableConnection:
        with _refusals():
            page = await info.context.services.lobby.of(
                known_caller(info), Filter(status), part(first, after, last, before)
            )
        return await _connection(info, page)

    @strawberry.field(
        description="The private table of an invitation; null where there is none. As long as its "
        "bearer has no seat there, they send the code along."
    )
    async def table_by_invite(self, info: Info, code: str) -> Table | None:
        services, caller = info.context.services, known_caller(info)
        found = await services.lobby.invited(caller, code)
        if not found.exists:
            return None
        shown = await services.show(caller, found.id, found.version, found.table, found.deadline)
        return cast(Table, shown)


@strawberry.type
class LobbyMutation:
    @strawberry.mutation(
        description="Sit down at any public table that waits with these rules and this clock, or "
        "at a new one. The last seat begins the game."
    )
    async def quick_match(self, info: Info, input: QuickMatchInput) -> CommandResult:
        request = requests.QuickMatch(input.rules.as_record(), input.turn_seconds, input.fill)
        outcome = await info.context.services.lobby.quick_match(
            info.context.caller, request, input.command_id
        )
        return await answer(info, outcome)

    @strawberry.mutation(
        description="Sit down where those who have played play again, each one seat further. "
        "Computers are there at once; with the last seat the game begins."
    )
    async def rematch(self, info: Info, input: RematchInput) -> CommandResult:
        outcome = await info.context.services.lobby.rematch(
            info.context.caller, input.table_id, input.command_id
        )
        return await answer(info, outcome)

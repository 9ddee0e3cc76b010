"""The lobby over REST: lists in pages as GraphQL has them, and how one comes to a table."""

from typing import Annotated, Any

from litestar import Controller, Response, get, post
from litestar.params import QueryParameter
from msgspec import Struct

from spades.events import BotLevel
from spades.refusals import RefusalCode, require
from spades.rules import Game
from spades.view import Status
from spades_service import requests
from spades_service.callers import Caller
from spades_service.lobby import Filter
from spades_service.pages import Page, cursor_of, part
from spades_service.rest import answer
from spades_service.services import Services, ShownTable

Statuses = Annotated[list[Status] | None, QueryParameter(name="status")]
WithFreeSeat = Annotated[bool | None, QueryParameter(name="withFreeSeat")]


class Edge(Struct, rename="camel"):
    """A table in a list, and where it stands."""

    cursor: str
    node: ShownTable


class PageInfo(Struct, rename="camel"):
    """Whether there is more: `after` the end cursor, and `before` the start cursor."""

    has_next_page: bool
    has_previous_page: bool
    start_cursor: str | None
    end_cursor: str | None


class TableList(Struct, rename="camel"):
    """A page of tables, those opened last first."""

    edges: list[Edge]
    page_info: PageInfo


class NewMatch(Struct, forbid_unknown_fields=True, rename="camel"):
    """What somebody wants to play; with `fill` computers take the seats that are left."""

    rules: dict[str, Any]
    turn_seconds: int | None = None
    fill: BotLevel | None = None
    command_id: str | None = None


class NewRematch(Struct, forbid_unknown_fields=True, rename="camel"):
    """A rematch needs nothing but perhaps a name for the command."""

    command_id: str | None = None


class LobbyFace(Controller):
    """Finding a table, and sitting down at one."""

    path = "/v1"

    @get("/tables", summary="Public tables, those opened last first")
    async def tables(  # noqa: PLR0917 a handler's parameters are the request's
        self,
        services: Services,
        caller: Caller,
        status: Statuses = None,
        preset: str | None = None,
        game: Game | None = None,
        with_free_seat: WithFreeSeat = None,
        first: int | None = None,
        after: str | None = None,
        last: int | None = None,
        before: str | None = None,
    ) -> TableList:
        """`first` so many `after` a cursor, or `last` so many `before` one; 20 without a number.

        A page can be short of tables and yet have a next one, where few are of the kind asked for.
        """
        wanted = Filter(status, preset, game, with_free_seat)
        page = await services.lobby.public(caller, wanted, part(first, after, last, before))
        return await _listed(services, caller, page)

    @get("/me/tables", summary="The tables at which the caller sits, or which they have opened")
    async def my_tables(  # noqa: PLR0917 a handler's parameters are the request's
        self,
        services: Services,
        caller: Caller,
        status: Statuses = None,
        first: int | None = None,
        after: str | None = None,
        last: int | None = None,
        before: str | None = None,
    ) -> TableList:
        """Private tables as well, in pages as of `/v1/tables`."""
        page = await services.lobby.of(caller, Filter(status), part(first, after, last, before))
        return await _listed(services, caller, page)

    @get("/invites/{code:str}", summary="The private table of an invitation")
    async def invited(self, services: Services, caller: Caller, code: str) -> Response[Any]:
        """As long as its bearer has no seat there, they send the code along as `inviteCode`."""
        found = await services.lobby.invited(caller, code)
        require(found.exists, RefusalCode.NOT_FOUND, "there is no such table")
        shown = await services.show(caller, found.id, found.version, found.table, found.deadline)
        return Response(shown, headers={"ETag": f'"{found.version}"'})

    @post("/quick-match", summary="A seat at any table that plays by these rules", status_code=200)
    async def quick_match(
        self, services: Services, caller: Caller, data: NewMatch
    ) -> Response[Any]:
        """At a public table that waits, or else at a new one; the last seat begins the game."""
        request = requests.QuickMatch(data.rules, data.turn_seconds, data.fill)
        outcome = await services.lobby.quick_match(caller, request, data.command_id)
        return await answer(services, caller, outcome)

    @post("/tables/{table:str}/rematch", summary="Play again", status_code=200)
    async def rematch(
        self, services: Services, caller: Caller, table: str, data: NewRematch | None = None
    ) -> Response[Any]:
        """A seat at the table where those who have played play again, each one seat further."""
        command_id = None if data is None else data.command_id
        outcome = await services.lobby.rematch(caller, table, command_id)
        return await answer(services, caller, outcome)


async def _listed(services: Services, caller: Caller, page: Page) -> TableList:
    shown = await services.show_all(caller, page.tables)
    edges = [Edge(cursor_of(loaded), node) for loaded, node in zip(page.tables, shown, strict=True)]
    return TableList(edges, PageInfo(page.after, page.before, page.start, page.end))

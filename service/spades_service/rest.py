"""REST beside GraphQL: the same use cases, for clients that would rather have it plain."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec
from litestar import Controller, Request, Response, get, post
from litestar.params import HeaderParameter, QueryParameter
from msgspec import Struct

from spades.deal import Hands
from spades.events import BotLevel
from spades.refusals import RefusalCode, Refused, require
from spades.rule_sheet import Section, rule_sheet
from spades.rules import PRESETS, Rules
from spades.seats import Seat
from spades.view import PlayerView, seat_of
from spades_service import requests
from spades_service.callers import Caller
from spades_service.guards import address_of
from spades_service.identity import SignedIn
from spades_service.ports import StoreUnavailable
from spades_service.problems import problem, rejection
from spades_service.rest_streams import Watched, seen_last, streamed, updates, wire_for
from spades_service.seen import seen_event
from spades_service.services import Services, ShownTable
from spades_service.tables import Accepted, Rejected
from spades_service.times import instant_text

MOST_EVENTS: Final = 1000
MOST_VERSIONS: Final = 2**31 - 1
"""As in GraphQL, where a number has 32 bits."""

InviteCode = Annotated[str | None, QueryParameter(name="inviteCode")]


class NewGuest(Struct, forbid_unknown_fields=True):
    """A guest gives a name."""

    name: str


class NewPlayer(Struct, forbid_unknown_fields=True, rename="camel"):
    """A platform vouches for a user of its own."""

    external_id: str
    name: str


class NewAuditor(Struct, forbid_unknown_fields=True):
    """Somebody who looks on; the admin names the platform, and without one means the house."""

    name: str
    platform: str | None = None


class SignedInView(Struct, rename="camel"):
    """A token, whom it speaks for, and until when."""

    token: str
    player: PlayerView
    expires_at: str

    @classmethod
    def of(cls, signed: SignedIn) -> "SignedInView":
        """The token as it is handed out."""
        player = PlayerView(signed.player, signed.name)
        return cls(signed.token, player, instant_text(1000 * signed.expires))


class AuditorView(Struct, rename="camel"):
    """An auditor's token, whom it speaks for, and until when."""

    token: str
    auditor: PlayerView
    expires_at: str


class NewTable(Struct, forbid_unknown_fields=True, rename="camel"):
    """A table to open; `rules` as in a game record: a preset and what differs from it."""

    rules: dict[str, Any]
    dealer: Seat | None = None
    deals: tuple[Hands, ...] | None = None
    turn_seconds: int | None = None
    private: bool = False
    seat: Seat | None = None
    fill: BotLevel | None = None
    command_id: str | None = None


class PresetView(Struct, rename="camel"):
    """A preset, its options by the keys of a record."""

    preset: str
    sentence: str
    targets: tuple[int, ...]
    rules: Rules
    sheet: tuple[Section, ...]


class Outcome(Struct, rename="camel"):
    """What a command brought about, as the caller may see it."""

    version: int
    events: list[Mapping[str, Any]]
    table: ShownTable


class Face(Controller):
    """What every resource needs."""

    path = "/v1"

    @get("/rule-sets", summary="The presets, every option resolved", sync_to_thread=False)
    def rule_sets(self) -> list[PresetView]:
        """Every preset in the order in which it is shown."""
        return [
            PresetView(
                name, preset.sentence, preset.targets, preset.rules, rule_sheet(preset.rules)
            )
            for name, preset in PRESETS.items()
        ]

    @post("/guests", summary="Sign in as a guest")
    async def guest(
        self, services: Services, request: Request[Any, Any, Any], data: NewGuest
    ) -> SignedInView:
        """A new player with a token of their own."""
        await services.guards.guest(address_of(request.scope))
        return SignedInView.of(await services.identity.guest(data.name))

    @post("/players", summary="Sign in a platform's own user")
    async def player(self, services: Services, caller: Caller, data: NewPlayer) -> SignedInView:
        """The same external id is the same player; takes a platform's key."""
        return SignedInView.of(
            await services.identity.platform_player(caller, data.external_id, data.name)
        )

    @post("/auditors", summary="Make an auditor")
    async def auditor(self, services: Services, caller: Caller, data: NewAuditor) -> AuditorView:
        """A token that sees a platform's tables and moves nothing; takes the platform's key."""
        signed = await services.identity.auditor(caller, data.name, data.platform)
        view = SignedInView.of(signed)
        return AuditorView(view.token, view.player, view.expires_at)

    @post("/tokens", summary="A fresh token for the player of a good one")
    async def token(self, services: Services, request: Request[Any, Any, Any]) -> SignedInView:
        """The old token stays good until it expires; one that has expired is good for nothing."""
        authorization = request.headers.get("authorization")
        return SignedInView.of(await services.identity.refreshed(authorization))

    @post("/tables", summary="Open a table")
    async def open_table(self, services: Services, caller: Caller, data: NewTable) -> Response[Any]:
        """Open a table from a preset and what differs from it."""
        request = requests.OpenTable(
            rules=data.rules,
            dealer=data.dealer,
            deals=data.deals,
            turn_seconds=data.turn_seconds,
            private=data.private,
            seat=data.seat,
            fill=data.fill,
        )
        outcome = await services.tables.open(caller, request, data.command_id)
        return await answer(services, caller, outcome, created=True)

    @get("/tables/{table:str}", summary="A table as the caller may see it")
    async def table(
        self,
        services: Services,
        caller: Caller,
        table: str,
        at_version: Annotated[int | None, QueryParameter(name="atVersion")] = None,
        invite_code: InviteCode = None,
    ) -> Response[Any]:
        """Now, or as it was at a version; the code of an invitation opens a private table."""
        loaded = await existing(services, caller, table, invite_code)
        if at_version is not None:
            loaded = await services.tables.at(table, at_version)
            require(
                loaded.exists, RefusalCode.NOT_FOUND, f"the table never had a version {at_version}"
            )
        shown = await services.show(caller, table, loaded.version, loaded.table, loaded.deadline)
        return Response(shown, headers={"ETag": f'"{loaded.version}"'})

    @post("/tables/{table:str}/commands", summary="Bid, play, and all that players do")
    async def command(
        self,
        services: Services,
        caller: Caller,
        request: Request[Any, Any, Any],
        table: str,
        if_match: Annotated[str | None, HeaderParameter(name="If-Match")] = None,
    ) -> Response[Any]:
        """`{"type": "playCard", "card": "SA", "commandId": "..."}`; If-Match names the version."""
        command_id, wanted = decoded(await request.body())
        outcome = await services.tables.execute(
            caller, table, wanted, command_id=command_id, expected_version=version_of(if_match)
        )
        return await answer(services, caller, outcome)

    @get("/tables/{table:str}/events", summary="What happened, as a list or live")
    async def events(  # noqa: PLR0917 a handler's parameters are the request's
        self,
        services: Services,
        caller: Caller,
        request: Request[Any, Any, Any],
        table: str,
        after: int | None = None,
        first: int = 100,
        invite_code: InviteCode = None,
        last_event_id: Annotated[str | None, HeaderParameter(name="Last-Event-ID")] = None,
    ) -> Response[Any]:
        """A JSON list; with Accept text/event-stream or application/x-ndjson live and resumable.

        A stream that is asked to go on from a version that the table never had begins with an
        event `gap` (a line `{"gap": ...}`) of its version, and goes on from there: what the client
        holds is not of this table's past, so it reads the table again.
        """
        loaded = await existing(services, caller, table, invite_code)
        wire = wire_for(request.headers.get("accept", ""))
        if wire is not None:
            seen = seen_last(last_event_id, after)
            watched = Watched(table, loaded.version, seen, invite_code)
            items = updates(services, caller, wire, watched)
            return streamed(services, caller, request, wire, items)
        require(
            after is None or 0 <= after <= MOST_VERSIONS,
            RefusalCode.BAD_COMMAND,
            f"the table is at version {loaded.version}: `after` is 0 to {loaded.version}",
        )
        require(
            1 <= first <= MOST_EVENTS,
            RefusalCode.BAD_COMMAND,
            f"`first` is 1 to {MOST_EVENTS}",
        )
        history = await services.tables.history(table, after or 0, first)
        viewer = seat_of(loaded.table, caller.player)
        return Response([seen_event(recorded, viewer) for recorded in history])


async def existing(
    services: Services, caller: Caller, table: str, invite_code: str | None = None
) -> Any:
    """The table, for someone who is signed in; raises Refused where there is none."""
    require(
        caller.known,
        RefusalCode.UNAUTHENTICATED,
        "nobody is signed in: send a token as `Authorization: Bearer ...`",
    )
    loaded = await services.tables.load_for(caller, table, invite_code)
    require(loaded.exists, RefusalCode.NOT_FOUND, "there is no such table")
    return loaded


async def answer(
    services: Services,
    caller: Caller,
    outcome: Accepted | Rejected,
    *,
    created: bool = False,
) -> Response[Any]:
    """What a command brought about, or the problem that it was refused for."""
    if isinstance(outcome, Rejected):
        return rejection(outcome)
    viewer = seat_of(outcome.table, caller.player)
    content = Outcome(
        version=outcome.version,
        events=[seen_event(update.recorded, viewer) for update in outcome.updates],
        table=await services.show(
            caller, outcome.id, outcome.version, outcome.table, outcome.deadline
        ),
    )
    headers = {"ETag": f'"{outcome.version}"'}
    if created:
        headers["Location"] = f"/v1/tables/{outcome.id}"
    return Response(content, status_code=201 if created else 200, headers=headers)


def version_of(if_match: str | None) -> int | None:
    """The version in an If-Match header."""
    if if_match is None:
        return None
    digits = if_match.removeprefix("W/").strip('"')
    if not digits.isdecimal() or len(digits) > 9:
        raise Refused(RefusalCode.BAD_COMMAND, 'If-Match is a version in quotes, such as "17"')
    return int(digits)


_COMMANDS: Final = msgspec.json.Decoder(requests.TableRequest)


def decoded(body: bytes) -> tuple[str | None, requests.TableRequest]:
    """A command and its id; raises Refused with BAD_COMMAND and what is wrong with it."""
    try:
        fields = msgspec.json.decode(body, type=dict[str, Any])
        command_id = fields.pop("commandId", None)
        if not isinstance(command_id, str | None):
            raise msgspec.ValidationError("Expected `str` - at `$.commandId`")
        return command_id, msgspec.convert(fields, requests.TableRequest)
    except (msgspec.DecodeError, RecursionError) as error:
        raise Refused(
            RefusalCode.BAD_COMMAND,
            'a command is a JSON object such as {"type": "playCard", "card": "SA"}: '
            + str(error)[:200],
        ) from None


class Healths(Controller):
    """For whoever keeps the service running."""

    path = "/health"

    @get("/live", summary="The process answers", sync_to_thread=False)
    def live(self) -> dict[str, str]:
        """It does, or nobody would read this."""
        return {"status": "alive"}

    @get("/ready", summary="The service can be relied on")
    async def ready(self, services: Services) -> Response[Any]:
        """Not while it stops, nor while the store is out of reach."""
        if services.stopping.is_set():
            return problem(503, "the service is shutting down")
        try:
            await services.health.check()
        except StoreUnavailable:
            return problem(503, "the store does not answer")
        if not services.live.listening:
            return problem(503, "the service does not hear of changes yet")
        return Response({"status": "ready"})

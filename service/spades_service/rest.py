"""REST beside GraphQL: the same use cases, for clients that would rather have it plain."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing, suppress
from typing import Annotated, Any, Final

import msgspec
from litestar import Controller, Request, Response, get, post
from litestar.params import HeaderParameter, QueryParameter
from litestar.response import Stream
from msgspec import Struct

from spades.deal import Hands
from spades.refusals import RefusalCode, Refused, require
from spades.rule_sheet import Section, rule_sheet
from spades.rules import PRESETS, Rules
from spades.seats import Seat
from spades.view import PlayerView, TableView, Viewer, event_view, seat_of
from spades_service import requests
from spades_service.callers import Caller
from spades_service.ports import Recorded, StoreUnavailable
from spades_service.problems import problem, rejection
from spades_service.services import Services
from spades_service.tables import Accepted, Rejected, Update
from spades_service.times import instant_text

KEEP_ALIVE_SECONDS: Final = 15
MOST_EVENTS: Final = 1000
MOST_VERSIONS: Final = 2**31 - 1
"""As in GraphQL, where a number has 32 bits."""


class NewGuest(Struct, forbid_unknown_fields=True):
    """A guest gives a name."""

    name: str


class NewPlayer(Struct, forbid_unknown_fields=True, rename="camel"):
    """A platform vouches for a user of its own."""

    external_id: str
    name: str


class SignedInView(Struct):
    """A token, and whom it speaks for."""

    token: str
    player: PlayerView


class NewTable(Struct, forbid_unknown_fields=True, rename="camel"):
    """A table to open; `rules` as in a game record: a preset and what differs from it."""

    rules: dict[str, Any]
    dealer: Seat | None = None
    deals: tuple[Hands, ...] | None = None
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
    table: TableView


def seen_event(recorded: Recorded, viewer: Viewer) -> dict[str, Any]:
    """A recorded event as the viewer may see it, its fields by name in camelCase."""
    event = event_view(recorded.event, viewer)
    return {
        "type": type(recorded.event).__name__,
        "version": recorded.version,
        "at": instant_text(recorded.at),
        **_named(event),
    }


def _named(struct: Struct) -> dict[str, Any]:
    return {_camel(field): _plain(getattr(struct, field)) for field in struct.__struct_fields__}


def _plain(value: Any) -> Any:
    """Events are written by position in the store; a client gets names at every depth."""
    if isinstance(value, Rules):
        return value
    if isinstance(value, Struct):
        return _named(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def _camel(field: str) -> str:
    head, *rest = field.split("_")
    return head + "".join(word.title() for word in rest)


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
    async def guest(self, services: Services, data: NewGuest) -> SignedInView:
        """A new player with a token of their own."""
        signed = await services.identity.guest(data.name)
        return SignedInView(signed.token, PlayerView(signed.player, signed.name))

    @post("/players", summary="Sign in a platform's own user")
    async def player(self, services: Services, caller: Caller, data: NewPlayer) -> SignedInView:
        """The same external id is the same player; takes a platform's key."""
        signed = await services.identity.platform_player(caller, data.external_id, data.name)
        return SignedInView(signed.token, PlayerView(signed.player, signed.name))

    @post("/tables", summary="Open a table")
    async def open_table(self, services: Services, caller: Caller, data: NewTable) -> Response[Any]:
        """Open a table from a preset and what differs from it."""
        request = requests.OpenTable(rules=data.rules, dealer=data.dealer, deals=data.deals)
        outcome = await services.tables.open(caller, request, data.command_id)
        return await answer(services, caller, outcome, created=True)

    @get("/tables/{table:str}", summary="A table as the caller may see it")
    async def table(
        self,
        services: Services,
        caller: Caller,
        table: str,
        at_version: Annotated[int | None, QueryParameter(name="atVersion")] = None,
    ) -> Response[Any]:
        """Now, or as it was at a version."""
        loaded = await existing(services, caller, table)
        if at_version is not None:
            loaded = await services.tables.at(table, at_version)
            require(
                loaded.exists, RefusalCode.NOT_FOUND, f"the table never had a version {at_version}"
            )
        shown = await services.show(caller, table, loaded.version, loaded.table)
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
        last_event_id: Annotated[str | None, HeaderParameter(name="Last-Event-ID")] = None,
    ) -> Response[Any]:
        """A JSON list; with Accept text/event-stream or application/x-ndjson live and resumable."""
        loaded = await existing(services, caller, table)
        accept = request.headers.get("accept", "")
        if last_event_id is not None:
            require(
                last_event_id.isdecimal() and len(last_event_id) < 10,
                RefusalCode.BAD_COMMAND,
                "Last-Event-ID is the version last seen, a number",
            )
            after = int(last_event_id)
        live = next((wire for wire in WIRES if wire.media_type in accept), None)
        require(
            after is None or 0 <= after <= (MOST_VERSIONS if live is None else loaded.version),
            RefusalCode.BAD_COMMAND,
            f"the table is at version {loaded.version}: `after` is 0 to {loaded.version}",
        )
        require(
            1 <= first <= MOST_EVENTS,
            RefusalCode.BAD_COMMAND,
            f"`first` is 1 to {MOST_EVENTS}",
        )
        if live is not None:
            return _stream(services, caller, table, after, live)
        history = await services.tables.history(table, after or 0, first)
        viewer = seat_of(loaded.table, caller.player)
        return Response([seen_event(recorded, viewer) for recorded in history])


async def existing(services: Services, caller: Caller, table: str) -> Any:
    """The table, for someone who is signed in; raises Refused where there is none."""
    require(
        caller.known,
        RefusalCode.UNAUTHENTICATED,
        "nobody is signed in: send a token as `Authorization: Bearer ...`",
    )
    loaded = await services.tables.load(table)
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
        table=await services.show(caller, outcome.id, outcome.version, outcome.table),
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


class Wire(Struct, frozen=True):
    """How a live stream is written: an update, and the silence between two."""

    media_type: str
    update: Callable[[int, bytes], bytes]
    silence: bytes


WIRES: Final = (
    Wire(
        "text/event-stream",
        lambda version, body: b"id: %d\nevent: update\ndata: %b\n\n" % (version, body),
        b": still here\n\n",
    ),
    Wire("application/x-ndjson", lambda _, body: body + b"\n", b"\n"),
)


def _stream(
    services: Services, caller: Caller, table: str, after: int | None, wire: Wire
) -> Stream:
    return Stream(
        _written(services, caller, table, after, wire),
        media_type=wire.media_type,
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _written(
    services: Services, caller: Caller, table: str, after: int | None, wire: Wire
) -> AsyncIterator[bytes]:
    async with aclosing(services.watch(table, after)) as updates:
        async for update in with_silences(updates, KEEP_ALIVE_SECONDS):
            if update is None:
                yield wire.silence
                continue
            body = msgspec.json.encode(
                {
                    "event": seen_event(update.recorded, seat_of(update.table, caller.player)),
                    "table": await services.show(caller, table, update.version, update.table),
                }
            )
            yield wire.update(update.version, body)


async def with_silences(
    updates: AsyncGenerator[Update, None], seconds: float
) -> AsyncGenerator[Update | None, None]:
    """The updates, and None after each time in which none came: proxies cut silent streams."""
    following = asyncio.ensure_future(anext(updates, STREAM_ENDED))
    try:
        while True:
            done, _ = await asyncio.wait({following}, timeout=seconds)
            if not done:
                yield None
                continue
            update = following.result()
            if isinstance(update, Ended):
                return
            following = asyncio.ensure_future(anext(updates, STREAM_ENDED))
            yield update
    finally:
        following.cancel()
        with suppress(asyncio.CancelledError):
            await following


class Ended(Struct):
    """No update: the stream is over."""


STREAM_ENDED: Final = Ended()


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

"""From what a client asks to what the domain decides: who asks becomes the seat they hold."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from spades import commands
from spades.commands import Command
from spades.refusals import RefusalCode, Refused, require
from spades.rules import resolve
from spades.seats import Seat
from spades.state import Table, Unopened
from spades.view import seat_of
from spades_service import requests
from spades_service.callers import Caller, Role

MOVING: Final = (Role.PLAYER, Role.PLATFORM)
"""Who may bring anything about at a table."""
TURN_SECONDS: Final = range(5, 7 * 24 * 3600 + 1)

SEATED: Final[Mapping[type[requests.Request], Callable[[Any, Seat, bytes], Command]]] = {
    requests.LeaveSeat: lambda _, seat, seed: commands.LeaveSeat(seat),
    requests.ComeBack: lambda _, seat, seed: commands.ComeBack(seat),
    requests.LookAtHand: lambda _, seat, seed: commands.LookAtHand(seat),
    requests.PlaceBid: lambda bid, seat, seed: commands.PlaceBid(seat, bid.tricks, bid.blind),
    requests.ExchangeCards: lambda offer, seat, seed: commands.ExchangeCards(seat, offer.cards),
    requests.DrawCard: lambda draw, seat, seed: commands.DrawCard(seat, draw.keep),
    requests.PlayCard: lambda play, seat, seed: commands.PlayCard(seat, play.card, seed),
    requests.AskRedeal: lambda _, seat, seed: commands.AskRedeal(seat, seed),
}
"""What only someone with a seat can do, always for that seat."""


def command_for(table: Table, caller: Caller, request: requests.Request, seed: bytes) -> Command:
    """The command that a request means at this table; raises Refused where it is not the caller's.

    `seed` is for the deal that the command may bring about.
    """
    require(
        caller.role in MOVING,
        RefusalCode.NOT_ALLOWED,
        "whoever audits or administers moves nothing: use a player's token",
    )
    match request:
        case requests.OpenTable():
            return _opening(caller, request, seed)
        case requests.TakeSeat(seat=seat):
            return commands.TakeSeat(seat, _player(caller))
        case requests.SeatBot(seat=seat, level=level):
            _require_part(table, caller)
            return commands.SeatBot(seat, level)
        case requests.StartGame():
            _require_part(table, caller)
            return commands.StartGame(seed)
        case _:
            return SEATED[type(request)](request, _own_seat(table, caller), seed)


def _opening(caller: Caller, request: requests.OpenTable, seed: bytes) -> commands.OpenTable:
    require(
        request.deals is None or caller.platform is not None,
        RefusalCode.NOT_ALLOWED,
        "only a platform may set the deals of a table: open it with a platform's key",
    )
    require(
        request.turn_seconds is None or request.turn_seconds in TURN_SECONDS,
        RefusalCode.BAD_COMMAND,
        f"the time for a move is {TURN_SECONDS.start} to {TURN_SECONDS.stop - 1} seconds",
    )
    options = dict(request.rules)
    preset = options.pop("preset", None)
    require(
        isinstance(preset, str | None),
        RefusalCode.UNKNOWN_PRESET,
        "a preset is named by a word, such as classic",
    )
    return commands.OpenTable(
        rules=resolve(preset, options),
        opener=caller.id,
        dealer=request.dealer,
        deals=request.deals or (),
        turn_seconds=request.turn_seconds,
        private=request.private,
        tenant=caller.tenant,
        seated=() if request.seat is None else (commands.TakeSeat(request.seat, _player(caller)),),
        fill=request.fill,
        seed=seed,
    )


def _player(caller: Caller) -> str:
    if caller.player is None:
        raise Refused(
            RefusalCode.NOT_ALLOWED, "a platform's key cannot sit down: use a player's token"
        )
    return caller.player


def _own_seat(table: Table, caller: Caller) -> Seat:
    seat = seat_of(table, caller.player)
    if seat is None:
        raise Refused(RefusalCode.NOT_SEATED, "you have no seat at this table")
    return seat


def _require_part(table: Table, caller: Caller) -> None:
    """A table is run by those who sit at it, and by who opened it."""
    opener = not isinstance(table, Unopened) and table.match.opener == caller.id
    if not opener:
        _own_seat(table, caller)

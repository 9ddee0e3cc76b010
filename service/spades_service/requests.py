"""What clients send: the same requests for GraphQL, REST and the command line.

A request names no seat but its own: who sits where is the service's to know.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from spades.cards import Card, Hand
from spades.deal import Hands
from spades.events import BotLevel
from spades.seats import Seat

CommandId = Annotated[str, Meta(min_length=1, max_length=200)]


class Request(Struct, frozen=True, rename="camel", forbid_unknown_fields=True, tag_field="type"):
    """A command as it comes in, tagged with what the player does."""


class OpenTable(Request, frozen=True, tag="openTable"):
    """Open a table: a preset and the options that differ from it, by the keys of a record.

    With `seat` the caller sits down at once, with `fill` computers take the seats that are left,
    and the game begins.
    """

    rules: Mapping[str, Any]
    dealer: Seat | None = None
    deals: tuple[Hands, ...] | None = None
    turn_seconds: int | None = None
    private: bool = False
    seat: Seat | None = None
    fill: BotLevel | None = None


class QuickMatch(Request, frozen=True, tag="quickMatch"):
    """Sit down at any table that plays by these rules, with `fill` among computers."""

    rules: Mapping[str, Any]
    turn_seconds: int | None = None
    fill: BotLevel | None = None


class Rematch(Request, frozen=True, tag="rematch"):
    """Play again with those who have played."""


class TakeSeat(Request, frozen=True, tag="takeSeat"):
    """Sit down; the code of an invitation opens a private table."""

    seat: Seat
    invite_code: str | None = None


class LeaveSeat(Request, frozen=True, tag="leaveSeat"):
    """Get up, before the game has begun."""


class SeatBot(Request, frozen=True, tag="seatBot"):
    """Let a computer take an empty seat."""

    seat: Seat
    level: BotLevel = BotLevel.EASY


class ComeBack(Request, frozen=True, tag="comeBack"):
    """Play for oneself again, after having been away."""


class StartGame(Request, frozen=True, tag="startGame"):
    """Deal the first round."""


class LookAtHand(Request, frozen=True, tag="lookAtHand"):
    """See one's own cards, where they are withheld."""


class PlaceBid(Request, frozen=True, tag="placeBid"):
    """Bid tricks; 0 is nil."""

    tricks: int
    blind: bool = False


class ExchangeCards(Request, frozen=True, tag="exchangeCards"):
    """Choose cards for the partner."""

    cards: Hand


class DrawCard(Request, frozen=True, tag="drawCard"):
    """Keep the top card, or discard it and take the next."""

    keep: bool


class PlayCard(Request, frozen=True, tag="playCard"):
    """Play a card."""

    card: Card


class AskRedeal(Request, frozen=True, tag="askRedeal"):
    """Throw in a hand without a spade."""


TableRequest = (
    TakeSeat
    | LeaveSeat
    | SeatBot
    | ComeBack
    | StartGame
    | LookAtHand
    | PlaceBid
    | ExchangeCards
    | DrawCard
    | PlayCard
    | AskRedeal
)
"""Everything that can be asked of a table that is open."""

_ENCODER: Final = msgspec.json.Encoder(order="sorted")


def content(request: Request) -> bytes:
    """The request in one canonical form, so that the same request is known again."""
    return _ENCODER.encode(request)

"""One GraphQL type for each event of the domain, made of what the viewer may see of it."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import strawberry

from spades import events, rules, view
from spades.events import BotLevel, EndReason, Event, Scoring
from spades.view import Names, Viewer, called, event_view
from spades_schema.scalars import CardCode, Instant
from spades_service.ports import Recorded


@strawberry.interface(description="Something that happened at a table.")
class TableEvent:
    version: int
    at: Instant


@strawberry.type(description="A table stands open, with its rules for ever.")
class TableOpened(TableEvent):
    game: rules.Game
    target: int
    first_dealer: int | None
    set_deals: bool
    turn_seconds: int | None
    private: bool


@strawberry.type(description="A player sat down.")
class SeatTaken(TableEvent):
    seat: int
    player_id: strawberry.ID
    player_name: str
    level: BotLevel | None = strawberry.field(description="A computer's level.")


@strawberry.type(description="A player got up.")
class SeatLeft(TableEvent):
    seat: int
    player_id: strawberry.ID


@strawberry.type(description="A player who was away plays for themselves again.")
class PlayerBack(TableEvent):
    seat: int


@strawberry.type(description="Every seat is taken, and the first dealer is known.")
class GameStarted(TableEvent):
    dealer: int


@strawberry.type(description="The cards are out.")
class RoundDealt(TableEvent):
    number: int
    dealer: int
    hand: list[CardCode] | None = strawberry.field(
        description="The caller's own cards; null for a spectator, or while they are withheld."
    )
    withheld: list[int] = strawberry.field(
        description="The seats whose cards are withheld until they look or bid."
    )


@strawberry.type(description="A player dealt no spade asked for a new deal.")
class DealThrownIn(TableEvent):
    seat: int


@strawberry.type(description="A turn of the two-handed draw.")
class CardDrawn(TableEvent):
    seat: int
    looked: bool = strawberry.field(description="Whether the card looked at was kept.")
    kept: CardCode | None
    discarded: CardCode | None
    automatic: bool


@strawberry.type(description="A player asked to see their cards.")
class HandSeen(TableEvent):
    seat: int
    automatic: bool


@strawberry.type(description="A bid; 0 is nil.")
class BidPlaced(TableEvent):
    seat: int
    tricks: int
    blind: bool
    automatic: bool


@strawberry.type(description="A player chose cards for the partner, who does not see them yet.")
class CardsOffered(TableEvent):
    seat: int
    cards: list[CardCode] | None
    automatic: bool


@strawberry.type(description="Partners have exchanged cards.")
class CardsExchanged(TableEvent):
    seats: list[int]
    given: list[CardCode] | None
    received: list[CardCode] | None


@strawberry.type(description="A card on the table.")
class CardPlayed(TableEvent):
    seat: int
    card: CardCode
    automatic: bool = strawberry.field(
        description="Whether it was played for somebody whose time was over."
    )


@strawberry.type(description="A trick is complete; its winner leads the next.")
class TrickTaken(TableEvent):
    seat: int


@strawberry.type(description="One line of a score sheet.")
class ScoreLine:
    what: Scoring
    points: int


@strawberry.type(description="A side's sheet of one round; score and bags are running.")
class SideScore:
    contract: int
    taken: int
    change: int
    score: int
    bags: int
    lines: list[ScoreLine]


@strawberry.type(description="A round is over.")
class RoundScored(TableEvent):
    sides: list[SideScore]


@strawberry.type(description="The game is over; no winner is a draw.")
class GameFinished(TableEvent):
    winner: list[int]
    reason: EndReason


Shown = Callable[[Any, int, Instant, Names], TableEvent]

SHOWN: Final[Mapping[type, Shown]] = {
    view.TableOpenedView: lambda event, version, at, _: TableOpened(
        version=version,
        at=at,
        game=event.rules.game,
        target=event.rules.target,
        first_dealer=event.dealer,
        set_deals=event.set_deals,
        turn_seconds=event.turn_seconds,
        private=event.private,
    ),
    events.SeatTaken: lambda event, version, at, names: SeatTaken(
        version=version,
        at=at,
        seat=event.seat,
        player_id=event.player,
        player_name=called(event.player, event.seat, names),
        level=event.level,
    ),
    events.SeatLeft: lambda event, version, at, _: SeatLeft(
        version=version, at=at, seat=event.seat, player_id=event.player
    ),
    events.PlayerBack: lambda event, version, at, _: PlayerBack(
        version=version, at=at, seat=event.seat
    ),
    events.GameStarted: lambda event, version, at, _: GameStarted(
        version=version, at=at, dealer=event.dealer
    ),
    view.RoundDealtView: lambda event, version, at, _: RoundDealt(
        version=version,
        at=at,
        number=event.number,
        dealer=event.dealer,
        hand=event.hand,
        withheld=event.withheld,
    ),
    events.DealThrownIn: lambda event, version, at, _: DealThrownIn(
        version=version, at=at, seat=event.seat
    ),
    view.CardDrawnView: lambda event, version, at, _: CardDrawn(
        version=version,
        at=at,
        seat=event.seat,
        looked=event.looked,
        kept=event.kept,
        discarded=event.discarded,
        automatic=event.automatic,
    ),
    events.HandSeen: lambda event, version, at, _: HandSeen(
        version=version, at=at, seat=event.seat, automatic=event.automatic
    ),
    events.BidPlaced: lambda event, version, at, _: BidPlaced(
        version=version,
        at=at,
        seat=event.seat,
        tricks=event.tricks,
        blind=event.blind,
        automatic=event.automatic,
    ),
    view.CardsOfferedView: lambda event, version, at, _: CardsOffered(
        version=version, at=at, seat=event.seat, cards=event.cards, automatic=event.automatic
    ),
    view.CardsExchangedView: lambda event, version, at, _: CardsExchanged(
        version=version,
        at=at,
        seats=event.seats,
        given=event.given,
        received=event.received,
    ),
    events.CardPlayed: lambda event, version, at, _: CardPlayed(
        version=version, at=at, seat=event.seat, card=event.card, automatic=event.automatic
    ),
    events.TrickTaken: lambda event, version, at, _: TrickTaken(
        version=version, at=at, seat=event.seat
    ),
    events.RoundScored: lambda event, version, at, _: RoundScored(
        version=version, at=at, sides=event.sides
    ),
    events.GameFinished: lambda event, version, at, _: GameFinished(
        version=version, at=at, winner=event.winner, reason=event.reason
    ),
}


def shown_event(recorded: Recorded, viewer: Viewer, names: Names) -> TableEvent:
    """A recorded event as the viewer may see it."""
    event: Event = recorded.event
    seen = event_view(event, viewer)
    return SHOWN[type(seen)](seen, recorded.version, Instant(recorded.at), names)

"""What a viewer may know: every table and every event leaves the service through these functions.

A card that is hidden is absent, never masked in place: there is nothing to unmask. Both functions
are pure, so what is shown live, replayed, over GraphQL or over REST is the same.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Final

from msgspec import Struct

from spades.bidding import legal_bids, may_still_bid_blind
from spades.cards import Card, Hand
from spades.events import (
    BotLevel,
    CardDrawn,
    CardsExchanged,
    CardsOffered,
    Event,
    RoundDealt,
    TableOpened,
)
from spades.exchange import awaited
from spades.play import legal_plays
from spades.rules import FailedNil, Rules
from spades.seating import bot_id
from spades.seats import Seat, Side
from spades.state import (
    BetweenRounds,
    Bid,
    Bidding,
    Drawing,
    Exchanging,
    Finished,
    Opened,
    Playing,
    Seating,
    Standing,
    Table,
    Unopened,
)

Viewer = Seat | None
"""A player's seat, or None for whoever only watches."""


class Status(StrEnum):
    """How far a table is, for a list of tables."""

    SEATING = "SEATING"
    PLAYING = "PLAYING"
    FINISHED = "FINISHED"


class Phase(StrEnum):
    """What the table waits for."""

    SEATING = "SEATING"
    DRAWING = "DRAWING"
    BIDDING = "BIDDING"
    EXCHANGING = "EXCHANGING"
    PLAYING = "PLAYING"
    BETWEEN_ROUNDS = "BETWEEN_ROUNDS"
    FINISHED = "FINISHED"


class PlayerView(Struct, frozen=True, rename="camel"):
    """A player as others see them."""

    id: str
    name: str


class SeatView(Struct, frozen=True, rename="camel"):
    """A seat: `taken` counts its own tricks of this round; `bid` is None until it is said.

    `level` is a computer's; a person is `away` when moves have been made for them on end.
    """

    number: Seat
    player: PlayerView | None
    bot: bool
    level: BotLevel | None
    away: bool
    card_count: int
    bid: int | None
    blind: bool
    taken: int


class PlayView(Struct, frozen=True, rename="camel"):
    """A card on the table, and who played it."""

    seat: Seat
    card: Card


class RoundView(Struct, frozen=True, rename="camel"):
    """The round being played. `trick_number` is 0 until cards are played, then counts from 1."""

    number: int
    spades_broken: bool = False
    trick: tuple[PlayView, ...] = ()
    last_trick: tuple[PlayView, ...] = ()
    trick_number: int = 0


class SideView(Struct, frozen=True, rename="camel"):
    """A side: `contract` is None until all its bids are in; `taken` counts towards it."""

    seats: Side
    contract: int | None
    taken: int
    score: int
    bags: int


class TableView(Struct, frozen=True, kw_only=True, rename="camel"):
    """A table at a version, as one viewer may see it."""

    id: str
    version: int
    status: Status
    phase: Phase
    rules: Rules
    set_deals: bool
    private: bool
    turn_seconds: int | None
    seats: tuple[SeatView, ...]
    dealer: Seat | None
    turn: Seat | None
    awaited: tuple[Seat, ...]
    seat: Seat | None
    hand: Hand | None
    hand_withheld: bool
    legal_plays: Hand
    legal_bids: tuple[int, ...]
    may_bid_blind: bool
    top_card: Card | None
    offered: Hand | None
    round: RoundView | None
    sides: tuple[SideView, ...]
    winner: tuple[Seat, ...] | None


STATUS: Final[Mapping[type[Table], Status]] = {
    Unopened: Status.SEATING,
    Seating: Status.SEATING,
    Drawing: Status.PLAYING,
    Bidding: Status.PLAYING,
    Exchanging: Status.PLAYING,
    Playing: Status.PLAYING,
    BetweenRounds: Status.PLAYING,
    Finished: Status.FINISHED,
}
PHASE: Final[Mapping[type[Table], Phase]] = {
    Unopened: Phase.SEATING,
    Seating: Phase.SEATING,
    Drawing: Phase.DRAWING,
    Bidding: Phase.BIDDING,
    Exchanging: Phase.EXCHANGING,
    Playing: Phase.PLAYING,
    BetweenRounds: Phase.BETWEEN_ROUNDS,
    Finished: Phase.FINISHED,
}
Names = Mapping[str, str]
"""Players' names by id; they live outside the history."""


def view(table: Opened, viewer: Viewer, *, id: str, version: int, names: Names) -> TableView:  # noqa: A002
    """The table as this viewer may see it; `names` gives what each player is called."""
    match = table.match
    return TableView(
        id=id,
        version=version,
        status=STATUS[type(table)],
        phase=PHASE[type(table)],
        rules=match.rules,
        set_deals=bool(match.deals),
        private=match.private,
        turn_seconds=match.turn_seconds,
        seats=tuple(_seat(table, seat, names) for seat in range(match.layout.seats)),
        dealer=match.dealer,
        turn=turn(table),
        awaited=awaited_seats(table),
        seat=viewer,
        hand=_hand(table, viewer),
        hand_withheld=_withheld(table, viewer),
        legal_plays=_legal_plays(table, viewer),
        legal_bids=_legal_bids(table, viewer),
        may_bid_blind=_may_bid_blind(table, viewer),
        top_card=_top_card(table, viewer),
        offered=_offered(table, viewer),
        round=_round(table),
        sides=tuple(
            _side(table, side, standing)
            for side, standing in zip(match.layout.sides, match.standings, strict=True)
        ),
        winner=table.winner if isinstance(table, Finished) else None,
    )


def turn(table: Table) -> Seat | None:
    """Whose move it is, where it is one seat's."""
    return table.turn if isinstance(table, Drawing | Bidding | Playing) else None


def awaited_seats(table: Table) -> tuple[Seat, ...]:
    """Every seat that the table waits for: several while cards are exchanged."""
    if isinstance(table, Exchanging):
        return awaited(table)
    seat = turn(table)
    return () if seat is None else (seat,)


def _seat(table: Opened, seat: Seat, names: Names) -> SeatView:
    player = table.match.players[seat]
    hands = () if isinstance(table, Seating | BetweenRounds | Finished) else table.hands
    bid, level = _bid(table, seat), table.match.bots[seat]
    return SeatView(
        number=seat,
        player=None if player is None else PlayerView(player, called(player, seat, names)),
        bot=level is not None,
        level=level,
        away=table.match.away(seat),
        card_count=len(hands[seat]) if hands else 0,
        bid=None if bid is None else bid.tricks,
        blind=bid is not None and bid.blind,
        taken=_taken(table, seat),
    )


def called(player: str, seat: Seat, names: Names) -> str:
    """A player's name; a computer is called after its seat."""
    return names.get(player) or (f"Computer {seat}" if player == bot_id(seat) else "")


def _bid(table: Opened, seat: Seat) -> Bid | None:
    return table.bids[seat] if isinstance(table, Bidding | Exchanging | Playing) else None


def _taken(table: Opened, seat: Seat) -> int:
    return table.taken[seat] if isinstance(table, Playing) else 0


def _hand(table: Opened, viewer: Viewer) -> Hand | None:
    if viewer is None or isinstance(table, Seating | BetweenRounds | Finished):
        return None
    return None if _withheld(table, viewer) else table.hands[viewer]


def _withheld(table: Opened, viewer: Viewer) -> bool:
    return isinstance(table, Bidding) and viewer is not None and not table.seen[viewer]


def _legal_bids(table: Opened, viewer: Viewer) -> tuple[int, ...]:
    if isinstance(table, Bidding) and viewer is not None:
        return legal_bids(table, viewer)
    return ()


def _may_bid_blind(table: Opened, viewer: Viewer) -> bool:
    return isinstance(table, Bidding) and viewer is not None and may_still_bid_blind(table, viewer)


def _legal_plays(table: Opened, viewer: Viewer) -> Hand:
    if isinstance(table, Playing) and viewer is not None and viewer == table.turn:
        return tuple(dict.fromkeys(legal_plays(table)))
    return ()


def _top_card(table: Opened, viewer: Viewer) -> Card | None:
    if isinstance(table, Drawing) and viewer is not None and viewer == table.turn:
        return table.stock[0]
    return None


def _offered(table: Opened, viewer: Viewer) -> Hand | None:
    if isinstance(table, Exchanging) and viewer is not None:
        return table.offers[viewer] or None
    return None


def _round(table: Opened) -> RoundView | None:
    match table:
        case Drawing() | Bidding() | Exchanging():
            return RoundView(table.match.round)
        case Playing():
            seats = len(table.hands)
            trick = tuple(
                PlayView((table.leader + place) % seats, card)
                for place, card in enumerate(table.trick)
            )
            last = tuple(PlayView(play.seat, play.card) for play in table.last_trick)
            return RoundView(table.match.round, table.broken, trick, last, table.trick_number)
        case _:
            return None


def _side(table: Opened, side: Side, standing: Standing) -> SideView:
    bids = [_bid(table, seat) for seat in side]
    known = [bid for bid in bids if bid is not None]
    return SideView(
        seats=side,
        contract=sum(bid.tricks for bid in known) if len(known) == len(side) else None,
        taken=sum(_counted(table, seat) for seat in side),
        score=standing.score,
        bags=standing.bags,
    )


def _counted(table: Opened, seat: Seat) -> int:
    bid = _bid(table, seat)
    nil = bid is not None and bid.nil
    if nil and table.match.rules.failed_nil is FailedNil.BAGS:
        return 0
    return _taken(table, seat)


# Events


class TableOpenedView(Struct, frozen=True, rename="camel"):
    """The opening, without the deals that a platform has set."""

    rules: Rules
    opener: str
    dealer: Seat | None
    set_deals: bool
    turn_seconds: int | None
    private: bool


class RoundDealtView(Struct, frozen=True, rename="camel"):
    """A deal: the viewer's own hand, where it is not withheld."""

    number: int
    dealer: Seat
    hand: Hand | None
    withheld: tuple[Seat, ...]


class CardDrawnView(Struct, frozen=True, rename="camel"):
    """A turn of the draw: the cards that the viewer has seen of it."""

    seat: Seat
    looked: bool
    kept: Card | None
    discarded: Card | None
    automatic: bool = False


class CardsOfferedView(Struct, frozen=True, rename="camel"):
    """Somebody has chosen; only they know what."""

    seat: Seat
    cards: Hand | None
    automatic: bool = False


class CardsExchangedView(Struct, frozen=True, rename="camel"):
    """A swap: what the viewer gave and received, if they were part of it."""

    seats: tuple[Seat, Seat]
    given: Hand | None
    received: Hand | None


EventView = (
    Event | TableOpenedView | RoundDealtView | CardDrawnView | CardsOfferedView | CardsExchangedView
)


def event_view(event: Event, viewer: Viewer) -> EventView:
    """The event as this viewer may see it, the same at any time."""
    hide = HIDDEN.get(type(event))
    return event if hide is None else hide(event, viewer)


def _table_opened(event: TableOpened, viewer: Viewer) -> TableOpenedView:
    return TableOpenedView(
        event.rules,
        event.opener,
        event.dealer,
        bool(event.deals),
        event.turn_seconds,
        event.private,
    )


def _round_dealt(event: RoundDealt, viewer: Viewer) -> RoundDealtView:
    shown = viewer is not None and viewer not in event.withheld and event.hands[viewer]
    return RoundDealtView(event.number, event.dealer, shown or None, event.withheld)


def _card_drawn(event: CardDrawn, viewer: Viewer) -> CardDrawnView:
    mine = viewer == event.seat
    return CardDrawnView(
        event.seat,
        event.looked,
        kept=event.kept if mine else None,
        discarded=event.discarded if mine and not event.looked else None,
        automatic=event.automatic,
    )


def _cards_offered(event: CardsOffered, viewer: Viewer) -> CardsOfferedView:
    shown = event.cards if viewer == event.seat else None
    return CardsOfferedView(event.seat, shown, event.automatic)


def _cards_exchanged(event: CardsExchanged, viewer: Viewer) -> CardsExchangedView:
    if viewer not in event.seats:
        return CardsExchangedView(event.seats, None, None)
    one, other = event.cards
    mine_first = viewer == event.seats[0]
    return CardsExchangedView(event.seats, *((one, other) if mine_first else (other, one)))


HIDDEN: Final[Mapping[type, Callable[[Any, Viewer], EventView]]] = {
    TableOpened: _table_opened,
    RoundDealt: _round_dealt,
    CardDrawn: _card_drawn,
    CardsOffered: _cards_offered,
    CardsExchanged: _cards_exchanged,
}
"""The events that hold what not everybody may know; all others are public."""


def seat_of(table: Table, player: str | None) -> Viewer:
    """The seat of a player at this table, or None for anybody else."""
    if player is None or isinstance(table, Unopened):
        return None
    players = table.match.players
    return players.index(player) if player in players else None

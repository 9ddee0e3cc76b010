"""The decider: `decide` knows every rule, `evolve` believes every event, `replay` folds a history.

Whatever follows of itself once a command is carried out (a trick taken, a round scored, the next
deal, the end of the game) is an event of the same command.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from typing import Any, Final

from msgspec.structs import replace

from spades.bidding import check_bid, with_bid, withheld
from spades.cards import in_order, without
from spades.commands import (
    Abandon,
    AskRedeal,
    ComeBack,
    Command,
    DrawCard,
    ExchangeCards,
    LeaveSeat,
    LookAtHand,
    OpenTable,
    PlaceBid,
    PlayCard,
    SeatBot,
    StartGame,
    TakeSeat,
)
from spades.deal import Hands, deal, first_dealer
from spades.events import (
    BidPlaced,
    CardDrawn,
    CardPlayed,
    CardsExchanged,
    CardsOffered,
    DealThrownIn,
    EndReason,
    Event,
    GameFinished,
    GameStarted,
    HandSeen,
    PlayerBack,
    RoundDealt,
    RoundScored,
    SeatLeft,
    SeatTaken,
    TableOpened,
    TrickTaken,
)
from spades.exchange import check_offer, first_offers, ready, swapped
from spades.pack import spades_in
from spades.play import breaks_spades, check_play, first_leader, opens_with_clubs, taker
from spades.refusals import RefusalCode, Refused, require
from spades.rules import Game, Redeal, refuse_contradiction
from spades.scoring import end, score_round
from spades.seating import (
    come_back,
    leave_seat,
    noticed,
    require_seat,
    seat_bot,
    take_seat,
    with_player,
)
from spades.seats import LAYOUTS, Seat
from spades.set_deals import check_deal, laid_out
from spades.state import (
    BetweenRounds,
    Bid,
    Bidding,
    Drawing,
    Exchanging,
    Finished,
    Match,
    Opened,
    Playing,
    Seating,
    Standing,
    Table,
    Unopened,
)

InGame = Drawing | Bidding | Exchanging | Playing


class Impossible(Exception):
    """An event that cannot follow the table it is put to: the history is not one of ours."""


# decide: what a command makes happen


def decide(table: Table, command: Command) -> tuple[Event, ...]:
    """What the command makes happen, outcomes included; raises Refused, and then nothing has."""
    events, _ = carry_out(table, command)
    return events


def carry_out(table: Table, command: Command) -> tuple[tuple[Event, ...], Table]:
    """What `decide` says, and the table that it leads to; raises Refused."""
    rule = DECISIONS.get((type(table), type(command)))
    if rule is None:
        raise Refused(RefusalCode.WRONG_PHASE, _now(table))
    events = list(rule(table, command))
    for event in events:
        table = evolve(table, event)
    while (following := consequence(table, getattr(command, "seed", b""))) is not None:
        events.append(following)
        table = evolve(table, following)
    return tuple(events), table


def _now(table: Table) -> str:
    match table:
        case Unopened():
            return "the table has not been opened"
        case Seating():
            return "the game has not begun: players are taking their seats"
        case Drawing(match=now, turn=turn):
            return f"hands are being drawn: it is {now.name(turn)}'s turn to keep or discard"
        case Bidding(match=now, turn=turn):
            return f"bids are being placed: it is {now.name(turn)}'s turn to bid"
        case Exchanging(match=now):
            return f"{now.rules.exchange} cards are being exchanged after a blind nil"
        case Playing(match=now, turn=turn):
            who = "nobody" if turn is None else now.name(turn)
            return f"cards are being played: it is {who}'s turn to play"
        case BetweenRounds():
            return "no round is being played"
        case Finished():
            return "the game is over"


def open_table(table: Unopened, command: OpenTable) -> tuple[Event, ...]:
    """The rules must not contradict each other, and set deals must be deals of their pack."""
    layout = LAYOUTS[command.rules.game]
    refuse_contradiction(command.rules)
    require(
        command.dealer is None or command.dealer in range(layout.seats),
        RefusalCode.NO_SUCH_SEAT,
        f"the dealer sits at 0 to {layout.seats - 1}, not at {command.dealer}",
    )
    for number, hands in enumerate(command.deals, 1):
        check_deal(command.rules, hands, f"deal {number}")
    opened = TableOpened(
        command.rules,
        command.opener,
        command.dealer,
        command.deals,
        command.labels,
        command.turn_seconds,
        command.private,
        command.tenant,
    )
    events: list[Event] = [opened]
    begun: Table = table_opened(table, opened)
    for command_ in _sitting_down(command, layout.seats):
        happened, begun = carry_out(begun, command_)
        events += happened
    return tuple(events)


def _sitting_down(command: OpenTable, seats: int) -> Iterator[Command]:
    """Those who come with the opening, computers in the other seats, and then the game begins."""
    yield from command.seated
    taken = {take.seat for take in command.seated}
    free = [seat for seat in range(seats) if seat not in taken]
    if command.fill is not None:
        yield from (SeatBot(seat, command.fill) for seat in free)
    if command.fill is not None or not free:
        yield StartGame(command.seed)


def sit_down(table: InGame | Seating, command: Any) -> tuple[Event, ...]:
    """Who sits where is settled without regard to the phase."""
    return SEATING[type(command)](table.match, command)


def abandon(table: InGame | Seating, command: Abandon) -> tuple[Event, ...]:
    """Nobody wins a game that nobody plays."""
    return (GameFinished((), EndReason.ABANDONED),)


def start_game(table: Seating, command: StartGame) -> tuple[Event, ...]:
    """The dealer is chosen or drawn, and the first round dealt."""
    match = table.match
    empty = [str(seat) for seat, player in enumerate(match.players) if player is None]
    require(not empty, RefusalCode.SEATS_EMPTY, f"the game begins once seated: {', '.join(empty)}")
    dealer = match.dealer
    if dealer is None:
        dealer = first_dealer(match.rules, command.seed)
    return (GameStarted(dealer),)


def look_at_hand(table: Bidding, command: LookAtHand) -> tuple[Event, ...]:
    """Only a hand that is withheld can be asked for."""
    require_seat(table.match, command.seat)
    require(
        not table.seen[command.seat],
        RefusalCode.ALREADY_LOOKED,
        f"{table.match.name(command.seat)} knows the hand already",
    )
    return (HandSeen(command.seat, command.automatic),)


def place_bid(table: Bidding, command: PlaceBid) -> tuple[Event, ...]:
    """One bid each, in turn."""
    check_bid(table, command.seat, command.tricks, blind=command.blind)
    return (BidPlaced(command.seat, command.tricks, command.blind, command.automatic),)


def exchange_cards(table: Exchanging, command: ExchangeCards) -> tuple[Event, ...]:
    """The swap happens with the second partner's choice."""
    require_seat(table.match, command.seat)
    check_offer(table, command.seat, command.cards)
    return (CardsOffered(command.seat, in_order(command.cards), command.automatic),)


def draw_card(table: Drawing, command: DrawCard) -> tuple[Event, ...]:
    """Of the two cards on top one is kept, the other goes face down."""
    _require_turn(table.match, command.seat, table.turn, "draw")
    looked, following = table.stock[:2]
    kept, discarded = (looked, following) if command.keep else (following, looked)
    return (CardDrawn(command.seat, command.keep, kept, discarded, command.automatic),)


def play_card(table: Playing, command: PlayCard) -> tuple[Event, ...]:
    """A legal card, and with it perhaps the trick, the round, the next deal, the end."""
    check_play(table, command.seat, command.card)
    return (CardPlayed(command.seat, command.card, command.automatic),)


def ask_redeal(table: Bidding, command: AskRedeal) -> tuple[Event, ...]:
    """A hand without a spade can be thrown in before its player bids; the same dealer deals."""
    match, seat = table.match, command.seat
    require_seat(match, seat)
    name = match.name(seat)
    require(
        match.rules.redeal is Redeal.NO_SPADE,
        RefusalCode.REDEAL_NOT_ALLOWED,
        "this rule set has no new deals: every deal is played",
    )
    require(
        table.bids[seat] is None,
        RefusalCode.REDEAL_NOT_ALLOWED,
        f"{name} has bid: a new deal is asked for before bidding",
    )
    # Asked before the hand is seen, the answer itself would tell whether it holds a spade.
    require(
        table.seen[seat],
        RefusalCode.REDEAL_NOT_ALLOWED,
        f"{name} must look at the hand before asking for a new deal",
    )
    require(
        not spades_in(match.rules, table.hands[seat]),
        RefusalCode.REDEAL_NOT_ALLOWED,
        f"{name} was dealt a spade: only a hand without one is thrown in",
    )
    again = _dealt(match, match.round, match.dealer or 0, command.seed, set_deal=False)
    return DealThrownIn(seat), again


SEATING: Final[Mapping[type[Command], Callable[[Match, Any], tuple[Event, ...]]]] = {
    TakeSeat: take_seat,
    LeaveSeat: leave_seat,
    SeatBot: seat_bot,
    ComeBack: come_back,
}
SAT_AT: Final = (Seating, Drawing, Bidding, Exchanging, Playing)
"""The phases in which players come and go."""

DECISIONS: Final[Mapping[tuple[type, type], Callable[[Any, Any], tuple[Event, ...]]]] = {
    (Unopened, OpenTable): open_table,
    **{(phase, kind): sit_down for phase in SAT_AT for kind in SEATING},
    **{(phase, Abandon): abandon for phase in SAT_AT},
    (Seating, StartGame): start_game,
    (Drawing, DrawCard): draw_card,
    (Bidding, LookAtHand): look_at_hand,
    (Bidding, PlaceBid): place_bid,
    (Bidding, AskRedeal): ask_redeal,
    (Exchanging, ExchangeCards): exchange_cards,
    (Playing, PlayCard): play_card,
}
"""Which command belongs to which phase, and the events that are its own; any other command is
WRONG_PHASE. What follows of itself is the matter of `consequence`.
"""


def _require_turn(match: Match, seat: Seat, turn: Seat, to: str) -> None:
    require(
        seat == turn,
        RefusalCode.NOT_YOUR_TURN,
        f"it is {match.name(turn)}'s turn to {to}, not {match.name(seat)}'s",
    )


def consequence(table: Table, seed: bytes) -> Event | None:
    """What happens of itself at this point, without anyone's command."""
    match table:
        case Playing(turn=None):
            return TrickTaken(taker(table)) if table.trick else score_round(table)
        case Exchanging():
            return ready(table)
        case BetweenRounds(match=match):
            return _the_end(match) or _next_deal(match, seed)
        case _:
            return None


def _the_end(match: Match) -> GameFinished | None:
    ended = end(match.rules, match.standings, match.round) if match.round else None
    if ended is None:
        return None
    winner, reason = ended
    return GameFinished(() if winner is None else match.layout.sides[winner], reason)


def _next_deal(match: Match, seed: bytes) -> RoundDealt:
    dealer = match.dealer or 0
    return _dealt(
        match,
        match.round + 1,
        match.layout.left_of(dealer) if match.round else dealer,
        seed,
        set_deal=match.round < len(match.deals),
    )


def _dealt(match: Match, number: int, dealer: Seat, seed: bytes, *, set_deal: bool) -> RoundDealt:
    if set_deal:
        hands, rest = laid_out(match.rules, match.deals[number - 1])
    else:
        hands, rest = deal(match.rules, dealer, seed)
    return RoundDealt(
        number, dealer, hands, rest, withheld(match), None if set_deal else seed.hex()
    )


# evolve: what an event changes


def evolve(table: Table, event: Event) -> Table:
    """The table after the event, which is never doubted; raises Impossible on a foreign history."""
    change = CHANGES.get((type(table), type(event)))
    if change is None:
        raise Impossible(f"{type(event).__name__} cannot follow {type(table).__name__}")
    table = change(table, event)
    return _attended(table, event) if type(event) in MOVES else table


def _attended(table: Any, event: Any) -> Table:
    match: Match = noticed(table.match, event.seat, automatic=event.automatic)
    if match is table.match:
        return table  # type: ignore[no-any-return]
    return replace(table, match=match)  # type: ignore[no-any-return]


def replay(events: Iterable[Event], table: Table = Unopened()) -> Table:  # noqa: B008 immutable
    """The table that a history leads to."""
    return reduce(evolve, events, table)


def table_opened(table: Unopened, event: TableOpened) -> Seating:
    """Seats stand empty, and every side at nothing."""
    layout = LAYOUTS[event.rules.game]
    return Seating(
        Match(
            rules=event.rules,
            opener=event.opener,
            dealer=event.dealer,
            deals=event.deals,
            labels=event.labels,
            players=(None,) * layout.seats,
            bots=(None,) * layout.seats,
            missed=(0,) * layout.seats,
            turn_seconds=event.turn_seconds,
            private=event.private,
            tenant=event.tenant,
            standings=(Standing(),) * len(layout.sides),
        )
    )


def seat_taken(table: InGame | Seating, event: SeatTaken) -> Table:
    """The player sits."""
    return replace(table, match=with_player(table.match, event.seat, event.player, event.level))


def seat_left(table: InGame | Seating, event: SeatLeft) -> Table:
    """The seat is free again."""
    return replace(table, match=with_player(table.match, event.seat, None))


def player_back(table: InGame, event: PlayerBack) -> Table:
    """The table waits for them again."""
    return replace(table, match=noticed(table.match, event.seat, automatic=False))


def game_started(table: Seating, event: GameStarted) -> Table:
    """A deal is due."""
    return BetweenRounds(replace(table.match, dealer=event.dealer))


def round_dealt(table: BetweenRounds, event: RoundDealt) -> Table:
    """Two-handed players draw first; the others bid."""
    match = replace(table.match, round=event.number, dealer=event.dealer)
    first = match.layout.left_of(event.dealer)
    if match.rules.game is Game.TWO_HANDED:
        return Drawing(match, event.hands, event.rest, first)
    seen = tuple(seat not in event.withheld for seat in range(match.layout.seats))
    return _bidding(match, event.hands, event.rest, seen, first)


def _bidding(
    match: Match, hands: Hands, rest: tuple[Any, ...], seen: tuple[bool, ...], first: Seat
) -> Bidding:
    return Bidding(match, hands, rest, seen, (None,) * len(hands), first)


def deal_thrown_in(table: Bidding, event: DealThrownIn) -> Table:
    """The deal never was."""
    return BetweenRounds(table.match)


def card_drawn(table: Drawing, event: CardDrawn) -> Table:
    """The hand grows by one; with the stock gone, bids begin."""
    hand = in_order((*table.hands[event.seat], event.kept))
    hands = (*table.hands[: event.seat], hand, *table.hands[event.seat + 1 :])
    stock, match = table.stock[2:], table.match
    turn = match.layout.left_of(event.seat)
    if stock:
        return Drawing(match, hands, stock, turn)
    first = match.layout.left_of(match.dealer or 0)
    return _bidding(match, hands, (), (True,) * len(hands), first)


def hand_seen(table: Bidding, event: HandSeen) -> Table:
    """From now on this player knows."""
    return replace(table, seen=_seeing(table.seen, event.seat))


def _seeing(seen: tuple[bool, ...], seat: Seat) -> tuple[bool, ...]:
    return (*seen[:seat], True, *seen[seat + 1 :])


def bid_placed(table: Bidding, event: BidPlaced) -> Table:
    """Who has bid sees the hand; the last bid opens the exchange or the play."""
    bids = with_bid(table.bids, event.seat, Bid(event.tricks, event.blind))
    if None in bids:
        turn = table.match.layout.left_of(event.seat)
        return replace(table, bids=bids, seen=_seeing(table.seen, event.seat), turn=turn)
    offers = first_offers(table.match, bids)
    if None in offers:
        return Exchanging(table.match, table.hands, table.rest, bids, offers)
    return _playing(table, bids, table.hands)


def _playing(table: Bidding | Exchanging, bids: tuple[Bid | None, ...], hands: Hands) -> Playing:
    match = table.match
    leader = first_leader(match, match.dealer or 0, hands)
    return Playing(
        match=match,
        hands=hands,
        rest=table.rest,
        bids=bids,
        leader=leader,
        turn=leader,
        taken=(0,) * len(hands),
        lowest_clubs=opens_with_clubs(match.rules, hands),
    )


def cards_offered(table: Exchanging, event: CardsOffered) -> Table:
    """The choice lies face down."""
    offers = (*table.offers[: event.seat], event.cards, *table.offers[event.seat + 1 :])
    return replace(table, offers=offers)


def cards_exchanged(table: Exchanging, event: CardsExchanged) -> Table:
    """With the last swap done, the play begins."""
    hands = swapped(table.hands, event)
    offers = tuple(() if seat in event.seats else old for seat, old in enumerate(table.offers))
    if any(offer is None or offer for offer in offers):
        return replace(table, hands=hands, offers=offers)
    return _playing(table, table.bids, hands)


def card_played(table: Playing, event: CardPlayed) -> Table:
    """The card moves from hand to trick."""
    seat, card = event.seat, event.card
    hands = table.hands
    trick = (*table.trick, card)
    return replace(
        table,
        hands=(*hands[:seat], without(hands[seat], (card,)), *hands[seat + 1 :]),
        trick=trick,
        turn=None if len(trick) == len(hands) else (seat + 1) % len(hands),
        broken=table.broken or breaks_spades(table, seat, card),
    )


def trick_taken(table: Playing, event: TrickTaken) -> Table:
    """The winner leads the next, while there are cards."""
    taken = table.taken
    count = len(table.hands)
    plays = tuple(
        CardPlayed((table.leader + place) % count, card) for place, card in enumerate(table.trick)
    )
    return replace(
        table,
        leader=event.seat,
        turn=event.seat if any(table.hands) else None,
        taken=(*taken[: event.seat], taken[event.seat] + 1, *taken[event.seat + 1 :]),
        trick=(),
        last_trick=plays,
        trick_number=table.trick_number + 1,
        lowest_clubs=False,
    )


def round_scored(table: Playing, event: RoundScored) -> Table:
    """The running scores move on."""
    standings = tuple(Standing(side.score, side.bags) for side in event.sides)
    return BetweenRounds(replace(table.match, standings=standings))


def game_finished(table: Opened, event: GameFinished) -> Table:
    """Nothing follows."""
    return Finished(table.match, event.winner, event.reason)


CHANGES: Final[Mapping[tuple[type, type], Callable[[Any, Any], Table]]] = {
    (Unopened, TableOpened): table_opened,
    **{(phase, SeatTaken): seat_taken for phase in SAT_AT},
    **{(phase, SeatLeft): seat_left for phase in SAT_AT},
    **{(phase, PlayerBack): player_back for phase in SAT_AT},
    **{(phase, GameFinished): game_finished for phase in (*SAT_AT, BetweenRounds)},
    (Seating, GameStarted): game_started,
    (BetweenRounds, RoundDealt): round_dealt,
    (Drawing, CardDrawn): card_drawn,
    (Bidding, HandSeen): hand_seen,
    (Bidding, BidPlaced): bid_placed,
    (Bidding, DealThrownIn): deal_thrown_in,
    (Exchanging, CardsOffered): cards_offered,
    (Exchanging, CardsExchanged): cards_exchanged,
    (Playing, CardPlayed): card_played,
    (Playing, TrickTaken): trick_taken,
    (Playing, RoundScored): round_scored,
}
"""Which event changes which phase; any other is Impossible."""

MOVES: Final = frozenset({CardDrawn, BidPlaced, CardsOffered, CardPlayed})
"""The events that show whether a player is there."""

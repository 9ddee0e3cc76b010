"""A viewer sees what everybody sees, and of what is hidden their own."""

from typing import Final

import pytest

from spades.cards import Card, Hand
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
    RoundDealt,
    RoundScored,
    SeatLeft,
    SeatTaken,
    SideScore,
    TableOpened,
    TrickTaken,
)
from spades.refusals import RefusalCode
from spades.rules import CLASSIC
from spades.state import Unopened
from spades.state import opened as known_open
from spades.table import replay
from spades.view import (
    CardDrawnView,
    CardsExchangedView,
    CardsOfferedView,
    Phase,
    PlayerView,
    PlayView,
    RoundDealtView,
    RoundView,
    SeatView,
    SideView,
    Status,
    TableOpenedView,
    TableView,
    Viewer,
    awaited_seats,
    event_view,
    seat_of,
    turn,
    view,
)
from support.table_spec import (
    SEED,
    E,
    History,
    N,
    S,
    W,
    bidding,
    cards,
    drawn,
    exchanging,
    given,
    opened,
    play,
    playing,
    plays,
    rule_set,
    said,
    seated,
    trick,
)

BLIND: Final = rule_set(blind_nil=100)
MODERN: Final = rule_set("modern", blind_nil_behind=None)
TWO_HANDED: Final = rule_set("two-handed")
HANDS: Final = ("C2 C3 SA", "D2 D3 SK", "H2 H3 SQ", "D7 D8 SJ")
EVERYBODY: Final[tuple[Viewer, ...]] = (None, N, E, S, W)
NAMES: Final = {"player-0": "Ann", "player-1": "Ben"}
NOTHING: Final = (SideScore(0, 0, (), 0, 0),) * 2


def seen(viewer: Viewer, *history: History | Event) -> TableView:
    """What a viewer sees of the table that a history leads to."""
    table = known_open(given(*history).table)
    return view(table, viewer, id="table-1", version=7, names=NAMES)


def hand(viewer: Viewer, *history: History | Event) -> Hand | None:
    return seen(viewer, *history).hand


# The table


def test_a_view_names_its_table_version_viewer_and_rules() -> None:
    shown = seen(E, bidding(*HANDS, rules=MODERN))
    assert (shown.id, shown.version, shown.seat, shown.rules) == ("table-1", 7, E, MODERN)
    assert seen(None, bidding(*HANDS)).seat is None


def test_players_are_shown_by_id_and_name_and_an_empty_seat_is_empty() -> None:
    shown = seen(None, opened(), SeatTaken(N, "player-0"), SeatTaken(W, "nameless"))
    assert [seat.number for seat in shown.seats] == [0, 1, 2, 3]
    assert [seat.player for seat in shown.seats] == [
        PlayerView("player-0", "Ann"), None, None, PlayerView("nameless", ""),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("history", "status", "phase"),
    [
        (seated(), Status.SEATING, Phase.SEATING),
        (bidding(rules=TWO_HANDED, rest="SA H2"), Status.PLAYING, Phase.DRAWING),
        (bidding(*HANDS), Status.PLAYING, Phase.BIDDING),
        (exchanging(*HANDS, rules=MODERN, bids="blind 1 1 1"), Status.PLAYING, Phase.EXCHANGING),
        (playing(*HANDS), Status.PLAYING, Phase.PLAYING),
        ((*playing(), RoundScored(NOTHING)), Status.PLAYING, Phase.BETWEEN_ROUNDS),
        (
            (*playing(), RoundScored(NOTHING), GameFinished((N, S), EndReason.TARGET)),
            Status.FINISHED,
            Phase.FINISHED,
        ),
    ],
)
def test_a_view_says_how_far_the_table_is(history: History, status: Status, phase: Phase) -> None:
    shown = seen(N, history)
    assert (shown.status, shown.phase) == (status, phase)


def test_that_deals_are_set_is_shown_and_what_they_are_is_not() -> None:
    deals = (tuple(map(cards, HANDS)),)
    assert seen(None, opened(deals=deals)).set_deals
    assert not seen(None, opened()).set_deals


def test_the_dealer_is_shown_once_chosen_or_drawn() -> None:
    assert seen(None, opened()).dealer is None
    assert seen(None, opened(dealer=S)).dealer == S
    assert seen(None, bidding(*HANDS, dealer=E)).dealer == E


def test_the_winner_is_shown_at_the_end() -> None:
    over = (*playing(), RoundScored(NOTHING))
    assert seen(N, over).winner is None
    assert seen(N, over, GameFinished((E, W), EndReason.FLOOR)).winner == (E, W)
    assert seen(N, over, GameFinished((), EndReason.ROUNDS)).winner == ()


def test_scores_and_bags_are_the_sides() -> None:
    shown = seen(None, bidding(*HANDS, scores=(120, -7), bags=(0, 3)))
    assert [(side.seats, side.score, side.bags) for side in shown.sides] == [
        ((N, S), 120, 0), ((E, W), -7, 3),
    ]  # fmt: skip


# Whom the table waits for


def test_the_turn_is_shown_to_everybody() -> None:
    for viewer in EVERYBODY:
        shown = seen(viewer, bidding(*HANDS), said("N 3"))
        assert (shown.turn, shown.awaited) == (E, (E,))


def test_while_cards_are_exchanged_several_are_awaited_and_nobody_is_in_turn() -> None:
    history = exchanging(*HANDS, rules=MODERN, bids="blind 1 1 1")
    assert (seen(None, history).turn, seen(None, history).awaited) == (None, (N, S))
    chosen = (*history, CardsOffered(N, cards("C2 C3")))
    assert seen(None, chosen).awaited == (S,)


@pytest.mark.parametrize("history", [seated(), (*playing(), RoundScored(NOTHING))])
def test_where_nobody_has_a_move_nobody_is_awaited(history: History) -> None:
    table = given(history).table
    assert (turn(table), awaited_seats(table)) == (None, ())


# The hand


@pytest.mark.parametrize("viewer", [N, E, S, W])
def test_a_player_sees_the_own_hand_and_of_the_others_how_many(viewer: int) -> None:
    for history in (bidding(*HANDS), playing(*HANDS)):
        shown = seen(viewer, history)
        assert shown.hand == cards(HANDS[viewer])
        assert [seat.card_count for seat in shown.seats] == [3, 3, 3, 3]


def test_who_watches_sees_no_hand() -> None:
    for history in (bidding(*HANDS), playing(*HANDS)):
        assert hand(None, history) is None


@pytest.mark.parametrize("history", [seated(), (*playing(), RoundScored(NOTHING))])
def test_where_no_cards_are_out_nobody_sees_a_hand(history: History) -> None:
    assert [hand(viewer, history) for viewer in EVERYBODY] == [None] * 5
    assert [seat.card_count for seat in seen(N, history).seats] == [0, 0, 0, 0]


def test_a_card_played_has_left_the_hand() -> None:
    shown = seen(N, playing(*HANDS), plays("N:C2"))
    assert shown.hand == cards("C3 SA")
    assert [seat.card_count for seat in shown.seats] == [2, 3, 3, 3]


def test_a_hand_withheld_is_shown_to_nobody_and_its_player_is_told_so() -> None:
    history = bidding(*HANDS, rules=BLIND, withheld=(N, S))
    shown = seen(N, history)
    assert (shown.hand, shown.hand_withheld) == (None, True)
    assert shown.seats[N].card_count == 3
    assert (seen(E, history).hand, seen(E, history).hand_withheld) == (cards(HANDS[E]), False)
    assert not seen(None, history).hand_withheld


@pytest.mark.parametrize("event", [HandSeen(N), BidPlaced(N, 3), BidPlaced(N, 0, blind=True)])
def test_a_hand_withheld_is_shown_once_its_player_has_looked_or_bid(event: Event) -> None:
    shown = seen(N, bidding(*HANDS, rules=BLIND, withheld=(N, S)), event)
    assert (shown.hand, shown.hand_withheld) == (cards(HANDS[N]), False)
    assert seen(S, bidding(*HANDS, rules=BLIND, withheld=(N, S)), event).hand is None


# What may be done


def test_legal_bids_are_shown_to_who_is_in_turn_alone() -> None:
    shown = [seen(viewer, bidding(*HANDS)).legal_bids for viewer in EVERYBODY]
    assert shown == [(), tuple(range(14)), (), (), ()]


def test_legal_bids_tell_nothing_of_a_hand_withheld() -> None:
    whiz = rule_set("whiz", blind_nil=100)
    before = seen(N, bidding("C2 SA", rules=whiz, withheld=(N,)))
    assert (before.legal_bids, before.may_bid_blind) == ((0,), True)
    after = seen(N, bidding("C2 SA", rules=whiz, withheld=(N,)), HandSeen(N))
    assert (after.legal_bids, after.may_bid_blind) == ((0, 1), False)


def test_whether_a_blind_bid_is_open_is_shown_to_who_is_in_turn() -> None:
    history = bidding(*HANDS, rules=BLIND, withheld=(N, E, S, W))
    assert [seen(viewer, history).may_bid_blind for viewer in EVERYBODY] == [
        False, True, False, False, False,
    ]  # fmt: skip
    assert not seen(N, bidding(*HANDS)).may_bid_blind


def test_legal_plays_are_shown_to_who_is_in_turn_alone() -> None:
    history = (*playing("C2", "C3 C9 SK", "C4 SQ", "C5"), *plays("N:C2"))
    shown = [seen(viewer, history).legal_plays for viewer in EVERYBODY]
    assert shown == [(), (), cards("C3 C9"), (), ()]


def test_two_equal_cards_are_one_legal_play() -> None:
    shown = seen(0, playing("C3 C3 C4", rules=rule_set("six-handed")))
    assert (shown.hand, shown.legal_plays) == (cards("C3 C3 C4"), cards("C3 C4"))


# The bids


def test_bids_are_shown_as_they_are_made_and_the_contract_when_the_side_has_bid() -> None:
    shown = seen(None, bidding(*HANDS, rules=BLIND), said("N 3, E blind, S 0"))
    assert [(seat.bid, seat.blind) for seat in shown.seats] == [
        (3, False), (0, True), (0, False), (None, False),
    ]  # fmt: skip
    assert [side.contract for side in shown.sides] == [3, None]


def test_bids_stay_to_be_seen_while_cards_are_played() -> None:
    shown = seen(None, playing(*HANDS, bids="3 4 nil 2"))
    assert [seat.bid for seat in shown.seats] == [3, 4, 0, 2]
    assert [side.contract for side in shown.sides] == [3, 6]


# The exchange


def test_what_a_player_offers_is_shown_to_nobody_else_until_both_have_chosen() -> None:
    history = (
        *exchanging(*HANDS, rules=MODERN, bids="blind 1 1 1"), CardsOffered(N, cards("C2 C3")),
    )  # fmt: skip
    assert [seen(viewer, history).offered for viewer in EVERYBODY] == [
        None, cards("C2 C3"), None, None, None,
    ]  # fmt: skip
    assert hand(S, history) == cards(HANDS[S])


def test_after_the_swap_each_sees_the_new_hand() -> None:
    history = (
        *exchanging(*HANDS, rules=MODERN, bids="blind 1 1 1"),
        CardsOffered(N, cards("C2 C3")),
        CardsOffered(S, cards("H2 H3")),
        CardsExchanged((N, S), (cards("C2 C3"), cards("H2 H3"))),
    )
    assert hand(N, history) == cards("H2 H3 SA")
    assert hand(S, history) == cards("C2 C3 SQ")
    assert seen(N, history).offered is None


# The draw


def test_the_top_card_is_shown_to_who_is_in_turn_alone() -> None:
    history = bidding(rules=TWO_HANDED, rest="SA H2 C3 D4")
    assert [seen(viewer, history).top_card for viewer in (None, 0, 1)] == [None, Card.SA, None]
    kept = (*history, CardDrawn(0, True, Card.SA, Card.H2))
    assert [seen(viewer, kept).top_card for viewer in (None, 0, 1)] == [None, None, Card.C3]
    assert [seen(viewer, kept).hand for viewer in (None, 0, 1)] == [None, cards("SA"), ()]
    assert [seat.card_count for seat in seen(1, kept).seats] == [1, 0]


def test_after_the_draw_nobody_has_a_top_card() -> None:
    assert seen(0, drawn("SA H2", "C3 D4", rules=TWO_HANDED)).top_card is None


# The round


def test_the_round_has_its_number_and_its_tricks() -> None:
    history = playing("C2 S2", "C3 S3", "C4 S4", "H5 S5", number=4)
    assert seen(None, bidding(*HANDS, number=4)).round == RoundView(4)
    assert seen(None, history).round == RoundView(4, trick_number=1)
    assert seen(None, history, plays("N:C2 E:C3")).round == RoundView(
        4, trick=(PlayView(N, Card.C2), PlayView(E, Card.C3)), trick_number=1
    )
    assert seen(None, history, trick("N:C2 E:C3 S:C4 W:H5", S)).round == RoundView(
        4,
        last_trick=(
            PlayView(N, Card.C2),
            PlayView(E, Card.C3),
            PlayView(S, Card.C4),
            PlayView(W, Card.H5),
        ),
        trick_number=2,
    )


def test_a_later_trick_begins_at_its_leader() -> None:
    history = (
        *playing("C2 S2 D2", "C3 S3 D3", "C4 S4 D4", "H5 S5 D5"),
        *trick("N:C2 E:C3 S:C4 W:H5", S),
        *plays("S:S4 W:S5"),
    )
    shown = seen(None, history).round
    assert shown is not None
    assert shown.trick == (PlayView(S, Card.S4), PlayView(W, Card.S5))
    assert shown.last_trick[0] == PlayView(N, Card.C2)
    after = seen(None, history, trick("N:S2 E:S3", W)).round
    assert after is not None
    assert [play.seat for play in after.last_trick] == [S, W, N, E]


def test_that_spades_are_broken_is_shown() -> None:
    shown = [
        seen(None, playing("C2 H2", "S3 H3"), plays(words)).round for words in ("N:C2", "N:C2 E:S3")
    ]
    assert [of_round is not None and of_round.spades_broken for of_round in shown] == [False, True]


@pytest.mark.parametrize("history", [seated(), (*playing(), RoundScored(NOTHING))])
def test_where_no_cards_are_out_there_is_no_round(history: History) -> None:
    assert seen(N, history).round is None


@pytest.mark.parametrize(("preset", "counted"), [("classic", 3), ("cheettukali", 1)])
def test_the_tricks_of_a_failed_nil_count_for_the_side_by_the_rule_set(
    preset: str, counted: int
) -> None:
    history = (
        *playing(*HANDS, rules=rule_set(preset), bids="nil 4 3 2"),
        *(TrickTaken(seat) for seat in (N, N, S, E)),
    )
    shown = seen(None, history)
    assert [seat.taken for seat in shown.seats] == [2, 1, 1, 0]
    assert shown.sides == (SideView((N, S), 3, counted, 0, 0), SideView((E, W), 6, 1, 0, 0))


def test_a_seat_is_all_that_everybody_may_know_of_it() -> None:
    history = (*playing(*HANDS, bids="3 4 nil 2"), TrickTaken(E), *plays("E:D2"))
    assert seen(W, history).seats[E] == SeatView(
        number=E,
        player=PlayerView("player-1", "Ben"),
        bot=False,
        level=None,
        away=False,
        card_count=2,
        bid=4,
        blind=False,
        taken=1,
    )


# Events

HELD: Final = tuple(map(cards, HANDS))


@pytest.mark.parametrize("viewer", EVERYBODY)
def test_the_opening_is_shown_without_the_deals_that_are_set(viewer: Viewer) -> None:
    event = TableOpened(CLASSIC, "ann", S, (HELD,), ("N", "E", "S", "W"))
    assert event_view(event, viewer) == TableOpenedView(
        CLASSIC, "ann", S, set_deals=True, turn_seconds=None, private=False
    )
    dealt_at_random = TableOpened(CLASSIC, "ann", None)
    assert event_view(dealt_at_random, viewer) == TableOpenedView(
        CLASSIC, "ann", None, set_deals=False, turn_seconds=None, private=False
    )


def test_a_deal_shows_each_player_the_own_hand_unless_it_is_withheld() -> None:
    event = RoundDealt(3, W, HELD, cards("D9"), (N, S), SEED.hex())
    assert [event_view(event, viewer) for viewer in EVERYBODY] == [
        RoundDealtView(3, W, own, (N, S)) for own in (None, None, HELD[E], None, HELD[W])
    ]


@pytest.mark.parametrize("viewer", [None, 0, 1])
def test_two_handed_the_deal_shows_nobody_a_card(viewer: Viewer) -> None:
    event = RoundDealt(1, 0, ((), ()), cards("SA H2"), (), SEED.hex())
    assert event_view(event, viewer) == RoundDealtView(1, 0, None, ())


def test_a_card_kept_is_shown_to_its_player_and_the_one_that_went_face_down_to_nobody() -> None:
    event = CardDrawn(0, True, Card.SA, Card.H2)
    assert [event_view(event, viewer) for viewer in (None, 0, 1)] == [
        CardDrawnView(0, True, None, None),
        CardDrawnView(0, True, Card.SA, None),
        CardDrawnView(0, True, None, None),
    ]


def test_a_card_looked_at_and_discarded_is_shown_to_its_player_beside_the_one_taken() -> None:
    event = CardDrawn(0, False, Card.H2, Card.SA)
    assert [event_view(event, viewer) for viewer in (None, 0, 1)] == [
        CardDrawnView(0, False, None, None),
        CardDrawnView(0, False, Card.H2, Card.SA),
        CardDrawnView(0, False, None, None),
    ]


def test_an_offer_shows_its_cards_to_who_chose_them() -> None:
    event = CardsOffered(N, cards("C2 C3"))
    assert [event_view(event, viewer) for viewer in EVERYBODY] == [
        CardsOfferedView(N, own) for own in (None, cards("C2 C3"), None, None, None)
    ]


def test_a_swap_shows_both_partners_what_they_gave_and_received() -> None:
    event = CardsExchanged((N, S), (cards("C2 C3"), cards("H2 H3")))
    assert [event_view(event, viewer) for viewer in EVERYBODY] == [
        CardsExchangedView((N, S), None, None),
        CardsExchangedView((N, S), cards("C2 C3"), cards("H2 H3")),
        CardsExchangedView((N, S), None, None),
        CardsExchangedView((N, S), cards("H2 H3"), cards("C2 C3")),
        CardsExchangedView((N, S), None, None),
    ]


@pytest.mark.parametrize("viewer", EVERYBODY)
@pytest.mark.parametrize(
    "event",
    [
        SeatTaken(N, "ann"),
        SeatLeft(N, "ann"),
        GameStarted(N),
        DealThrownIn(N),
        HandSeen(N),
        BidPlaced(N, 0, blind=True),
        CardPlayed(N, Card.SA),
        TrickTaken(N),
        RoundScored(NOTHING),
        GameFinished((N, S), EndReason.TARGET),
    ],
    ids=lambda event: type(event).__name__,
)
def test_all_else_is_public(event: Event, viewer: Viewer) -> None:
    assert event_view(event, viewer) == event


# The same before and after


@pytest.mark.parametrize("viewer", EVERYBODY)
def test_a_view_after_a_reconnect_is_the_view_before(viewer: Viewer) -> None:
    history = (*playing(*HANDS), *plays("N:C2 E:D2"))
    live = replay(history[-1:], replay(history[:-1]))
    assert view(known_open(live), viewer, id="table-1", version=7, names=NAMES) == seen(
        viewer, history
    )


# Who sits where


def test_a_player_is_seen_by_seat_and_anybody_else_watches() -> None:
    table = given(opened(), SeatTaken(S, "ann")).table
    assert [seat_of(table, player) for player in ("ann", "ben", None)] == [S, None, None]
    assert seat_of(Unopened(), "ann") is None


def test_who_has_left_watches() -> None:
    table = given(opened(), SeatTaken(S, "ann"), SeatLeft(S, "ann")).table
    assert seat_of(table, "ann") is None


def test_an_empty_seat_is_nobodys() -> None:
    assert seat_of(given(opened()).table, None) is None


def test_where_nothing_has_happened_there_is_nothing_to_see() -> None:
    with pytest.raises(ValueError, match="has not been opened"):
        known_open(Unopened())


# Answers


@pytest.mark.parametrize("card", ["SK", "SA", "C3"])
def test_out_of_turn_an_answer_is_the_same_whoever_holds_the_card(card: str) -> None:
    history = given(playing("C2 SA", "C3 SK"), plays("N:C2"))
    history.when(play(S, card)).refuses(
        RefusalCode.NOT_YOUR_TURN, "it is seat 1's turn to play, not seat 2's"
    )

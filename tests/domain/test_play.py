"""Follow suit; spades trump and must be broken; first tricks of lowest clubs; jokers and deuces."""

from itertools import pairwise
from typing import Final

import pytest

from spades.cards import Card, in_order
from spades.events import CardPlayed, TrickTaken
from spades.pack import pack
from spades.play import legal_plays
from spades.refusals import RefusalCode
from spades.rules import CLASSIC, Rules
from spades.seats import Seat
from spades.state import Playing
from support.table_spec import (
    E,
    Given,
    History,
    N,
    S,
    W,
    cards,
    drawn,
    exchanging,
    given,
    offer,
    play,
    playing,
    plays,
    rule_set,
    said,
    trick,
)

CAMPUS: Final = rule_set("campus")
ANY_TIME: Final = rule_set(spade_lead="any-time")
LOWEST_CLUBS: Final = rule_set(first_trick="lowest-clubs")
BIG_LITTLE: Final = rule_set("jokers")
DEUCES: Final = rule_set("joker-joker-deuce-deuce")
EVERYBODY: Final = (N, E, S, W)


def table(history: Given) -> Playing:
    assert isinstance(history.table, Playing)
    return history.table


def legal(*history: History) -> str:
    """What the player in turn may play, in words."""
    return " ".join(legal_plays(table(given(*history))))


def turn(*history: History) -> Seat | None:
    return table(given(*history)).turn


def broken(*history: History) -> bool:
    return table(given(*history)).broken


def taken_by(words: str, leader: Seat = N, rules: Rules = CLASSIC) -> Seat:
    """Who takes these cards, in the order played, of hands that hold one more card each."""
    played = words.split()
    seats = [(leader + step) % len(played) for step in range(len(played))]
    spare = "D5" if played[0][0] == "H" else "H5"
    hands = [f"{played[seats.index(seat)]} {spare}" for seat in range(len(played))]
    *first, last = zip(seats, played, strict=True)
    history = given(
        playing(*hands, rules=rules, dealer=leader - 1),
        plays(" ".join(f"{seat}:{card}" for seat, card in first)),
    )
    played_last, taken = history.when(play(*last)).events
    assert played_last == CardPlayed(last[0], Card(last[1]))
    assert isinstance(taken, TrickTaken)
    return taken.seat


# Whose turn it is


@pytest.mark.parametrize("dealer", EVERYBODY)
def test_left_of_the_dealer_leads_to_the_first_trick(dealer: Seat) -> None:
    assert turn(playing("C2", "C3", "C4", "C5", dealer=dealer)) == (dealer + 1) % 4


@pytest.mark.parametrize("leader", EVERYBODY)
def test_play_goes_clockwise(leader: Seat) -> None:
    history = playing("C2 H2", "C3 H3", "C4 H4", "C5 H5", dealer=leader - 1)
    for step in range(4):
        seat = (leader + step) % 4
        card = f"C{seat + 2}"
        assert turn(history) == seat
        for other in EVERYBODY:
            if other != seat:
                given(history).when(play(other, f"C{other + 2}")).refuses(
                    RefusalCode.NOT_YOUR_TURN, f"it is seat {seat}'s turn to play, not seat {other}"
                )
        given(history).when(play(seat, card)).brings(CardPlayed(seat, Card(card)))
        history = (*history, CardPlayed(seat, Card(card)))


@pytest.mark.parametrize("winner", EVERYBODY)
def test_the_winner_of_a_trick_leads_the_next(winner: Seat) -> None:
    hands = ["C5 H5"] * 4
    hands[winner] = "CA H5"
    history = playing(*hands)
    for seat in EVERYBODY[:3]:
        history = (*history, CardPlayed(seat, Card(hands[seat].split()[0])))
    last = given(history).when(play(W, hands[W].split()[0]))
    last.then(CardPlayed(W, Card(hands[W].split()[0])), TrickTaken(winner))
    after = last.table
    assert isinstance(after, Playing)
    assert (after.turn, after.leader, after.trick_number) == (winner, winner, 2)


# Following suit


def test_any_card_but_a_spade_may_be_led_at_first() -> None:
    assert legal(playing("C2 D3 H4 S5 SA")) == "C2 D3 H4"


@pytest.mark.parametrize("led", ["C4", "D4", "H4"])
def test_who_holds_the_suit_led_must_follow_it(led: str) -> None:
    hand = "C9 CT D9 DT H9 HT S9"
    history = (*playing(led, hand), *plays(f"N:{led}"))
    assert legal(history) == f"{led[0]}9 {led[0]}T"
    wrong = next(card for card in hand.split() if card[0] != led[0])
    given(history).when(play(E, wrong)).refuses(RefusalCode.MUST_FOLLOW_SUIT)


def test_no_spade_is_played_while_the_suit_led_is_held() -> None:
    given(playing("C4", "C9 CK SA"), plays("N:C4")).when(play(E, "SA")).refuses(
        RefusalCode.MUST_FOLLOW_SUIT, "seat 1 must follow clubs: holds CK C9"
    )


def test_a_spade_led_is_followed_by_a_spade() -> None:
    given(playing("S4", "S9 CK"), plays("N:S4")).when(play(E, "CK")).refuses(
        RefusalCode.MUST_FOLLOW_SUIT, "seat 1 must follow spades: holds S9"
    )


def test_who_cannot_follow_plays_anything_a_spade_too() -> None:
    assert legal(playing("C4", "D2 H3 S4 SA"), plays("N:C4")) == "D2 H3 S4 SA"


def test_the_suit_to_follow_is_that_of_the_card_led_not_of_the_card_before() -> None:
    assert legal(playing("C4", "HA", "C9 H9"), plays("N:C4 E:HA")) == "C9"


# Who takes the trick


@pytest.mark.parametrize("leader", EVERYBODY)
@pytest.mark.parametrize(
    ("played", "place"),
    [
        pytest.param("C4 C9 CK C7", 2, id="the highest card of the suit led"),
        pytest.param("CA CK CQ CJ", 0, id="the card led, where it is the highest"),
        pytest.param("C2 C3 C4 C5", 3, id="the last, where it is the highest"),
        pytest.param("CT CJ C9 C8", 1, id="the jack over the ten"),
        pytest.param("D4 CA HA D5", 3, id="no discard, however high"),
        pytest.param("D2 CA HA CK", 0, id="the card led, where nobody follows"),
        pytest.param("CA S2 CK CQ", 1, id="a spade over the ace led"),
        pytest.param("CA S2 S9 CK", 2, id="a higher spade over a spade"),
        pytest.param("CA S9 S2 CK", 1, id="the higher of two spades, whoever came later"),
        pytest.param("C2 S3 S4 S5", 3, id="the highest of three spades"),
        pytest.param("S4 HA SK DA", 2, id="the highest spade, where a spade was led"),
        pytest.param("S2 HA CA DA", 0, id="a spade led that nobody follows"),
    ],
)
def test_the_trick_goes_to(played: str, place: int, leader: Seat) -> None:
    assert taken_by(played, leader) == (leader + place) % 4


@pytest.mark.parametrize(
    ("rules", "suit", "order"),
    [
        (CLASSIC, "clubs", "C2 C3 C4 C5 C6 C7 C8 C9 CT CJ CQ CK CA"),
        (CLASSIC, "diamonds", "D2 D3 D4 D5 D6 D7 D8 D9 DT DJ DQ DK DA"),
        (CLASSIC, "hearts", "H2 H3 H4 H5 H6 H7 H8 H9 HT HJ HQ HK HA"),
        (CLASSIC, "spades", "S2 S3 S4 S5 S6 S7 S8 S9 ST SJ SQ SK SA"),
        (BIG_LITTLE, "clubs", "C3 C4 C5 C6 C7 C8 C9 CT CJ CQ CK CA"),
        (BIG_LITTLE, "diamonds", "D2 D3 D4 D5 D6 D7 D8 D9 DT DJ DQ DK DA"),
        (BIG_LITTLE, "hearts", "H3 H4 H5 H6 H7 H8 H9 HT HJ HQ HK HA"),
        (BIG_LITTLE, "spades", "S2 S3 S4 S5 S6 S7 S8 S9 ST SJ SQ SK SA LJ BJ"),
        (DEUCES, "clubs", "C3 C4 C5 C6 C7 C8 C9 CT CJ CQ CK CA"),
        (DEUCES, "diamonds", "D3 D4 D5 D6 D7 D8 D9 DT DJ DQ DK DA"),
        (DEUCES, "hearts", "H3 H4 H5 H6 H7 H8 H9 HT HJ HQ HK HA"),
        (DEUCES, "spades", "S3 S4 S5 S6 S7 S8 S9 ST SJ SQ SK SA S2 D2 LJ BJ"),
    ],
)
def test_each_card_of_a_suit_beats_all_below_it(rules: Rules, suit: str, order: str) -> None:
    ladder = order.split()
    discarded = "CA CK" if suit == "hearts" else "HA HK"
    for low, high in pairwise(ladder):
        assert taken_by(f"{low} {discarded} {high}", rules=rules) == W
        assert taken_by(f"{high} {discarded} {low}", rules=rules) == N


# Breaking spades


def test_a_spade_may_not_be_led_until_spades_are_broken() -> None:
    given(playing("CA S9 SA")).when(play(N, "SA")).refuses(
        RefusalCode.SPADES_NOT_BROKEN,
        "seat 0 may not lead a spade before spades are broken: holds CA",
    )


def test_a_spade_discarded_on_another_suit_breaks_spades() -> None:
    before = playing("CA S9", "S2 H2", "C3 H3", "C4 H4")
    assert not broken(before, plays("N:CA"))
    assert broken(before, plays("N:CA E:S2"))
    after = trick("N:CA E:S2 S:C3 W:C4", E)
    assert legal(playing("CA", "S2 S3 H2", "C3", "C4"), after) == "H2 S3"


def test_broken_spades_stay_broken() -> None:
    after = (
        *playing("CA H9 SA", "S2 HA D2", "C3 H3 D3", "C4 H4 D4"),
        *trick("N:CA E:S2 S:C3 W:C4", N),
        *trick("N:H9 E:HA S:H3 W:H4", N),
    )
    assert broken(after)
    given(after).when(play(N, "SA")).then(CardPlayed(N, Card.SA))


def test_a_discard_that_is_no_spade_breaks_nothing() -> None:
    assert not broken(playing("CA", "H2"), plays("N:CA E:H2"))


def test_a_spade_may_be_led_from_a_hand_of_only_spades() -> None:
    assert legal(playing("S3 S9 SA")) == "S3 S9 SA"
    given(playing("S3 S9")).when(play(N, "S9")).then(CardPlayed(N, Card.S9))


@pytest.mark.parametrize(("rules", "breaks"), [(CLASSIC, False), (CAMPUS, True)])
def test_a_spade_led_from_a_hand_of_only_spades_breaks_them_where_leads_do(
    rules: Rules, breaks: bool
) -> None:
    led = (*playing("S3 S9", "S4 H2", "S5 H3", "SA H4 S6", rules=rules), *plays("N:S3"))
    assert broken(led) is breaks
    taken = (*led, *plays("E:S4 S:S5 W:SA"), TrickTaken(W))
    assert legal(taken) == ("H4 S6" if breaks else "H4")


@pytest.mark.parametrize("breaks", ["discard", "discard-or-lead"])
def test_a_spade_that_follows_a_spade_breaks_nothing(breaks: str) -> None:
    rules = rule_set(spade_lead="any-time", breaks=breaks)
    assert not broken(playing("S3 H2", "S9", "S4", rules=rules), plays("N:S3 E:S9 S:S4"))


def test_where_spades_are_led_at_any_time_they_need_not_be_broken() -> None:
    assert legal(playing("CA S9", rules=ANY_TIME)) == "CA S9"
    given(playing("CA S9", rules=ANY_TIME)).when(play(N, "S9")).then(CardPlayed(N, Card.S9))


@pytest.mark.parametrize("breaks", ["discard", "discard-or-lead"])
def test_a_spade_led_beside_other_suits_does_not_break_them(breaks: str) -> None:
    rules = rule_set(spade_lead="any-time", breaks=breaks)
    assert not broken(playing("CA S9", rules=rules), plays("N:S9"))


def test_every_round_begins_with_spades_unbroken() -> None:
    last = given(playing("CA", "S2", "C3", "C4", bids="13 13 13 13"), plays("N:CA E:S2 S:C3")).when(
        play(W, "C4")
    )
    again = given(last.history, last.events, said("E 1, S 1, W 1, N 1"))
    assert not table(again).broken
    assert table(again).trick_number == 1


# The trick of lowest clubs


def test_the_holder_of_the_2_of_clubs_leads() -> None:
    for seat in EVERYBODY:
        hands = ["C3 C9"] * 4
        hands[seat] = "C2 C9"
        history = playing(*hands, rules=LOWEST_CLUBS)
        assert turn(history) == seat
        assert legal(history) == "C2"


def test_everyone_plays_the_lowest_club_they_hold() -> None:
    history = playing("C2 HA", "C5 CK D2", "C3", "C4", rules=LOWEST_CLUBS)
    given(history).when(play(N, "HA")).refuses(
        RefusalCode.MUST_PLAY_LOWEST_CLUB, "seat 0 must play the lowest club to the first trick: C2"
    )
    assert legal(history, plays("N:C2")) == "C5"
    for wrong in ("CK", "D2"):
        given(history, plays("N:C2")).when(play(E, wrong)).refuses(
            RefusalCode.MUST_PLAY_LOWEST_CLUB, "C5"
        )


def test_without_a_club_any_diamond_or_heart_is_played_to_it() -> None:
    history = (*playing("C2", "D4 DA H3 S2", rules=LOWEST_CLUBS), *plays("N:C2"))
    assert legal(history) == "D4 DA H3"
    given(history).when(play(E, "S2")).refuses(
        RefusalCode.NO_SPADE_ON_FIRST_TRICK,
        "seat 1 may not play a spade to the first trick: holds H3 DA D4",
    )


def test_a_hand_of_only_spades_gives_any_of_them_and_does_not_take_it() -> None:
    history = playing("C2 H2", "S2 SA", "C9 H3", "C4 H4", rules=LOWEST_CLUBS)
    assert legal(history, plays("N:C2")) == "S2 SA"
    given(history, plays("N:C2 E:SA S:C9")).when(play(W, "C4")).then(plays("W:C4"), TrickTaken(S))


def test_a_spade_on_it_breaks_spades() -> None:
    history = playing("C2", "S2 SA", rules=LOWEST_CLUBS)
    assert broken(history, plays("N:C2 E:SA"))
    assert not broken(playing("C2", "H2", rules=LOWEST_CLUBS), plays("N:C2 E:H2"))


def test_a_higher_discard_does_not_take_it_either() -> None:
    history = playing("C2 H2", "DA H3", "HA D3", "C3 D4", rules=LOWEST_CLUBS)
    given(history, plays("N:C2 E:DA S:HA")).when(play(W, "C3")).then(plays("W:C3"), TrickTaken(W))


def test_only_the_first_trick_is_one_of_lowest_clubs() -> None:
    history = (
        *playing("C2 C6 S3", "C3 C7 CK", "C4 H2 H3", "C5 H4 H5", rules=LOWEST_CLUBS),
        *trick("N:C2 E:C3 S:C4 W:C5", W),
    )
    assert legal(history) == "H4 H5"
    assert legal(history, trick("W:H4 N:C6 E:C7 S:H2", E)) == "CK"
    assert legal(history, plays("W:H4")) == "C6 S3"
    assert legal(playing("C2 HA", "C3 CK", "C4 C5", rules=CLASSIC), plays("N:C2")) == "C3 CK"


def test_with_no_2_of_clubs_in_play_the_lowest_club_leads() -> None:
    assert turn(playing("C5", "C4 C9", "C3 SA", "C6", rules=LOWEST_CLUBS)) == S
    set_aside = playing(
        "C5", "C3", "C4", rules=rule_set("three-handed", first_trick="lowest-clubs"), rest="C2"
    )
    assert turn(set_aside) == E


@pytest.mark.parametrize(("dealer", "leads"), [(0, 2), (1, 2), (2, 5), (3, 5), (4, 5), (5, 2)])
def test_of_two_lowest_clubs_the_one_nearer_the_dealers_left_leads(
    dealer: Seat, leads: Seat
) -> None:
    rules = rule_set("six-handed", first_trick="lowest-clubs")
    hands = ["C9", "C8", "C3 CK", "C7", "C6", "C3 CA"]
    assert turn(playing(*hands, rules=rules, dealer=dealer)) == leads


@pytest.mark.parametrize(("identical", "taker"), [("first", 2), ("second", 4)])
def test_of_two_highest_clubs_on_it_the_rule_set_says_which_wins(
    identical: str, taker: Seat
) -> None:
    rules = rule_set("six-handed", first_trick="lowest-clubs", identical=identical)
    history = playing("C3 H2", "C5 H2", "CA H2", "S2 S3", "CA H2", "C9 H2", rules=rules)
    given(history, plays("0:C3 1:C5 2:CA 3:S2 4:CA")).when(play(5, "C9")).then(
        plays("5:C9"), TrickTaken(taker)
    )


def test_two_lowest_clubs_in_one_hand_are_one_choice() -> None:
    rules = rule_set("six-handed", first_trick="lowest-clubs")
    history = given(playing("C3 C3 C4", "C5", rules=rules))
    history.when(play(0, "C3")).then(plays("0:C3"))
    history.when(play(0, "C4")).refuses(RefusalCode.MUST_PLAY_LOWEST_CLUB)


def test_with_no_club_in_play_the_first_trick_is_an_ordinary_one() -> None:
    rules = rule_set("two-handed", first_trick="lowest-clubs")
    history = (*drawn("D4 S5 H2", "S2 DK D9", rules=rules), *said("0 1, 1 1"))
    assert turn(history) == 0
    assert legal(history) == "D4 H2"
    given(history).when(play(0, "S5")).refuses(RefusalCode.SPADES_NOT_BROKEN)
    assert legal(history, plays("0:D4")) == "D9 DK"


def test_with_no_club_in_play_a_spade_takes_the_first_trick() -> None:
    rules = rule_set("two-handed", first_trick="lowest-clubs")
    history = (*drawn("D4 D5", "S2 H9", rules=rules), *said("0 1, 1 1"), *plays("0:D4"))
    given(history).when(play(1, "S2")).then(plays("1:S2"), TrickTaken(1))


def test_one_club_in_play_is_enough_and_leads_alone() -> None:
    rules = rule_set("two-handed", first_trick="lowest-clubs")
    history = (*drawn("D4 S5", "CK D9", rules=rules), *said("0 1, 1 1"))
    assert (turn(history), legal(history)) == (1, "CK")
    assert legal(history, plays("1:CK")) == "D4"


def test_with_jokers_the_lowest_club_is_the_3_and_no_joker_is_played_beside_other_suits() -> None:
    rules = rule_set("jokers", first_trick="lowest-clubs")
    history = playing("C4", "C3 BJ", "D2 LJ", "BJ LJ S3", rules=rules)
    assert turn(history) == E
    assert legal(history, plays("E:C3")) == "D2"
    assert legal(history, plays("E:C3 S:D2")) == "S3 LJ BJ"


def test_with_deuces_the_2_of_diamonds_is_no_diamond_on_it() -> None:
    rules = rule_set("joker-joker-deuce-deuce", first_trick="lowest-clubs")
    history = playing("C3 H4", "D2 D3 H9", "D2 S2", "C4 H5", rules=rules)
    assert legal(history, plays("N:C3")) == "D3 H9"
    assert legal(history, plays("N:C3 E:D3")) == "D2 S2"
    given(history, plays("N:C3 E:D3 S:D2")).when(play(W, "C4")).then(plays("W:C4"), TrickTaken(W))


def test_after_an_exchange_who_holds_the_lowest_club_then_leads() -> None:
    rules = rule_set("lowest-club", exchange=2)
    history = exchanging("C2 H2", "C3 H3", "D8 D9", "C4 H4", rules=rules, bids="blind 1 1 1")
    swapped = given(history).when(offer(N, "C2 H2"))
    after = given(swapped.history, swapped.events).when(offer(S, "D8 D9")).table
    assert isinstance(after, Playing)
    assert after.turn == S


# Jokers and deuces


@pytest.mark.parametrize("rules", [BIG_LITTLE, DEUCES])
@pytest.mark.parametrize("joker", ["BJ", "LJ"])
def test_a_joker_follows_spades_breaks_them_and_waits_until_they_are_broken(
    rules: Rules, joker: str
) -> None:
    assert legal(playing("SA", f"HA {joker}", rules=rules), plays("N:SA")) == joker
    assert legal(playing(f"HA {joker}", rules=rules)) == "HA"
    assert legal(playing(f"S3 {joker}", rules=rules)) == f"S3 {joker}"
    assert broken(playing("CA", f"HA {joker}", rules=rules), plays(f"N:CA E:{joker}"))
    given(playing(joker, "S3 HA", rules=rules), plays(f"N:{joker}")).when(play(E, "HA")).refuses(
        RefusalCode.MUST_FOLLOW_SUIT, "must follow spades"
    )


def test_with_deuces_the_2_of_diamonds_is_a_spade_and_never_a_diamond() -> None:
    assert legal(playing("DA", "D2 H4 HA", rules=DEUCES), plays("N:DA")) == "D2 H4 HA"
    assert legal(playing("DA", "D2 D3", rules=DEUCES), plays("N:DA")) == "D3"
    assert legal(playing("SA", "D2 D3", rules=DEUCES), plays("N:SA")) == "D2"
    assert legal(playing("D2 D3", rules=DEUCES)) == "D3"
    assert broken(playing("DA", "D2", rules=DEUCES), plays("N:DA E:D2"))
    assert not broken(playing("D2", "S3", rules=DEUCES), plays("N:D2 E:S3"))


def test_without_deuces_the_2_of_diamonds_is_a_diamond() -> None:
    assert legal(playing("DA", "D2 D3", rules=BIG_LITTLE), plays("N:DA")) == "D2 D3"
    assert not broken(playing("CA", "D2", rules=BIG_LITTLE), plays("N:CA E:D2"))


# Two packs


@pytest.mark.parametrize(("identical", "places"), [("first", (0, 1, 1)), ("second", (2, 3, 4))])
def test_of_two_equal_cards_the_rule_set_says_which_wins(
    identical: str, places: tuple[int, ...]
) -> None:
    rules = rule_set("six-handed", identical=identical)
    tricks = ("CA C4 CA C5 C6 C7", "C3 CA C4 CA C5 C6", "C3 S9 C4 CA S9 C6")
    assert tuple(taken_by(played, 0, rules) for played in tricks) == places


@pytest.mark.parametrize("identical", ["first", "second"])
def test_two_equal_cards_that_do_not_win_change_nothing(identical: str) -> None:
    rules = rule_set("six-handed", identical=identical)
    assert taken_by("CK C4 CK C5 CA C7", 0, rules) == 4
    assert taken_by("CA HK HK C5 C6 C7", 0, rules) == 0


def test_of_two_equal_cards_in_one_hand_each_is_played_once() -> None:
    rules = rule_set("six-handed")
    history = (*playing("CA", "C3 C3 H4", rules=rules), *plays("0:CA 1:C3"))
    assert table(given(history)).hands[1] == (Card.C3, Card.H4)


# The pack


@pytest.mark.parametrize(
    ("preset", "count", "missing"),
    [
        ("classic", 52, "BJ LJ"),
        ("two-handed", 52, "BJ LJ"),
        ("three-handed", 52, "BJ LJ"),
        ("cutthroat", 52, "BJ LJ"),
        ("jokers", 52, "H2 C2"),
        ("joker-joker-deuce-deuce", 52, "H2 C2"),
        ("six-handed", 102, "C2 BJ LJ"),
    ],
)
def test_a_pack_has_its_cards(preset: str, count: int, missing: str) -> None:
    whole = pack(rule_set(preset))
    copies = 2 if preset == "six-handed" else 1
    assert len(whole) == count
    assert in_order(whole) == tuple(
        card for card in Card if card not in cards(missing) for _ in range(copies)
    )


# Several rules broken at once


def test_a_card_not_held_is_refused() -> None:
    given(playing("C2")).when(play(N, "SA")).refuses(
        RefusalCode.CARD_NOT_HELD, "seat 0 does not hold SA"
    )


def test_a_card_already_played_is_not_held_any_more() -> None:
    history = (
        *playing("CA HA", "C3 H3", "C4 H4", "C5 H5"),
        *trick("N:CA E:C3 S:C4 W:C5", N),
    )
    given(history).when(play(N, "CA")).refuses(RefusalCode.CARD_NOT_HELD)


@pytest.mark.parametrize(
    ("history", "seat", "card", "code"),
    [
        pytest.param(
            playing("C2", "H2"), E, "SA", RefusalCode.NOT_YOUR_TURN, id="turn before card held"
        ),
        pytest.param(
            playing("C2", "C3 H2"), E, "H2", RefusalCode.NOT_YOUR_TURN, id="turn before leading"
        ),
        pytest.param(
            (*playing("C2", "C3 H2"), *plays("N:C2")), E, "HA", RefusalCode.CARD_NOT_HELD,
            id="card held before following",
        ),
        pytest.param(
            playing("C2 S2"), N, "SA", RefusalCode.CARD_NOT_HELD, id="card held before breaking"
        ),
        pytest.param(
            playing("C2 S2", rules=LOWEST_CLUBS), N, "CA", RefusalCode.CARD_NOT_HELD,
            id="card held before lowest club",
        ),
        pytest.param(
            playing("C2 S2", rules=LOWEST_CLUBS), N, "S2", RefusalCode.MUST_PLAY_LOWEST_CLUB,
            id="lowest club before breaking",
        ),
        pytest.param(
            (*playing("C2", "C3 S2", rules=LOWEST_CLUBS), *plays("N:C2")), E, "S2",
            RefusalCode.MUST_PLAY_LOWEST_CLUB, id="lowest club before no spade and following",
        ),
    ],
)  # fmt: skip
def test_a_play_that_breaks_several_rules_is_told_the_first(
    history: History, seat: Seat, card: str, code: RefusalCode
) -> None:
    given(history).when(play(seat, card)).refuses(code)

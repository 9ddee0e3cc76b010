"""After a blind nil both partners choose two cards, and swap them before the first lead."""

from typing import Final

import pytest

from spades.cards import Hand
from spades.events import CardsExchanged, CardsOffered
from spades.refusals import RefusalCode
from spades.rules import Rules
from spades.seats import Seat
from spades.state import Exchanging, Playing
from support.table_spec import (
    E,
    Given,
    History,
    N,
    S,
    W,
    cards,
    exchanging,
    given,
    offer,
    play,
    rule_set,
)

MODERN: Final = rule_set("modern", blind_nil_behind=None)
HANDS: Final = ("C2 C3 SA", "D2 D3 SK", "H2 H3 SQ", "D7 D8 SJ")


def blind_nil(bids: str = "blind 3 3 3", rules: Rules = MODERN) -> History:
    return exchanging(*HANDS, rules=rules, bids=bids)


def awaits(*history: History) -> list[Seat]:
    table = given(*history).table
    if not isinstance(table, Exchanging):
        return []
    return [seat for seat, choice in enumerate(table.offers) if choice is None]


def offered(seat: Seat, words: str) -> History:
    return (CardsOffered(seat, cards(words)),)


def hands(history: Given) -> tuple[Hand, ...]:
    assert isinstance(history.table, Exchanging | Playing)
    return history.table.hands


# Who chooses


@pytest.mark.parametrize(
    ("bids", "seats"),
    [
        ("blind 3 3 3", [N, S]),
        ("3 3 blind 3", [N, S]),
        ("3 blind 3 3", [E, W]),
        ("blind 3 blind 3", [N, S]),
        ("blind 3 nil 3", [N, S]),
        ("blind 3 3 blind", [N, E, S, W]),
        ("nil 3 3 3", []),
        ("3 3 3 3", []),
    ],
)
def test_a_blind_nil_bidder_and_the_partner_choose_and_nobody_else(
    bids: str, seats: list[Seat]
) -> None:
    assert awaits(blind_nil(bids)) == seats


def test_where_the_rule_set_has_no_exchange_the_play_begins_at_once() -> None:
    table = given(blind_nil(rules=rule_set(blind_nil=200))).table
    assert isinstance(table, Playing)


def test_where_each_plays_alone_there_is_none() -> None:
    rules = rule_set("cutthroat", blind_nil=200)
    assert isinstance(given(blind_nil(rules=rules)).table, Playing)


def test_six_handed_the_partner_sits_three_seats_apart() -> None:
    rules = rule_set("six-handed", blind_nil=200, exchange=2)
    assert awaits(exchanging(rules=rules, bids="1 blind 1 1 1 1")) == [1, 4]


# The choice


@pytest.mark.parametrize("seat", [N, S])
def test_either_may_choose_first_and_the_choice_lies_hidden(seat: Seat) -> None:
    first = given(blind_nil()).when(offer(seat, " ".join(HANDS[seat].split()[:2])))
    first.then(offered(seat, " ".join(HANDS[seat].split()[:2])))
    assert hands(given(first.history, first.events)) == hands(given(first.history))


def test_any_two_cards_held_may_be_chosen_in_any_order() -> None:
    given(blind_nil()).when(offer(N, "SA C2")).then(offered(N, "C2 SA"))


def test_with_the_second_choice_the_cards_change_hands() -> None:
    both = given(blind_nil(), offered(N, "C2 SA")).when(offer(S, "H2 H3"))
    both.then(
        offered(S, "H2 H3"),
        CardsExchanged(seats=(N, S), cards=(cards("C2 SA"), cards("H2 H3"))),
    )
    assert hands(given(both.history, both.events)) == (
        cards("C3 H2 H3"),
        cards("D2 D3 SK"),
        cards("C2 SQ SA"),
        cards("D7 D8 SJ"),
    )


def test_it_does_not_matter_who_chose_first() -> None:
    both = given(blind_nil(), offered(S, "H2 H3")).when(offer(N, "C2 SA"))
    both.brings(CardsExchanged(seats=(N, S), cards=(cards("C2 SA"), cards("H2 H3"))))


def test_then_the_player_left_of_the_dealer_leads() -> None:
    both = given(blind_nil(), offered(N, "C2 C3")).when(offer(S, "H2 H3"))
    assert isinstance(both.table, Playing)
    assert both.table.turn == N


def test_both_partners_blind_swap_once() -> None:
    both = given(blind_nil("blind 3 blind 3"), offered(N, "C2 C3")).when(offer(S, "H2 H3"))
    assert isinstance(both.table, Playing)


@pytest.mark.parametrize("first", [(N, S, E, W), (N, E, S, W), (W, N, S, E), (E, N, W, S)])
def test_two_sides_swap_each_when_its_own_choices_are_in(first: tuple[Seat, ...]) -> None:
    history = blind_nil("blind blind 3 3")
    swapped: list[tuple[Seat, Seat]] = []
    for step, seat in enumerate(first):
        chosen = given(history).when(offer(seat, " ".join(HANDS[seat].split()[:2])))
        swapped += [event.seats for event in chosen.events if isinstance(event, CardsExchanged)]
        history = (*history, *chosen.events)
        assert awaits(history) == sorted(first[step + 1 :])
    assert sorted(swapped) == [(N, S), (E, W)]
    table = given(history).table
    assert isinstance(table, Playing)
    assert table.hands == (
        cards("H2 H3 SA"), cards("D7 D8 SK"), cards("C2 C3 SQ"), cards("D2 D3 SJ"),
    )  # fmt: skip


# What is refused


def test_a_lead_before_it_is_out_of_phase() -> None:
    for history in (blind_nil(), (*blind_nil(), *offered(N, "C2 C3"))):
        given(history).when(play(N, "SA")).refuses(
            RefusalCode.WRONG_PHASE, "2 cards are being exchanged after a blind nil"
        )


def test_who_takes_no_part_has_no_cards_to_choose() -> None:
    given(blind_nil()).when(offer(E, "D2 D3")).refuses(
        RefusalCode.NOT_YOUR_TURN, "seat 1 has no cards to choose: seat 0 and seat 2 must"
    )


def test_a_choice_stands() -> None:
    given(blind_nil(), offered(N, "C2 C3")).when(offer(N, "C2 SA")).refuses(
        RefusalCode.NOT_YOUR_TURN, "seat 2 must"
    )


@pytest.mark.parametrize("words", ["", "C2", "C2 C3 SA"])
def test_two_cards_are_chosen(words: str) -> None:
    given(blind_nil()).when(offer(N, words)).refuses(
        RefusalCode.WRONG_NUMBER_OF_CARDS, f"must choose 2 cards, not {len(words.split())}"
    )


def test_cards_not_held_cannot_be_chosen() -> None:
    given(blind_nil()).when(offer(N, "C2 D2")).refuses(
        RefusalCode.CARD_NOT_HELD, "seat 0 does not hold D2"
    )


def test_a_card_held_once_cannot_be_chosen_twice() -> None:
    given(blind_nil()).when(offer(N, "C2 C2")).refuses(
        RefusalCode.CARD_NOT_HELD, "seat 0 does not hold C2 twice"
    )


def test_a_card_held_twice_can_be_chosen_twice() -> None:
    rules = rule_set("six-handed", blind_nil=200, exchange=2)
    history = exchanging("C3 C3 C4", rules=rules, bids="blind 1 1 1 1 1")
    given(history).when(offer(0, "C3 C3")).then(offered(0, "C3 C3"))


def test_a_seat_that_does_not_exist_chooses_nothing() -> None:
    given(blind_nil()).when(offer(4, "C2 C3")).refuses(RefusalCode.NO_SUCH_SEAT)


def test_the_count_is_told_before_the_cards() -> None:
    given(blind_nil()).when(offer(N, "D2")).refuses(RefusalCode.WRONG_NUMBER_OF_CARDS)


def test_the_turn_is_told_before_the_count() -> None:
    given(blind_nil()).when(offer(E, "D2")).refuses(RefusalCode.NOT_YOUR_TURN)

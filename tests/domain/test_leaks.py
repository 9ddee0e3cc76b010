"""The search for leaks finds what is hidden, however deep it lies and however it is spelled."""

from base64 import b64encode
from typing import Any, Final

import pytest
from msgspec import Struct, json, to_builtins

from spades.cards import Card
from spades.deal import deal
from spades.events import (
    CardDrawn,
    CardsExchanged,
    CardsOffered,
    GameStarted,
    HandSeen,
    RoundDealt,
    RoundScored,
)
from spades.history import only
from spades.rules import PRESETS
from support.games import steps
from support.leaks import Viewer, known_cards, leaks
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
    playing,
    plays,
    rule_set,
    said,
    seated,
    trick,
)

BLIND: Final = rule_set(blind_nil=100)
MODERN: Final = rule_set("modern", blind_nil_behind=None)
DEALT: Final = bidding("C2 SA", "C3 SK", "C4 SQ", "C5 SJ")
PLAYED: Final = (*playing("C2 SA", "C3 SK", "C4 SQ", "C5 SJ"), *plays("N:C2 E:C3"))


def known(history: History, viewer: Viewer) -> str:
    """The cards that a viewer may know, in order."""
    may_be_shown = known_cards(history, viewer)
    return " ".join(card for card in Card for _ in range(may_be_shown[card]))


# What a viewer may know


def test_a_player_knows_the_own_hand_and_who_watches_none() -> None:
    assert known(DEALT, N) == "C2 SA"
    assert known(DEALT, W) == "C5 SJ"
    assert known(DEALT, None) == ""


def test_before_the_first_deal_nobody_knows_anything() -> None:
    for viewer in (None, N):
        assert known(seated(), viewer) == ""


def test_cards_played_are_everybodys() -> None:
    assert known(PLAYED, None) == "C2 C3"
    assert known(PLAYED, N) == "C2 C3 SA"
    assert known((*PLAYED, *trick("S:C4 W:C5", W)), None) == "C2 C3 C4 C5"


@pytest.mark.parametrize("seen", [(HandSeen(N),), said("N 3"), said("N blind")])
def test_a_hand_withheld_is_known_once_looked_at_or_bid_on(seen: History) -> None:
    history = bidding("C2 SA", "C3 SK", rules=BLIND, withheld=(N, E))
    assert known(history, N) == ""
    assert known((*history, *seen), N) == "C2 SA"
    assert known((*history, *seen), E) == ""


def test_cards_offered_are_known_to_the_partner_once_the_exchange_is_complete() -> None:
    history: History = exchanging("C2 C3 C4", "D2", "H2 H3 H4", rules=MODERN, bids="blind 1 1 1")
    offered = (*history, CardsOffered(N, cards("C2 C3")), CardsOffered(S, cards("H2 H3")))
    assert [known(offered, seat) for seat in (N, S)] == ["C2 C3 C4", "H2 H3 H4"]
    swapped = (*offered, CardsExchanged((N, S), (cards("C2 C3"), cards("H2 H3"))))
    assert [known(swapped, seat) for seat in (N, S)] == ["C2 C3 C4 H2 H3", "C2 C3 H2 H3 H4"]
    assert [known(swapped, viewer) for viewer in (E, None)] == ["D2", ""]
    assert known((*swapped, *plays("N:H2")), S) == "C2 C3 H2 H3 H4"


def test_two_handed_a_player_knows_what_was_kept_or_looked_at() -> None:
    rules = rule_set("two-handed")
    stock = bidding(rules=rules, rest="C2 C3 D2 D3 H2 H3 S2 S3")
    assert [known(stock, viewer) for viewer in (0, 1, None)] == ["C2", "", ""]
    kept = (*stock, CardDrawn(0, True, Card.C2, Card.C3))
    assert [known(kept, viewer) for viewer in (0, 1, None)] == ["C2", "D2", ""]
    thrown = (*kept, CardDrawn(1, False, Card.D3, Card.D2))
    assert [known(thrown, viewer) for viewer in (0, 1, None)] == ["C2 H2", "D2 D3", ""]
    assert known(drawn("C2 C3", "D4 D5", rules=rules), 1) == "D4 D5"


def test_three_handed_the_card_set_aside_is_known_when_the_round_is_over() -> None:
    rules = rule_set("three-handed")
    history = (
        *playing("C2", "C3", "C4", rules=rules, rest="SA"),
        *trick("0:C2 1:C3 2:C4", 2),
    )
    assert [known(history, viewer) for viewer in (0, None)] == ["C2 C3 C4", "C2 C3 C4"]
    assert known((*history, RoundScored(())), None) == "C2 C3 C4 SA"


def test_the_next_deal_is_as_hidden_as_the_first() -> None:
    later = RoundDealt(2, E, tuple(map(cards, ("D2", "D3", "D4", "D5"))), (), (), None)
    assert known((*PLAYED, later), N) == "D2"


def test_with_two_packs_a_card_is_known_as_often_as_it_was_seen() -> None:
    rules = rule_set("six-handed")
    history = (*playing("SA C3", "SA C4", "C5", "C6", rules=rules), *plays("0:C3"))
    assert known(history, 0) == "C3 SA"
    assert leaks(["SA", "SA"], history, 0) == ["SA in SA SA"]
    both = (*history, *plays("1:SA"))
    assert known(both, 0) == "C3 SA SA"
    assert leaks(["SA", "SA"], both, 0) == []


def test_a_card_given_to_the_partner_is_not_known_twice_when_it_is_played() -> None:
    rules = rule_set("six-handed", blind_nil=200, exchange=2)
    history = (
        *exchanging("C3 C4 C5", "", "", "D3 D4 D5", rules=rules, bids="blind 1 1 1 1 1"),
        CardsExchanged((0, 3), (cards("C3 C4"), cards("D3 D4"))),
        *plays("3:C3"),
    )
    assert known(history, 0) == "C3 C4 C5 D3 D4"


# What is found


class Nested(Struct):
    inside: Any


@pytest.mark.parametrize(
    "payload",
    [
        Card.SK,
        "SK",
        "seat 1 holds SK",
        "E:SK",
        "(SK)",
        "C3SK",
        "SA,SK",
        ["SK"],
        ("SA", "SK"),
        {"SK"},
        frozenset({Card.SK}),
        {"hand": ["SK"]},
        {"SK": 1},
        {"a": [{"b": ({"c": "SK"},)}]},
        Nested({"hands": [["SA"], ["SK"]]}),
        [Nested(Nested("SK"))],
        b"SK",
        bytearray(b'data: {"hand": ["SK"]}'),
        memoryview(b'{"hand": ["SK"]}'),
        '{"hand": ["\\u0053K"]}',
        {"extensions": {"trace": '{"args": "[\\"SK\\"]"}'}},
    ],
)
def test_a_hidden_card_is_found(payload: object) -> None:
    assert leaks(payload, DEALT, N)
    assert leaks(payload, DEALT, None)
    assert not any(found.startswith("SK") for found in leaks(payload, DEALT, E))


@pytest.mark.parametrize(
    "payload",
    ["C2 SA", ["C2", "SA"], {"hand": [Card.SA]}, b'["SA"]', None, 7, True, 1.5, "", [], {}],
)
def test_what_a_viewer_may_know_is_no_leak(payload: object) -> None:
    assert leaks(payload, DEALT, N) == []


@pytest.mark.parametrize("word", ["SKY", "ASK", "SK3", "sk", "0SK", "table-SKA", "CAKE", "KS"])
def test_letters_in_another_word_are_no_card(word: str) -> None:
    assert leaks(word, DEALT, N) == []


def test_a_joker_is_a_card() -> None:
    history = bidding("C3", "BJ LJ", rules=rule_set("jokers"))
    assert leaks("LJ", history, N)
    assert leaks({"hand": ["BJ"]}, history, N)


@pytest.mark.parametrize("viewer", [None, N, E])
def test_the_seed_of_a_deal_is_found_in_any_spelling(viewer: Viewer) -> None:
    for spelled in (SEED.hex(), SEED.hex().upper(), b64encode(SEED).decode()):
        assert "the seed of a deal" in leaks({"note": f"seed {spelled}."}, DEALT, viewer)


def test_a_hand_set_for_a_later_round_is_found_when_every_card_is_known() -> None:
    rules = PRESETS["classic"].rules
    deals = (deal(rules, 0, bytes(32))[0], deal(rules, 0, SEED)[0])
    history: History = (
        *seated(deals=deals),
        GameStarted(W),
        RoundDealt(1, W, deals[0], (), (), None),
        *said("N 1, E 1, S 1, W 1"),
        *(
            play
            for seat, hand in enumerate(deals[0])
            for play in plays(" ".join(f"{seat}:{card}" for card in hand))
        ),
    )
    assert sum(known_cards(history, None).values()) == 52
    assert leaks({"deal": deals[0]}, history, None) == []
    assert leaks({"deal": deals[1]}, history, None)
    assert leaks({"deal": json.encode(deals[1][2][::-1])}, history, None)


@pytest.mark.parametrize("preset", ["classic", "two-handed", "three-handed", "six-handed"])
@pytest.mark.parametrize("viewer", [None, 0, 1])
def test_a_deal_as_the_service_holds_it_leaks_to_everybody(preset: str, viewer: Viewer) -> None:
    started = next(
        step for step in steps(PRESETS[preset].rules, seed=3) if only(RoundDealt, step.events)
    )
    assert leaks(started.events, started.history, viewer)
    assert leaks(to_builtins(started.after), started.history, viewer)
    assert leaks(json.encode(started.after), started.history, viewer)

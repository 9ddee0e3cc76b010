"""Deals from a seed: anyone can repeat `spades-deal/1` from its description."""

import hmac
from collections import Counter
from collections.abc import Iterator
from struct import unpack
from typing import Final

import pytest

from spades.cards import STANDARD, Card, Hand, in_order, spoken, without
from spades.commands import OpenTable, StartGame
from spades.deal import Hands, deal, first_dealer, shuffled
from spades.events import GameStarted, RoundDealt, TableOpened
from spades.pack import pack
from spades.refusals import RefusalCode
from spades.rules import CLASSIC, Rules
from spades.seats import LAYOUTS, Seat
from support.play_out import play_out
from support.table_spec import SEED, N, S, W, cards, given, play, plays, rule_set, said, seated

TWO_HANDED: Final = rule_set("two-handed")
THREE_HANDED: Final = rule_set("three-handed")
SIX_HANDED: Final = rule_set("six-handed")
JOKERS: Final = rule_set("jokers")
PRESETS: Final = ("classic", "two-handed", "three-handed", "six-handed", "cutthroat", "jokers")


def seed(number: int) -> bytes:
    return number.to_bytes(32, "big")


# The description, carried out anew: nothing below is the domain's


def words(seed: bytes, purpose: str) -> Iterator[int]:
    """Steps 1 and 2."""
    block = 0
    while True:
        text = f"spades-deal/1:{purpose}:{block}"
        yield from unpack(">8I", hmac.new(seed, text.encode("ascii"), "sha256").digest())
        block += 1


def number_below(n: int, numbers: Iterator[int]) -> int:
    """Step 3."""
    largest_multiple = 2**32 // n * n
    word = next(numbers)
    while word >= largest_multiple:
        word = next(numbers)
    return word % n


def pack_of(game: str) -> list[str]:
    """Step 4, the standard order."""
    standard = [suit + rank for suit in "CDHS" for rank in "23456789TJQKA"]
    if game == "six-handed":
        return standard[1:] + standard[1:]
    if game == "jokers":
        return [card for card in standard if card not in ("C2", "H2")] + ["LJ", "BJ"]
    return standard


def deal_of(game: str, seats: int, dealer: int, seed: bytes) -> tuple[list[list[str]], list[str]]:
    """Steps 4 and 5: the hands as they came, and what is left."""
    order = pack_of(game)
    numbers = words(seed, "deal")
    for place in reversed(range(1, len(order))):
        other = number_below(place + 1, numbers)
        order[place], order[other] = order[other], order[place]
    each = {"two-handed": 0, "three-handed": 17, "six-handed": 17}.get(game, 13)
    hands: list[list[str]] = [[] for _ in range(seats)]
    seat = dealer
    for _ in range(each * seats):
        seat = (seat + 1) % seats
        hands[seat].append(order.pop(0))
    return hands, order


@pytest.mark.parametrize("game", PRESETS)
def test_the_description_alone_leads_to_the_same_deals(game: str) -> None:
    rules = rule_set(game)
    seats = LAYOUTS[rules.game].seats
    for number in range(40):
        hands, rest = deal_of(game, seats, number % seats, seed(number))
        dealt, left = deal(rules, number % seats, seed(number))
        assert dealt == tuple(in_order(map(Card, hand)) for hand in hands)
        assert left == tuple(rest)


@pytest.mark.parametrize("game", PRESETS)
def test_the_description_alone_leads_to_the_same_first_dealer(game: str) -> None:
    rules = rule_set(game)
    seats = LAYOUTS[rules.game].seats
    for number in range(40):
        expected = number_below(seats, words(seed(number), "dealer"))
        assert first_dealer(rules, seed(number)) == expected


@pytest.mark.parametrize("number", [1_870_531, 2_199_195, 6_323_237])
def test_a_word_that_is_too_high_is_thrown_away(number: int) -> None:
    """Seeds so rare that they had to be looked for."""
    drawn = words(seed(number), "deal")
    assert any(word >= 2**32 // n * n for n, word in zip(range(52, 1, -1), drawn, strict=False))
    hands, _ = deal_of("classic", 4, 0, seed(number))
    assert deal(CLASSIC, 0, seed(number))[0] == tuple(in_order(map(Card, hand)) for hand in hands)


# Test vectors

COUNTED_UP: Final = bytes(range(32))
HANDS: Final[dict[str, tuple[str, Seat, bytes, tuple[str, ...], str]]] = {
    "classic, dealt by seat 0 from 32 zero bytes": (
        "classic",
        0,
        bytes(32),
        (
            "C5 C9 CJ D4 D6 D7 DQ H4 HQ S4 S5 SJ SQ",
            "C4 C8 CQ D5 D8 DT H3 H5 H6 HT S9 ST SK",
            "C6 C7 D2 D3 DJ DK DA H2 HJ HA S2 S6 S8",
            "C2 C3 CT CK CA D9 H7 H8 H9 HK S3 S7 SA",
        ),
        "",
    ),
    "classic, dealt by seat 3": (
        "classic",
        3,
        COUNTED_UP,
        (
            "C2 C4 CK CA D2 D3 D5 D6 DK DA H6 H9 HK",
            "C6 C7 D4 D7 D9 DT DQ H3 H4 H7 H8 S3 SQ",
            "C5 C9 CT DJ H2 H5 HT HJ HQ S4 S5 SJ SA",
            "C3 C8 CJ CQ D8 HA S2 S6 S7 S8 S9 ST SK",
        ),
        "",
    ),
    "classic, with the first word thrown away": (
        "classic",
        0,
        seed(1_870_531),
        (
            "C4 DT DA H2 H8 H9 S2 S4 S6 S8 S9 SJ SK",
            "C8 CT CJ CK D4 D6 D7 DJ HQ S3 S7 ST SA",
            "C2 C6 C7 C9 CQ CA D2 D5 D8 DK HJ HA S5",
            "C3 C5 D3 D9 DQ H3 H4 H5 H6 H7 HT HK SQ",
        ),
        "",
    ),
    "three-handed, dealt by seat 1": (
        "three-handed",
        1,
        COUNTED_UP,
        (
            "C2 C4 C5 C7 C8 C9 D7 H3 H5 H8 H9 HK S8 S9 SQ SK SA",
            "C3 C6 CJ CK CA D2 D8 D9 DT DJ DA HT HJ HQ S2 S3 S4",
            "CT CQ D3 D4 D5 D6 DQ DK H2 H4 H6 H7 HA S5 S7 ST SJ",
        ),
        "S6",
    ),
    "six-handed, dealt by seat 5": (
        "six-handed",
        5,
        COUNTED_UP,
        (
            "C3 C4 C9 CQ CK D9 DT DT DQ H4 H8 HJ HK S3 S4 S8 S9",
            "C4 C5 CK D5 D6 D8 DQ DA H6 H9 HT HJ HQ S6 S7 SJ SK",
            "C5 C6 D3 D4 D6 D7 D9 DJ DK H7 HT HQ HK S3 S4 SQ SA",
            "C7 CT CJ CA D5 DK DA H4 H5 H6 H7 H8 HA S5 S9 SQ SK",
            "C9 CT CJ CA D2 D3 D7 H2 H3 H5 HA S7 S8 ST ST SJ SA",
            "C3 C6 C7 C8 C8 CQ D2 D4 D8 DJ H2 H3 H9 S2 S2 S5 S6",
        ),
        "",
    ),
    "jokers, dealt by seat 2": (
        "jokers",
        2,
        COUNTED_UP,
        (
            "C7 C8 D5 D8 DT DJ DK H5 H6 H9 HT S5 SA",
            "C6 CT CJ DQ H4 H7 HQ HK HA S6 S7 SK BJ",
            "C4 C9 CQ CK D9 S3 S4 S8 S9 ST SJ SQ LJ",
            "C3 C5 CA D2 D3 D4 D6 D7 DA H3 H8 HJ S2",
        ),
        "",
    ),
    "two-handed, the stock": (
        "two-handed",
        1,
        COUNTED_UP,
        ("", ""),
        "H6 D7 S4 HA HK C6 CT S8 CK DQ C9 CJ D3 H8 HJ CQ C2 S3 SJ SK D2 H4 SA C3 D5 SQ "
        "DJ S7 C4 DT S5 S9 DA D4 H5 D8 D6 C7 HT ST H9 D9 H2 C8 CA H7 C5 S2 DK H3 HQ S6",
    ),
}


@pytest.mark.parametrize("vector", HANDS.values(), ids=HANDS)
def test_a_seed_deals_these_hands(vector: tuple[str, Seat, bytes, tuple[str, ...], str]) -> None:
    preset, dealer, from_seed, hands, rest = vector
    assert deal(rule_set(preset), dealer, from_seed) == (tuple(map(cards, hands)), cards(rest))


def test_a_seed_gives_these_words_and_dealers() -> None:
    drawn = words(bytes(32), "deal")
    assert [next(drawn) for _ in range(3)] == [2_482_288_000, 3_132_558_038, 2_132_679_845]
    dealers = [first_dealer(rule_set(preset), COUNTED_UP) for preset in PRESETS[:4]]
    assert dealers == [1, 1, 2, 5]


# What a deal is


@pytest.mark.parametrize("game", PRESETS)
def test_a_deal_is_the_whole_pack_once(game: str) -> None:
    rules = rule_set(game)
    hands, rest = deal(rules, 0, SEED)
    assert Counter([*rest, *(card for hand in hands for card in hand)]) == Counter(pack(rules))
    assert [len(hand) for hand in hands] == [
        0 if game == "two-handed" else LAYOUTS[rules.game].cards_each
    ] * LAYOUTS[rules.game].seats


@pytest.mark.parametrize("dealer", range(4))
def test_cards_are_dealt_one_at_a_time_from_the_dealers_left(dealer: Seat) -> None:
    order = shuffled(STANDARD, SEED)
    hands, _ = deal(CLASSIC, dealer, SEED)
    for place, card in enumerate(order):
        assert card in hands[(dealer + 1 + place) % 4]


@pytest.mark.parametrize("game", ["three-handed", "classic", "six-handed"])
def test_another_dealer_deals_the_same_hands_to_other_seats(game: str) -> None:
    rules = rule_set(game)
    first, _ = deal(rules, 0, SEED)
    second, _ = deal(rules, 1, SEED)
    assert second == (first[-1], *first[:-1])


def test_three_handed_the_card_set_aside_is_the_last_of_the_pack() -> None:
    _, rest = deal(THREE_HANDED, 0, SEED)
    assert rest == shuffled(STANDARD, SEED)[-1:]


def test_two_handed_nobody_is_dealt_a_card_and_the_stock_lies_as_it_was_shuffled() -> None:
    assert deal(TWO_HANDED, 0, SEED) == (((), ()), shuffled(STANDARD, SEED))


def test_hands_are_sorted_by_suit_and_upwards_and_jokers_last() -> None:
    assert in_order(cards("BJ S2 SA H9 CT C2 LJ D3")) == cards("C2 CT D3 H9 S2 SA LJ BJ")
    for game in ("classic", "jokers"):
        assert all(hand == in_order(hand) for hand in deal(rule_set(game), 0, SEED)[0])


def test_cards_in_a_sentence_are_highest_first() -> None:
    assert spoken(cards("H4 HK C2 BJ")) == "BJ HK H4 C2"


def test_a_card_leaves_a_hand_once() -> None:
    assert without(cards("C3 C3 H4"), cards("C3")) == cards("C3 H4")
    with pytest.raises(ValueError, match="not in list"):
        without(cards("C3 H4"), cards("C3 C3"))


# Chance


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_seed_is_32_bytes(length: int) -> None:
    with pytest.raises(ValueError, match=f"a seed is 32 bytes, not {length}"):
        deal(CLASSIC, 0, bytes(length))


def test_a_fresh_seed_deals_other_hands() -> None:
    assert len({deal(CLASSIC, 0, seed(number)) for number in range(500)}) == 500


def test_every_bit_of_the_seed_counts() -> None:
    zero = deal(CLASSIC, 0, bytes(32))
    assert all(deal(CLASSIC, 0, (1 << bit).to_bytes(32, "big")) != zero for bit in range(256))


def test_every_card_falls_to_every_seat_about_as_often() -> None:
    deals = 2_000
    falls = Counter(
        (card, seat)
        for number in range(deals)
        for seat, hand in enumerate(deal(CLASSIC, 0, seed(number))[0])
        for card in hand
    )
    assert len(falls) == 52 * 4
    assert all(400 < count < 600 for count in falls.values())


def test_every_card_is_set_aside_about_as_often() -> None:
    aside = Counter(deal(THREE_HANDED, 0, seed(number))[1] for number in range(5_200))
    assert len(aside) == 52
    assert all(60 < count < 140 for count in aside.values())


def test_every_seat_deals_first_about_as_often() -> None:
    dealers = Counter(first_dealer(CLASSIC, seed(number)) for number in range(4_000))
    assert len(dealers) == 4
    assert all(900 < count < 1_100 for count in dealers.values())


def test_every_round_of_a_game_is_dealt_from_the_seed_of_its_own_command() -> None:
    events = play_out(rule_set(max_rounds=3, target=1_000_000), seed=5)
    deals = [event for event in events if isinstance(event, RoundDealt)]
    assert len(deals) == len({dealt.seed for dealt in deals}) == 3
    for dealt in deals:
        assert dealt.seed is not None
        again = deal(CLASSIC, dealt.dealer, bytes.fromhex(dealt.seed))
        assert (dealt.hands, dealt.rest) == again


# Deals that a platform sets


def set_deal(rules: Rules, number: int) -> Hands:
    """A sound deal as a platform would set it."""
    hands, rest = deal(rules, 0, seed(number))
    return (rest,) if rules is TWO_HANDED else hands


@pytest.mark.parametrize("rules", [CLASSIC, THREE_HANDED, SIX_HANDED, JOKERS])
def test_a_set_deal_is_dealt_as_it_is_set_from_no_seed(rules: Rules) -> None:
    hands = set_deal(rules, 1)
    _, rest = deal(rules, 0, seed(1))
    started = given(seated(rules, dealer=2, deals=(hands,))).when(StartGame(SEED))
    started.then(GameStarted(2), RoundDealt(1, 2, hands, rest, (), None))


def test_two_handed_a_set_deal_is_the_stock_top_card_first() -> None:
    stock = set_deal(TWO_HANDED, 1)[0]
    started = given(seated(TWO_HANDED, dealer=0, deals=((stock,),))).when(StartGame(SEED))
    started.then(GameStarted(0), RoundDealt(1, 0, ((), ()), stock, (), None))


def test_a_set_hand_may_be_set_in_any_order() -> None:
    hands = set_deal(CLASSIC, 1)
    mixed = tuple(tuple(reversed(hand)) for hand in hands)
    given(seated(dealer=0, deals=(mixed,))).when(StartGame(SEED)).brings(
        RoundDealt(1, 0, hands, (), (), None)
    )


def test_after_the_last_set_deal_the_next_is_dealt_from_a_seed() -> None:
    played = given(
        seated(deals=(set_deal(CLASSIC, 1),), dealer=W),
        GameStarted(W),
        RoundDealt(1, W, tuple(map(cards, ("C2", "C3", "C4", "C5"))), (), (), None),
        said("N 1, E 1, S 1, W 1"),
        plays("N:C2 E:C3 S:C4"),
    )
    hands, _ = deal(CLASSIC, N, SEED)
    played.when(play(W, "C5")).brings(RoundDealt(2, N, hands, (), (), SEED.hex()))


def test_each_round_has_its_own_set_deal() -> None:
    deals = (set_deal(CLASSIC, 1), set_deal(CLASSIC, 2), set_deal(CLASSIC, 3))
    played = given(
        seated(deals=deals, dealer=W),
        GameStarted(W),
        RoundDealt(2, W, tuple(map(cards, ("C2", "C3", "C4", "C5"))), (), (), None),
        said("N 1, E 1, S 1, W 1"),
        plays("N:C2 E:C3 S:C4"),
    )
    played.when(play(W, "C5")).brings(RoundDealt(3, N, deals[2], (), (), None))


def changed(hands: Hands, seat: Seat, hand: Hand) -> Hands:
    return (*hands[:seat], hand, *hands[seat + 1 :])


@pytest.mark.parametrize(
    ("rules", "hands", "told"),
    [
        pytest.param(
            CLASSIC, set_deal(CLASSIC, 1)[:3], "deal 1 holds 3 lists of cards, and partnership "
            "takes 4", id="a hand is missing",
        ),
        pytest.param(CLASSIC, (), "deal 1 holds 0 lists of cards", id="nothing is dealt"),
        pytest.param(
            CLASSIC, (*set_deal(CLASSIC, 1), ()), "holds 5 lists of cards", id="a hand too many"
        ),
        pytest.param(
            CLASSIC, changed(set_deal(CLASSIC, 1), S, set_deal(CLASSIC, 1)[S][1:]),
            "deal 1, list 2: 12 cards, and it takes 13", id="a card is missing",
        ),
        pytest.param(
            CLASSIC, changed(set_deal(CLASSIC, 1), W, (*set_deal(CLASSIC, 1)[W], Card.SA)),
            "deal 1, list 3: 14 cards, and it takes 13", id="a card too many",
        ),
        pytest.param(
            CLASSIC, changed(set_deal(CLASSIC, 1), N, set_deal(CLASSIC, 1)[S]),
            "stands too often in the deal", id="cards stand in two hands",
        ),
        pytest.param(
            CLASSIC, changed(set_deal(CLASSIC, 1), N, (Card.BJ, *set_deal(CLASSIC, 1)[N][1:])),
            "deal 1: BJ is not in the pack of this game", id="a joker in a game without",
        ),
        pytest.param(
            JOKERS, changed(set_deal(JOKERS, 1), N, (Card.C2, *set_deal(JOKERS, 1)[N][1:])),
            "deal 1: C2 is not in the pack of this game", id="a 2 that has left the pack",
        ),
        pytest.param(
            SIX_HANDED,
            changed(set_deal(SIX_HANDED, 1), N, (Card.C2, *set_deal(SIX_HANDED, 1)[N][1:])),
            "C2 is not in the pack of this game", id="the 2 of clubs six-handed",
        ),
        pytest.param(
            SIX_HANDED, changed(set_deal(SIX_HANDED, 1), N, (Card.SA,) * 17),
            "SA stands too often in the deal", id="a card three times six-handed",
        ),
        pytest.param(
            THREE_HANDED, changed(set_deal(THREE_HANDED, 1), N, set_deal(THREE_HANDED, 1)[S]),
            "stands too often in the deal", id="a card twice three-handed",
        ),
        pytest.param(
            TWO_HANDED, set_deal(CLASSIC, 1), "holds 4 lists of cards, and two-handed takes 1",
            id="hands two-handed",
        ),
        pytest.param(
            TWO_HANDED, (set_deal(TWO_HANDED, 1)[0][:51],), "list 0: 51 cards, and it takes 52",
            id="a short stock",
        ),
    ],
)  # fmt: skip
def test_a_set_deal_that_is_none_opens_no_table(rules: Rules, hands: Hands, told: str) -> None:
    given().when(OpenTable(rules, "ann", deals=(hands,))).refuses(RefusalCode.BAD_DEAL, told)


def test_the_set_deal_that_is_none_is_named_by_its_number() -> None:
    deals = (set_deal(CLASSIC, 1), set_deal(CLASSIC, 2)[1:])
    given().when(OpenTable(CLASSIC, "ann", deals=deals)).refuses(
        RefusalCode.BAD_DEAL, "deal 2 holds 3 lists"
    )


def test_sound_deals_open_a_table() -> None:
    for rules in (CLASSIC, TWO_HANDED, THREE_HANDED, SIX_HANDED, JOKERS):
        command = OpenTable(rules, "ann", deals=(set_deal(rules, 1), set_deal(rules, 2)))
        given().when(command).then(TableOpened(rules, "ann", None, command.deals))

"""The second opinion agrees with the golden numbers and with two whole recorded rounds."""

from itertools import chain
from typing import TypeAlias

import pytest

from support.second_opinion import (
    Bid,
    Rules,
    bid_refusal,
    breaks_spades,
    clubs_are_in_play,
    contradiction,
    first_leader,
    game_over,
    is_spade,
    legal_plays,
    may_bid_blind,
    pack,
    play_refusal,
    players,
    score_side,
    sides,
    tricks_in_round,
    trump_order,
    winner,
)

CLASSIC: Rules = {
    "game": "partnership",
    "target": 500,
    "floor": None,
    "max_rounds": 100,
    "nil": 100,
    "blind_nil": None,
    "blind_nil_behind": None,
    "exchange": 0,
    "failed_nil": "fill",
    "missed": "minus",
    "bags": "reset",
    "first_trick": "dealers-left",
    "breaks": "discard",
    "minimum_side_bid": 0,
    "jokers": "none",
    "bidding": "free",
    "spade_lead": "broken",
    "ten_for_200": "off",
    "double_nil": "each",
    "redeal": "off",
    "identical": "first",
}


def classic(**options: object) -> Rules:
    """Give the classic rules with what is named."""
    unknown = set(options) - set(CLASSIC)
    assert not unknown
    return {**CLASSIC, **options}


CARRY = classic(bags="carry")
BAGS = classic(bags="carry", failed_nil="bags")
ZERO = classic(missed="zero")
UNIT = classic(double_nil="unit")
BLIND = classic(bags="carry", blind_nil=200)
CAMPUS = classic(bags="carry", breaks="discard-or-lead")
LOWEST_CLUB = classic(nil=50, blind_nil=100, bags="carry", first_trick="lowest-clubs")


# The golden table

Golden: TypeAlias = tuple[Rules, list[Bid], list[int], int, int, int]

GOLDEN: dict[str, Golden] = {
    # name: rules, bids, tricks, bags before; change, bags after
    "a contract of 7 with 9 tricks": (CARRY, [4, 3], [5, 4], 0, 72, 2),
    "a contract of 7 with 6 tricks": (CLASSIC, [4, 3], [4, 2], 0, -70, 0),
    "a contract of 6 with 3 and 4 tricks": (CLASSIC, [4, 2], [3, 4], 0, 61, 1),
    "a contract of 8 with 6 tricks": (CLASSIC, [4, 4], [3, 3], 0, -80, 0),
    "a contract of 10 missed by one": (CLASSIC, [5, 5], [5, 4], 0, -100, 0),
    "a contract of 10 missed where a missed one is zero": (ZERO, [5, 5], [5, 4], 0, 0, 0),
    "13 missed beside a failed nil": (CLASSIC, [13, 0], [4, 1], 0, -230, 0),
    "three bags on nine before": (CARRY, [3, 3], [5, 4], 9, -37, 2),
    "nil made beside a contract made": (CLASSIC, [0, 6], [0, 6], 0, 160, 0),
    "nil failed but its trick fills the contract": (CLASSIC, [0, 6], [1, 5], 0, -40, 0),
    "ten bags in one round beside a nil": (CARRY, [3, 0], [13, 0], 0, 40, 0),
    "eleven bags on nine before": (CARRY, [1, 0], [12, 0], 9, -79, 0),
    "nil failed and its trick is one too many": (CLASSIC, [0, 2], [1, 2], 0, -79, 1),
    "nil failed filling a contract of 1": (CLASSIC, [0, 1], [1, 0], 0, -90, 0),
    "nil failed never filling a contract of 1": (BAGS, [0, 1], [1, 0], 0, -109, 1),
    "nil failed by two filling a contract of 1": (CLASSIC, [0, 1], [2, 0], 0, -89, 1),
    "nil failed by two never filling a contract of 1": (BAGS, [0, 1], [2, 0], 0, -108, 2),
    "both nil, one failed": (CLASSIC, [0, 0], [0, 1], 0, 1, 1),
    "both nil, one failed, its trick a bag": (BAGS, [0, 0], [0, 1], 0, 1, 1),
    "both nil, both failed": (CLASSIC, [0, 0], [1, 1], 0, -198, 2),
    "both nil, both failed, their tricks bags": (BAGS, [0, 0], [1, 1], 0, -198, 2),
    "both nil as a unit made": (UNIT, [0, 0], [0, 0], 0, 200, 0),
    "both nil as a unit failed": (UNIT, [0, 0], [2, 0], 0, -200, 0),
    "nil made beside a failed blind nil": (BLIND, [0, "blind-nil"], [0, 1], 0, -99, 1),
    "blind nil failed, contract made": (BLIND, [2, "blind-nil"], [2, 1], 0, -179, 1),
    "blind nil failed, contract missed": (BLIND, [2, "blind-nil"], [0, 1], 0, -220, 0),
    "3 on a contract of 3": (CLASSIC, [2, 1], [2, 1], 0, 30, 0),
    "3 on a contract of 3, alone": (classic(game="cutthroat"), [3], [3], 0, 30, 0),
}


@pytest.mark.parametrize("golden", GOLDEN.values(), ids=GOLDEN.keys())
def test_golden(golden: Golden) -> None:
    rules, bids, taken, before, change, after = golden
    score = score_side(rules, bids, taken, before)
    assert (score["change"], score["bags_after"]) == (change, after)


@pytest.mark.parametrize("golden", GOLDEN.values(), ids=GOLDEN.keys())
def test_golden_with_the_partners_changed_round(golden: Golden) -> None:
    rules, bids, taken, before, change, after = golden
    score = score_side(rules, bids[::-1], taken[::-1], before)
    assert (score["change"], score["bags_after"]) == (change, after)


def test_the_lines_come_in_order_and_say_why() -> None:
    score = score_side(BLIND, [2, "blind-nil"], [9, 1], 5)
    assert score["lines"] == [
        ("contract made", 20),
        ("blind nil failed", -200),
        ("bags", 8),
        ("bag penalty", -100),
    ]
    assert (score["contract"], score["taken"], score["bags_after"]) == (2, 10, 3)


def test_two_penalties_are_one_line() -> None:
    lines = score_side(CARRY, [1, 0], [12, 0], 9)["lines"]
    assert lines == [
        ("contract made", 10),
        ("nil made", 100),
        ("bags", 11),
        ("bag penalty", -200),
    ]


def test_a_missed_contract_that_costs_nothing_is_still_a_line() -> None:
    assert score_side(ZERO, [5, 5], [5, 4], 0)["lines"] == [("contract missed", 0)]


def test_a_failed_nils_tricks_do_not_count_where_they_are_bags() -> None:
    score = score_side(BAGS, [0, 6], [1, 5], 0)
    assert (score["taken"], score["change"]) == (5, -60 - 100 + 1)


def test_nine_and_thirteen_bags_cost_two_penalties_carried_and_one_reset() -> None:
    nil_alone: Rules = classic(game="cutthroat")
    carried = score_side({**nil_alone, "bags": "carry"}, [0], [13], 9)
    reset = score_side(nil_alone, [0], [13], 9)
    assert (carried["change"], carried["bags_after"]) == (-100 + 13 - 200, 2)
    assert (reset["change"], reset["bags_after"]) == (-100 + 13 - 100, 0)


def test_the_tenth_bag_is_punished_carried_or_reset() -> None:
    for rules in (CARRY, CLASSIC):
        score = score_side(rules, [1, 1], [1, 1], 9)
        assert (score["change"], score["bags_after"]) == (20, 9)
        score = score_side(rules, [1, 1], [1, 2], 9)
        assert (score["change"], score["bags_after"]) == (20 + 1 - 100, 0)


def test_bags_off_are_counted_and_cost_nothing() -> None:
    score = score_side(classic(bags="off"), [1, 1], [5, 5], 9)
    assert (score["change"], score["bags_after"]) == (28, 17)


def test_ten_for_200_holds_where_a_missed_contract_is_zero() -> None:
    rules = classic(ten_for_200="on", missed="zero")
    assert score_side(rules, [6, 4], [6, 5], 0)["change"] == 201
    assert score_side(rules, [6, 4], [6, 3], 0)["change"] == -200
    assert score_side(rules, [6, 5], [6, 3], 0)["change"] == 0


@pytest.mark.parametrize("bids", [[3, 4], [0, 5], [0, 0], ["blind-nil", 2]])
def test_lowest_club_scores_end_in_the_number_of_bags(bids: list[Bid]) -> None:
    for before in range(10):
        for tricks in range(14):
            for own in range(tricks + 1):
                score = score_side(LOWEST_CLUB, bids, [own, tricks - own], before)
                assert (before + score["change"]) % 10 == score["bags_after"] % 10


# Two whole rounds


def whole_round(
    rules: Rules, dealer: int, hands: list[list[str]], tricks: list[list[str]]
) -> list[int]:
    """Play a round card by card and give the seats that take its tricks."""
    hands = [list(hand) for hand in hands]
    clubs_in_play = clubs_are_in_play(rules, hands)
    leader = first_leader(rules, dealer, hands)
    broken = False
    winners = []
    for trick_number, cards in enumerate(tricks, start=1):
        for place, card in enumerate(cards):
            hand = hands[(leader + place) % len(hands)]
            before = cards[:place]
            assert card in legal_plays(rules, hand, before, trick_number, broken, clubs_in_play)
            broken |= breaks_spades(rules, hand, before, card, trick_number, clubs_in_play)
            hand.remove(card)
        leader = (leader + winner(rules, cards, trick_number, clubs_in_play)) % len(hands)
        winners.append(leader)
    assert hands == [[] for _ in hands]
    return winners


CAMPUS_TRICKS = """
    W4C N3C E9C S2C
    EAC S6C W7C N5C
    EKH S2H W3H N6H
    EQH S7H WAH NTH
    WKC NJC E4H S6S
    S6D WAD N3D E9D
    W8C N4S EJS SAS
    S7D W2D NKD ETD
    NQS EKS S7S W3S
    EQD S8S W4D N5D
    S8H W8D N5S E5H
    NTS E2S S9S WTC
    NJD E9H SJH WQC
"""

DEUCES_HANDS = """
    N KQT982.AK4.6.K87.
    E A65.J3.T94.AT964.
    S J743.T86.KQ5.QJ3.
    W .Q975.AJ8732.5.HL
"""

DEUCES_TRICKS = """
    CA C3 C5 C7 / H3 H6 HQ HK / C4 CJ D2 CK / D4 D5 DA D6 / D9 DQ D3 S8 / HJ H8 H9 HA / S5 HT H7 H4
    C6 CQ DJ C8 / DT DK D8 S9 / S6 S3 JH ST / CT S4 H5 SQ / SA S7 JL SK / C9 SJ D7 S2
"""

DEUCES = classic(jokers="deuces", minimum_side_bid=4, bags="carry")


def campus_round() -> tuple[list[list[str]], list[list[str]], str]:
    """Read the hands (by seat), the tricks (in the order played) and who led each trick."""
    hands: list[list[str]] = [[], [], [], []]
    tricks = []
    leaders = ""
    for line in CAMPUS_TRICKS.strip().splitlines():
        plays = line.split()
        leaders += plays[0][0]
        tricks.append([play[2] + play[1] for play in plays])
        for play in plays:
            hands["NESW".index(play[0])].append(play[2] + play[1])
    return hands, tricks, leaders


def deuces_round() -> tuple[list[list[str]], list[list[str]]]:
    """Read the hands (by seat) and the rows of cards, which stand in the order E, S, W, N."""
    jokers = {"JH": "BJ", "JL": "LJ"}
    hands: list[list[str]] = [[], [], [], []]
    for line in DEUCES_HANDS.strip().splitlines():
        seat, suits = line.split()
        for suit, ranks in zip("SHDCJ", suits.split("."), strict=True):
            cards = [suit + rank for rank in ranks]
            hands["NESW".index(seat)] += [jokers.get(card, card) for card in cards]
    rows = [
        [jokers.get(card, card) for card in row.split()]
        for row in DEUCES_TRICKS.strip().replace("\n", "/").split("/")
    ]
    return hands, rows


def in_order_of_play(rows: list[list[str]], leaders: str) -> list[list[str]]:
    """Turn rows that stand in the order E, S, W, N so that each begins with its leader."""
    turned = []
    for row, leader in zip(rows, leaders, strict=True):
        place = "ESWN".index(leader)
        turned.append(row[place:] + row[:place])
    return turned


def side_results(rules: Rules, bids: list[Bid], winners: list[int]) -> list[tuple[int, int, int]]:
    """Give each side's tricks, change and bags."""
    results = []
    for side in sides(rules):
        taken = [winners.count(seat) for seat in side]
        score = score_side(rules, [bids[seat] for seat in side], taken, 0)
        results.append((sum(taken), score["change"], score["bags_after"]))
    return results


def test_the_campus_round_is_won_and_scored_as_recorded() -> None:
    hands, tricks, leaders = campus_round()
    winners = whole_round(CAMPUS, "NESW".index("S"), hands, tricks)
    assert "".join("NESW"[seat] for seat in winners) == "EEEWSWSNESNNN"
    assert leaders == "W" + "EEEWSWSNESNN"
    assert side_results(CAMPUS, [2, 4, 4, 4], winners) == [(7, 61, 1), (6, -80, 0)]


def test_the_campus_round_plays_the_whole_pack() -> None:
    hands, _, _ = campus_round()
    assert sorted(chain(*hands)) == sorted(pack(CAMPUS))


def test_the_deuces_round_is_won_and_scored_as_recorded() -> None:
    hands, rows = deuces_round()
    expected = "ENWWNNESNWNWN"
    tricks = in_order_of_play(rows, "E" + expected[:-1])
    winners = whole_round(DEUCES, "NESW".index("N"), hands, tricks)
    assert "".join("NESW"[seat] for seat in winners) == expected
    assert side_results(DEUCES, [6, 1, 2, 4], winners) == [(7, -80, 0), (6, 51, 1)]


def test_the_deuces_round_plays_the_whole_pack() -> None:
    hands, rows = deuces_round()
    assert sorted(chain(*hands)) == sorted(pack(DEUCES)) == sorted(chain(*rows))


def test_the_deuces_rounds_bids_are_allowed() -> None:
    hands, _ = deuces_round()
    made: dict[int, Bid] = {}
    for seat, bid in ((1, 1), (2, 2), (3, 4), (0, 6)):
        assert bid_refusal(DEUCES, hands[seat], made, seat, bid, True, [0, 0]) is None
        made[seat] = bid


def test_without_a_natural_spade_a_joker_follows_a_spade() -> None:
    assert legal_plays(DEUCES, ["BJ", "D7", "H5", "LJ"], ["S6", "S3"], 10, True) == ["BJ", "LJ"]


# Sides and packs


@pytest.mark.parametrize(
    ("game", "seats", "tricks", "cards"),
    [
        ("partnership", [[0, 2], [1, 3]], 13, 52),
        ("two-handed", [[0], [1]], 13, 52),
        ("three-handed", [[0], [1], [2]], 17, 52),
        ("cutthroat", [[0], [1], [2], [3]], 13, 52),
        ("six-handed", [[0, 3], [1, 4], [2, 5]], 17, 102),
    ],
)
def test_each_game_has_its_sides_tricks_and_pack(
    game: str, seats: list[list[int]], tricks: int, cards: int
) -> None:
    rules = classic(game=game)
    assert sides(rules) == seats
    assert players(rules) == sum(len(side) for side in seats)
    assert tricks_in_round(rules) == tricks
    assert len(pack(rules)) == cards


@pytest.mark.parametrize(("jokers", "spades"), [("none", 13), ("big-little", 15), ("deuces", 16)])
def test_jokers_take_the_place_of_two_twos(jokers: str, spades: int) -> None:
    rules = classic(jokers=jokers)
    cards = pack(rules)
    assert len(set(cards)) == 52
    assert len([card for card in cards if is_spade(rules, card)]) == spades
    assert set(trump_order(rules)) <= set(cards)
    assert ({"H2", "C2"} & set(cards) == set()) == (jokers != "none")


def test_the_deuces_stand_above_the_ace() -> None:
    assert trump_order(DEUCES)[:6] == ["BJ", "LJ", "D2", "S2", "SA", "SK"]
    assert trump_order(classic(jokers="big-little"))[:4] == ["BJ", "LJ", "SA", "SK"]


@pytest.mark.parametrize(
    "options",
    [
        {"game": "six-handed", "jokers": "deuces"},
        {"game": "cutthroat", "bidding": "suicide"},
        {"minimum_side_bid": 4, "bidding": "mirror"},
        {"minimum_side_bid": 4, "bidding": "whiz"},
        {"game": "two-handed", "blind_nil": 100},
        {"game": "two-handed", "exchange": 2},
        {"game": "three-handed", "exchange": 2},
        {"blind_nil": 100, "bidding": "mirror"},
    ],
)
def test_a_contradiction_is_named(options: Rules) -> None:
    assert contradiction(classic(**options)) is not None


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"game": "six-handed", "bidding": "suicide"},
        {"game": "three-handed", "blind_nil": 100, "minimum_side_bid": 4},
        {"game": "two-handed", "jokers": "deuces"},
        {"bidding": "suicide", "minimum_side_bid": 4, "blind_nil": 100},
        {"bidding": "whiz", "blind_nil": 100},
    ],
)
def test_what_is_not_listed_is_no_contradiction(options: Rules) -> None:
    assert contradiction(classic(**options)) is None


# Bidding


def refusal(
    rules: Rules, bid: Bid, partners: Bid | None = None, hand: str = "SA SK H3", looked: bool = True
) -> str | None:
    """Bid from seat 0, after the partner where they have bid."""
    made: dict[int, Bid] = {} if partners is None else {2: partners}
    return bid_refusal(rules, hand.split(), made, 0, bid, looked, [0, 0])


def test_a_bid_goes_from_nil_to_every_trick() -> None:
    assert [bid for bid in range(-1, 20) if refusal(CLASSIC, bid) is None] == list(range(14))
    six_handed = classic(game="six-handed")
    made: dict[int, Bid] = {}
    assert bid_refusal(six_handed, [], made, 4, 17, True, [0, 0, 0]) is None
    assert bid_refusal(six_handed, [], made, 4, 18, True, [0, 0, 0]) == "BID_OUT_OF_RANGE"


def test_blind_nil_needs_the_rule_and_an_unseen_hand() -> None:
    assert refusal(CLASSIC, "blind-nil", looked=False) == "BLIND_NIL_NOT_ALLOWED"
    assert refusal(BLIND, "blind-nil", looked=True) == "ALREADY_LOOKED"
    assert refusal(BLIND, "blind-nil", looked=False) is None


def test_blind_nil_is_for_who_is_far_enough_behind_the_best_other_side() -> None:
    rules = classic(game="six-handed", blind_nil=200, blind_nil_behind=100)
    assert [may_bid_blind(rules, [100, 0, 1], side) for side in range(3)] == [False, True, False]


def test_there_is_no_blind_nil_two_handed_or_with_mirror() -> None:
    assert not may_bid_blind({**BLIND, "game": "two-handed"}, [0, 0], 0)
    assert not may_bid_blind({**BLIND, "bidding": "mirror"}, [0, 0], 0)


def test_suicide_wants_exactly_one_nil_of_two_partners() -> None:
    rules = classic(bidding="suicide", blind_nil=100)
    assert refusal(rules, 5) is None
    assert refusal(rules, 5, partners=3) == "BID_NOT_ALLOWED"
    assert refusal(rules, 0, partners=3) is None
    assert refusal(rules, "blind-nil", partners=3, looked=False) is None
    assert refusal(rules, 0, partners="blind-nil") == "BID_NOT_ALLOWED"
    assert refusal(rules, 5, partners=0) is None


def test_mirror_and_whiz_count_the_spades_held() -> None:
    mirror = classic(bidding="mirror", jokers="deuces")
    whiz = classic(bidding="whiz", jokers="deuces")
    hand = "BJ D2 S2 H3"
    assert [bid for bid in range(14) if refusal(mirror, bid, hand=hand) is None] == [3]
    assert [bid for bid in range(14) if refusal(whiz, bid, hand=hand) is None] == [0, 3]
    assert refusal(mirror, 0, hand="H3 H4") is None


def test_the_second_partner_keeps_the_minimum() -> None:
    rules = classic(minimum_side_bid=4)
    assert refusal(rules, 1) is None
    assert refusal(rules, 2, partners=1) == "BID_BELOW_MINIMUM"
    assert refusal(rules, 3, partners=1) is None
    assert refusal(rules, 0, partners=3) == "BID_BELOW_MINIMUM"
    assert refusal(rules, 0, partners=4) is None
    assert refusal(rules, 3, partners=0) == "BID_BELOW_MINIMUM"
    assert refusal(rules, 0, partners=0) is None


def test_each_alone_bids_nil_or_the_minimum() -> None:
    rules = classic(game="cutthroat", minimum_side_bid=4)
    assert [bid for bid in range(6) if refusal(rules, bid) is None] == [0, 4, 5]


def test_the_minimum_does_not_bind_a_partner_who_must_bid_nil() -> None:
    rules = classic(bidding="suicide", minimum_side_bid=4)
    assert refusal(rules, 0, partners=1) is None
    assert refusal(rules, 3, partners=0) == "BID_BELOW_MINIMUM"


# Play


def test_a_spade_is_not_led_until_broken() -> None:
    assert legal_plays(CLASSIC, ["SA", "H2"], [], 2, False) == ["H2"]
    assert legal_plays(CLASSIC, ["SA", "H2"], [], 2, True) == ["H2", "SA"]
    assert legal_plays(CLASSIC, ["SA", "S2"], [], 2, False) == ["S2", "SA"]
    assert legal_plays(classic(spade_lead="any-time"), ["SA", "H2"], [], 1, False) == ["H2", "SA"]
    assert play_refusal(CLASSIC, ["SA", "H2"], [], 2, False, "SA") == "SPADES_NOT_BROKEN"


def test_follow_suit_or_play_anything() -> None:
    assert legal_plays(CLASSIC, ["SA", "H2", "H9"], ["HT"], 2, False) == ["H2", "H9"]
    assert legal_plays(CLASSIC, ["SA", "D2"], ["HT"], 2, False) == ["D2", "SA"]
    assert play_refusal(CLASSIC, ["SA", "H2"], ["HT"], 2, False, "SA") == "MUST_FOLLOW_SUIT"
    assert play_refusal(CLASSIC, ["SA", "H2"], ["HT"], 2, False, "SK") == "CARD_NOT_HELD"


def test_the_two_of_diamonds_does_not_follow_diamonds() -> None:
    assert legal_plays(DEUCES, ["D2", "H3"], ["D9"], 2, False) == ["D2", "H3"]
    assert legal_plays(DEUCES, ["D2", "D3"], ["D9"], 2, False) == ["D3"]
    assert legal_plays(DEUCES, ["D2", "D3"], ["S9"], 2, False) == ["D2"]
    assert legal_plays(DEUCES, ["D2", "D3"], [], 2, False) == ["D3"]


def test_lowest_clubs_on_the_first_trick() -> None:
    def told(hand: str, card: str) -> str | None:
        return play_refusal(LOWEST_CLUB, hand.split(), ["C2"], 1, False, card)

    assert told("C9 CT H2", "C9") is None
    assert told("C9 CT H2", "CT") == "MUST_PLAY_LOWEST_CLUB"
    assert told("C9 CT SA", "SA") == "MUST_PLAY_LOWEST_CLUB"
    assert told("H2 D3 SA", "SA") == "NO_SPADE_ON_FIRST_TRICK"
    assert told("H2 D3 SA", "D3") is None
    assert told("SA S2", "S2") is None


def test_a_spade_on_the_lowest_clubs_trick_breaks_spades_and_does_not_win() -> None:
    assert winner(LOWEST_CLUB, ["C2", "SA", "C9", "HA"], 1) == 2
    assert winner(LOWEST_CLUB, ["C2", "SA", "C9", "HA"], 2) == 1
    assert breaks_spades(LOWEST_CLUB, ["SA", "S3"], ["C2"], "SA", 1)


def test_with_no_club_in_play_it_is_an_ordinary_first_trick() -> None:
    assert legal_plays(LOWEST_CLUB, ["SA", "H2"], ["D4"], 1, False, False) == ["H2", "SA"]
    assert winner(LOWEST_CLUB, ["D4", "SA"], 1, clubs_in_play=False) == 1
    assert first_leader({**LOWEST_CLUB, "game": "two-handed"}, 0, [["SA"], ["H2"]]) == 1
    assert not clubs_are_in_play(LOWEST_CLUB, [["SA"], ["H2"]])
    assert clubs_are_in_play(LOWEST_CLUB, [["SA"], ["H2", "C9"]])


def test_the_first_leader() -> None:
    hands = [["C5"], ["C3"], ["C9"], ["C3"]]
    assert [first_leader(CLASSIC, dealer, hands) for dealer in range(4)] == [1, 2, 3, 0]
    assert [first_leader(LOWEST_CLUB, dealer, hands) for dealer in range(4)] == [1, 3, 3, 1]
    assert first_leader(classic(game="two-handed"), 1, hands[:2]) == 0


def test_what_breaks_spades() -> None:
    assert breaks_spades(CLASSIC, ["S2", "D3"], ["H4"], "S2", 2)
    assert not breaks_spades(CLASSIC, ["S2", "D3"], ["S4"], "S2", 2)
    assert not breaks_spades(CLASSIC, ["S2", "D3"], ["H4"], "D3", 2)
    assert not breaks_spades(CLASSIC, ["S2", "S3"], [], "S2", 2)
    assert breaks_spades(CAMPUS, ["S2", "S3"], [], "S2", 2)
    assert not breaks_spades({**CAMPUS, "spade_lead": "any-time"}, ["S2", "D3"], [], "S2", 2)
    assert breaks_spades(DEUCES, ["D2", "H3"], ["D9"], "D2", 2)


def test_of_two_equal_cards_the_first_or_the_second_wins() -> None:
    cards = ["HA", "H3", "HA", "H9", "DA", "D2"]
    assert winner(classic(game="six-handed"), cards, 2) == 0
    assert winner(classic(game="six-handed", identical="second"), cards, 2) == 2


# The end


def test_the_target_wants_a_side_alone_at_the_top() -> None:
    assert game_over(CLASSIC, [499, 0], 5) is None
    assert game_over(CLASSIC, [500, 499], 5) == [0]
    assert game_over(CLASSIC, [510, 520], 5) == [1]
    assert game_over(CLASSIC, [510, 510], 5) is None


def test_the_floor_ends_the_game_for_the_highest() -> None:
    rules = classic(floor=-200)
    assert game_over(rules, [-200, 50], 5) == [1]
    assert game_over(rules, [-210, -205], 5) == [1]
    assert game_over(rules, [-210, -210], 5) is None
    assert game_over(CLASSIC, [-900, 50], 5) is None


def test_the_last_round_ends_every_game() -> None:
    assert game_over(CLASSIC, [10, 20], 99) is None
    assert game_over(CLASSIC, [10, 20], 100) == [1]
    assert game_over(CLASSIC, [20, 20], 100) == []
    assert game_over(CLASSIC, [510, 510], 100) == []

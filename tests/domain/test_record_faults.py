"""A file that is no record, and a record that breaks a rule, are told where, and what is right."""

import json
from contextlib import suppress
from copy import deepcopy
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spades.record import LONGEST, RecordFault
from spades.record_decoding import decode_record
from spades.record_replay import replay_record
from spades.record_results import results
from spades.refusals import RefusalCode
from support.records import (
    BLIND_NIL,
    CAMPUS,
    CUTTHROAT,
    JOKERS,
    LOWEST_CLUB,
    NAMES,
    SIX_HANDED,
    THREE_HANDED,
    TWO_HANDED,
    UNFINISHED,
    changed,
    data,
    plain,
)

Place = tuple[int | None, int | None, str | None]
NOWHERE: Place = (None, None, None)


class Broken(NamedTuple):
    """A record, what was done to it, and the answer."""

    record: str
    change: str
    code: str
    place: Place
    words: str


def fault_of(record: bytes) -> RecordFault:
    with pytest.raises(RecordFault) as caught:
        replay_record(decode_record(record))
    return caught.value


def place(fault: RecordFault) -> Place:
    return fault.round, fault.trick, fault.seat


ONE_SUIT_EACH = """
del record["rounds"][1:]
record["rounds"][0] |= {
    "deal": {
        "N": "C2 C3 C4 C5 C6 C7 C8 C9 CT CJ CQ CK CA",
        "E": "S2 D3 D4 D5 D6 D7 D8 D9 DT DJ DQ DK DA",
        "S": "H2 H3 H4 H5 H6 H7 H8 H9 HT HJ HQ HK HA",
        "W": "D2 S3 S4 S5 S6 S7 S8 S9 ST SJ SQ SK SA",
    },
    "tricks": ["N:C2 E:S2"],
}
"""

RULES = [
    # Turns and phases
    Broken(CAMPUS, "del last['bids']['N']", "NOT_YOUR_TURN", (1, None, "E"), "N's turn to bid"),
    Broken(CAMPUS, "del last['bids']['S']", "WRONG_PHASE", (1, 1, "W"), "S's turn to bid"),
    Broken(CAMPUS, "del last['bids']", "WRONG_PHASE", (1, 1, "W"), "W's turn to bid"),
    Broken(UNFINISHED, "del last['bids']['E']", "WRONG_PHASE", (2, 1, "S"), "E's turn to bid"),
    Broken(
        CAMPUS,
        "last['tricks'][1] = 'E:CA W:C7 S:C6 N:C5'",
        "NOT_YOUR_TURN",
        (1, 2, "W"),
        "S's turn to play, not W's",
    ),
    Broken(
        CAMPUS,
        "last['tricks'][4] = 'N:CJ E:H4 S:S6 W:CK'",
        "NOT_YOUR_TURN",
        (1, 5, "N"),
        "W's turn to play, not N's",
    ),
    Broken(
        TWO_HANDED,
        "last['draws'][0] = last['draws'][0].replace('N', 'S')",
        "NOT_YOUR_TURN",
        (3, None, "S"),
        "N's turn to draw",
    ),
    Broken(
        CUTTHROAT,
        "record['rounds'].append(record['rounds'][0])",
        "WRONG_PHASE",
        (5, None, None),
        "the game is over",
    ),
    # Bids
    Broken(CAMPUS, "last['bids']['N'] = 14", "BID_OUT_OF_RANGE", (1, None, "N"), "0 to 13"),
    Broken(CAMPUS, "last['bids']['N'] = -1", "BID_OUT_OF_RANGE", (1, None, "N"), "0 to 13"),
    Broken(CAMPUS, "last['bids']['N'] = 10**30", "BID_OUT_OF_RANGE", (1, None, "N"), "0 to 13"),
    Broken(
        CAMPUS,
        "last['bids']['N'] = 'blind-nil'",
        "BLIND_NIL_NOT_ALLOWED",
        (1, None, "N"),
        "no blind nil",
    ),
    Broken(
        BLIND_NIL,
        "record['rules']['blind_nil_behind'] = 100",
        "BLIND_NIL_NOT_ALLOWED",
        (1, None, "W"),
        "100 points or more behind",
    ),
    Broken(
        BLIND_NIL, "last['looked'].append('W')", "ALREADY_LOOKED", (1, None, "W"), "W has looked"
    ),
    Broken(JOKERS, "last['bids']['W'] = 2", "BID_BELOW_MINIMUM", (1, None, "W"), "3 to 13"),
    Broken(
        CAMPUS,
        "record['rules']['bidding'] = 'suicide'",
        "BID_NOT_ALLOWED",
        (1, None, "E"),
        "leaves nil",
    ),
    Broken(
        CAMPUS,
        "record['rules']['bidding'] = 'mirror'",
        "BID_NOT_ALLOWED",
        (1, None, "W"),
        "leaves 1",
    ),
    # The exchange
    Broken(BLIND_NIL, "last['exchange']['E'] = 'C5'", "WRONG_NUMBER_OF_CARDS", (1, None, "E"), "2"),
    Broken(
        BLIND_NIL, "last['exchange']['E'] = 'C5 S2'", "CARD_NOT_HELD", (1, None, "E"), "hold S2"
    ),
    Broken(
        BLIND_NIL,
        "last['exchange'] = {'N': 'C4 C8'} | last['exchange']",
        "NOT_YOUR_TURN",
        (1, None, "N"),
        "N has no cards to choose: E and W must",
    ),
    Broken(BLIND_NIL, "del last['exchange']['E']", "WRONG_PHASE", (1, 1, "S"), "exchanged"),
    Broken(
        CAMPUS, "last['exchange'] = {'N': 'C3 C5'}", "WRONG_PHASE", (1, None, "N"), "being played"
    ),
    # Plays
    Broken(
        CAMPUS,
        "last['tricks'][2] = 'E:HK S:H2 W:S3 N:H6'",
        "MUST_FOLLOW_SUIT",
        (1, 3, "W"),
        "W must follow hearts: holds HA H3",
    ),
    Broken(
        CAMPUS,
        "last['tricks'][2] = 'E:HA S:H2 W:H3 N:H6'",
        "CARD_NOT_HELD",
        (1, 3, "E"),
        "E does not hold HA",
    ),
    Broken(
        CAMPUS,
        "last['tricks'][2] = 'E:CA S:H2 W:H3 N:H6'",
        "CARD_NOT_HELD",
        (1, 3, "E"),
        "E does not hold CA",
    ),
    Broken(
        CAMPUS,
        "last['tricks'][1] = 'E:SK S:S6 W:S3 N:S4'",
        "SPADES_NOT_BROKEN",
        (1, 2, "E"),
        "before spades are broken",
    ),
    Broken(
        LOWEST_CLUB,
        "record['rounds'][0]['tricks'][0] = 'S:C2 W:CQ N:C4 E:C3'",
        "MUST_PLAY_LOWEST_CLUB",
        (1, 1, "W"),
        "C6",
    ),
    Broken(LOWEST_CLUB, ONE_SUIT_EACH, "NO_SPADE_ON_FIRST_TRICK", (1, 1, "E"), "DA DK"),
]


@pytest.mark.parametrize("broken", RULES, ids=lambda broken: f"{broken.code}-{broken.change:.50}")
def test_a_broken_rule_is_named_with_its_place(broken: Broken) -> None:
    fault = fault_of(changed(broken.record, broken.change))
    assert (fault.code, place(fault)) == (RefusalCode(broken.code), broken.place)
    assert broken.words in fault.message


SHAPE = [
    # Keys and types
    (CAMPUS, "record['dealer'] = 'N'", "there is no key `dealer`"),
    (CAMPUS, "last['bid'] = {}", "rounds[0]: there is no key `bid`"),
    (CAMPUS, "del last['dealer']", "rounds[0]: there must be a key `dealer`"),
    (CAMPUS, "del record['format']", "there must be a key `format`"),
    (CAMPUS, "record['format'] = 'spades-record/2'", "format: it must be 'spades-record/1'"),
    (CAMPUS, "last['tricks'] = last['tricks'][0]", "rounds[0].tricks: expected `array`"),
    (CAMPUS, "last['tricks'][3] = 7", "rounds[0].tricks[3]: expected `str`, got `int`"),
    (CAMPUS, "last['bids']['N'] = True", "rounds[0].bids"),
    (CAMPUS, "last['bids']['N'] = 4.5", "rounds[0].bids"),
    (CAMPUS, "last['bids']['N'] = None", "rounds[0].bids"),
    (CAMPUS, "last['bids']['N'] = 'four'", "rounds[0].bids.N: a bid is a number, 'nil' or"),
    # Rules
    (CAMPUS, "record['rules'] = {}", "rules: a rule set without a preset names every option"),
    (CAMPUS, "record['rules'] = 'campus'", "rules: expected `object`"),
    (CAMPUS, "record['rules']['preset'] = 'village'", "rules: there is no preset 'village'"),
    (CAMPUS, "record['rules']['preset'] = 7", "rules.preset: it must be the name of a preset"),
    (CAMPUS, "record['rules']['trump'] = 'H'", "rules: there is no option 'trump'"),
    (CAMPUS, "record['rules']['bags'] = 'many'", "rules: bags cannot be 'many': it is one of"),
    (CAMPUS, "record['rules']['nil'] = [50]", "rules"),
    (CAMPUS, "record['rules'] |= {'target': 10**30}", "rules: target cannot be"),
    (SIX_HANDED, "record['rules']['jokers'] = 'deuces'", "rules: six-handed is played without"),
    # Labels
    (CAMPUS, "record['seats'].append('X')", "seats: partnership takes 4 labels, not 5"),
    (CAMPUS, "record['seats'][2] = 'S S'", "seats[2]: a label is text without spaces or colons"),
    (CAMPUS, "record['seats'][2] = 'S:'", "seats[2]: a label is text without spaces or colons"),
    (CAMPUS, "record['seats'][2] = ''", "seats[2]: a label is text without spaces or colons"),
    (CAMPUS, "record['seats'][2] = 'N'", "seats[2]: each seat has its own label"),
    (CAMPUS, "last['dealer'] = 'X'", "rounds[0].dealer: there is no seat 'X'"),
    (CAMPUS, "last['bids']['X'] = 1", "rounds[0].bids: there is no seat 'X'"),
    (CAMPUS, "last['looked'] = ['X']", "rounds[0].looked: there is no seat 'X'"),
    (CAMPUS, "last['looked'] = ['N', 'N']", "rounds[0].looked: each seat stands there once"),
    (CAMPUS, "last['tricks'][12] = 'X:DJ E:H9 S:HJ W:CQ'", "rounds[0].tricks[12]: there is no"),
    # Rounds and tricks
    (CUTTHROAT, "last['dealer'] = 'N'", "rounds[3].dealer: after S it is W's deal, not N's"),
    (CUTTHROAT, "record['rounds'][1]['tricks'].pop()", "rounds[1].tricks: a round has 13 tricks"),
    (CAMPUS, "last['tricks'].append(last['tricks'][0])", "rounds[0].tricks: a round has 13"),
    (CAMPUS, "last['tricks'][4] = 'W:CK N:CJ E:H4'", "rounds[0].tricks[4]: a trick has 4 plays"),
    (CAMPUS, "last['tricks'][4] += ' W:S3'", "rounds[0].tricks[4]: a trick has 4 plays, not 5"),
    (CAMPUS, "last['tricks'][4] = ''", "rounds[0].tricks[4]: a trick has 4 plays, not 0"),
    (CAMPUS, "last['tricks'][4] = 'WCK NCJ EH4 SS6'", "rounds[0].tricks[4]: a play is seat:card"),
    (CAMPUS, "last['tricks'][4] = 'W:KC N:CJ E:H4 S:S6'", "rounds[0].tricks[4]: 'KC' is no card"),
    # Deals
    (CAMPUS, "del last['deal']['N']", "rounds[0].deal: there must be a hand for N"),
    (CAMPUS, "last['deal']['X'] = 'C2'", "rounds[0].deal: there is no seat 'X'"),
    (CAMPUS, "last['deal']['N'] += ' XX'", "rounds[0].deal.N: 'XX' is no card"),
    (CAMPUS, "last['deal']['N'] += ' C2'", "rounds[0].deal: N holds 13 cards, not 14"),
    (CAMPUS, "last['deal']['N'] = 'C2' + last['deal']['N'][2:]", "C2 stands too often, C3 is miss"),
    (CAMPUS, "last['deal']['N'] = 'BJ' + last['deal']['N'][2:]", "BJ is not in it, C3 is missing"),
    (SIX_HANDED, "last['deal']['1'] = 'C2' + last['deal']['1'][2:]", "C2 is not in it"),
    (CAMPUS, "last['aside'] = 'C2'", "rounds[0].aside: a card is set aside in three-handed alone"),
    (CAMPUS, "last['draws'] = ['N:keep:C2:C3']", "rounds[0].draws: hands are drawn in two-handed"),
    (CAMPUS, "del last['deal'], last['tricks'][12]", "show all 52 cards, not 48"),
    (CAMPUS, "del last['deal'], last['tricks'], last['bids']", "show all 52 cards, not 0"),
    (
        CAMPUS,
        "del last['deal']; last['tricks'][4] = 'N:CK N:CJ E:H4 S:S6'",
        "rounds[0].tricks: N holds 13 cards, not 14",
    ),
    (
        CAMPUS,
        "del last['deal']; last['tricks'][4] = 'W:CJ N:CJ E:H4 S:S6'",
        "rounds[0].tricks: the cards are not the pack of this game: CJ stands too often, CK is",
    ),
    (
        BLIND_NIL,
        "del last['deal'], last['exchange']['E']",
        "rounds[0].exchange: with the deal left",
    ),
    (BLIND_NIL, "del last['deal']; last['exchange']['E'] = 'S2 S5'", "must play the cards they we"),
    (THREE_HANDED, "del last['aside']", "aside: three-handed must name the card set aside"),
    (THREE_HANDED, "last['aside'] = last['deal']['N'][:2]", "stands too often"),
    (TWO_HANDED, "del last['draws']", "draws: the hands are drawn in 26 turns, not 0"),
    (TWO_HANDED, "last['draws'].pop()", "draws: the hands are drawn in 26 turns, not 25"),
    (TWO_HANDED, "last['draws'][0] = 'N:take:C2:C3'", "draws[0]: a turn is seat:keep:card:card"),
    (TWO_HANDED, "last['draws'][0] = last['draws'][1]", "draws: the cards are not the pack"),
    (TWO_HANDED, "last['deal'] = {}", "deal: two-handed has none"),
]


@pytest.mark.parametrize(("record", "change", "words"), SHAPE)
def test_a_file_that_is_no_record_is_told_where_and_why(
    record: str, change: str, words: str
) -> None:
    fault = fault_of(changed(record, change))
    assert (fault.code, place(fault)) == (RefusalCode.BAD_RECORD, NOWHERE)
    assert words in fault.message


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"   ",
        b"no record",
        b"[]",
        b"null",
        b'"spades-record/1"',
        b"{}",
        b"{" * 100_000,
        b'{"rules":' + b"[" * 100_000,
        b'{"format": NaN}',
        b"\xff\xfe{\x00}\x00",
        data(CAMPUS)[:-40],
        data(CAMPUS) + b"{}",
        data(CAMPUS).replace(b'"W": 4', b'"W": 1e999'),
        data(CAMPUS).replace(b'"W": 4', b'"W": ' + b"9" * 5000),
        data(CAMPUS).replace(b'"campus"', b'"\xff"'),
        data(CAMPUS).replace(b'"campus"', b'"\\ud800"'),
        data(CAMPUS).replace(b"\n", b"\x00"),
    ],
    ids=lambda text: repr(text[:30]),
)
def test_anything_else_is_no_record_either(text: bytes) -> None:
    fault = fault_of(text)
    assert (fault.code, place(fault)) == (RefusalCode.BAD_RECORD, NOWHERE)
    assert "\n" not in fault.message


@pytest.mark.parametrize(
    ("once", "twice", "words"),
    [
        (b'"W": 4', b'"W": 4, "W": 4', "rounds[0].bids: the key 'W' stands twice"),
        (b'"dealer"', b'"dealer": "N", "dealer"', "rounds[0]: the key 'dealer' stands twice"),
        (b'"rounds"', b'"rounds": [], "rounds"', "the key 'rounds' stands twice"),
    ],
)
def test_a_key_that_stands_twice_leaves_it_open_what_was_meant(
    once: bytes, twice: bytes, words: str
) -> None:
    assert fault_of(data(CAMPUS).replace(once, twice, 1)).message == words


def test_a_fault_quotes_no_more_of_a_file_than_can_be_read() -> None:
    fault = fault_of(changed(CAMPUS, "record['seats'][0] = 'long ' * 10_000"))
    assert len(fault.message) == LONGEST


def test_the_shape_of_the_whole_file_is_looked_at_before_any_rule() -> None:
    broken = changed(
        CUTTHROAT, "record['rounds'][0]['bids']['N'] = 14; last['tricks'][12] = 'nonsense'"
    )
    assert fault_of(broken).message.startswith("rounds[3].tricks[12]")


def test_a_fault_reads_as_a_sentence_with_its_place() -> None:
    fault = fault_of(changed(CAMPUS, "last['tricks'][2] = 'E:HK S:H2 W:S3 N:H6'"))
    assert str(fault) == "round 1, trick 3: W must follow hearts: holds HA H3"
    assert str(fault_of(b"{}")) == "there must be a key `format`"


# Whatever is written


def survives(text: bytes) -> None:
    """Either a game with results, or a fault: never anything else."""
    with suppress(RecordFault):
        results(replay_record(decode_record(text)).events)


@given(
    st.sampled_from(NAMES),
    st.lists(st.tuples(st.integers(0, 10_000), st.integers(1, 255)), min_size=1, max_size=4),
)
def test_a_record_with_bytes_flipped_is_a_record_or_a_fault(
    name: str, flips: list[tuple[int, int]]
) -> None:
    text = bytearray(data(name))
    for place_, mask in flips:
        text[place_ % len(text)] ^= mask
    survives(bytes(text))


@given(st.binary(max_size=200))
def test_any_bytes_are_a_record_or_a_fault(text: bytes) -> None:
    survives(text)


WORDS = st.sampled_from(
    ["", " ", "N", "E", "S", "W", "1", "nil", "blind-nil", "C2", "SA", "BJ", "N:C2", "N:keep:C2:C3"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | WORDS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(WORDS | st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)


def leaves(node: Any) -> list[tuple[Any, Any]]:
    """Every place in the JSON, as what holds it and the key by which it does."""
    keys = list(node) if isinstance(node, dict) else range(len(node))
    return [
        found
        for key in keys
        for found in (
            (node, key),
            *(leaves(node[key]) if isinstance(node[key], dict | list) else ()),
        )
    ]


@given(st.sampled_from(NAMES), st.data())
def test_a_record_with_any_value_in_any_place_is_a_record_or_a_fault(
    name: str, draw: st.DataObject
) -> None:
    record = plain(name)
    for _ in range(draw.draw(st.integers(1, 3))):
        holder, key = draw.draw(st.sampled_from(leaves(record)))
        elsewhere = st.sampled_from([node[at] for node, at in leaves(record)])
        holder[key] = deepcopy(draw.draw(JSON | elsewhere))
    survives(json.dumps(record).encode())

"""A file that is no record, and a record that breaks a rule, are answered with the place and a reason."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spades.record import RecordFault
from spades.record_decoding import decode_record
from spades.record_replay import replay_record
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

ONE_SUIT_EACH = """
last["deal"] = {
    "N": "C2 C3 C4 C5 C6 C7 C8 C9 CT CJ CQ CK CA",
    "E": "S2 D3 D4 D5 D6 D7 D8 D9 DT DJ DQ DK DA",
    "S": "H2 H3 H4 H5 H6 H7 H8 H9 HT HJ HQ HK HA",
    "W": "D2 S3 S4 S5 S6 S7 S8 S9 ST SJ SQ SK SA",
}
last["tricks"] = ["N:C2 E:S2"]
"""


def fault_of(record: bytes) -> RecordFault:
    with pytest.raises(RecordFault) as caught:
        replay_record(decode_record(record))
    return caught.value


RULES_BROKEN = [
    # Turns and phases
    (CAMPUS, "del last['bids']['N']", "NOT_YOUR_TURN", 1, None, "E", "N's turn to bid"),
    (CAMPUS, "del last['bids']['S']", "WRONG_PHASE", 1, 1, "W", "S's turn to bid"),
    (CAMPUS, "last['bids'] = {}", "WRONG_PHASE", 1, 1, "W", "bids are being placed"),
    (CAMPUS, "last['tricks'][1] = 'E:CA W:C7 S:C6 N:C5'", "NOT_YOUR_TURN", 1, 2, "W", "S's turn"),
    (CAMPUS, "last['tricks'][4] = 'N:CJ E:H4 S:S6 W:CK'", "NOT_YOUR_TURN", 1, 5, "N", "W's turn"),
    (
        CUTTHROAT,
        "record['rounds'].append(record['rounds'][0])",
        *("WRONG_PHASE", 5, None, None, "the game is over"),
    ),
    (UNFINISHED, "last['bids'].popitem()", "WRONG_PHASE", 2, 1, "S", "turn to bid"),
    (
        TWO_HANDED,
        "last['draws'][0] = last['draws'][0].replace('N', 'S')",
        *("NOT_YOUR_TURN", 3, None, "S", "N's turn to draw"),
    ),
    # Plays
    (
        CAMPUS,
        "last['tricks'][2] = 'E:HK S:H2 W:S3 N:H6'",
        *("MUST_FOLLOW_SUIT", 1, 3, "W", "W must follow hearts: holds HA H3"),
    ),
    (CAMPUS, "last['tricks'][2] = 'E:HA S:H2 W:H3 N:H6'", "CARD_NOT_HELD", 1, 3, "E", "HA"),
    (CAMPUS, "last['tricks'][2] = 'E:CA S:H2 W:H3 N:H6'", "CARD_NOT_HELD", 1, 3, "E", "CA"),
    (CAMPUS, "last['tricks'][1] = 'E:SK S:S6 W:S3 N:S4'", "SPADES_NOT_BROKEN", 1, 2, "E", "HK"),
    (
        LOWEST_CLUB,
        "record['rounds'][:] = [dict(last, tricks=['S:CT'])]",
        *("MUST_PLAY_LOWEST_CLUB", 1, 1),
    ),
    (
        LOWEST_CLUB,
        f"record['rounds'][:] = [last]; {ONE_SUIT_EACH}",
        *("NO_SPADE_ON_FIRST_TRICK", 1, 1, "E", "DA DK"),
    ),
]

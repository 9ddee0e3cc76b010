"""The stored form of events: what is written today is read for ever."""

from collections.abc import Mapping
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spades.cards import Card
from spades.events import (
    EVENTS,
    BidPlaced,
    CardPlayed,
    EndReason,
    Event,
    GameFinished,
    RoundScored,
    ScoreLine,
    Scoring,
    SeatTaken,
    SideScore,
)
from spades_adapters.codec import decode, encode
from spades_service.ports import BrokenHistory
from support.events import EVENTS_OF

STORED: Final[Mapping[bytes, tuple[bytes, Event]]] = {
    b"SeatTaken": (b'[1,"north"]', SeatTaken(1, "north")),
    b"BidPlaced": (b"[3,0,true]", BidPlaced(3, 0, blind=True)),
    b"CardPlayed": (b'[2,"SA"]', CardPlayed(2, Card.SA)),
    b"RoundScored": (
        b'[[[4,5,[["contract made",40],["bags",1]],41,1]]]',
        RoundScored(
            (
                SideScore(
                    4, 5, (ScoreLine(Scoring.CONTRACT_MADE, 40), ScoreLine(Scoring.BAGS, 1)), 41, 1
                ),
            )
        ),
    ),
    b"GameFinished": (b'[[0,2],"target"]', GameFinished((0, 2), EndReason.TARGET)),
}


@pytest.mark.parametrize("kind", EVENTS)
@given(data=st.data())
def test_encoding_then_decoding_is_the_identity(kind: str, data: st.DataObject) -> None:
    event = data.draw(EVENTS_OF[kind])

    name, body = encode(event)

    assert name == kind.encode()
    assert decode(name, body) == event


@pytest.mark.parametrize("name", STORED)
def test_the_stored_form_is_the_name_and_the_fields_by_position(name: bytes) -> None:
    body, event = STORED[name]

    assert encode(event) == (name, body)
    assert decode(name, body) == event


def test_a_field_left_out_by_an_earlier_release_has_its_default() -> None:
    assert decode(b"BidPlaced", b"[3,4]") == BidPlaced(3, 4)


@pytest.mark.parametrize("name", [b"CardBurned", b"", b"\xff", b"cardplayed"])
def test_an_unknown_type_is_a_broken_history(name: bytes) -> None:
    with pytest.raises(BrokenHistory):
        decode(name, b'[2,"SA"]')


@pytest.mark.parametrize(
    "body",
    [b"", b"null", b"[]", b"[2]", b'[2,"SX"]', b'["SA",2]', b'{"card":"SA"}', b'[2,"SA"', b"\xff"],
)
def test_a_bad_body_is_a_broken_history_that_shows_nothing_of_it(body: bytes) -> None:
    with pytest.raises(BrokenHistory) as broken:
        decode(b"CardPlayed", body)

    assert str(broken.value) == "its body is not that of a CardPlayed"
    assert broken.value.__cause__ is None
    assert broken.value.__suppress_context__


@given(st.sampled_from(sorted(EVENTS)), st.binary())
def test_any_bytes_at_all_are_an_event_or_a_broken_history(name: str, body: bytes) -> None:
    try:
        event = decode(name.encode(), body)
    except BrokenHistory:
        return
    assert isinstance(event, EVENTS[name])

"""Which cards a viewer may know, from first principles, and a search for those they may not.

Nothing here asks the domain's own views: what somebody may know follows from what was dealt, drawn,
looked at, bid, exchanged and played. A payload is anything that leaves the service: structs, plain
values, JSON or other text, in bytes or not.
"""

import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import asdict

from spades.cards import Card, Hand
from spades.events import (
    BidPlaced,
    CardDrawn,
    CardPlayed,
    CardsExchanged,
    Event,
    HandSeen,
    RoundDealt,
    RoundScored,
    TableOpened,
)
from spades.history import only
from spades.rules import Game
from spades.seats import Seat

Viewer = Seat | None
CARD: Final = r"(?:[CDHS][2-9TJQKA]|[BL]J)"
WORD: Final = re.compile(rf"(?<![A-Za-z0-9])(?:{CARD})+(?![A-Za-z0-9])")
"""A card, or cards without anything between them, that are no part of another word."""


def leaks(payload: object, history: Sequence[Event], viewer: Viewer) -> list[str]:
    """What the payload shows of the secrets of this history's last moment, in words.

    A payload that speaks of several moments is searched piece by piece, each with its own history.
    """
    return list(secrets(history, viewer).shown_in(payload))


class Secrets(Struct, frozen=True):
    """What is hidden from a viewer: each card beyond the `known` ones, and what is to be dealt."""

    known: Mapping[str, int]
    seeds: tuple[str, ...]
    to_come: tuple[tuple[str, ...], ...]

    def shown_in(self, payload: object) -> Iterator[str]:
        """Every secret that the payload tells."""
        for part in _everything(payload):
            if isinstance(part, str) and any(seed in part for seed in self.seeds):
                yield "the seed of a deal"
            group = _cards_together(part)
            for card in dict.fromkeys(group):
                if group.count(card) > self.known.get(card, 0):
                    yield f"{card} in {' '.join(group)}"
            if group and tuple(sorted(group)) in self.to_come:
                yield f"a hand of a later round: {' '.join(group)}"


def secrets(history: Sequence[Event], viewer: Viewer) -> Secrets:
    """What a viewer may not know at the last moment of this history."""
    opened, deals = history[0], only(RoundDealt, history)
    assert isinstance(opened, TableOpened)
    set_later = opened.deals[deals[-1].number if deals else 0 :]
    return Secrets(
        known={str(card): count for card, count in known_cards(history, viewer).items()},
        seeds=tuple(spelled for dealt in deals for spelled in _spellings(dealt.seed)),
        to_come=tuple(tuple(sorted(map(str, hand))) for hands in set_later for hand in hands),
    )


def _spellings(seed: str | None) -> tuple[str, ...]:
    if seed is None:
        return ()
    raw = bytes.fromhex(seed)
    encoded = b64encode(raw), urlsafe_b64encode(raw)
    return (seed, seed.upper(), *(text.decode().rstrip("=") for text in encoded))


# What a viewer may know


def known_cards(history: Sequence[Event], viewer: Viewer) -> Counter[Card]:
    """How often each card may be shown: the cards played, and those the viewer has held or seen."""
    opened, happened = history[0], _this_round(history)
    assert isinstance(opened, TableOpened)
    if not happened:
        return Counter()
    known = Counter(play.card for play in only(CardPlayed, happened) if play.seat != viewer)
    if viewer is not None:
        known -= _given_and_played(happened, viewer)
        known += _own(opened, happened, viewer)
    if opened.rules.game is Game.THREE_HANDED and only(RoundScored, happened):
        known.update(_deal(happened).rest)
    return known


def _this_round(history: Sequence[Event]) -> Sequence[Event]:
    deals = [place for place, event in enumerate(history) if isinstance(event, RoundDealt)]
    return history[deals[-1] :] if deals else ()


def _deal(happened: Sequence[Event]) -> RoundDealt:
    return only(RoundDealt, happened)[0]


def _own(opened: TableOpened, happened: Sequence[Event], viewer: Seat) -> Counter[Card]:
    """Every card that has been in the viewer's hand and seen there, or before their eyes."""
    own: Counter[Card] = Counter()
    if _has_seen_hand(happened, viewer):
        own.update(_deal(happened).hands[viewer])
    for draw in only(CardDrawn, happened):
        if draw.seat == viewer:
            own.update((draw.kept,) if draw.looked else (draw.kept, draw.discarded))
    own.update(_top_of_stock(opened, happened, viewer))
    for swap in only(CardsExchanged, happened):
        if viewer in swap.seats:
            own.update(swap.cards[1 - swap.seats.index(viewer)])
    return own


def _has_seen_hand(happened: Sequence[Event], viewer: Seat) -> bool:
    """A hand that is withheld is seen once its player has asked to look, or has bid."""
    looked = only(HandSeen, happened) + only(BidPlaced, happened)
    return viewer not in _deal(happened).withheld or viewer in [event.seat for event in looked]


def _top_of_stock(opened: TableOpened, happened: Sequence[Event], viewer: Seat) -> Hand:
    """Two-handed, the card that the player whose turn it is looks at."""
    if opened.rules.game is not Game.TWO_HANDED:
        return ()
    dealt, turns = _deal(happened), len(only(CardDrawn, happened))
    return dealt.rest[2 * turns :][:1] if (dealt.dealer + 1 + turns) % 2 == viewer else ()


def _given_and_played(happened: Sequence[Event], viewer: Seat) -> Counter[Card]:
    """Cards of the viewer's own that the partner has played: they are counted as the viewer's."""
    twice: Counter[Card] = Counter()
    for swap in only(CardsExchanged, happened):
        if viewer in swap.seats:
            place = swap.seats.index(viewer)
            partner = swap.seats[1 - place]
            played = (play.card for play in only(CardPlayed, happened) if play.seat == partner)
            twice += Counter(swap.cards[place]) & Counter(played)
    return twice


# What a payload shows


def _everything(payload: object) -> Iterator[object]:
    """The payload, and whatever is in it."""
    yield payload
    for part in _parts(payload):
        yield from _everything(part)


def _cards_together(part: object) -> tuple[str, ...]:
    """As often as a list holds them, and once for a text."""
    if isinstance(part, str):
        return tuple(dict.fromkeys(_cards_in(part)))
    if isinstance(part, list | tuple):
        words = (item for item in part if isinstance(item, str) and WORD.fullmatch(item))
        return tuple(card for word in words for card in _cards_in(word))
    return ()


def _parts(payload: object) -> Iterable[object]:
    match payload:
        case str():
            inner = _as_json(payload)
            return () if inner is None else (inner,)
        case bytes() | bytearray() | memoryview():
            return (bytes(payload).decode(errors="replace"),)
        case Struct():
            return tuple(asdict(payload).values())
        case Mapping():
            return (*payload.keys(), *payload.values())
        case list() | tuple() | set() | frozenset():
            return tuple(payload)
        case _:
            return ()


def _as_json(text: str) -> object:
    """The list or the object that a text holds, if it is one."""
    if not text.startswith(("[", "{")):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


def _cards_in(text: str) -> Iterator[str]:
    for word in WORD.findall(text):
        yield from re.findall(CARD, word)

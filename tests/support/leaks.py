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
    known = known_cards(history, viewer)
    found = list(_seeds(payload, history))
    for group in _groups(payload):
        shown = Counter(group)
        found += [f"{card} in {' '.join(group)}" for card in shown if shown[card] > known[card]]
        found += [f"a hand of a later round: {' '.join(group)}"] * _is_set(group, history)
    return found


# What a viewer may know


def known_cards(history: Sequence[Event], viewer: Viewer) -> Counter[str]:
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
    return Counter({str(card): count for card, count in known.items()})


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
            own[draw.kept] += 1
            own[draw.discarded] += not draw.looked
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


def _groups(payload: object) -> Iterator[tuple[str, ...]]:
    """The cards that stand together: as often as a list holds them, once for a text."""
    if isinstance(payload, list | tuple):
        words = (item for item in payload if isinstance(item, str) and WORD.fullmatch(item))
        yield tuple(card for word in words for card in _cards_in(word))
    if isinstance(payload, str) and _as_json(payload) is None:
        yield tuple(dict.fromkeys(_cards_in(payload)))
    for part in _parts(payload):
        yield from _groups(part)


def _parts(payload: object) -> Iterable[object]:
    match payload:
        case Struct():
            return list(asdict(payload).values())
        case Mapping():
            return [*payload.keys(), *payload.values()]
        case list() | tuple() | set() | frozenset():
            return list(payload)
        case bytes() | bytearray() | memoryview():
            return [bytes(payload).decode(errors="replace")]
        case str():
            return [_as_json(payload)]
        case _:
            return []


def _as_json(text: str) -> object:
    """A list or an object that a text holds."""
    if not text.lstrip().startswith(("[", "{")):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


def _cards_in(text: str) -> Iterator[str]:
    for word in WORD.findall(text):
        yield from re.findall(CARD, word)


def _strings(payload: object) -> Iterator[str]:
    if isinstance(payload, str):
        yield payload
    for part in _parts(payload):
        yield from _strings(part)


def _seeds(payload: object, history: Sequence[Event]) -> Iterator[str]:
    """The seed of any deal, spelled in any of the usual ways."""
    seeds = [bytes.fromhex(dealt.seed) for dealt in only(RoundDealt, history) if dealt.seed]
    spellings = [
        spelled
        for seed in seeds
        for spelled in (
            seed.hex(),
            seed.hex().upper(),
            b64encode(seed).decode().rstrip("="),
            urlsafe_b64encode(seed).decode().rstrip("="),
        )
    ]
    for text in _strings(payload):
        if any(spelled in text for spelled in spellings):
            yield "the seed of a deal"


def _is_set(group: Sequence[str], history: Sequence[Event]) -> bool:
    """Whether these are a hand that a platform has set for a round that is not dealt yet."""
    opened, deals = history[0], only(RoundDealt, history)
    assert isinstance(opened, TableOpened)
    to_come = opened.deals[deals[-1].number if deals else 0 :]
    return bool(group) and any(sorted(group) == sorted(hand) for hands in to_come for hand in hands)

"""From a file to a `Record`: its labels, cards, deals and shape are sound, no rule is asked yet."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from spades.cards import Card, Hand, in_order
from spades.deal import Hands
from spades.events import BidPlaced, CardDrawn, CardPlayed, CardsOffered
from spades.record import Head, Record, RecordedRound, Trick, bad_record
from spades.record_deals import drawn_deal, played_deal, written_deal
from spades.record_file import RoundFile, read_file
from spades.refusals import Refused
from spades.rules import Game, Rules, resolve
from spades.seats import LAYOUTS, Seat

CARDS: Final = {str(card): card for card in Card}
LABEL: Final = re.compile(r"[^\s:\x00-\x1f\x7f-\x9f]+")
"""No spaces and no colons, which stand between seats and cards; nothing that moves a cursor."""


def decode_record(data: bytes) -> Record:
    """The game that a file holds; raises RecordFault with BAD_RECORD and the path of the fault."""
    file = read_file(data)
    rules = _rules(file.rules)
    labels = _labels(rules, file.seats)
    reader = _Reader(Head(rules, labels))
    last = len(file.rounds) - 1
    rounds = tuple(
        reader.round_at(f"rounds[{place}]", of_round, last=place == last)
        for place, of_round in enumerate(file.rounds)
    )
    _check_dealers(reader.head, rounds)
    return Record(rules, labels, rounds)


def _rules(options: Mapping[str, object]) -> Rules:
    preset = options.get("preset")
    if not isinstance(preset, str | None):
        raise bad_record("rules.preset", f"it must be the name of a preset, not {preset!r}")
    try:
        return resolve(preset, {key: options[key] for key in options if key != "preset"})
    except Refused as refused:
        raise bad_record("rules", refused.message) from None


def _labels(rules: Rules, labels: Sequence[str]) -> tuple[str, ...]:
    seats = LAYOUTS[rules.game].seats
    if len(labels) != seats:
        raise bad_record("seats", f"{rules.game} takes {seats} labels, not {len(labels)}")
    for place, label in enumerate(labels):
        path = f"seats[{place}]"
        if not LABEL.fullmatch(label):
            raise bad_record(path, f"a label is text without spaces or colons, not {label!r}")
        if label in labels[:place]:
            raise bad_record(path, f"each seat has its own label, and {label!r} is taken")
    return tuple(labels)


def _check_dealers(head: Head, rounds: Sequence[RecordedRound]) -> None:
    for place, (before, after) in enumerate(pairwise(rounds), 1):
        following = head.layout.left_of(before.dealer)
        if after.dealer != following:
            raise bad_record(
                f"rounds[{place}].dealer",
                f"after {head.labels[before.dealer]} it is {head.labels[following]}'s deal, "
                f"not {head.labels[after.dealer]}'s",
            )


class _Reader:
    """Reads rounds by the head of their record; every method is told the path of what it reads."""

    def __init__(self, head: Head) -> None:
        self.head = head
        self.seats: Mapping[str, Seat] = {label: seat for seat, label in enumerate(head.labels)}

    def round_at(self, path: str, file: RoundFile, *, last: bool) -> RecordedRound:
        dealer = self.seat(f"{path}.dealer", file.dealer)
        draws = tuple(
            self.draw(f"{path}.draws[{place}]", text) for place, text in enumerate(file.draws)
        )
        offers = self.hands(f"{path}.exchange", file.exchange)
        exchange = tuple(CardsOffered(seat, cards) for seat, cards in offers.items())
        tricks = self.tricks(f"{path}.tricks", file.tricks, last=last)
        return RecordedRound(
            dealer=dealer,
            deal=self.deal(path, file, draws, exchange, tricks),
            draws=draws,
            looked=self.looked(f"{path}.looked", file.looked),
            bids=self.bids(f"{path}.bids", file.bids, dealer),
            exchange=exchange,
            tricks=tricks,
        )

    # The words of a record

    def seat(self, path: str, label: str) -> Seat:
        if label not in self.seats:
            raise bad_record(
                path, f"there is no seat {label!r}: the seats are {' '.join(self.head.labels)}"
            )
        return self.seats[label]

    def card(self, path: str, text: str) -> Card:
        if text not in CARDS:
            raise bad_record(
                path, f"{text!r} is no card: a suit of CDHS and a rank of 23456789TJQKA, or BJ, LJ"
            )
        return CARDS[text]

    def hands(self, path: str, hands: Mapping[str, str]) -> dict[Seat, Hand]:
        return {
            self.seat(path, label): in_order(
                self.card(f"{path}.{label}", card) for card in cards.split()
            )
            for label, cards in hands.items()
        }

    # The deal

    def deal(
        self,
        path: str,
        file: RoundFile,
        draws: Sequence[CardDrawn],
        exchange: Sequence[CardsOffered],
        tricks: Sequence[Trick],
    ) -> Hands:
        aside = self.aside(f"{path}.aside", file.aside)
        if self.head.rules.game is Game.TWO_HANDED:
            if file.deal is not None:
                raise bad_record(f"{path}.deal", "two-handed has none: its draws show the cards")
            return drawn_deal(self.head, draws, f"{path}.draws")
        if draws:
            raise bad_record(f"{path}.draws", "hands are drawn in two-handed alone")
        if file.deal is None:
            return played_deal(self.head, tricks, exchange, aside, path)
        written = self.hands(f"{path}.deal", file.deal)
        return written_deal(self.head, written, aside, f"{path}.deal")

    def aside(self, path: str, card: str | None) -> Hand:
        three_handed = self.head.rules.game is Game.THREE_HANDED
        if card is None and three_handed:
            raise bad_record(path, "three-handed must name the card set aside")
        if card is None:
            return ()
        if not three_handed:
            raise bad_record(path, "a card is set aside in three-handed alone")
        return (self.card(path, card),)

    def draw(self, path: str, text: str) -> CardDrawn:
        parts = text.split(":")
        if len(parts) != 4 or parts[1] not in ("keep", "discard"):
            raise bad_record(
                path, f"a turn is seat:keep:card:card or seat:discard:card:card, not {text!r}"
            )
        seat = self.seat(path, parts[0])
        looked_at, following = self.card(path, parts[2]), self.card(path, parts[3])
        if parts[1] == "keep":
            return CardDrawn(seat, looked=True, kept=looked_at, discarded=following)
        return CardDrawn(seat, looked=False, kept=following, discarded=looked_at)

    # Bids and plays

    def looked(self, path: str, labels: Sequence[str]) -> tuple[Seat, ...]:
        seats = tuple(self.seat(path, label) for label in labels)
        if len(set(seats)) < len(seats):
            raise bad_record(path, "each seat stands there once at most")
        return seats

    def bids(self, path: str, bids: Mapping[str, int | str], dealer: Seat) -> tuple[BidPlaced, ...]:
        """They stand in any order, and are made clockwise from the dealer's left."""
        said = {self.seat(path, label): bid for label, bid in bids.items()}
        layout, labels = self.head.layout, self.head.labels
        order = layout.clockwise_from(layout.left_of(dealer))
        return tuple(
            self.bid(f"{path}.{labels[seat]}", seat, said[seat]) for seat in order if seat in said
        )

    def bid(self, path: str, seat: Seat, said: int | str) -> BidPlaced:
        match said:
            case int():
                return BidPlaced(seat, said)
            case "nil":
                return BidPlaced(seat, 0)
            case "blind-nil":
                return BidPlaced(seat, 0, blind=True)
        raise bad_record(path, f"a bid is a number, 'nil' or 'blind-nil', not {said!r}")

    def tricks(self, path: str, texts: Sequence[str], *, last: bool) -> tuple[Trick, ...]:
        tricks = tuple(
            self.trick(f"{path}[{place}]", text, last=last and place == len(texts) - 1)
            for place, text in enumerate(texts)
        )
        whole = self.head.layout.tricks
        if len(tricks) > whole:
            raise bad_record(path, f"a round has {whole} tricks, not {len(tricks)}")
        if len(tricks) < whole and not last:
            raise bad_record(
                path,
                f"a round has {whole} tricks, not {len(tricks)}: only the last may be unfinished",
            )
        return tricks

    def trick(self, path: str, text: str, *, last: bool) -> Trick:
        plays = tuple(self.play(path, play) for play in text.split())
        whole = self.head.layout.seats
        if len(plays) > whole or (len(plays) < whole and not last):
            raise bad_record(
                path,
                f"a trick has {whole} plays, not {len(plays)}: only the last trick of the last "
                "round may be short",
            )
        return plays

    def play(self, path: str, text: str) -> CardPlayed:
        label, colon, card = text.partition(":")
        if not colon:
            raise bad_record(path, f"a play is seat:card, not {text!r}")
        return CardPlayed(self.seat(path, label), self.card(path, card))

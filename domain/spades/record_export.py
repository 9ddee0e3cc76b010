"""From a table's history to its record, and from a record to the file that holds it."""

from collections.abc import Sequence
from typing import Final

from msgspec import to_builtins

from spades.events import (
    BidPlaced,
    CardDrawn,
    CardPlayed,
    CardsOffered,
    Event,
    HandSeen,
    RoundDealt,
)
from spades.history import by_round, head, only
from spades.record import Record, RecordedRound
from spades.record_deals import turns_of_draw
from spades.record_file import FORMAT, OptionValue, RecordFile, RoundFile, write_file
from spades.rules import PRESETS, Game, Rules
from spades.seats import LAYOUTS
from spades.set_deals import laid_out


def to_record(events: Sequence[Event]) -> Record:
    """What was dealt, bid and played at a table, from its opening on.

    A two-handed round whose hands are still being drawn is left out: a record shows the whole
    stock, which nobody has seen yet.
    """
    known = head(events)
    rounds = tuple(
        _round(known.rules, happened)
        for happened in by_round(events)
        if _is_dealt(known.rules, happened)
    )
    return Record(known.rules, known.labels, rounds)


def _is_dealt(rules: Rules, happened: Sequence[Event]) -> bool:
    return rules.game is not Game.TWO_HANDED or (
        len(only(CardDrawn, happened)) == turns_of_draw(rules)
    )


def _round(rules: Rules, happened: Sequence[Event]) -> RecordedRound:
    dealt = only(RoundDealt, happened)[0]
    plays = only(CardPlayed, happened)
    seats = LAYOUTS[rules.game].seats
    return RecordedRound(
        dealer=dealt.dealer,
        deal=(dealt.rest,) if rules.game is Game.TWO_HANDED else dealt.hands,
        draws=only(CardDrawn, happened),
        looked=tuple(seen.seat for seen in only(HandSeen, happened)),
        bids=only(BidPlaced, happened),
        exchange=only(CardsOffered, happened),
        tricks=tuple(plays[first : first + seats] for first in range(0, len(plays), seats)),
    )


def encode_record(record: Record) -> bytes:
    """The record as a file, in JSON; `decode_record` reads the same record from it."""
    return write_file(
        RecordFile(
            format=FORMAT,
            rules=spelled(record.rules),
            seats=list(record.labels),
            rounds=[_round_file(record, of_round) for of_round in record.rounds],
        )
    )


FEW: Final = 5
"""With more options changed than this, a preset's name says less than all options do."""


def spelled(rules: Rules) -> dict[str, OptionValue]:
    """The nearest preset, the first of equals, and what differs from it; or every option."""
    options = to_builtins(rules)
    differing = {
        name: {key: value for key, value in options.items() if value != getattr(preset.rules, key)}
        for name, preset in PRESETS.items()
    }
    nearest = min(differing, key=lambda name: len(differing[name]))
    if len(differing[nearest]) > FEW:
        return dict(options)
    return {"preset": nearest, **differing[nearest]}


def _round_file(record: Record, of_round: RecordedRound) -> RoundFile:
    labels, game = record.labels, record.rules.game
    hands, rest = laid_out(record.rules, of_round.deal)
    deal = {label: " ".join(hand) for label, hand in zip(labels, hands, strict=True)}
    return RoundFile(
        dealer=labels[of_round.dealer],
        deal=None if game is Game.TWO_HANDED else deal,
        aside=rest[0] if game is Game.THREE_HANDED else None,
        draws=[_draw(labels, draw) for draw in of_round.draws],
        looked=[labels[seat] for seat in of_round.looked],
        bids={labels[bid.seat]: _bid(bid) for bid in of_round.bids},
        exchange={labels[offer.seat]: " ".join(offer.cards) for offer in of_round.exchange},
        tricks=[
            " ".join(f"{labels[play.seat]}:{play.card}" for play in trick)
            for trick in of_round.tricks
        ],
    )


def _draw(labels: Sequence[str], draw: CardDrawn) -> str:
    label = labels[draw.seat]
    if draw.looked:
        return f"{label}:keep:{draw.kept}:{draw.discarded}"
    return f"{label}:discard:{draw.discarded}:{draw.kept}"


def _bid(bid: BidPlaced) -> int | str:
    if bid.blind:
        return "blind-nil"
    return bid.tricks or "nil"

"""A game as people read it: each round's hands, bids and tricks, and the sheet that scores it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from spades.cards import Hand, in_order
from spades.events import (
    BidPlaced,
    CardDrawn,
    CardPlayed,
    CardsExchanged,
    Event,
    GameFinished,
    HandSeen,
    RoundDealt,
    RoundScored,
    SideScore,
    TrickTaken,
)
from spades.history import by_round, head, only
from spades.record import Head
from spades.record_export import spelled
from spades.rules import Game
from spades.seats import Seat

Happened = Sequence[Event]
"""What happened in one round."""
Row = Sequence[str]

LEGEND: Final = "In a trick > is the card led, and * the card that takes it."


def score_sheet(events: Sequence[Event], viewer: Seat | None = None) -> str:
    """A game as far as it got; for a viewer's seat only what its player may see.

    Of the cards not played those are their own hand, once they have looked at it, and what their
    side exchanged.
    """
    known = head(events)
    rounds = [_round(known, happened, viewer) for happened in by_round(events)]
    return "\n\n".join([_title(known), *rounds, _outcome(known, events)])


def _title(known: Head) -> str:
    options = spelled(known.rules)
    preset = options.pop("preset", None)
    words = [f"{key} {'none' if value is None else value}" for key, value in options.items()]
    if preset is not None:
        words.insert(0, str(preset))
    sides = " against ".join(_and(known, side) for side in known.layout.sides)
    return f"Spades: {', '.join(words)}\n{sides}\n{LEGEND}"


def _round(known: Head, happened: Happened, viewer: Seat | None) -> str:
    dealt = only(RoundDealt, happened)[0]
    parts = (
        [f"Round {dealt.number}, dealt by {known.labels[dealt.dealer]}"],
        _aligned(_hands(known, happened, viewer), "<<"),
        list(_exchanges(known, happened, viewer)),
        _aligned(_tricks(known, happened), "<" + ">" * known.layout.seats),
        _aligned(_sides(known, happened), "<>>>>><"),
    )
    return "\n\n".join("\n".join(lines) for lines in parts if lines)


def _outcome(known: Head, events: Sequence[Event]) -> str:
    finished, scored = only(GameFinished, events), only(RoundScored, events)
    if not finished:
        end = "The game goes on."
    elif not finished[0].winner:
        end = "A draw."
    else:
        winner = finished[0].winner
        end = f"{_and(known, winner)} {'win' if len(winner) > 1 else 'wins'}."
    if not scored:
        return end
    scores = (
        f"{_and(known, seats)} {side.score}"
        for seats, side in zip(known.layout.sides, scored[-1].sides, strict=True)
    )
    return f"{', '.join(scores)}. {end}"


# Cards that lie hidden


def _hands(known: Head, happened: Happened, viewer: Seat | None) -> Iterator[Row]:
    for seat, label in enumerate(known.labels):
        if viewer is None or (viewer == seat and _knows_own_hand(happened, seat)):
            yield label, " ".join(_hand(happened, seat))
        elif viewer == seat:
            yield label, "not looked at yet"
    if known.rules.game is Game.THREE_HANDED and (viewer is None or only(RoundScored, happened)):
        yield "aside", " ".join(only(RoundDealt, happened)[0].rest)


def _hand(happened: Happened, seat: Seat) -> Hand:
    """As dealt, or as drawn so far."""
    drawn = [draw.kept for draw in only(CardDrawn, happened) if draw.seat == seat]
    return only(RoundDealt, happened)[0].hands[seat] or in_order(drawn)


def _knows_own_hand(happened: Happened, seat: Seat) -> bool:
    """Who looked or has bid: until then a player who may bid blind is not shown the cards."""
    looked = any(seen.seat == seat for seen in only(HandSeen, happened))
    has_bid = any(bid.seat == seat for bid in only(BidPlaced, happened))
    return looked or has_bid or seat not in only(RoundDealt, happened)[0].withheld


def _exchanges(known: Head, happened: Happened, viewer: Seat | None) -> Iterator[str]:
    for swap in only(CardsExchanged, happened):
        one, other = (known.labels[seat] for seat in swap.seats)
        given, received = map(" ".join, swap.cards)
        if viewer is None or viewer in swap.seats:
            yield f"  {one} gives {other} {given}, {other} gives {one} {received}"
        else:
            yield f"  {one} and {other} exchange {len(swap.cards[0])} cards"


# What everybody sees


def _tricks(known: Head, happened: Happened) -> Iterator[Row]:
    yield "", *(f"{label} " for label in known.labels)
    bids = {bid.seat: bid for bid in only(BidPlaced, happened)}
    yield "bid", *(_bid(bids.get(seat)) for seat in range(known.layout.seats))
    plays = only(CardPlayed, happened)
    takers = [trick.seat for trick in only(TrickTaken, happened)]
    seats = known.layout.seats
    for number, first in enumerate(range(0, len(plays), seats)):
        trick = plays[first : first + seats]
        taker = takers[number] if number < len(takers) else None
        yield str(number + 1), *_trick(known, trick, taker)
    if takers:
        yield "taken", *(f"{takers.count(seat)} " for seat in range(seats))


def _trick(known: Head, trick: Sequence[CardPlayed], taker: Seat | None) -> Iterator[str]:
    played = {play.seat: play.card for play in trick}
    for seat in range(known.layout.seats):
        led, took = ">" if seat == trick[0].seat else "", "*" if seat == taker else " "
        yield f"{led}{played[seat]}{took}" if seat in played else ""


def _bid(bid: BidPlaced | None) -> str:
    if bid is None:
        return ""
    return "blind " if bid.blind else f"{bid.tricks or 'nil'} "


def _sides(known: Head, happened: Happened) -> Iterator[Row]:
    for scored in only(RoundScored, happened):
        yield "", "contract", "taken", "change", "score", "bags", ""
        for seats, side in zip(known.layout.sides, scored.sides, strict=True):
            yield _and(known, seats), *_numbers(side), _lines(side)


def _numbers(side: SideScore) -> Row:
    return (
        str(side.contract),
        str(side.taken),
        _signed(side.change),
        str(side.score),
        str(side.bags),
    )


def _lines(side: SideScore) -> str:
    return ", ".join(f"{line.what} {_signed(line.points)}" for line in side.lines)


def _signed(points: int) -> str:
    return f"{points:+}" if points else "0"


def _and(known: Head, seats: Iterable[Seat]) -> str:
    return " and ".join(known.labels[seat] for seat in seats)


def _aligned(rows: Iterable[Row], sides: str) -> list[str]:
    """Columns two spaces apart, each to the left or to the right as `<` and `>` say."""
    table = list(rows)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    columns = [f"{side}{width}" for side, width in zip(sides, widths, strict=False)]
    return ["  " + "  ".join(map(format, row, columns)).rstrip() for row in table]

"""A game as text: commands flush left, and indented below each what it made happen.

    play W S4
        refused: NOT_YOUR_TURN, it is N's turn to play, not W's
    play N S4
        N plays S4
        N takes trick 11

Commands are

    set <hand> / <hand> / ...             a deal for the table that is opened next
    open <preset> [option=value ...] [dealer=<seat>]
    sit <seat> <player>, leave <seat>, start
    keep <seat>, discard <seat>
    look <seat>, bid <seat> <number>|nil|blind, redeal <seat>
    offer <seat> <card> <card>
    play <seat> <card>

Empty lines and those that begin with `#` stay as they are. The seed of a deal comes of the line
that opened the table and of the number of the command, so the same commands deal the same cards.
"""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Final

from msgspec.structs import asdict

from spades.cards import Card
from spades.commands import (
    AskRedeal,
    Command,
    DrawCard,
    ExchangeCards,
    LeaveSeat,
    LookAtHand,
    OpenTable,
    PlaceBid,
    PlayCard,
    StartGame,
    TakeSeat,
)
from spades.deal import Hands
from spades.events import (
    BidPlaced,
    CardDrawn,
    CardPlayed,
    CardsExchanged,
    CardsOffered,
    DealThrownIn,
    Event,
    GameFinished,
    GameStarted,
    HandSeen,
    RoundDealt,
    RoundScored,
    SeatLeft,
    SeatTaken,
    SideScore,
    TableOpened,
    TrickTaken,
)
from spades.refusals import Refused
from spades.rules import Game, resolve
from spades.seats import LABELS, LAYOUTS, Layout, Seat
from spades.state import Playing, Table, Unopened
from spades.table import decide, evolve

INDENT: Final = " " * 4


def recorded(text: str) -> str:
    """The transcript with its consequences written anew."""
    scribe = _Scribe()
    commands = (line for line in text.splitlines() if not line.startswith(INDENT))
    return "".join(f"{line}\n" for command in commands for line in scribe.written(command))


class _Scribe:
    """Carries out one command after the other, and writes down what happens."""

    def __init__(self) -> None:
        self.table: Table = Unopened()
        self.layout: Layout = LAYOUTS[Game.PARTNERSHIP]
        self.set_deals: tuple[Hands, ...] = ()
        self.opening = ""
        self.number = 0

    def written(self, line: str) -> Iterator[str]:
        """The line, and below it what it made happen."""
        yield line
        if not line or line.startswith("#"):
            return
        verb, *words = line.split()
        if verb == "set":
            self._set(words)
        else:
            yield from (INDENT + told for told in self._told(verb, words))

    def _told(self, verb: str, words: list[str]) -> Iterator[str]:
        try:
            command = self._command(verb, words)
            events = decide(self.table, command)
        except Refused as refused:
            yield f"refused: {refused.code}, {refused.message}"
            return
        for event in events:
            yield from self._sentences(event)
            self.table = evolve(self.table, event)

    # From words to commands

    def _command(self, verb: str, words: list[str]) -> Command:
        self.number += 1
        match verb:
            case "open":
                return self._open(*words)
            case "start":
                return StartGame(self._seed())
            case "sit":
                return TakeSeat(self._seat(words[0]), words[1])
            case "leave":
                return LeaveSeat(self._seat(words[0]))
            case _:
                return self._move(verb, self._seat(words[0]), words[1:])

    def _open(self, preset: str, *words: str) -> Command:
        self.table, self.opening, self.number = Unopened(), " ".join((preset, *words)), 0
        options = {key: _value(word) for key, _, word in (word.partition("=") for word in words)}
        dealer = options.pop("dealer", None)
        rules = resolve(preset, options)
        self.layout = LAYOUTS[rules.game]
        deals, self.set_deals = self.set_deals, ()
        seat = None if dealer is None else self._seat(str(dealer))
        return OpenTable(rules, "host", seat, deals, LABELS[self.layout.seats])

    def _move(self, verb: str, seat: Seat, words: list[str]) -> Command:
        match verb:
            case "keep" | "discard":
                return DrawCard(seat, keep=verb == "keep")
            case "look":
                return LookAtHand(seat)
            case "bid":
                nil = words[0] in ("nil", "blind")
                return PlaceBid(seat, 0 if nil else int(words[0]), blind=words[0] == "blind")
            case "redeal":
                return AskRedeal(seat, self._seed())
            case "offer":
                return ExchangeCards(seat, tuple(map(Card, words)))
            case "play":
                return PlayCard(seat, Card(words[0]), self._seed())
            case _:
                raise ValueError(f"there is no command {verb!r}")

    def _set(self, words: list[str]) -> None:
        hands = (hand.split() for hand in " ".join(words).split(" / "))
        self.set_deals += (tuple(tuple(map(Card, hand)) for hand in hands),)

    def _seed(self) -> bytes:
        return sha256(f"{self.opening}, command {self.number}".encode()).digest()

    # From events to sentences

    def _sentences(self, event: Event) -> Iterator[str]:
        if type(event) in SENTENCES:
            fields = {key: self._spoken(key, value) for key, value in asdict(event).items()}
            yield SENTENCES[type(event)].format(**fields)
            return
        match event:
            case RoundDealt():
                yield from self._dealt(event)
            case CardDrawn(seat, True, kept, discarded):
                yield f"{self._label(seat)} keeps {kept}, {discarded} goes face down"
            case CardDrawn(seat, False, kept, discarded):
                yield f"{self._label(seat)} discards {discarded} and takes {kept}"
            case BidPlaced(seat, tricks, blind):
                yield f"{self._label(seat)} bids {'blind nil' if blind else tricks or 'nil'}"
            case CardsExchanged((one, other), (given, received)):
                yield f"{self._label(one)} gives {' '.join(given)} to {self._label(other)}"
                yield f"{self._label(other)} gives {' '.join(received)} to {self._label(one)}"
            case _:
                yield from self._outcome(event)

    def _outcome(self, event: Event) -> Iterator[str]:
        match event:
            case TrickTaken(seat):
                assert isinstance(self.table, Playing)
                yield f"{self._label(seat)} takes trick {self.table.trick_number}"
            case RoundScored(sides):
                for side, sheet in zip(self.layout.sides, sides, strict=True):
                    yield f"{self._labels(side)}: {_scored(sheet)}"
            case GameFinished(winner, reason):
                won = f"{self._labels(winner)} won" if winner else "a draw"
                yield f"the game is over by its {reason}: {won}"
            case _:
                raise ValueError(f"there is no sentence for {event}")

    def _dealt(self, event: RoundDealt) -> Iterator[str]:
        yield f"{self._label(event.dealer)} deals round {event.number}"
        for seat, hand in enumerate(event.hands):
            if hand:
                unseen = ", not shown" if seat in event.withheld else ""
                yield f"{self._label(seat)} holds {' '.join(hand)}{unseen}"
        if event.rest:
            yield f"not dealt: {' '.join(event.rest)}"

    def _spoken(self, key: str, value: object) -> object:
        match key, value:
            case (("seat" | "dealer"), int(seat)):
                return self._label(seat)
            case "cards", tuple(cards):
                return " ".join(cards)
            case _:
                return value

    # Seats

    def _seat(self, label: str) -> Seat:
        labels = LABELS[self.layout.seats]
        return labels.index(label) if label in labels else int(label)

    def _label(self, seat: Seat) -> str:
        return LABELS[self.layout.seats][seat]

    def _labels(self, seats: Iterable[Seat]) -> str:
        return " and ".join(map(self._label, seats))


SENTENCES: Final[Mapping[type[Event], str]] = {
    TableOpened: "the table is open",
    SeatTaken: "{player} sits at {seat}",
    SeatLeft: "{player} leaves {seat}",
    GameStarted: "{dealer} is the first dealer",
    DealThrownIn: "{seat} throws the deal in",
    HandSeen: "{seat} looks",
    CardsOffered: "{seat} chooses {cards}",
    CardPlayed: "{seat} plays {card}",
}


def _scored(side: SideScore) -> str:
    lines = ", ".join(f"{line.what} {line.points:+}" for line in side.lines)
    return (
        f"contract {side.contract}, taken {side.taken}: {lines or 'nothing'}; "
        f"score {side.score}, bags {side.bags}"
    )


def _value(word: str) -> object:
    """An option's value: a number, none, or a word."""
    if word == "null":
        return None
    return int(word) if word.lstrip("-").isdecimal() else word

"""A game as text: commands flush left, and indented below each what it made happen.

    play W S4
        refused: NOT_YOUR_TURN, it is N's turn to play, not W's
    play N S4
        N plays S4
        N takes trick 11

Commands are `set <hand> / <hand> / ...` (a deal for the table opened next), `open <preset>
[option=value ...] [dealer=<seat>]`, `sit <seat> <player>`, `leave <seat>`, `start`, `keep <seat>`,
`discard <seat>`, `look <seat>`, `bid <seat> <number>|nil|blind`, `redeal <seat>`,
`offer <seat> <card> ...` and `play <seat> <card>`. Lines that begin with `#` and empty lines stay as
they are. Deals come from seeds that are drawn from the number of the command at their table.
"""

from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import Any, Final

from spades.cards import Card, Hand
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
from spades.rules import PRESETS, Game, resolve
from spades.seats import LABELS, LAYOUTS, Seat
from spades.state import Playing, Table, Unopened
from spades.table import decide, evolve

INDENT: Final = " " * 4


def recorded(text: str) -> str:
    """The transcript with its consequences written anew."""
    scribe = _Scribe()
    lines = (line for line in text.splitlines() if not line.startswith(INDENT))
    return "".join(f"{line}\n" for command in lines for line in scribe.lines(command))


class _Scribe:
    """Carries out one command after the other, and writes down what happened."""

    def __init__(self) -> None:
        self.table: Table = Unopened()
        self.labels: tuple[str, ...] = ()
        self.deals: tuple[Hands, ...] = ()
        self.carried_out = 0

    def lines(self, line: str) -> Iterator[str]:
        yield line
        if not line.startswith("#") and line:
            verb, *words = line.split()
            for told in self._carry_out(verb, words):
                yield INDENT + told

    def _carry_out(self, verb: str, words: list[str]) -> Iterator[str]:
        if verb == "set":
            hands = " ".join(words).split(" / ")
            self.deals += (tuple(tuple(map(Card, hand.split())) for hand in hands),)
            return
        try:
            if verb == "open":
                self._clear(words[0])
            events = decide(self.table, COMMANDS[verb](self, words))
        except Refused as refused:
            yield f"refused: {refused.code}, {refused.message}"
            return
        for event in events:
            yield from TELL[type(event)](self, event)
            self.table = evolve(self.table, event)
        self.carried_out += 1

    def _clear(self, preset: str) -> None:
        self.table, self.carried_out = Unopened(), 0
        game = PRESETS[preset].rules.game if preset in PRESETS else Game.PARTNERSHIP
        self.labels = LABELS[LAYOUTS[game].seats]

    # From words to commands

    def seat(self, label: str) -> Seat:
        return self.labels.index(label) if label in self.labels else int(label)

    @property
    def seed(self) -> bytes:
        return sha256(f"command {self.carried_out}".encode()).digest()

    def open(self, words: list[str]) -> Command:
        preset, *rest = words
        options: dict[str, object] = dict(word.split("=") for word in rest)
        dealer = options.pop("dealer", None)
        rules = resolve(preset, {key: _value(str(word)) for key, word in options.items()})
        deals, self.deals = self.deals, ()
        seat = None if dealer is None else self.seat(str(dealer))
        return OpenTable(rules, "host", seat, deals, self.labels)

    # From events to words

    def name(self, seat: Seat) -> str:
        return self.labels[seat]

    def names(self, seats: tuple[Seat, ...]) -> str:
        return " and ".join(map(self.name, seats))

    def opened(self, event: TableOpened) -> Iterator[str]:
        yield f"{event.rules.game} to {event.rules.target}"

    def dealt(self, event: RoundDealt) -> Iterator[str]:
        yield f"{self.name(event.dealer)} deals round {event.number}"
        for seat, hand in enumerate(event.hands):
            if hand:
                unseen = ", not seen" if seat in event.withheld else ""
                yield f"{self.name(seat)} holds {_words(hand)}{unseen}"
        if event.rest:
            yield f"on the table: {_words(event.rest)}"

    def drawn(self, event: CardDrawn) -> Iterator[str]:
        if event.looked:
            yield f"{self.name(event.seat)} keeps {event.kept}, {event.discarded} goes face down"
        else:
            yield f"{self.name(event.seat)} discards {event.discarded} and takes {event.kept}"

    def bid(self, event: BidPlaced) -> Iterator[str]:
        said = "blind nil" if event.blind else str(event.tricks or "nil")
        yield f"{self.name(event.seat)} bids {said}"

    def exchanged(self, event: CardsExchanged) -> Iterator[str]:
        one, other = map(self.name, event.seats)
        given, received = map(_words, event.cards)
        yield f"{one} gives {other} {given}, {other} gives {one} {received}"

    def took(self, event: TrickTaken) -> Iterator[str]:
        number = self.table.trick_number if isinstance(self.table, Playing) else 0
        yield f"{self.name(event.seat)} takes trick {number}"

    def scored(self, event: RoundScored) -> Iterator[str]:
        sides = LAYOUTS[self._game].sides
        for side, sheet in zip(sides, event.sides, strict=True):
            yield f"{self.names(side)}: {_sheet(sheet)}"

    def finished(self, event: GameFinished) -> Iterator[str]:
        won = f"{self.names(event.winner)} won" if event.winner else "a draw"
        yield f"the game is over ({event.reason}): {won}"

    @property
    def _game(self) -> Game:
        assert not isinstance(self.table, Unopened)
        return self.table.match.rules.game


def _value(word: str) -> object:
    """An option's value as JSON has it: a number, none, or a word."""
    if word == "none":
        return None
    return int(word) if word.lstrip("-").isdecimal() else word


def _words(hand: Hand) -> str:
    return " ".join(hand)


def _sheet(side: SideScore) -> str:
    lines = ", ".join(f"{line.what} {line.points:+}" for line in side.lines)
    return (
        f"contract {side.contract}, taken {side.taken}: {lines or 'nothing'}; "
        f"score {side.score}, bags {side.bags}"
    )


COMMANDS: Final[Mapping[str, Callable[[_Scribe, list[str]], Command]]] = {
    "open": _Scribe.open,
    "sit": lambda told, words: TakeSeat(told.seat(words[0]), words[1]),
    "leave": lambda told, words: LeaveSeat(told.seat(words[0])),
    "start": lambda told, words: StartGame(told.seed),
    "keep": lambda told, words: DrawCard(told.seat(words[0]), keep=True),
    "discard": lambda told, words: DrawCard(told.seat(words[0]), keep=False),
    "look": lambda told, words: LookAtHand(told.seat(words[0])),
    "bid": lambda told, words: _bid(told.seat(words[0]), words[1]),
    "redeal": lambda told, words: AskRedeal(told.seat(words[0]), told.seed),
    "offer": lambda told, words: ExchangeCards(told.seat(words[0]), tuple(map(Card, words[1:]))),
    "play": lambda told, words: PlayCard(told.seat(words[0]), Card(words[1]), told.seed),
}


def _bid(seat: Seat, said: str) -> PlaceBid:
    return PlaceBid(seat, 0 if said in ("nil", "blind") else int(said), blind=said == "blind")


TELL: Final[Mapping[type[Event], Callable[[_Scribe, Any], Iterator[str]]]] = {
    TableOpened: _Scribe.opened,
    SeatTaken: lambda told, event: iter((f"{event.player} sits at {told.name(event.seat)}",)),
    SeatLeft: lambda told, event: iter((f"{event.player} leaves {told.name(event.seat)}",)),
    GameStarted: lambda told, event: iter(()),
    RoundDealt: _Scribe.dealt,
    DealThrownIn: lambda told, event: iter((f"{told.name(event.seat)} throws the deal in",)),
    CardDrawn: _Scribe.drawn,
    HandSeen: lambda told, event: iter((f"{told.name(event.seat)} looks",)),
    BidPlaced: _Scribe.bid,
    CardsOffered: lambda told, event: iter(
        (f"{told.name(event.seat)} chooses {_words(event.cards)}",)
    ),
    CardsExchanged: _Scribe.exchanged,
    CardPlayed: lambda told, event: iter((f"{told.name(event.seat)} plays {event.card}",)),
    TrickTaken: _Scribe.took,
    RoundScored: _Scribe.scored,
    GameFinished: _Scribe.finished,
}

"""Given what has happened at a table, when a player asks for something, then this follows.

    given(playing("C4", "C7 HA", "C9", "CT"), plays("N:C4"))
        .when(play(E, "HA"))
        .refuses(RefusalCode.MUST_FOLLOW_SUIT, "holds C7")

A history is believed as it stands, so hands are as short as a test needs: with one card each a
round is one trick, and what comes after it is what comes after thirteen.
"""

from collections.abc import Iterator
from typing import Final

import pytest
from msgspec import Struct

from spades.cards import Card, Hand, in_order
from spades.commands import (
    AskRedeal,
    Command,
    DrawCard,
    ExchangeCards,
    LookAtHand,
    PlaceBid,
    PlayCard,
)
from spades.deal import Hands
from spades.events import (
    BidPlaced,
    CardDrawn,
    CardPlayed,
    Event,
    GameStarted,
    RoundDealt,
    RoundScored,
    SeatTaken,
    SideScore,
    TableOpened,
    TrickTaken,
)
from spades.refusals import RefusalCode, Refused
from spades.rules import CLASSIC, Rules, resolve
from spades.seats import LAYOUTS, Seat
from spades.state import Table
from spades.table import decide, replay

N, E, S, W = range(4)
SEATS: Final = {"N": N, "E": E, "S": S, "W": W} | {str(seat): seat for seat in range(6)}
SEED: Final = bytes(range(32))

History = tuple[Event, ...]
Step = Event | History


# The sentence


class When(Struct, frozen=True):
    """A command, put to the table that a history has led to."""

    history: History
    command: Command

    @property
    def events(self) -> History:
        """What the command made happen."""
        return decide(replay(self.history), self.command)

    @property
    def table(self) -> Table:
        """The table after it."""
        return replay((*self.history, *self.events))

    def then(self, *steps: Step) -> None:
        """This follows, and nothing else."""
        assert self.events == flat(steps)

    def brings(self, *steps: Step) -> None:
        """This follows, in this order, and other things may as well."""
        following = iter(self.events)
        for step in flat(steps):
            assert any(step == event for event in following), (step, self.events)

    def refuses(self, code: RefusalCode, *words: str) -> None:
        """The command is turned down with this code, and the table is as it was."""
        table = replay(self.history)
        with pytest.raises(Refused) as refused:
            decide(table, self.command)
        assert refused.value.code is code, refused.value
        for word in words:
            assert word in refused.value.message
        assert table == replay(self.history)


class Given(Struct, frozen=True):
    """A history."""

    history: History

    @property
    def table(self) -> Table:
        """The table that it leads to."""
        return replay(self.history)

    def when(self, command: Command) -> When:
        """A player asks for something."""
        return When(self.history, command)


def given(*steps: Step) -> Given:
    """What has happened so far."""
    return Given(flat(steps))


def flat(steps: tuple[Step, ...]) -> History:
    """Events and groups of them in one line."""
    return tuple(_flat(steps))


def _flat(steps: tuple[Step, ...]) -> Iterator[Event]:
    for step in steps:
        if isinstance(step, tuple):
            yield from step
        else:
            yield step


# The words in it


def rule_set(preset: str = "classic", **options: object) -> Rules:
    """A preset and what overrides it, as a client would name them."""
    return resolve(preset, options)


def cards(words: str) -> Hand:
    """`SA H2` as cards, in this order."""
    return tuple(Card(word) for word in words.split())


def look(seat: Seat) -> LookAtHand:
    return LookAtHand(seat)


def bid(seat: Seat, tricks: int | str) -> PlaceBid:
    """A number, `nil` or `blind`."""
    return PlaceBid(seat, tricks if isinstance(tricks, int) else 0, blind=tricks == "blind")


def offer(seat: Seat, words: str) -> ExchangeCards:
    return ExchangeCards(seat, cards(words))


def keep(seat: Seat) -> DrawCard:
    return DrawCard(seat, keep=True)


def discard(seat: Seat) -> DrawCard:
    return DrawCard(seat, keep=False)


def play(seat: Seat, card: str) -> PlayCard:
    return PlayCard(seat, Card(card), SEED)


def redeal(seat: Seat) -> AskRedeal:
    return AskRedeal(seat, SEED)


def said(words: str) -> History:
    """Bids that were made: `N 3, E nil, S blind`."""
    pairs = (word.split() for word in words.split(", ") if word)
    return tuple(_said(SEATS[seat], word) for seat, word in pairs)


def _said(seat: Seat, word: str) -> BidPlaced:
    return BidPlaced(seat, int(word) if word.isdecimal() else 0, blind=word == "blind")


def plays(words: str) -> History:
    """Cards that were played: `N:C4 E:C7`."""
    pairs = (word.split(":") for word in words.split())
    return tuple(CardPlayed(SEATS[seat], Card(card)) for seat, card in pairs)


def trick(words: str, taker: Seat) -> History:
    """A whole trick, and who took it."""
    return (*plays(words), TrickTaken(taker))


# How a table comes to a phase


def opened(
    rules: Rules = CLASSIC, dealer: Seat | None = None, deals: tuple[Hands, ...] = ()
) -> TableOpened:
    return TableOpened(rules, "player-0", dealer, deals)


def seated(
    rules: Rules = CLASSIC, dealer: Seat | None = None, deals: tuple[Hands, ...] = ()
) -> History:
    """Every seat is taken, and the game can begin."""
    seats = range(LAYOUTS[rules.game].seats)
    return (
        opened(rules, dealer, deals),
        *(SeatTaken(seat, f"player-{seat}") for seat in seats),
    )


def bidding(
    *hands: str,
    rules: Rules = CLASSIC,
    dealer: Seat = -1,
    rest: str = "",
    withheld: tuple[Seat, ...] = (),
    scores: tuple[int, ...] = (),
    bags: tuple[int, ...] = (),
    number: int = 1,
) -> History:
    """Round `number` is dealt, by default from the last seat, so that seat 0 bids and leads first.

    `hands` are those of the first seats, and may be short or left out; `scores` and `bags` are
    what each side brings into the round.
    """
    layout = LAYOUTS[rules.game]
    dealer %= layout.seats
    held = tuple(in_order(cards(hand)) for hand in (*hands, *[""] * (layout.seats - len(hands))))
    return (
        *seated(rules),
        GameStarted(dealer),
        *(_earlier(rules, scores, bags, dealer, number - 1) if scores or bags else ()),
        RoundDealt(number, dealer, held, cards(rest), withheld, SEED.hex()),
    )


def _earlier(
    rules: Rules, scores: tuple[int, ...], bags: tuple[int, ...], dealer: Seat, number: int
) -> History:
    """A round without cards, after which the sides stand as they should."""
    layout = LAYOUTS[rules.game]
    nothing = (0,) * len(layout.sides)
    return (
        RoundDealt(number, layout.left_of(dealer), ((),) * layout.seats, (), (), None),
        *(BidPlaced(seat, 1) for seat in range(layout.seats)),
        RoundScored(
            tuple(
                SideScore(0, 0, (), score, count)
                for score, count in zip(scores or nothing, bags or nothing, strict=True)
            )
        ),
    )


def playing(
    *hands: str,
    rules: Rules = CLASSIC,
    bids: str = "",
    dealer: Seat = -1,
    rest: str = "",
    scores: tuple[int, ...] = (),
    bags: tuple[int, ...] = (),
    number: int = 1,
) -> History:
    """All have bid, seat by seat as in `3 nil 4 blind`, else one trick each."""
    layout = LAYOUTS[rules.game]
    words = bids.split() or ["1"] * layout.seats
    return (
        *bidding(
            *hands,
            rules=rules,
            dealer=dealer,
            rest=rest,
            scores=scores,
            bags=bags,
            number=number,
        ),
        *(
            _said(seat, words[seat])
            for seat in layout.clockwise_from(layout.left_of(dealer % layout.seats))
        ),
    )


exchanging = playing
"""The same, where one of the bids is a blind nil and the rule set has an exchange."""


def drawn(*hands: str, rules: Rules, dealer: Seat = 1) -> History:
    """Two-handed: both have drawn their hands, each card as it was looked at."""
    first, second = (cards(hand) for hand in hands)
    other = 1 - dealer
    draws = tuple(
        CardDrawn(seat, True, card, Card.D2)
        for pair in zip(first, second, strict=True)
        for seat, card in ((other, pair[other]), (dealer, pair[dealer]))
    )
    stock = tuple(card for draw in draws for card in (draw.kept, draw.discarded))
    return (
        *seated(rules),
        GameStarted(dealer),
        RoundDealt(1, dealer, ((), ()), stock, (), SEED.hex()),
        *draws,
    )

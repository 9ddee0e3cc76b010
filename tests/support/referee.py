"""A referee at the table who knows the rules by the second opinion alone.

It follows a game by its events, keeps its own account of hands, turns and scores in plain words,
says what each bid and play would be answered with, and objects to every outcome but its own.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec import to_builtins

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
    TrickTaken,
)
from spades.rules import Rules
from spades.seats import Seat
from support import second_opinion
from support.second_opinion import BLIND_NIL, Bid


class Referee:
    """Watches one game. `watch` raises AssertionError where it would have decided otherwise."""

    def __init__(self, rules: Rules) -> None:
        self.rules: second_opinion.Rules = to_builtins(rules)
        self.seats = second_opinion.players(self.rules)
        self.sides = second_opinion.sides(self.rules)
        self.scores = [0] * len(self.sides)
        self.bags = [0] * len(self.sides)
        self.rounds = 0
        self.dealer = 0
        self._clear([[] for _ in range(self.seats)], ())

    def watch(self, event: Event) -> None:
        """Take note of an event, and object where the rules say otherwise."""
        follow = FOLLOW.get(type(event))
        if follow is not None:
            follow(self, event)

    # What it would answer

    def on_bid(self, seat: Seat, bid: Bid) -> str | None:
        """The code with which a bid is refused, or None."""
        if seat != self._next_bidder():
            return "NOT_YOUR_TURN"
        in_range = bid == BLIND_NIL or 0 <= int(bid) <= second_opinion.tricks_in_round(self.rules)
        counts_spades = self.rules["bidding"] == "whiz" and not self.looked[seat]
        if counts_spades and in_range and not second_opinion.is_nil(bid):
            return "BID_NOT_ALLOWED"  # whether the bid is right would tell of cards not looked at
        return second_opinion.bid_refusal(
            self.rules, self.hands[seat], self.bids, seat, bid, self.looked[seat], self.scores
        )

    def on_play(self, seat: Seat, card: str) -> str | None:
        """The code with which a card is refused, or None."""
        if seat != self.turn:
            return "NOT_YOUR_TURN"
        return second_opinion.play_refusal(
            self.rules,
            self.hands[seat],
            self.trick,
            self.trick_number,
            self.broken,
            card,
            self.clubs_in_play,
        )

    # What it notes

    def _clear(self, hands: list[list[str]], withheld: tuple[Seat, ...]) -> None:
        """A new deal lies on the table."""
        self.hands = hands
        self.stock: list[str] = []
        self.looked = [seat not in withheld for seat in range(self.seats)]
        self.bids: dict[int, Bid] = {}
        self.to_choose: set[int] = set()
        self.turn: int | None = None
        self.leader = 0
        self.taken = [0] * self.seats
        self.trick: list[str] = []
        self.trick_number = 1
        self.broken = False
        self.clubs_in_play = False

    def _next_bidder(self) -> int:
        return (self.dealer + 1 + len(self.bids)) % self.seats

    def _outcome(self) -> list[int] | None:
        return second_opinion.game_over(self.rules, self.scores, self.rounds)

    def started(self, event: GameStarted) -> None:
        self.dealer = event.dealer

    def dealt(self, event: RoundDealt) -> None:
        assert (event.number, event.dealer) == (self.rounds + 1, self.dealer)
        assert self.rounds == 0 or self._outcome() is None
        may = [
            second_opinion.may_bid_blind(self.rules, self.scores, number)
            for number in range(len(self.sides))
        ]
        assert set(event.withheld) == {
            seat for number, side in enumerate(self.sides) if may[number] for seat in side
        }
        self._clear([list(map(str, hand)) for hand in event.hands], event.withheld)
        self.stock = list(map(str, event.rest))

    def thrown_in(self, event: DealThrownIn) -> None:
        assert self.rules["redeal"] == "no-spade"
        assert self.looked[event.seat]
        assert event.seat not in self.bids
        hand = self.hands[event.seat]
        assert not any(second_opinion.is_spade(self.rules, card) for card in hand)

    def drawn(self, event: CardDrawn) -> None:
        turns = sum(map(len, self.hands))
        assert event.seat == (self.dealer + 1 + turns) % self.seats
        looked_at, following = self.stock[0], self.stock[1]
        kept, discarded = (looked_at, following) if event.looked else (following, looked_at)
        assert (str(event.kept), str(event.discarded)) == (kept, discarded)
        self.hands[event.seat].append(kept)
        del self.stock[:2]

    def saw(self, event: HandSeen) -> None:
        assert not self.looked[event.seat]
        self.looked[event.seat] = True

    def bid(self, event: BidPlaced) -> None:
        said: Bid = BLIND_NIL if event.blind else event.tricks
        assert self.on_bid(event.seat, said) is None
        self.bids[event.seat] = said
        self.looked[event.seat] = True
        if len(self.bids) == self.seats:
            self._choose_or_lead()

    def _choose_or_lead(self) -> None:
        if self.rules["exchange"]:
            blind = {seat for seat, said in self.bids.items() if said == BLIND_NIL}
            self.to_choose = {seat for side in self.sides if blind & set(side) for seat in side}
        if not self.to_choose:
            self._lead()

    def _lead(self) -> None:
        self.clubs_in_play = second_opinion.clubs_are_in_play(self.rules, self.hands)
        self.leader = second_opinion.first_leader(self.rules, self.dealer, self.hands)
        self.turn = self.leader

    def offered(self, event: CardsOffered) -> None:
        assert event.seat in self.to_choose
        assert len(event.cards) == 2
        hand = list(self.hands[event.seat])
        for card in event.cards:
            hand.remove(str(card))

    def exchanged(self, event: CardsExchanged) -> None:
        assert set(event.seats) <= self.to_choose
        for seat, given, received in zip(event.seats, event.cards, event.cards[::-1], strict=True):
            for card in given:
                self.hands[seat].remove(str(card))
            self.hands[seat] += map(str, received)
        self.to_choose -= set(event.seats)
        if not self.to_choose:
            self._lead()

    def played(self, event: CardPlayed) -> None:
        seat, card = event.seat, str(event.card)
        assert self.on_play(seat, card) is None
        self.broken = self.broken or second_opinion.breaks_spades(
            self.rules, self.hands[seat], self.trick, card, self.trick_number, self.clubs_in_play
        )
        self.hands[seat].remove(card)
        self.trick.append(card)
        self.turn = None if len(self.trick) == self.seats else (seat + 1) % self.seats

    def took(self, event: TrickTaken) -> None:
        place = second_opinion.winner(self.rules, self.trick, self.trick_number, self.clubs_in_play)
        assert event.seat == (self.leader + place) % self.seats
        assert len(self.trick) == self.seats
        self.taken[event.seat] += 1
        self.leader = self.turn = event.seat
        self.trick = []
        self.trick_number += 1

    def scored(self, event: RoundScored) -> None:
        assert not any(self.hands)
        assert sum(self.taken) == second_opinion.tricks_in_round(self.rules)
        for number, (side, sheet) in enumerate(zip(self.sides, event.sides, strict=True)):
            score = second_opinion.score_side(
                self.rules,
                [self.bids[seat] for seat in side],
                [self.taken[seat] for seat in side],
                self.bags[number],
            )
            assert (sheet.contract, sheet.taken) == (score["contract"], score["taken"])
            assert [(str(line.what), line.points) for line in sheet.lines] == score["lines"]
            self.scores[number] += score["change"]
            self.bags[number] = score["bags_after"]
            assert (sheet.score, sheet.bags) == (self.scores[number], self.bags[number])
        self.rounds += 1
        self.dealer = (self.dealer + 1) % self.seats

    def finished(self, event: GameFinished) -> None:
        outcome = self._outcome()
        assert outcome is not None
        assert list(event.winner) == [seat for number in outcome for seat in self.sides[number]]


FOLLOW: Final[Mapping[type[Event], Callable[[Any, Any], None]]] = {
    GameStarted: Referee.started,
    RoundDealt: Referee.dealt,
    DealThrownIn: Referee.thrown_in,
    CardDrawn: Referee.drawn,
    HandSeen: Referee.saw,
    BidPlaced: Referee.bid,
    CardsOffered: Referee.offered,
    CardsExchanged: Referee.exchanged,
    CardPlayed: Referee.played,
    TrickTaken: Referee.took,
    RoundScored: Referee.scored,
    GameFinished: Referee.finished,
}
"""What it notes of each event; who sits where is not its matter."""

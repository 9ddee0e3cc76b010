"""Random games by the rules: the players know what is legal, and a little of what is wise."""

from random import Random
from typing import Final

from spades.bidding import legal_bids, may_still_bid_blind
from spades.cards import Hand
from spades.commands import (
    AskRedeal,
    Command,
    DrawCard,
    ExchangeCards,
    LookAtHand,
    OpenTable,
    PlaceBid,
    PlayCard,
    StartGame,
    TakeSeat,
)
from spades.events import Event
from spades.exchange import awaited
from spades.pack import spades_in
from spades.play import legal_plays
from spades.rules import Redeal, Rules
from spades.state import (
    Bidding,
    Drawing,
    Exchanging,
    Finished,
    Playing,
    Seating,
    Table,
    Unopened,
)
from spades.table import decide, evolve

BLIND: Final = 0.2
"""How often a player who may bid blind does."""
CURIOUS: Final = 0.3
"""How often somebody looks at a withheld hand before it is their turn."""
NIL: Final = 0.1
"""How often a player would like to bid nil, whatever the hand."""
UNHAPPY: Final = 0.5
"""How often a hand without a spade is thrown in, where that is allowed."""


def play_out(rules: Rules, seed: int, rounds: int | None = None) -> tuple[Event, ...]:
    """A whole game from its opening, or its first `rounds` and the deal that follows them."""
    chance = Random(seed)
    table: Table = Unopened()
    events: list[Event] = []
    while not _is_over(table, rounds):
        for event in decide(table, next_command(table, rules, chance)):
            table = evolve(table, event)
            events.append(event)
    return tuple(events)


def _is_over(table: Table, rounds: int | None) -> bool:
    if isinstance(table, Unopened):
        return False
    return isinstance(table, Finished) or (rounds is not None and table.match.round > rounds)


def next_command(table: Table, rules: Rules, chance: Random) -> Command:
    """Something legal at this table; anything that is legal can come of it."""
    match table:
        case Unopened():
            return OpenTable(rules, "player-0", dealer=chance.choice([None, 0, 1]))
        case Seating(match=game) if None in game.players:
            seat = game.players.index(None)
            return TakeSeat(seat, f"player-{seat}")
        case Seating():
            return StartGame(chance.randbytes(32))
        case Drawing(turn=turn):
            return DrawCard(turn, keep=chance.random() < 0.5)
        case Bidding():
            return _bid(table, chance)
        case Exchanging(hands=hands):
            seat = chance.choice(awaited(table))
            return ExchangeCards(seat, tuple(chance.sample(hands[seat], rules.exchange)))
        case Playing(turn=int(turn)):
            return PlayCard(turn, chance.choice(legal_plays(table)), chance.randbytes(32))
        case _:
            raise ValueError(f"nobody has anything to do in {type(table).__name__}")


def _bid(table: Bidding, chance: Random) -> Command:
    seat, rules = table.turn, table.match.rules
    unseen = [other for other, seen in enumerate(table.seen) if not seen]
    if unseen and chance.random() < CURIOUS:
        return LookAtHand(chance.choice(unseen))
    if may_still_bid_blind(table, seat) and chance.random() < BLIND:
        return PlaceBid(seat, 0, blind=True)
    if not table.seen[seat]:
        return LookAtHand(seat)
    hand = table.hands[seat]
    no_spade = rules.redeal is Redeal.NO_SPADE and not spades_in(rules, hand)
    if no_spade and chance.random() < UNHAPPY:
        return AskRedeal(seat, chance.randbytes(32))
    wish = 0 if chance.random() < NIL else _worth(rules, hand)
    return PlaceBid(seat, min(legal_bids(table, seat), key=lambda bid: abs(bid - wish)))


def _worth(rules: Rules, hand: Hand) -> int:
    """A careful guess: games then end, though the cards are played at random."""
    high = sum(card[1] in "AK" for card in hand)
    return max(1, (high + spades_in(rules, hand)) // 2)

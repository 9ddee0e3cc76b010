"""Whole games, step by step: the table, what was asked of it, what happened, the table after."""

from collections.abc import Iterator
from random import Random
from typing import Final

from msgspec import Struct

from spades.bidding import legal_bids, may_still_bid_blind
from spades.commands import Command, PlaceBid
from spades.events import Event
from spades.rules import Rules
from spades.state import Bidding, Finished, Table, Unopened
from spades.table import decide, evolve
from support.play_out import next_command

BOLD: Final = 0.4
"""How often a bid is any that is legal, blind or not, and half of these the lowest: nils meet."""


class Step(Struct, frozen=True):
    """One command of a game. `history` is everything up to and with its events."""

    before: Table
    command: Command
    events: tuple[Event, ...]
    after: Table
    history: tuple[Event, ...]


def steps(rules: Rules, seed: int) -> Iterator[Step]:
    """A random game from its opening to its end."""
    chance = Random(seed)
    table: Table = Unopened()
    history: tuple[Event, ...] = ()
    while not isinstance(table, Finished):
        before, command = table, _command(table, rules, chance)
        events = decide(table, command)
        for event in events:
            table = evolve(table, event)
        history += events
        yield Step(before, command, events, table, history)


def _command(table: Table, rules: Rules, chance: Random) -> Command:
    if isinstance(table, Bidding) and chance.random() < BOLD:
        seat, bids = table.turn, legal_bids(table, table.turn)
        tricks = chance.choice((bids[0], chance.choice(bids)))
        return PlaceBid(seat, tricks, blind=not tricks and may_still_bid_blind(table, seat))
    return next_command(table, rules, chance)


def commands(rules: Rules, seed: int) -> tuple[Command, ...]:
    """What was asked in that game."""
    return tuple(step.command for step in steps(rules, seed))

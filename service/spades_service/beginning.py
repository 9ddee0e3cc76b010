"""Sitting down together: several commands as one, and the game begins with the last seat."""

from collections.abc import Iterable

from spades.commands import Command, StartGame
from spades.events import Event
from spades.state import Seating, Table
from spades.table import carry_out


def then_begin(table: Table, commands: Iterable[Command], seed: bytes) -> tuple[Event, ...]:
    """What the commands make happen one after the other, and the first deal once all seats are
    taken; raises Refused for the first that is turned down, and then nothing has happened.
    """
    events: list[Event] = []
    for command in commands:
        happened, table = carry_out(table, command)
        events += happened
    if isinstance(table, Seating) and None not in table.match.players:
        happened, _ = carry_out(table, StartGame(seed))
        events += happened
    return tuple(events)

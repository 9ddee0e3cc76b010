"""When a table is due: whose move is made for them, and when a table has been left for good."""

from typing import Final

from spades.events import Event, HandSeen, SeatLeft, SeatTaken
from spades.state import BetweenRounds, Finished, Seating, Table, Unopened
from spades.view import awaited_seats

HOUSE_MILLIS: Final = 2_000
"""A computer moves at once on the replica that called for it; if that has died, another looks after
this time."""
DESERTED_MILLIS: Final = 10 * 60_000
"""A game that every person has left waits so long for one of them."""
SEATING_MILLIS: Final = 24 * 3_600_000
"""A table whose game does not begin is closed after a day without anybody coming or going."""
IDLE_MILLIS: Final = 7 * 24 * 3_600_000
"""A game without a clock is ended after a week without a move."""

KEEPS_TIME: Final = (HandSeen, SeatTaken, SeatLeft)
"""Events that give the player in turn no new time."""


def since(before: int, event: Event, at: int) -> int:
    """Since when the table waits for the move that it now waits for."""
    return before if isinstance(event, KEEPS_TIME) else at


def runs_out(table: Table, waiting_since: int) -> int | None:
    """When the time of the player in turn is up, where the table has a clock."""
    if isinstance(table, Unopened | Seating | BetweenRounds | Finished):
        return None
    seconds = table.match.turn_seconds
    return None if seconds is None else waiting_since + 1000 * seconds


def house_seats(table: Table) -> tuple[int, ...]:
    """The awaited seats for which the house moves at once: computers, and with a clock whoever is
    not there. None while every person has left, since nobody would see the game.
    """
    if isinstance(table, Unopened) or table.match.deserted:
        return ()
    match = table.match
    clocked = match.turn_seconds is not None
    return tuple(
        seat
        for seat in awaited_seats(table)
        if match.bots[seat] is not None or (clocked and match.unattended(seat))
    )


def due(table: Table, waiting_since: int, at: int) -> int | None:
    """When somebody has to look at the table again, if nothing happens until then."""
    match table:
        case Unopened() | Finished():
            return None
        case Seating():
            return at + SEATING_MILLIS
        case _ if table.match.deserted:
            return at + DESERTED_MILLIS
        case _ if house_seats(table):
            return at + HOUSE_MILLIS
        case _:
            return runs_out(table, waiting_since) or at + IDLE_MILLIS

"""Who sits where: taking a seat, leaving it, computers in the empty ones, and who is away."""

from typing import TypeVar

from msgspec.structs import replace

from spades.commands import ComeBack, LeaveSeat, SeatBot, TakeSeat
from spades.events import BotLevel, Event, PlayerBack, SeatLeft, SeatTaken
from spades.refusals import RefusalCode, Refused, require
from spades.seats import Seat
from spades.state import Match

T = TypeVar("T")


def require_seat(match: Match, seat: Seat) -> None:
    """Raises Refused with NO_SUCH_SEAT."""
    require(
        seat in range(match.layout.seats),
        RefusalCode.NO_SUCH_SEAT,
        f"there is no seat {seat}: seats are 0 to {match.layout.seats - 1}",
    )


def take_seat(match: Match, command: TakeSeat) -> tuple[Event, ...]:
    """One player to a seat, and one seat to a player; a person may take a computer's.

    Who has held a seat in this game has seen its cards, and can come back to no other.
    """
    seat, player = command.seat, command.player
    require_seat(match, seat)
    require(
        player not in match.players,
        RefusalCode.ALREADY_SEATED,
        "you have a seat at this table already: leave it first",
    )
    own = next((left for left, who in match.former if who == player), seat)
    require(
        own == seat,
        RefusalCode.SEAT_TAKEN,
        f"you have seen the cards of seat {own}, and may come back to no other seat",
    )
    return (*_made_free(match, seat), SeatTaken(seat, player))


def _made_free(match: Match, seat: Seat) -> tuple[Event, ...]:
    held = match.players[seat]
    if held is None:
        return ()
    if match.bots[seat] is not None:
        return (SeatLeft(seat, held),)
    free = [
        str(other)
        for other, player in enumerate(match.players)
        if player is None or match.bots[other] is not None
    ]
    raise Refused(
        RefusalCode.SEAT_TAKEN,
        f"seat {seat} is taken: " + (f"free is {', '.join(free)}" if free else "none is free"),
    )


def leave_seat(match: Match, command: LeaveSeat) -> tuple[Event, ...]:
    """A seat can be left at any time; in a game it stands empty until somebody takes it."""
    require_seat(match, command.seat)
    player = match.players[command.seat]
    if player is None:
        raise Refused(RefusalCode.NOT_SEATED, f"nobody sits at {command.seat}")
    return (SeatLeft(command.seat, player),)


def seat_bot(match: Match, command: SeatBot) -> tuple[Event, ...]:
    """A computer takes an empty seat."""
    seat = command.seat
    require_seat(match, seat)
    require(
        command.level is BotLevel.EASY,
        RefusalCode.BAD_COMMAND,
        f"computers play EASY; {command.level.name} is not there yet",
    )
    require(
        match.players[seat] is None,
        RefusalCode.SEAT_TAKEN,
        f"seat {seat} is taken: a computer sits down in an empty seat only",
    )
    return (SeatTaken(seat, bot_id(seat), command.level),)


def bot_id(seat: Seat) -> str:
    """A computer's player id; no person's looks like it."""
    return f"computer-{seat}"


def come_back(match: Match, command: ComeBack) -> tuple[Event, ...]:
    """Only who is away can come back."""
    require_seat(match, command.seat)
    require(
        match.away(command.seat),
        RefusalCode.NOT_AWAY,
        "you are not away: the table waits for your moves as it does for everybody's",
    )
    return (PlayerBack(command.seat),)


def with_player(
    match: Match, seat: Seat, player: str | None, level: BotLevel | None = None
) -> Match:
    """The match with another player, or nobody, in a seat; nothing was missed by them yet."""
    left = match.players[seat]
    remembered = match.round > 0 and left is not None and match.bots[seat] is None
    return replace(
        match,
        players=_with(match.players, seat, player),
        bots=_with(match.bots, seat, level),
        missed=_with(match.missed, seat, 0),
        former=(*match.former, (seat, left)) if remembered and left is not None else match.former,
    )


def noticed(match: Match, seat: Seat, *, automatic: bool) -> Match:
    """The match after a move: one more was made for the player, or they are there."""
    missed = match.missed[seat]
    if not automatic and not missed:
        return match
    return replace(match, missed=_with(match.missed, seat, missed + 1 if automatic else 0))


def _with(values: tuple[T, ...], seat: Seat, value: T) -> tuple[T, ...]:
    return (*values[:seat], value, *values[seat + 1 :])

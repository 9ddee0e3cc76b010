"""Rates and caps: who does too much is held back, everybody else notices nothing."""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, Final

import pytest
from msgspec import Struct

from spades_service.callers import STRANGER, Caller
from spades_service.guards import (
    COMMANDS,
    GUESTS,
    SOCKETS,
    WATCHES,
    Guards,
    Limiter,
    Rate,
    TooMany,
    address_of,
)
from spades_service.ports import StoreUnavailable

RATE: Final = Rate("things", 50, 10)
ANN: Final = Caller(player="ann")


class Clock(Struct):
    """Seconds that pass when they are told to."""

    time: float = 1000.0

    def __call__(self) -> float:
        return self.time


class SharedTallies:
    """Counts of replicas that share a store."""

    def __init__(self) -> None:
        self.asked = 0
        self.spent: dict[str, int] = {}
        self.down = False

    async def spend(self, rate: Rate, who: str, amount: int) -> int:
        self.asked += 1
        if self.down:
            raise StoreUnavailable("out of reach")
        if self.spent.get(who, 0) + amount > rate.most:
            return rate.seconds
        self.spent[who] = self.spent.get(who, 0) + amount
        return 0


async def let_through(limiter: Limiter, who: str, tries: int = 1000) -> int:
    """How much of one and the same is let through at a time."""
    for count in range(tries):
        try:
            await limiter.admit(RATE, who)
        except TooMany:
            return count
    return tries


async def test_who_does_little_is_asked_about_nowhere() -> None:
    tallies, clock = SharedTallies(), Clock()
    limiter = Limiter(tallies, clock)
    for _ in range(10):
        for _ in range(RATE.share):
            await limiter.admit(RATE, "ann")
        clock.time += RATE.seconds
    assert tallies.asked == 0


async def test_who_does_much_is_asked_about_now_and_then() -> None:
    tallies = SharedTallies()
    assert await let_through(Limiter(tallies, Clock()), "ann") == RATE.most + RATE.share
    assert tallies.asked == RATE.most // RATE.share + 1


async def test_replicas_let_through_no_more_together_than_a_share_each_above_the_rate() -> None:
    tallies, clock = SharedTallies(), Clock()
    replicas = [Limiter(tallies, clock) for _ in range(4)]
    through = sum([await let_through(replica, "ann") for replica in replicas])
    assert through <= RATE.most + len(replicas) * RATE.share


async def test_who_is_held_back_is_told_for_how_long_and_then_goes_on() -> None:
    tallies, clock = SharedTallies(), Clock()
    limiter = Limiter(tallies, clock)
    await let_through(limiter, "ann")
    with pytest.raises(TooMany) as too_many:
        await limiter.admit(RATE, "ann")
    assert too_many.value.seconds == RATE.seconds
    assert str(too_many.value) == ("there may be 50 things in 10 seconds: try again in 10 seconds")
    clock.time += too_many.value.seconds
    await limiter.admit(RATE, "ann")


async def test_who_is_held_back_costs_no_more_questions() -> None:
    tallies = SharedTallies()
    limiter = Limiter(tallies, Clock())
    await let_through(limiter, "ann")
    asked = tallies.asked
    await let_through(limiter, "ann")
    assert tallies.asked == asked


async def test_one_who_does_too_much_holds_nobody_else_back() -> None:
    limiter = Limiter(SharedTallies(), Clock())
    await let_through(limiter, "ann")
    assert await let_through(limiter, "bob", tries=RATE.most) == RATE.most


async def test_rates_of_different_things_are_counted_apart() -> None:
    limiter = Limiter(SharedTallies(), Clock())
    await let_through(limiter, "ann")
    await limiter.admit(Rate("other things", 50, 10), "ann")


async def test_without_a_store_nobody_is_locked_out() -> None:
    tallies = SharedTallies()
    tallies.down = True
    limiter = Limiter(tallies, Clock())
    assert await let_through(limiter, "ann", tries=500) == 500


async def test_players_are_counted_wherever_they_come_from_and_strangers_by_address() -> None:
    guards = Guards(SharedTallies())
    commands = [guards.commands(ANN, f"203.0.113.{place % 250}") for place in range(10_000)]
    assert await held_back(commands)
    others = [Caller(player=f"player-{number}") for number in range(100)]
    assert not await held_back([guards.commands(other, "203.0.113.1") for other in others])
    assert await held_back([guards.guest("203.0.113.1") for _ in range(2 * GUESTS.most)])
    assert not await held_back([guards.guest("203.0.113.2")])


async def held_back(asked: Sequence[Awaitable[None]]) -> bool:
    """Whether somebody is held back by the end."""
    ends = await asyncio.gather(*asked, return_exceptions=True)
    return any(isinstance(end, TooMany) for end in ends)


async def test_a_platform_speaks_for_many_and_may_do_more() -> None:
    guards = Guards(SharedTallies())
    for _ in range(5 * COMMANDS.most):
        await guards.commands(Caller(platform="arcade"), "")


async def test_without_tallies_nothing_is_limited() -> None:
    guards = Guards(None)
    for _ in range(2 * GUESTS.most):
        await guards.guest("203.0.113.1")
    held = [guards.socket("203.0.113.1") for _ in range(2 * SOCKETS.most)]
    for socket in held:
        socket.__enter__()
    assert guards.held(SOCKETS, "203.0.113.1") == 2 * SOCKETS.most


def test_a_player_has_so_many_streams_at_a_time() -> None:
    guards = Guards(SharedTallies())
    held = [guards.watch(ANN, "") for _ in range(WATCHES.most)]
    for watch in held:
        watch.__enter__()
    with pytest.raises(TooMany), guards.watch(ANN, ""):
        pass
    with guards.watch(Caller(player="bob"), ""):
        pass
    held.pop().__exit__(None, None, None)
    with guards.watch(ANN, ""):
        pass
    for watch in held:
        watch.__exit__(None, None, None)
    assert guards.held(WATCHES, "ann") == 0


def test_an_address_has_so_many_sockets_at_a_time() -> None:
    guards = Guards(SharedTallies())
    held = [guards.socket("203.0.113.1") for _ in range(SOCKETS.most)]
    for socket in held:
        socket.__enter__()
    with pytest.raises(TooMany, match="500 sockets from one address"):
        guards.socket("203.0.113.1").__enter__()
    with guards.socket("203.0.113.2"):
        pass


@pytest.mark.parametrize(
    ("client", "address"),
    [
        (("203.0.113.7", 4711), "203.0.113.7"),
        (("2001:db8:1:2:3:4:5:6", 4711), "2001:db8:1:2::/64"),
        (("2001:db8:1:2::1", 4712), "2001:db8:1:2::/64"),
        (("127.0.0.1", 4711), ""),
        (("::1", 4711), ""),
        (("a socket of a proxy", 0), "a socket of a proxy"),
        (None, ""),
    ],
)
def test_an_address_is_what_a_stranger_cannot_change_at_will(client: Any, address: str) -> None:
    scope: Mapping[str, Any] = {"client": client}
    assert address_of(scope) == address


async def test_a_stranger_on_this_machine_is_not_counted() -> None:
    guards = Guards(SharedTallies())
    for _ in range(2 * GUESTS.most):
        await guards.guest("")
        await guards.request(STRANGER, "")

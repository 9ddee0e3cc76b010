"""Small appends for the tests of the store."""

from collections.abc import Sequence
from typing import Final

from spades.cards import Card
from spades.events import CardPlayed, Event
from spades_service.ports import Append, EventStore, Recorded, VersionConflict

CARDS: Final = tuple(Card)


def card(number: int) -> Event:
    """One of 54 different events."""
    return CardPlayed(number % 4, CARDS[number % len(CARDS)])


def command(
    table: str, expected: int, key: bytes = b"", events: Sequence[Event] | None = None
) -> Append:
    """A command decided on version `expected`; its key is its own unless one is given."""
    return Append(
        table=table,
        expected=expected,
        at=1_764_550_000_000 + expected,
        command=key or b"command-%d" % expected,
        events=tuple(events) if events else (card(expected),),
    )


async def fill(store: EventStore, table: str, events: int) -> None:
    """Write so many events, one by one."""
    for version in range(events):
        await store.append(command(table, version))


async def versions(store: EventStore, table: str) -> list[int]:
    return [recorded.version for recorded in await store.read(table)]


async def events(store: EventStore, table: str) -> list[Event]:
    return [recorded.event for recorded in await store.read(table)]


async def compete(store: EventStore, table: str, name: bytes, tries: int) -> int:
    """How many of a writer's commands were written, each decided on what it had just read."""
    written = 0
    for number in range(tries):
        read: Sequence[Recorded] = await store.read(table)
        try:
            await store.append(command(table, len(read), b"%s-%d" % (name, number)))
        except VersionConflict:
            continue
        written += 1
    return written

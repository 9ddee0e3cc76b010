"""The names of everything in Redis.

Each table belongs to one of 256 partitions: the first byte of the SHA-256 of its id. The names of
a partition's keys carry its tag (`{p17}`), so that in a cluster they share a slot, and one script
can write to a table's stream and to its partition's feed. Neither the hash nor the number of
partitions can ever change: every stream is found through them.
"""

from hashlib import sha256
from typing import Final

PARTITIONS: Final = 256
EVERY_CHANNEL: Final = "spades:{p*}:nudges"
"""The pattern that matches the channel of each partition."""


def partition(table: str) -> int:
    """The partition of a table."""
    return sha256(table.encode()).digest()[0]


def stream(table: str) -> str:
    """A table's events."""
    return f"spades:{_tag(table)}:table:{table}"


def feed(table: str) -> str:
    """What was written to any table of the partition, in order."""
    return f"spades:{_tag(table)}:feed"


def deadlines(table: str) -> str:
    """When each table of the partition is due next."""
    return f"spades:{_tag(table)}:deadlines"


def channel(table: str) -> str:
    """Where the partition's nudges are published."""
    return f"spades:{_tag(table)}:nudges"


def player(player: str) -> str:
    """A player's name."""
    return f"spades:player:{player}"


def shelf(name: str) -> str:
    """A shelf of tables: a key of its own, wherever its tables are."""
    return f"spades:shelf:{name}"


def every_deadlines() -> tuple[str, ...]:
    """The deadlines of all partitions."""
    return tuple(f"spades:{{p{number}}}:deadlines" for number in range(PARTITIONS))


def _tag(table: str) -> str:
    return f"{{p{partition(table)}}}"

"""Platforms and their keys, as the service asks for them; the docstrings are the contract.

One suite, `tests/adapters/test_platforms_contract.py`, holds every adapter to it.
"""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct


class Platform(Struct, frozen=True):
    """Someone who brings players of their own; `created` is in milliseconds since 1970 UTC."""

    id: str
    name: str
    created: int


class PlatformKey(Struct, frozen=True):
    """A key as it is kept: its digest, and enough to tell it from the others in a list.

    From `revoked` on it opens nothing any more, in milliseconds since 1970 UTC; None while nobody
    has ended it.
    """

    id: str
    platform: str
    digest: bytes
    last_four: str
    created: int
    revoked: int | None = None

    def good(self, now: int) -> bool:
        """Whether the key opens anything at a time."""
        return self.revoked is None or now < self.revoked


class Platforms(Protocol):
    """Every platform and every key that was ever made for one.

    Each method raises StoreUnavailable where the store does not answer; what was to be written may
    then have been written.
    """

    async def add(self, platform: Platform) -> None:
        """Remember a platform."""
        ...

    async def all(self) -> Sequence[Platform]:
        """Every platform, the oldest first."""
        ...

    async def find(self, platform: str) -> Platform | None:
        """The platform of an id."""
        ...

    async def add_key(self, key: PlatformKey) -> None:
        """Remember a key."""
        ...

    async def keys(self, platform: str) -> Sequence[PlatformKey]:
        """A platform's keys, revoked or not, the oldest first."""
        ...

    async def key(self, id: str) -> PlatformKey | None:  # noqa: A002
        """The key of an id, in one round trip."""
        ...

    async def revoke(self, key: str, at: int) -> None:
        """End a key at a time. The earliest time of all that were named holds: no end is put off,
        and of two who revoke at once neither undoes the other.
        """
        ...

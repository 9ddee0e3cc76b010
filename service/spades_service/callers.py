"""Who asks: a player, a platform, an auditor, the admin, or nobody that we know."""

from enum import StrEnum
from hashlib import blake2b
from typing import Final

from msgspec import Struct

KEY_BYTES: Final = 16
CONTENT_BYTES: Final = 8


class Role(StrEnum):
    """What a caller is to the service. A stranger has none."""

    PLAYER = "player"
    PLATFORM = "platform"
    AUDITOR = "auditor"
    ADMIN = "admin"


class NotAuthenticated(Exception):
    """A token or key was sent, and it is not one of ours, or no longer good."""


class Unverifiable(NotAuthenticated):
    """Whether a token is good cannot be told now; the same token may be good in a moment."""


class Caller(Struct, frozen=True):
    """Whom a token or a key stands for; with neither, a stranger.

    A `tenant` is a platform with its players, who see and touch nobody else's tables; the house's
    own platform and its guests are the tenant without a name. `expires` is when the token ends, in
    seconds since 1970 UTC; a key has no such end.
    """

    player: str | None = None
    platform: str | None = None
    tenant: str = ""
    auditor: str | None = None
    admin: bool = False
    expires: int | None = None

    @property
    def role(self) -> Role | None:
        """What the caller is to the service."""
        if self.player is not None:
            return Role.PLAYER
        if self.platform is not None:
            return Role.PLATFORM
        if self.auditor is not None:
            return Role.AUDITOR
        return Role.ADMIN if self.admin else None

    @property
    def known(self) -> bool:
        """Whether anybody vouches for this caller."""
        return self.role is not None

    @property
    def id(self) -> str:
        """One name for callers of every kind; empty for a stranger."""
        match self.role:
            case None:
                return ""
            case Role.PLAYER:
                return self.player or ""
            case Role.ADMIN:
                return "admin"
            case role:
                return f"{role}:{self.platform or self.auditor}"

    def belongs_to(self, tenant: str) -> bool:
        """Whether a tenant's tables are this caller's to know of; the admin minds no games."""
        return self.known and self.role is not Role.ADMIN and self.tenant == tenant


STRANGER: Final = Caller()


class CommandKey(Struct, frozen=True):
    """What is remembered of a command: digests, so that a client's own words are never stored.

    `id` tells the command from every other of its caller, `content` whether it asks the same.
    """

    id: bytes
    content: bytes

    @property
    def stored(self) -> bytes:
        """The key as it stands in a stream: 24 bytes."""
        return self.id + self.content

    @classmethod
    def read(cls, stored: bytes) -> "CommandKey":
        """A key from a stream."""
        return cls(stored[:KEY_BYTES], stored[KEY_BYTES:])

    @classmethod
    def of(cls, caller: Caller, command_id: str, content: bytes) -> "CommandKey":
        """The key of what a caller sends under an id of the client's own."""
        named = f"{caller.id}\n{command_id}".encode()
        return cls(
            blake2b(named, digest_size=KEY_BYTES).digest(),
            blake2b(content, digest_size=CONTENT_BYTES).digest(),
        )

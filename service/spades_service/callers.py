"""Who asks: a player, a platform, or nobody that we know."""

from hashlib import blake2b
from typing import Final

from msgspec import Struct

KEY_BYTES: Final = 16
CONTENT_BYTES: Final = 8


class Caller(Struct, frozen=True):
    """Whom a token or a key stands for; with neither, a stranger."""

    player: str | None = None
    platform: str | None = None

    @property
    def known(self) -> bool:
        """Whether anybody vouches for this caller."""
        return self.player is not None or self.platform is not None

    @property
    def id(self) -> str:
        """One name for players and platforms alike; empty for a stranger."""
        return self.player or (f"platform:{self.platform}" if self.platform else "")


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

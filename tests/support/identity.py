"""Identity on memory: who asks, with no server and a clock that stands until it is set."""

from typing import Final

from msgspec import Struct

from spades_adapters.memory.directory import MemoryDirectory
from spades_adapters.memory.platforms import MemoryPlatforms
from spades_service.callers import Caller
from spades_service.identity import Identity, Keys
from spades_service.issuers import Issuer, PublishedKeys, Trusted
from spades_service.names import Names
from spades_service.platform_keys import PlatformKeys
from spades_service.tokens import Tokens
from support.house import CountingEntropy

SECRET: Final = b"a secret that signs tokens in tests"
HOUSE_KEY: Final = "the-key-of-the-house"
ADMIN_KEY: Final = "the-key-of-the-admin"
TRUSTED: Final = Trusted("https://people.example", "spades")


class SetClock(Struct):
    """A clock that stands until it is set, in milliseconds."""

    time: int = 1_800_000_000_000

    @property
    def seconds(self) -> int:
        return self.time // 1000

    def now(self) -> int:
        return self.time


class Door(Struct):
    """Identity, and what it stands on."""

    identity: Identity
    names: Names
    clock: SetClock

    async def lets_in(self, token: str) -> Caller:
        return await self.identity.caller(f"Bearer {token}")


def door_on_memory(
    *,
    guests: bool = True,
    keys: Keys = Keys(HOUSE_KEY, ADMIN_KEY),  # noqa: B008 it is frozen
    hours: int = 720,
    published: PublishedKeys | None = None,
) -> Door:
    """A door that nobody has come through yet; with `published` keys an issuer is trusted."""
    clock, entropy = SetClock(), CountingEntropy()
    names = Names(MemoryDirectory())
    issuer = None
    if published is not None:
        issuer = Issuer(TRUSTED, published, names, clock, secret=SECRET)
    identity = Identity(
        names,
        Tokens(clock, secret=SECRET, hours=hours),
        PlatformKeys(MemoryPlatforms(), clock, entropy),
        clock,
        entropy,
        secret=SECRET,
        keys=keys,
        guests=guests,
        issuer=issuer,
    )
    return Door(identity, names, clock)

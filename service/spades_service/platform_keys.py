"""Platforms and their keys: made, listed, replaced, ended, and known again when they come in.

A key is shown once, when it is made; what is kept of it is a digest. A key is long and random, so
one SHA-256 hides it as well as a slow hash would, and costs a request nothing.
"""

import hmac
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from spades.refusals import RefusalCode, Refused, require
from spades_service.callers import Caller, NotAuthenticated
from spades_service.ids import fresh_id, is_id
from spades_service.naming import checked_name
from spades_service.platforms import Platform, PlatformKey, Platforms
from spades_service.ports import Clock, Entropy
from spades_service.recent import Recent

PREFIX: Final = "spk_"
SECRET_BYTES: Final = 32
TRUSTED_MILLIS: Final = 5_000
"""How long a key that was found is not looked up again: after this a revocation is everywhere."""
KEYS_KEPT: Final = 1_000
GRACE_SECONDS: Final = range(30 * 24 * 3600 + 1)


class NewKey(Struct, frozen=True):
    """A key just made; `bearer` is the key itself, and this the only time that it is seen."""

    key: PlatformKey
    bearer: str


class PlatformKeys:
    """What is done with platforms and their keys."""

    def __init__(self, platforms: Platforms, clock: Clock, entropy: Entropy) -> None:
        self._platforms = platforms
        self._clock = clock
        self._entropy = entropy
        # Only keys that there are: who makes keys up fills no memory.
        self._found: Recent[str, tuple[PlatformKey, int]] = Recent(KEYS_KEPT)

    async def create(self, name: str) -> tuple[Platform, NewKey]:
        """A new platform with its first key."""
        platform = Platform(fresh_id(self._entropy), checked_name(name), self._clock.now())
        await self._platforms.add(platform)
        return platform, await self._made(platform.id)

    async def all(self) -> Sequence[Platform]:
        """Every platform, the oldest first."""
        return await self._platforms.all()

    async def find(self, platform: str) -> Platform:
        """A platform; raises Refused with NOT_FOUND."""
        found = await self._platforms.find(platform) if is_id(platform) else None
        if found is None:
            raise Refused(RefusalCode.NOT_FOUND, "there is no such platform")
        return found

    async def keys(self, platform: str) -> Sequence[PlatformKey]:
        """A platform's keys, revoked or not, the oldest first."""
        return await self._platforms.keys((await self.find(platform)).id)

    async def add(self, platform: str) -> NewKey:
        """One more key for a platform; its others stay good."""
        return await self._made((await self.find(platform)).id)

    async def rotate(self, key: str, grace_seconds: int = 0) -> NewKey:
        """A new key in place of one, which still opens for so long."""
        require(
            grace_seconds in GRACE_SECONDS,
            RefusalCode.BAD_COMMAND,
            f"the grace is {GRACE_SECONDS.start} to {GRACE_SECONDS.stop - 1} seconds",
        )
        old = await self._key(key)
        require(
            old.good(self._clock.now()),
            RefusalCode.NOT_ALLOWED,
            "the key is revoked: make a new one for its platform",
        )
        new = await self._made(old.platform)
        await self._end(old, self._clock.now() + 1000 * grace_seconds)
        return new

    async def revoke(self, key: str) -> PlatformKey:
        """End a key at once; elsewhere it is known within seconds."""
        return await self._end(await self._key(key), self._clock.now())

    async def caller(self, bearer: str) -> Caller:
        """The platform that a key stands for; raises NotAuthenticated, StoreUnavailable."""
        key = await self._known(bearer)
        if key is None or not hmac.compare_digest(key.digest, _digest(bearer)):
            raise NotAuthenticated("the key is not one of this service")
        if not key.good(self._clock.now()):
            raise NotAuthenticated("the key is revoked: ask for a new one")
        return Caller(platform=key.platform, tenant=key.platform)

    async def _known(self, bearer: str) -> PlatformKey | None:
        """The key that a bearer names by its id, so that no key has to be searched for."""
        id_, _, secret = bearer.removeprefix(PREFIX).partition("_")
        if not secret or not is_id(id_):
            return None
        now = self._clock.now()
        found = self._found.get(id_)
        if found is not None and 0 <= now - found[1] < TRUSTED_MILLIS:
            return found[0]
        key = await self._platforms.key(id_)
        if key is None:
            self._found.forget(id_)
        else:
            self._found.put(id_, (key, now))
        return key

    async def _key(self, key: str) -> PlatformKey:
        found = await self._platforms.key(key) if is_id(key) else None
        if found is None:
            raise Refused(RefusalCode.NOT_FOUND, "there is no such key")
        return found

    async def _made(self, platform: str) -> NewKey:
        id_, secret = fresh_id(self._entropy), self._entropy.draw(SECRET_BYTES).hex()
        bearer = f"{PREFIX}{id_}_{secret}"
        key = PlatformKey(id_, platform, _digest(bearer), secret[-4:], self._clock.now())
        await self._platforms.add_key(key)
        return NewKey(key, bearer)

    async def _end(self, key: PlatformKey, at: int) -> PlatformKey:
        await self._platforms.revoke(key.id, at)
        self._found.forget(key.id)
        return replace(key, revoked=at) if key.good(at) else key


def _digest(bearer: str) -> bytes:
    return sha256(bearer.encode()).digest()

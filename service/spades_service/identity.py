"""Who a bearer is: players and auditors carry signed tokens, platforms and the admin their keys."""

import hmac
from typing import Final

from msgspec import Struct

from spades.refusals import RefusalCode, Refused, require
from spades_service.callers import STRANGER, Caller, NotAuthenticated, Role
from spades_service.ids import fresh_id, id_of
from spades_service.issuers import ALGORITHMS, Issuer, header_of
from spades_service.names import Names
from spades_service.naming import checked_name
from spades_service.platform_keys import PREFIX, PlatformKeys
from spades_service.ports import Clock, Entropy
from spades_service.tokens import Tokens

HOUSE_PLATFORM: Final = "default"
"""The platform whose key is a setting; guests may sit at its tables, and it sees theirs."""


class SignedIn(Struct, frozen=True):
    """A person, and the token that speaks for them until it `expires`, in seconds since 1970."""

    token: str
    player: str
    name: str
    expires: int


class Keys(Struct, frozen=True):
    """The keys that are settings; one that is not set opens nothing."""

    platform: str | None = None
    admin: str | None = None


class Identity:
    """Gives out tokens and knows whose they are."""

    def __init__(
        self,
        names: Names,
        tokens: Tokens,
        platforms: PlatformKeys,
        clock: Clock,
        entropy: Entropy,
        *,
        secret: bytes,
        keys: Keys,
        guests: bool,
        issuer: Issuer | None = None,
    ) -> None:
        self.platforms = platforms
        self._names = names
        self._tokens = tokens
        self._clock = clock
        self._entropy = entropy
        self._secret = secret
        self._keys = keys
        self._guests = guests
        self._issuer = issuer

    @property
    def administered(self) -> bool:
        """Whether there is an admin at all."""
        return self._keys.admin is not None

    async def guest(self, name: str) -> SignedIn:
        """A new player whom nobody knows; raises Refused where guests are not let in."""
        require(
            self._guests,
            RefusalCode.NOT_ALLOWED,
            "this service takes no guests: sign in through its platform",
        )
        return await self._sign_in(Role.PLAYER, fresh_id(self._entropy), checked_name(name))

    async def platform_player(self, caller: Caller, external_id: str, name: str) -> SignedIn:
        """A platform's own user: the same external id is the same player."""
        if caller.platform is None:
            raise Refused(
                RefusalCode.NOT_ALLOWED, "only a platform's key may sign in a platform's players"
            )
        require(
            1 <= len(external_id) <= 200,
            RefusalCode.BAD_COMMAND,
            "externalId has 1 to 200 characters",
        )
        named = f"{caller.platform}\n{external_id}".encode()
        player = id_of(named, self._secret)
        return await self._sign_in(Role.PLAYER, player, checked_name(name), caller.tenant)

    async def auditor(self, caller: Caller, name: str, platform: str | None = None) -> SignedIn:
        """Someone who may see a platform's tables and move nothing; the admin names the platform,
        and without one means the house.
        """
        require(
            caller.role in {Role.PLATFORM, Role.ADMIN},
            RefusalCode.NOT_ALLOWED,
            "only a platform's key or the admin's may make an auditor",
        )
        require(
            platform is None or caller.role is Role.ADMIN,
            RefusalCode.NOT_ALLOWED,
            "a platform's auditors are its own: leave `platform` out",
        )
        tenant = caller.tenant if platform is None else (await self.platforms.find(platform)).id
        return await self._sign_in(
            Role.AUDITOR, fresh_id(self._entropy), checked_name(name), tenant
        )

    async def refreshed(self, authorization: str | None) -> SignedIn:
        """A fresh token for the player of one that is still good."""
        caller = await self.caller(authorization)
        require(
            caller.known,
            RefusalCode.UNAUTHENTICATED,
            "nobody is signed in: send a token as `Authorization: Bearer ...`",
        )
        bearer = _bearer(authorization or "")
        if caller.player is None or self._foreign(bearer):
            raise Refused(
                RefusalCode.NOT_ALLOWED,
                "only a player's token of this service is made anew: get any other where it is "
                "from",
            )
        names = await self._names.of([caller.player])
        token, expires = self._tokens.sign(Role.PLAYER, caller.player, caller.tenant)
        return SignedIn(token, caller.player, names.get(caller.player, ""), expires)

    async def _sign_in(self, role: Role, id_: str, name: str, tenant: str = "") -> SignedIn:
        await self._names.save(id_, name)
        token, expires = self._tokens.sign(role, id_, tenant)
        return SignedIn(token, id_, name, expires)

    async def caller(self, authorization: str | None) -> Caller:
        """Whom an `Authorization` header speaks for; a stranger without one.

        Raises NotAuthenticated, and StoreUnavailable where a platform's key cannot be looked up.
        """
        if not authorization:
            return STRANGER
        caller = await self._bearing(_bearer(authorization))
        if caller.expires is not None and caller.expires <= self._clock.now() // 1000:
            raise NotAuthenticated("the token has expired: sign in again")
        return caller

    async def _bearing(self, bearer: str) -> Caller:
        if _same(bearer, self._keys.admin):
            return Caller(admin=True)
        if _same(bearer, self._keys.platform):
            return Caller(platform=HOUSE_PLATFORM)
        if bearer.startswith(PREFIX):
            return await self.platforms.caller(bearer)
        if self._issuer is not None and self._foreign(bearer):
            return await self._issuer.caller(bearer)
        return self._tokens.caller(bearer)

    def _foreign(self, bearer: str) -> bool:
        """Whether a token is for the trusted issuer to vouch for, if anybody."""
        return self._issuer is not None and header_of(bearer).get("alg") in ALGORITHMS

    def seconds_left(self, caller: Caller) -> float | None:
        """How long a caller's token is still good; None for one who needs no token."""
        if caller.expires is None:
            return None
        return max(caller.expires - self._clock.now() / 1000, 0.0)


def _bearer(authorization: str) -> str:
    scheme, _, bearer = authorization.partition(" ")
    if scheme.lower() != "bearer" or not bearer:
        raise NotAuthenticated("send `Authorization: Bearer` and a token")
    return bearer


def _same(bearer: str, key: str | None) -> bool:
    return key is not None and hmac.compare_digest(bearer.encode(), key.encode())

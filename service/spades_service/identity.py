"""Who a bearer is: players carry signed tokens, platforms their keys."""

import hmac
from functools import lru_cache
from typing import Final

import jwt
from msgspec import Struct

from spades.refusals import RefusalCode, Refused, require
from spades_service.callers import STRANGER, Caller
from spades_service.ids import fresh_id, id_of
from spades_service.names import Names
from spades_service.ports import Clock, Entropy

LIFETIME: Final = 30 * 24 * 3600
"""Seconds for which a token is good."""
TOKENS_KEPT: Final = 20_000
LONGEST_NAME: Final = 40


class NotAuthenticated(Exception):
    """A token or key was sent, and it is not one of ours, or no longer good."""


class SignedIn(Struct, frozen=True):
    """A player, and the token that speaks for them."""

    token: str
    player: str
    name: str


class Identity:
    """Gives out tokens and knows whose they are."""

    def __init__(
        self,
        names: Names,
        clock: Clock,
        entropy: Entropy,
        *,
        secret: bytes,
        platform_key: str | None,
        guests: bool,
    ) -> None:
        self._names = names
        self._clock = clock
        self._entropy = entropy
        self._secret = secret
        self._platform_key = platform_key
        self._guests = guests
        # A signature costs as much as a move; a token that was good stays good until it expires.
        self._claims = lru_cache(maxsize=TOKENS_KEPT)(self._verified)

    async def guest(self, name: str) -> SignedIn:
        """A new player whom nobody knows; raises Refused where guests are not let in."""
        require(
            self._guests,
            RefusalCode.NOT_ALLOWED,
            "this service takes no guests: sign in through its platform",
        )
        name = checked_name(name)
        return await self._sign_in(fresh_id(self._entropy), name)

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
        return await self._sign_in(id_of(named, self._secret), checked_name(name))

    async def _sign_in(self, player: str, name: str) -> SignedIn:
        await self._names.save(player, name)
        now = self._clock.now() // 1000
        claims = {"sub": player, "iat": now, "exp": now + LIFETIME}
        return SignedIn(jwt.encode(claims, self._secret, algorithm="HS256"), player, name)

    def caller(self, authorization: str | None) -> Caller:
        """Whom an `Authorization` header speaks for; a stranger without one.

        Raises NotAuthenticated.
        """
        if not authorization:
            return STRANGER
        scheme, _, bearer = authorization.partition(" ")
        if scheme.lower() != "bearer" or not bearer:
            raise NotAuthenticated("send `Authorization: Bearer` and a token")
        if self._platform_key and hmac.compare_digest(bearer.encode(), self._platform_key.encode()):
            return Caller(platform="default")
        player, expires = self._claims(bearer)
        if expires <= self._clock.now() // 1000:
            raise NotAuthenticated("the token has expired: sign in again")
        return Caller(player=player)

    def _verified(self, token: str) -> tuple[str, int]:
        """The player and the end of a token, its signature checked."""
        try:
            claims = jwt.decode(
                token,
                self._secret,
                algorithms=["HS256"],
                # The service's own clock decides, the same that signed.
                options={"require": ["sub", "exp"], "verify_exp": False, "verify_iat": False},
            )
        except jwt.InvalidTokenError:
            raise NotAuthenticated("the token is not one of this service") from None
        return str(claims["sub"]), int(claims["exp"])


def checked_name(name: str) -> str:
    """A name as it is shown; raises Refused where it cannot be one."""
    name = " ".join(name.split())
    require(
        1 <= len(name) <= LONGEST_NAME and name.isprintable(),
        RefusalCode.BAD_COMMAND,
        f"a name has 1 to {LONGEST_NAME} printable characters",
    )
    return name

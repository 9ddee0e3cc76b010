"""Tokens that the service signs itself: whom they speak for, and until when."""

from functools import lru_cache
from typing import Any, Final

import jwt

from spades_service.callers import Caller, NotAuthenticated, Role
from spades_service.ports import Clock

ISSUER: Final = "spades-service"
ALGORITHM: Final = "HS256"
HOURS: Final = 720
TOKENS_KEPT: Final = 20_000


class Tokens:
    """Signs and reads tokens with one secret, which every replica has to know."""

    def __init__(self, clock: Clock, *, secret: bytes, hours: int = HOURS) -> None:
        self._clock = clock
        self._secret = secret
        self._seconds = hours * 3600
        # A signature costs as much as a move; a token that was good stays good until it expires.
        self._read = lru_cache(maxsize=TOKENS_KEPT)(self._verified)

    def sign(self, role: Role, subject: str, tenant: str) -> tuple[str, int]:
        """A token, and when it ends in seconds since 1970 UTC."""
        now = self._clock.now() // 1000
        ends = now + self._seconds
        claims = {
            "iss": ISSUER,
            "sub": subject,
            "tnt": tenant,
            "role": role.value,
            "iat": now,
            "exp": ends,
        }
        return jwt.encode(claims, self._secret, algorithm=ALGORITHM), ends

    def caller(self, token: str) -> Caller:
        """Whom a token speaks for, expired or not; raises NotAuthenticated for one not of ours."""
        return self._read(token)

    def _verified(self, token: str) -> Caller:
        try:
            claims = jwt.decode(
                token,
                self._secret,
                algorithms=[ALGORITHM],
                issuer=ISSUER,
                # The service's own clock decides, the same that signed.
                options={
                    "require": ["iss", "sub", "exp"],
                    "verify_exp": False,
                    "verify_iat": False,
                },
            )
            return _caller(claims)
        except (jwt.InvalidTokenError, KeyError, TypeError, ValueError, OverflowError):
            # What the secret was used for otherwise, an invitation perhaps, is no token either.
            raise NotAuthenticated("the token is not one of this service") from None


def _caller(claims: dict[str, Any]) -> Caller:
    subject, tenant, expires = claims["sub"], claims["tnt"], int(claims["exp"])
    if not isinstance(tenant, str):
        raise TypeError("a tenant is a word")
    match claims["role"]:
        case Role.PLAYER:
            return Caller(player=subject, tenant=tenant, expires=expires)
        case Role.AUDITOR:
            return Caller(auditor=subject, tenant=tenant, expires=expires)
        case _:
            raise ValueError("no token speaks for anybody else")

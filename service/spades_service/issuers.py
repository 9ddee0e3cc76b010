"""Tokens of somebody else's: an identity provider signs, and publishes the keys to check them."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any, Final, Protocol

import jwt
import structlog
from msgspec import Struct

from spades_service.callers import Caller, NotAuthenticated, Unverifiable
from spades_service.ids import id_of
from spades_service.names import Names
from spades_service.naming import fitting_name
from spades_service.ports import Clock
from spades_service.recent import Recent

ALGORITHMS: Final = ("RS256", "ES256", "EdDSA")
"""A published key is no secret: what it could verify by a shared one is never let in."""
PAUSE_MILLIS: Final = 30_000
"""At most so often are the keys asked for, whatever tokens come in."""
STALE_MILLIS: Final = 600_000
"""After this the keys are asked for again: one may have been withdrawn."""
SKEW_SECONDS: Final = 60
TOKENS_KEPT: Final = 20_000

log = structlog.get_logger(__name__)

NOT_OURS: Final = "the token is not one of this service, nor of the issuer that it trusts"


class PublishedKeys(Protocol):
    """Where an issuer publishes its keys."""

    async def fetch(self) -> bytes | None:
        """The key set as JSON (RFC 7517); None where it is not to be had now."""
        ...


class Trusted(Struct, frozen=True):
    """Whose tokens are let in, and for whom they must be meant."""

    issuer: str
    audience: str


class KeySet:
    """An issuer's keys, kept while its host is down, and asked for seldom."""

    def __init__(self, published: PublishedKeys, clock: Clock) -> None:
        self._published = published
        self._clock = clock
        self._keys: Mapping[str | None, jwt.PyJWK] = {}
        self._tried: int | None = None
        self._fetched: int | None = None
        self._fetching: asyncio.Task[None] | None = None

    async def key(self, id: str | None) -> jwt.PyJWK:  # noqa: A002
        """A key by its id; without one, the only key that there is.

        Raises NotAuthenticated where there is no such key, Unverifiable where none could be had.
        """
        if self._older_than(self._fetched, STALE_MILLIS) and self._may_try():
            self._begin()
        if id not in self._keys:
            await self._renewed()
        if id in self._keys:
            return self._keys[id]
        if self._fetched is None:
            raise Unverifiable("the issuer's keys are not to be had now: try again in a moment")
        raise NotAuthenticated(NOT_OURS)

    async def _renewed(self) -> None:
        """Wait for the keys that are under way; ask for them where that may be done again."""
        if self._fetching is None and self._may_try():
            self._begin()
        if self._fetching is not None:
            # Who hangs up meanwhile takes the keys from nobody.
            await asyncio.shield(self._fetching)

    def _may_try(self) -> bool:
        return self._fetching is None and self._older_than(self._tried, PAUSE_MILLIS)

    def _older_than(self, then: int | None, millis: int) -> bool:
        return then is None or not 0 <= self._clock.now() - then < millis

    def _begin(self) -> None:
        self._tried = self._clock.now()
        self._fetching = asyncio.create_task(self._fetch())

    async def _fetch(self) -> None:
        try:
            answer = await self._published.fetch()
            if answer is None:
                log.warning("issuer.unreachable")
                return
            self._keys = _keys(answer)
            self._fetched = self._clock.now()
        except (jwt.PyJWTError, TypeError, ValueError, RecursionError) as error:
            log.warning("issuer.no_keys", reason=type(error).__name__)
        finally:
            self._fetching = None


def _keys(answer: bytes) -> Mapping[str | None, jwt.PyJWK]:
    """The keys that sign, by their ids, but for those that are too short to be safe.

    Raises TypeError, ValueError or PyJWTError where the answer is no key set.
    """
    content: Any = json.loads(answer)
    if not isinstance(content, dict):
        raise TypeError("a key set is an object")
    found: dict[str | None, jwt.PyJWK] = {
        key.key_id: key
        for key in jwt.PyJWKSet.from_dict(content).keys
        if key.algorithm_name in ALGORITHMS
        and key.public_key_use in {"sig", None}
        and key.Algorithm.check_key_length(key.key) is None
    }
    if len(found) == 1:
        # A token need not name the only key.
        found[None] = next(iter(found.values()))
    else:
        found.pop(None, None)
    return found


class Issuer:
    """Lets in the players whom one issuer vouches for."""

    def __init__(
        self,
        trusted: Trusted,
        published: PublishedKeys,
        names: Names,
        clock: Clock,
        *,
        secret: bytes,
    ) -> None:
        self._trusted = trusted
        self._keys = KeySet(published, clock)
        self._names = names
        self._clock = clock
        self._secret = secret
        self._known: Recent[str, tuple[jwt.PyJWK, Caller]] = Recent(TOKENS_KEPT)

    async def caller(self, token: str) -> Caller:
        """The player of a token, expired or not; raises NotAuthenticated, StoreUnavailable."""
        key = await self._keys.key(_key_id(token))
        known = self._known.get(token)
        # What was verified with a key of an earlier answer is verified again.
        if known is not None and known[0] is key:
            return known[1]
        claims = self._verified(token, key)
        caller = self._caller(claims)
        if name := fitting_name(str(claims.get("name") or "")):
            await self._names.save(caller.player or "", name)
        self._known.put(token, (key, caller))
        return caller

    def _verified(self, token: str, key: jwt.PyJWK) -> Mapping[str, Any]:
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=[key.algorithm_name],
                issuer=self._trusted.issuer,
                audience=self._trusted.audience,
                # The service's own clock decides on times.
                options={
                    "require": ["iss", "sub", "aud", "exp"],
                    "verify_exp": False,
                    "verify_iat": False,
                    "verify_nbf": False,
                },
            )
            begins = int(claims.get("nbf", 0))
        except (jwt.PyJWTError, TypeError, ValueError, OverflowError):
            raise NotAuthenticated(NOT_OURS) from None
        if begins > self._clock.now() // 1000 + SKEW_SECONDS:
            raise NotAuthenticated("the token is not good yet")
        return claims

    def _caller(self, claims: Mapping[str, Any]) -> Caller:
        named = f"issuer\n{self._trusted.issuer}\n{claims['sub']}".encode()
        try:
            return Caller(player=id_of(named, self._secret), expires=int(claims["exp"]))
        except (TypeError, ValueError, OverflowError):
            raise NotAuthenticated(NOT_OURS) from None


def _key_id(token: str) -> str | None:
    """The id of the key that a token names; raises NotAuthenticated for what is no such token."""
    header = header_of(token)
    key_id = header.get("kid")
    if header.get("alg") not in ALGORITHMS or not isinstance(key_id, str | None):
        raise NotAuthenticated(NOT_OURS)
    return key_id


def header_of(token: str) -> Mapping[str, Any]:
    """What a token says of itself, which nobody has vouched for; nothing where it is none."""
    try:
        return jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError, RecursionError):
        return {}

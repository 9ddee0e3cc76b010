"""Players whom an identity provider vouches for: its tokens, and the keys to check them with."""

import asyncio
import hmac
import json
from typing import Any, Final

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm, HMACAlgorithm, OKPAlgorithm, RSAAlgorithm
from jwt.utils import base64url_encode

from spades.refusals import RefusalCode, Refused
from spades_service.callers import Caller, NotAuthenticated, Role, Unverifiable
from spades_service.issuers import PAUSE_MILLIS, STALE_MILLIS
from support.identity import SECRET, TRUSTED, Door, SetClock, door_on_memory
from support.waiting import until

RSA: Final = rsa.generate_private_key(65537, 2048)
WEAK: Final = rsa.generate_private_key(65537, 1024)
EC: Final = ec.generate_private_key(ec.SECP256R1())
ED: Final = ed25519.Ed25519PrivateKey.generate()

Jwk = dict[str, Any]

RSA_JWK: Final[Jwk] = {**RSAAlgorithm.to_jwk(RSA.public_key(), as_dict=True), "kid": "rsa"}
WEAK_JWK: Final[Jwk] = {**RSAAlgorithm.to_jwk(WEAK.public_key(), as_dict=True), "kid": "weak"}
EC_JWK: Final[Jwk] = {**ECAlgorithm.to_jwk(EC.public_key(), as_dict=True), "kid": "ec"}
ED_JWK: Final[Jwk] = {**OKPAlgorithm.to_jwk(ED.public_key(), as_dict=True), "kid": "ed"}
OCT_JWK: Final[Jwk] = {**HMACAlgorithm.to_jwk(SECRET, as_dict=True), "kid": "oct"}

PRIVATE: Final[dict[str, tuple[Any, str]]] = {
    "rsa": (RSA, "RS256"),
    "weak": (WEAK, "RS256"),
    "ec": (EC, "ES256"),
    "ed": (ED, "EdDSA"),
}


class Host:
    """Where the keys are published."""

    def __init__(self, *keys: Jwk) -> None:
        self.content: bytes | None = json.dumps({"keys": keys}).encode()
        self.asked = 0
        self.answering = asyncio.Event()
        self.answering.set()

    async def fetch(self) -> bytes | None:
        self.asked += 1
        await self.answering.wait()
        return self.content

    def publish(self, *keys: Jwk) -> None:
        self.content = json.dumps({"keys": keys}).encode()


@pytest.fixture
def host() -> Host:
    return Host(RSA_JWK, EC_JWK, ED_JWK)


@pytest.fixture
def door(host: Host) -> Door:
    return door_on_memory(published=host)


def issued(clock: SetClock, key: str = "rsa", kid: str | None = "", **changed: Any) -> str:
    """A token of the issuer's, but for what is changed; None leaves a claim out."""
    claims = {
        "iss": TRUSTED.issuer,
        "aud": TRUSTED.audience,
        "sub": "u-17",
        "name": "Ann",
        "iat": clock.seconds,
        "exp": clock.seconds + 600,
        **changed,
    }
    kept = {name: value for name, value in claims.items() if value is not None}
    private, algorithm = PRIVATE[key]
    headers = {} if kid is None else {"kid": kid or key}
    return jwt.encode(kept, private, algorithm=algorithm, headers=headers)


async def turned_away(door: Door, token: str) -> None:
    with pytest.raises(NotAuthenticated):
        await door.lets_in(token)


# Who is let in


@pytest.mark.parametrize("key", ["rsa", "ec", "ed"])
async def test_a_token_of_the_issuers_is_a_player_of_the_house(door: Door, key: str) -> None:
    caller = await door.lets_in(issued(door.clock, key))
    assert (caller.role, caller.tenant) == (Role.PLAYER, "")
    assert caller.expires == door.clock.seconds + 600


async def test_the_same_subject_is_the_same_player_whatever_key_signs(door: Door) -> None:
    callers = [
        await door.lets_in(issued(door.clock, key, sub=sub))
        for key, sub in (("rsa", "u-17"), ("ec", "u-17"), ("ec", "u-18"))
    ]
    assert callers[0].player == callers[1].player != callers[2].player


async def test_a_subject_cannot_be_worked_out_from_the_player(door: Door) -> None:
    caller = await door.lets_in(issued(door.clock))
    assert caller.player is not None
    assert "u-17" not in caller.player
    assert len(caller.player) == 16


@pytest.mark.parametrize(
    ("claim", "shown"),
    [
        ("Ann", "Ann"),
        ("  Ann \n  Lee ", "Ann Lee"),
        (60 * "x", 40 * "x"),
        ("a\u202eb", "ab"),
        ("", None),
        (None, None),
        (17, "17"),
    ],
)
async def test_the_name_is_as_much_of_the_claim_as_can_be_shown(
    door: Door, claim: object, shown: str | None
) -> None:
    caller = await door.lets_in(issued(door.clock, name=claim))
    assert (await door.names.of([caller.player])).get(caller.player or "") == shown


async def test_a_token_of_the_services_own_is_still_good(door: Door, host: Host) -> None:
    guest = await door.identity.guest("Bob")
    assert (await door.lets_in(guest.token)).player == guest.player
    assert host.asked == 0


async def test_without_a_trusted_issuer_its_tokens_are_none(door: Door) -> None:
    await turned_away(door_on_memory(), issued(door.clock))


async def test_an_issuers_token_is_not_made_anew_here(door: Door) -> None:
    with pytest.raises(Refused) as error:
        await door.identity.refreshed(f"Bearer {issued(door.clock)}")
    assert error.value.code is RefusalCode.NOT_ALLOWED


# Who is turned away


@pytest.mark.parametrize(
    "changed",
    [
        {"iss": "https://somebody.example"},
        {"iss": None},
        {"aud": "another-service"},
        {"aud": ["another-service", "and-another"]},
        {"aud": None},
        {"sub": None},
        {"sub": 5},
        {"exp": None},
        {"exp": "tomorrow"},
        {"exp": float("inf")},
        {"nbf": "yesterday"},
    ],
)
async def test_a_claim_that_is_missing_or_wrong_makes_a_token_none(
    door: Door, changed: dict[str, Any]
) -> None:
    await turned_away(door, issued(door.clock, **changed))


async def test_an_issuers_token_makes_nobody_more_than_a_player(door: Door) -> None:
    token = issued(door.clock, role="admin", tnt="somebodys")
    caller = await door.lets_in(token)
    assert caller == Caller(player=caller.player, expires=caller.expires)


async def test_an_expired_token_is_dead_and_one_before_its_time_waits(door: Door) -> None:
    token = issued(door.clock, nbf=door.clock.seconds + 300)
    await turned_away(door, token)
    door.clock.time += 300_000
    await door.lets_in(token)
    door.clock.time += 300_000
    await turned_away(door, token)


async def test_a_token_signed_with_another_key_than_it_names_is_none(door: Door) -> None:
    await turned_away(door, issued(door.clock, "ec", kid="rsa"))
    await turned_away(door, issued(door.clock, "ed", kid="ec"))


async def test_a_token_signed_with_the_public_key_as_a_secret_is_none(door: Door) -> None:
    await door.lets_in(issued(door.clock))
    body = issued(door.clock).split(".")[1]
    pem = RSA.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    for secret in (pem, json.dumps(RSA_JWK).encode()):
        for algorithm in ("HS256", "RS256"):
            header = json.dumps({"alg": algorithm, "kid": "rsa", "typ": "JWT"}).encode()
            signed = base64url_encode(header) + b"." + body.encode()
            signature = base64url_encode(hmac.digest(secret, signed, "sha256"))
            await turned_away(door, f"{signed.decode()}.{signature.decode()}")


async def test_a_shared_secret_among_the_published_keys_verifies_nothing(door: Door) -> None:
    door = door_on_memory(published=Host(OCT_JWK, RSA_JWK))
    claims = {"iss": TRUSTED.issuer, "aud": TRUSTED.audience, "sub": "u", "exp": 2_000_000_000}
    await turned_away(door, jwt.encode(claims, SECRET, algorithm="HS256", headers={"kid": "oct"}))


@pytest.mark.filterwarnings("ignore:The RSA key is 1024 bits")
async def test_a_key_that_is_too_short_verifies_nothing() -> None:
    door = door_on_memory(published=Host(WEAK_JWK))
    await turned_away(door, issued(door.clock, "weak"))


async def test_a_key_for_encryption_verifies_nothing() -> None:
    door = door_on_memory(published=Host({**RSA_JWK, "use": "enc"}, EC_JWK))
    await turned_away(door, issued(door.clock, "rsa"))
    await door.lets_in(issued(door.clock, "ec"))


async def test_a_token_may_leave_out_which_key_it_was_only_where_there_is_one(door: Door) -> None:
    await turned_away(door, issued(door.clock, kid=None))
    alone = door_on_memory(published=Host(RSA_JWK))
    await alone.lets_in(issued(alone.clock, kid=None))


# Asking for the keys


async def test_the_keys_are_asked_for_once_and_not_at_each_request(door: Door, host: Host) -> None:
    for number in range(20):
        await door.lets_in(issued(door.clock, sub=f"u-{number}"))
    assert host.asked == 1


async def test_all_who_wait_for_the_keys_wait_for_one_answer(door: Door, host: Host) -> None:
    host.answering.clear()
    waiting = [
        asyncio.create_task(door.lets_in(issued(door.clock, sub=f"u-{number}")))
        for number in range(20)
    ]
    await until(lambda: host.asked)
    waiting[0].cancel()
    host.answering.set()
    callers = await asyncio.gather(*waiting, return_exceptions=True)
    assert sum(isinstance(caller, Caller) for caller in callers) == 19
    assert host.asked == 1


async def test_a_new_key_is_found_and_made_up_ones_ask_twice_a_minute_at_most(
    door: Door, host: Host
) -> None:
    host.publish(RSA_JWK)
    await door.lets_in(issued(door.clock))
    host.publish(RSA_JWK, EC_JWK)
    for number in range(50):
        await turned_away(door, issued(door.clock, kid=f"made-up-{number}"))
    await turned_away(door, issued(door.clock, "ec"))
    assert host.asked == 1
    door.clock.time += PAUSE_MILLIS
    await door.lets_in(issued(door.clock, "ec"))
    for number in range(50):
        await turned_away(door, issued(door.clock, kid=f"made-up-{number}"))
    assert host.asked == 2
    assert PAUSE_MILLIS >= 30_000


async def test_a_host_that_is_down_costs_nobody_who_was_known(door: Door, host: Host) -> None:
    token = issued(door.clock, exp=door.clock.seconds + 86_400)
    await door.lets_in(token)
    host.content = None
    for times in range(2, 7):
        door.clock.time += STALE_MILLIS
        await door.lets_in(token)
        await until(lambda: host.asked == times)  # noqa: B023 it is waited for here
        await door.lets_in(issued(door.clock, "ec"))


@pytest.mark.parametrize("content", [None, b"", b"<html>", b"[]", b"{}", b'{"keys": []}'])
async def test_while_no_keys_are_to_be_had_a_token_is_neither_good_nor_bad(
    host: Host, content: bytes | None
) -> None:
    published, host.content = host.content, content
    door = door_on_memory(published=host)
    token = issued(door.clock)
    for _ in range(3):
        with pytest.raises(Unverifiable):
            await door.lets_in(token)
    assert host.asked == 1
    host.content = published
    door.clock.time += PAUSE_MILLIS
    await door.lets_in(token)


async def test_a_key_that_is_published_anew_under_an_old_id_verifies_anew(
    door: Door, host: Host
) -> None:
    token = issued(door.clock, exp=door.clock.seconds + 86_400)
    await door.lets_in(token)
    host.publish({**EC_JWK, "kid": "rsa"})
    door.clock.time += STALE_MILLIS
    await door.lets_in(token)
    await until(lambda: host.asked == 2)
    await asyncio.sleep(0)
    await turned_away(door, token)


async def test_a_withdrawn_key_lets_nobody_in_once_the_keys_are_old(door: Door, host: Host) -> None:
    token = issued(door.clock, exp=door.clock.seconds + 86_400)
    await door.lets_in(token)
    host.publish(EC_JWK)
    door.clock.time += STALE_MILLIS
    await door.lets_in(token)  # nobody waits for keys that are only old
    await until(lambda: host.asked == 2)
    await asyncio.sleep(0)
    await turned_away(door, token)

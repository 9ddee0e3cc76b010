"""Who asks: tokens of the service's own, keys, roles, and what is none of them."""

from typing import Any

import jwt
import pytest
from jwt.utils import base64url_encode

from spades.refusals import RefusalCode, Refused
from spades_service.callers import STRANGER, Caller, NotAuthenticated, Role
from spades_service.identity import Keys
from spades_service.settings import BadSetting, read_settings
from support.identity import ADMIN_KEY, HOUSE_KEY, SECRET, Door, door_on_memory


@pytest.fixture
def door() -> Door:
    return door_on_memory()


def signed(door: Door, secret: bytes = SECRET, algorithm: str = "HS256", **changed: Any) -> str:
    """A token as the service would sign it, but for what is changed; None leaves a claim out."""
    claims = {
        "iss": "spades-service",
        "sub": "a" * 16,
        "tnt": "",
        "role": "player",
        "iat": door.clock.seconds,
        "exp": door.clock.seconds + 60,
        **changed,
    }
    kept = {name: value for name, value in claims.items() if value is not None}
    return jwt.encode(kept, secret, algorithm=algorithm)


def base64url(raw: bytes) -> str:
    return base64url_encode(raw).decode()


async def refused(code: RefusalCode, call: Any) -> None:
    with pytest.raises(Refused) as error:
        await call
    assert error.value.code is code


# Signing in


async def test_a_guests_token_stands_for_the_guest_until_it_expires(door: Door) -> None:
    signed_in = await door.identity.guest(" Ann  Lee ")
    assert signed_in.name == "Ann Lee"
    caller = await door.lets_in(signed_in.token)
    assert caller == Caller(player=signed_in.player, expires=signed_in.expires)
    assert caller.role is Role.PLAYER
    assert signed_in.expires == door.clock.seconds + 720 * 3600


async def test_a_token_says_whose_it_is_and_nothing_secret(door: Door) -> None:
    platform, key = await door.identity.platforms.create("Arcade")
    caller = await door.lets_in(key.bearer)
    user = await door.identity.platform_player(caller, "u-17", "Ann")
    claims = jwt.decode(user.token, options={"verify_signature": False})
    assert claims == {
        "iss": "spades-service",
        "sub": user.player,
        "tnt": platform.id,
        "role": "player",
        "iat": door.clock.seconds,
        "exp": user.expires,
    }


async def test_a_platforms_players_are_of_its_tenant(door: Door) -> None:
    platform, key = await door.identity.platforms.create("Arcade")
    caller = await door.lets_in(key.bearer)
    user = await door.identity.platform_player(caller, "u-17", "Ann")
    assert (await door.lets_in(user.token)).tenant == platform.id


async def test_the_house_platforms_players_are_of_the_guests_tenant(door: Door) -> None:
    caller = await door.lets_in(HOUSE_KEY)
    assert (caller.role, caller.tenant) == (Role.PLATFORM, "")
    user = await door.identity.platform_player(caller, "u-17", "Ann")
    assert (await door.lets_in(user.token)).tenant == ""


async def test_the_same_external_id_is_the_same_player_at_one_platform_alone(door: Door) -> None:
    players: list[str] = []
    for name in ("Arcade", "Club"):
        _, key = await door.identity.platforms.create(name)
        caller = await door.lets_in(key.bearer)
        twice = [await door.identity.platform_player(caller, "u-17", "Ann") for _ in range(2)]
        players += [signed_in.player for signed_in in twice]
    assert players[0] == players[1] != players[2] == players[3]


async def test_only_a_platform_signs_in_a_platforms_players(door: Door) -> None:
    guest = await door.lets_in((await door.identity.guest("Ann")).token)
    for caller in (STRANGER, guest, Caller(auditor="a"), Caller(admin=True)):
        await refused(RefusalCode.NOT_ALLOWED, door.identity.platform_player(caller, "u-17", "Bob"))


async def test_guests_can_be_kept_out(door: Door) -> None:
    closed = door_on_memory(guests=False)
    await refused(RefusalCode.NOT_ALLOWED, closed.identity.guest("Ann"))


# Auditors


async def test_a_platforms_auditor_is_of_its_tenant_and_no_player(door: Door) -> None:
    platform, key = await door.identity.platforms.create("Arcade")
    signed_in = await door.identity.auditor(await door.lets_in(key.bearer), "Eve")
    caller = await door.lets_in(signed_in.token)
    assert (caller.role, caller.tenant, caller.player) == (Role.AUDITOR, platform.id, None)
    assert caller.id == f"auditor:{signed_in.player}"


async def test_the_admin_says_whose_an_auditor_is(door: Door) -> None:
    platform, _ = await door.identity.platforms.create("Arcade")
    admin = await door.lets_in(ADMIN_KEY)
    theirs = await door.identity.auditor(admin, "Eve", platform.id)
    ours = await door.identity.auditor(admin, "Eve")
    assert (await door.lets_in(theirs.token)).tenant == platform.id
    assert (await door.lets_in(ours.token)).tenant == ""
    await refused(RefusalCode.NOT_FOUND, door.identity.auditor(admin, "Eve", "b" * 16))


async def test_nobody_but_a_platform_and_the_admin_makes_auditors(door: Door) -> None:
    platform, key = await door.identity.platforms.create("Arcade")
    for caller in (STRANGER, Caller(player="ann"), Caller(auditor="eve")):
        await refused(RefusalCode.NOT_ALLOWED, door.identity.auditor(caller, "Eve"))
    arcade = await door.lets_in(key.bearer)
    for named in (platform.id, "b" * 16):
        await refused(RefusalCode.NOT_ALLOWED, door.identity.auditor(arcade, "Eve", named))


# Keys that are settings


async def test_the_admins_key_is_the_admins(door: Door) -> None:
    caller = await door.lets_in(ADMIN_KEY)
    assert (caller.role, caller.id, caller.known) == (Role.ADMIN, "admin", True)


async def test_a_key_that_is_not_set_opens_nothing() -> None:
    door = door_on_memory(keys=Keys())
    for bearer in ("None", HOUSE_KEY, ADMIN_KEY):
        with pytest.raises(NotAuthenticated):
            await door.lets_in(bearer)
    assert not door.identity.administered


# What is no token


async def test_without_a_header_nobody_is_signed_in(door: Door) -> None:
    assert await door.identity.caller(None) == STRANGER
    assert await door.identity.caller("") == STRANGER
    assert (STRANGER.role, STRANGER.known, STRANGER.id) == (None, False, "")


@pytest.mark.parametrize(
    "header",
    ["Bearer", "Bearer ", "Basic YTpi", "token", "Bearer é", "Bearer a.b.c", "Bearer \x00"],
)
async def test_what_is_no_token_is_not_authenticated(door: Door, header: str) -> None:
    with pytest.raises(NotAuthenticated):
        await door.identity.caller(header)


async def test_a_token_as_the_service_signs_it_is_let_in(door: Door) -> None:
    assert (await door.lets_in(signed(door))).player == "a" * 16


@pytest.mark.parametrize(
    "changed",
    [
        {"iss": "somebody-else"},
        {"iss": None},
        {"sub": None},
        {"sub": 5},
        {"tnt": None},
        {"tnt": 5},
        {"role": None},
        {"role": "platform"},
        {"role": "admin"},
        {"role": "PLAYER"},
        {"role": ["player"]},
        {"exp": None},
        {"exp": "tomorrow"},
        {"exp": float("inf")},
    ],
)
async def test_a_claim_that_is_missing_or_wrong_makes_a_token_none(
    door: Door, changed: dict[str, Any]
) -> None:
    with pytest.raises(NotAuthenticated):
        await door.lets_in(signed(door, **changed))


async def test_a_token_signed_in_any_other_way_is_none(door: Door) -> None:
    others = [
        signed(door, b"another secret that signs other tokens"),
        signed(door, SECRET * 2, "HS512"),
    ]
    head, body, signature = signed(door).split(".")
    unsigned = base64url(b'{"alg":"none","typ":"JWT"}')
    others += [
        f"{unsigned}.{body}.",
        f"{head}.{body}.",
        f"{head}.{body}.{signature[::-1]}",
        f"{head}.{body}",
    ]
    for token in others:
        with pytest.raises(NotAuthenticated):
            await door.lets_in(token)


# The end of a token


async def test_a_token_is_good_to_the_last_second_and_then_dead_for_ever(door: Door) -> None:
    token = signed(door)
    await door.lets_in(token)
    door.clock.time += 59_999
    await door.lets_in(token)
    door.clock.time += 1
    with pytest.raises(NotAuthenticated, match="expired"):
        await door.lets_in(token)
    with pytest.raises(NotAuthenticated, match="expired"):
        await door.identity.refreshed(f"Bearer {token}")


async def test_a_good_token_is_made_anew_for_the_same_player(door: Door) -> None:
    first = await door.identity.guest("Ann")
    door.clock.time += 3_600_000
    fresh = await door.identity.refreshed(f"Bearer {first.token}")
    assert (fresh.player, fresh.name) == (first.player, "Ann")
    assert fresh.expires == first.expires + 3600
    assert (await door.lets_in(fresh.token)).player == first.player


async def test_a_fresh_token_stays_with_its_tenant(door: Door) -> None:
    _, key = await door.identity.platforms.create("Arcade")
    arcade = await door.lets_in(key.bearer)
    user = await door.identity.platform_player(arcade, "u-17", "Ann")
    fresh = await door.identity.refreshed(f"Bearer {user.token}")
    assert (await door.lets_in(fresh.token)).tenant == arcade.tenant


async def test_only_a_players_token_is_made_anew(door: Door) -> None:
    admin = await door.lets_in(ADMIN_KEY)
    auditor = await door.identity.auditor(admin, "Eve")
    for bearer in (ADMIN_KEY, HOUSE_KEY, auditor.token):
        await refused(RefusalCode.NOT_ALLOWED, door.identity.refreshed(f"Bearer {bearer}"))
    await refused(RefusalCode.UNAUTHENTICATED, door.identity.refreshed(None))


async def test_how_long_a_token_is_good_is_a_setting() -> None:
    door = door_on_memory(hours=1)
    signed_in = await door.identity.guest("Ann")
    assert signed_in.expires == door.clock.seconds + 3600
    assert door.identity.seconds_left(await door.lets_in(signed_in.token)) == 3600


async def test_a_key_has_no_end_and_an_ended_token_no_time_left(door: Door) -> None:
    assert door.identity.seconds_left(await door.lets_in(HOUSE_KEY)) is None
    assert door.identity.seconds_left(STRANGER) is None
    assert door.identity.seconds_left(Caller(player="a", expires=5)) == 0


# Settings


@pytest.mark.parametrize("hours", ["0", "-1", "1.5", "x", "²", "999999"])
def test_the_life_of_a_token_is_a_number_of_hours(hours: str) -> None:
    with pytest.raises(BadSetting, match="SPADES_TOKEN_HOURS"):
        read_settings({"SPADES_TOKEN_HOURS": hours})


def test_a_short_admin_key_is_refused_without_being_quoted() -> None:
    with pytest.raises(BadSetting, match="SPADES_ADMIN_KEY") as error:
        read_settings({"SPADES_ADMIN_KEY": "brief-secret"})
    assert "brief-secret" not in str(error.value)


def test_the_admin_and_the_platform_have_keys_of_their_own() -> None:
    with pytest.raises(BadSetting, match="of its own") as error:
        read_settings({"SPADES_ADMIN_KEY": ADMIN_KEY, "SPADES_PLATFORM_KEY": ADMIN_KEY})
    assert ADMIN_KEY not in str(error.value)


@pytest.mark.parametrize("missing", ["SPADES_JWT_ISSUER", "SPADES_JWT_AUDIENCE", "SPADES_JWKS_URL"])
def test_an_issuer_is_trusted_for_an_audience_with_keys_or_not_at_all(missing: str) -> None:
    environ = {
        "SPADES_JWT_ISSUER": "https://people.example",
        "SPADES_JWT_AUDIENCE": "spades",
        "SPADES_JWKS_URL": "https://people.example/keys",
    }
    assert read_settings(environ).jwks_url == "https://people.example/keys"
    with pytest.raises(BadSetting, match="set all three, or none"):
        read_settings({name: value for name, value in environ.items() if name != missing})
    with pytest.raises(BadSetting, match="SPADES_JWKS_URL"):
        read_settings({**environ, "SPADES_JWKS_URL": "/etc/keys"})

"""Platforms and their keys: shown once, kept as digests, replaced and ended."""

import pytest

from spades.refusals import RefusalCode, Refused
from spades_adapters.memory.platforms import MemoryPlatforms
from spades_service.callers import Caller, NotAuthenticated
from spades_service.platform_keys import KEYS_KEPT, TRUSTED_MILLIS, NewKey, PlatformKeys
from spades_service.platforms import PlatformKey
from support.house import CountingEntropy
from support.identity import SetClock


class CountedPlatforms(MemoryPlatforms):
    """Counts how often a key is looked up."""

    lookups = 0

    async def key(self, id: str) -> PlatformKey | None:  # noqa: A002
        self.lookups += 1
        return await super().key(id)


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def store() -> CountedPlatforms:
    return CountedPlatforms()


@pytest.fixture
def platforms(store: CountedPlatforms, clock: SetClock) -> PlatformKeys:
    return PlatformKeys(store, clock, CountingEntropy())


async def first_key(platforms: PlatformKeys, name: str = "Arcade") -> NewKey:
    _, new = await platforms.create(name)
    return new


async def opens(platforms: PlatformKeys, new: NewKey) -> bool:
    try:
        await platforms.caller(new.bearer)
    except NotAuthenticated:
        return False
    return True


async def refused(code: RefusalCode, call: object) -> None:
    with pytest.raises(Refused) as error:
        await call  # type: ignore[misc]
    assert error.value.code is code


# What a key is


async def test_a_platforms_first_key_stands_for_it_and_its_tenant(platforms: PlatformKeys) -> None:
    platform, new = await platforms.create("  The   Arcade ")
    assert platform.name == "The Arcade"
    assert await platforms.caller(new.bearer) == Caller(platform=platform.id, tenant=platform.id)
    assert await platforms.all() == [platform]


async def test_of_a_key_only_a_digest_and_its_last_four_characters_are_kept(
    platforms: PlatformKeys, store: CountedPlatforms
) -> None:
    new = await first_key(platforms)
    secret = new.bearer.rpartition("_")[2]
    assert len(secret) == 64
    (kept,) = await platforms.keys(new.key.platform)
    assert kept.last_four == secret[-4:]
    assert secret not in repr(store._keys)
    assert secret[:8].encode() not in kept.digest
    assert len(kept.digest) == 32


async def test_no_two_keys_are_alike(platforms: PlatformKeys) -> None:
    platform, first = await platforms.create("Arcade")
    bearers = {first.bearer, *[(await platforms.add(platform.id)).bearer for _ in range(20)]}
    assert len(bearers) == 21


@pytest.mark.parametrize(
    "changed",
    [
        lambda bearer: bearer[:-1] + ("0" if bearer[-1] != "0" else "1"),
        lambda bearer: bearer[:-1],
        lambda bearer: bearer + "0",
        lambda bearer: bearer.upper(),
        lambda bearer: bearer.rpartition("_")[0],
        lambda bearer: bearer.rpartition("_")[0] + "_",
        lambda bearer: "spk_",
        lambda bearer: "spk_a_b",
        lambda bearer: "spk__" + bearer,
        lambda bearer: "spk_" + "é" * 16 + "_" + bearer.rpartition("_")[2],
        lambda bearer: "spk_" + "a" * 16 + "_" + bearer.rpartition("_")[2],
    ],
)
async def test_what_differs_from_a_key_by_anything_opens_nothing(
    platforms: PlatformKeys, changed: object
) -> None:
    new = await first_key(platforms)
    assert await opens(platforms, new)
    with pytest.raises(NotAuthenticated):
        await platforms.caller(changed(new.bearer))  # type: ignore[operator]


async def test_a_platforms_name_can_be_shown(platforms: PlatformKeys) -> None:
    for name in ("", "  ", 41 * "x", "a\x00b", "a\u202eb"):
        await refused(RefusalCode.BAD_COMMAND, platforms.create(name))
    assert await platforms.all() == []


# Looking a key up


async def test_a_key_is_looked_up_once_in_a_while_and_not_at_each_request(
    platforms: PlatformKeys, store: CountedPlatforms, clock: SetClock
) -> None:
    new = await first_key(platforms)
    for _ in range(10):
        await platforms.caller(new.bearer)
    assert store.lookups == 1
    clock.time += TRUSTED_MILLIS
    await platforms.caller(new.bearer)
    assert store.lookups == 2


async def test_a_key_that_is_made_up_costs_one_lookup_and_no_memory(
    platforms: PlatformKeys, store: CountedPlatforms
) -> None:
    for number in range(500):
        made_up = f"spk_{'abcdefgh' * 2}_{number}"
        with pytest.raises(NotAuthenticated):
            await platforms.caller(made_up)
    assert store.lookups == 500
    assert len(platforms._found) == 0


async def test_what_cannot_be_a_key_is_refused_without_asking_the_store(
    platforms: PlatformKeys, store: CountedPlatforms
) -> None:
    for bearer in ("spk_", "spk_x", "spk_../_y", "spk_" + 10_000 * "a"):
        with pytest.raises(NotAuthenticated):
            await platforms.caller(bearer)
    assert store.lookups == 0


async def test_no_more_keys_are_remembered_than_there_is_room_for(
    platforms: PlatformKeys, clock: SetClock
) -> None:
    platform, _ = await platforms.create("Arcade")
    for _ in range(KEYS_KEPT + 20):
        await platforms.caller((await platforms.add(platform.id)).bearer)
    assert len(platforms._found) == KEYS_KEPT


# Ending a key


async def test_a_revoked_key_opens_nothing_here_at_once(platforms: PlatformKeys) -> None:
    new = await first_key(platforms)
    assert await opens(platforms, new)
    revoked = await platforms.revoke(new.key.id)
    assert revoked.revoked is not None
    assert not await opens(platforms, new)
    assert await platforms.keys(new.key.platform) == [revoked]


async def test_a_revocation_reaches_another_replica_within_seconds(
    platforms: PlatformKeys, store: CountedPlatforms, clock: SetClock
) -> None:
    other = PlatformKeys(store, clock, CountingEntropy())
    new = await first_key(platforms)
    assert await opens(other, new)
    await platforms.revoke(new.key.id)
    clock.time += TRUSTED_MILLIS
    assert TRUSTED_MILLIS <= 10_000
    assert not await opens(other, new)


async def test_a_clock_that_is_set_back_does_not_make_a_key_trusted_for_longer(
    platforms: PlatformKeys, store: CountedPlatforms, clock: SetClock
) -> None:
    other = PlatformKeys(store, clock, CountingEntropy())
    new = await first_key(platforms)
    assert await opens(other, new)
    clock.time -= 100_000
    await platforms.revoke(new.key.id)
    assert not await opens(other, new)


async def test_revoking_again_changes_nothing(platforms: PlatformKeys, clock: SetClock) -> None:
    new = await first_key(platforms)
    once = await platforms.revoke(new.key.id)
    clock.time += 60_000
    assert await platforms.revoke(new.key.id) == once


async def test_a_platforms_other_keys_stay_good(platforms: PlatformKeys) -> None:
    first = await first_key(platforms)
    second = await platforms.add(first.key.platform)
    await platforms.revoke(first.key.id)
    assert await opens(platforms, second)


# Replacing a key


async def test_a_key_that_is_replaced_opens_nothing_any_more(platforms: PlatformKeys) -> None:
    old = await first_key(platforms)
    new = await platforms.rotate(old.key.id)
    assert new.key.platform == old.key.platform
    assert await opens(platforms, new)
    assert not await opens(platforms, old)


async def test_with_a_grace_the_old_key_opens_until_it_is_over(
    platforms: PlatformKeys, clock: SetClock
) -> None:
    old = await first_key(platforms)
    new = await platforms.rotate(old.key.id, grace_seconds=60)
    clock.time += 59_999
    assert await opens(platforms, old)
    clock.time += 1
    assert not await opens(platforms, old)
    assert await opens(platforms, new)


async def test_a_grace_can_be_cut_short_and_not_drawn_out(
    platforms: PlatformKeys, clock: SetClock
) -> None:
    old = await first_key(platforms)
    await platforms.rotate(old.key.id, grace_seconds=60)
    await platforms.rotate(old.key.id, grace_seconds=3600)
    (kept, *_) = await platforms.keys(old.key.platform)
    assert kept.revoked == clock.time + 60_000
    await platforms.revoke(old.key.id)
    assert not await opens(platforms, old)


async def test_a_revoked_key_cannot_be_replaced(platforms: PlatformKeys) -> None:
    new = await first_key(platforms)
    await platforms.revoke(new.key.id)
    await refused(RefusalCode.NOT_ALLOWED, platforms.rotate(new.key.id))
    assert len(await platforms.keys(new.key.platform)) == 1


@pytest.mark.parametrize("seconds", [-1, 30 * 24 * 3600 + 1])
async def test_a_grace_has_bounds(platforms: PlatformKeys, seconds: int) -> None:
    new = await first_key(platforms)
    await refused(RefusalCode.BAD_COMMAND, platforms.rotate(new.key.id, seconds))


@pytest.mark.parametrize("id_", ["", "nothing", "a" * 16, "../keys"])
async def test_a_platform_or_key_that_there_is_not_is_not_found(
    platforms: PlatformKeys, id_: str
) -> None:
    for call in (
        platforms.keys(id_),
        platforms.add(id_),
        platforms.rotate(id_),
        platforms.revoke(id_),
        platforms.find(id_),
    ):
        await refused(RefusalCode.NOT_FOUND, call)

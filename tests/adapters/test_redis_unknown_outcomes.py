"""Appends over a network that loses requests and replies: never written twice, answered truly."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from redis.asyncio import Redis

from spades_adapters.redis import connect as connecting
from spades_adapters.redis import keys
from spades_adapters.redis.connect import Clients, connect
from spades_adapters.redis.store import RedisEventStore
from spades_service.ports import Appended, StoreUnavailable, VersionConflict
from support.appends import card, command, compete, fill, versions
from support.proxy import Loss, Proxy, proxy

ALWAYS = 1_000


@pytest.fixture
async def network(redis_url: str) -> AsyncIterator[Proxy]:
    async with proxy(redis_url) as network:
        yield network


@pytest.fixture
async def far(
    network: Proxy, clients: Clients, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Clients]:
    """A writer behind the network, with little patience; the reader is near."""
    monkeypatch.setattr(connecting, "WRITE_TIMEOUT", 0.2)
    behind = connect(network.url)
    yield replace(behind, reader=clients.reader)
    await behind.aclose()


@pytest.fixture
def far_store(far: Clients) -> RedisEventStore:
    return RedisEventStore(far)


async def fed(redis: Redis, table: str) -> int:
    return await redis.xlen(keys.feed(table))


@pytest.mark.parametrize("loss", [Loss.REPLY, Loss.CUT_AFTER])
async def test_a_lost_reply_is_settled_by_reading(
    loss: Loss, network: Proxy, far_store: RedisEventStore, redis: Redis, table: str
) -> None:
    await fill(far_store, table, 2)
    network.lose(loss)

    append = command(table, 2, events=[card(1), card(2)])
    assert await far_store.append(append) == Appended(4, repeated=True)

    assert await far_store.append(append) == Appended(4, repeated=True)
    assert await versions(far_store, table) == [1, 2, 3, 4]
    assert await fed(redis, table) == 3


@pytest.mark.parametrize("loss", [Loss.REQUEST, Loss.CUT_BEFORE])
async def test_a_lost_request_is_sent_again_and_written_once(
    loss: Loss, network: Proxy, far_store: RedisEventStore, redis: Redis, table: str
) -> None:
    await fill(far_store, table, 1)
    network.lose(loss)

    assert await far_store.append(command(table, 1)) == Appended(2, repeated=False)

    assert network.lost.is_set()
    assert await versions(far_store, table) == [1, 2]
    assert await fed(redis, table) == 2


@pytest.mark.parametrize("loss", [Loss.REQUEST, Loss.CUT_BEFORE])
async def test_requests_that_never_arrive_end_in_unavailable_and_write_nothing(
    loss: Loss, network: Proxy, far_store: RedisEventStore, redis: Redis, table: str
) -> None:
    await fill(far_store, table, 1)
    network.lose(loss, ALWAYS)

    with pytest.raises(StoreUnavailable):
        await far_store.append(command(table, 1))
    assert await versions(far_store, table) == [1]

    network.lose(loss, 0)
    assert await far_store.append(command(table, 1)) == Appended(2, repeated=False)
    assert await fed(redis, table) == 2


async def test_a_request_that_arrives_late_is_not_written_twice(
    network: Proxy, far_store: RedisEventStore, redis: Redis, table: str
) -> None:
    network.lose(Loss.LATE)

    assert await far_store.append(command(table, 0)) == Appended(1, repeated=False)
    await far_store.append(command(table, 1))
    await network.release()

    assert await versions(far_store, table) == [1, 2]
    assert await fed(redis, table) == 2


async def test_a_request_that_arrives_after_all_hope_is_answered_truly_when_sent_again(
    network: Proxy, far_store: RedisEventStore, redis: Redis, table: str
) -> None:
    network.lose(Loss.LATE, ALWAYS)
    with pytest.raises(StoreUnavailable):
        await far_store.append(command(table, 0))
    await network.release()
    network.lose(Loss.LATE, 0)

    assert await far_store.append(command(table, 0)) == Appended(1, repeated=True)
    assert await fed(redis, table) == 1


async def test_a_command_overtaken_while_its_outcome_is_unknown_is_a_conflict(
    network: Proxy,
    far_store: RedisEventStore,
    redis_store: RedisEventStore,
    redis: Redis,
    table: str,
) -> None:
    network.lose(Loss.LATE)
    slow = asyncio.create_task(far_store.append(command(table, 0, b"slow")))
    await network.lost.wait()
    await redis_store.append(command(table, 0, b"fast", [card(1), card(2)]))

    with pytest.raises(VersionConflict) as conflict:
        await slow
    await network.release()

    assert conflict.value.version == 2
    assert await fed(redis, table) == 1


async def test_where_nobody_can_be_asked_the_outcome_stays_unknown(
    network: Proxy, far: Clients, redis_store: RedisEventStore, table: str
) -> None:
    lonely = RedisEventStore(replace(far, reader=far.writer))
    await fill(lonely, table, 1)
    network.lose(Loss.CUT_AFTER)
    network.refusing = True

    with pytest.raises(StoreUnavailable):
        await lonely.append(command(table, 1))

    network.refusing = False
    assert await lonely.append(command(table, 1)) == Appended(2, repeated=True)
    assert await versions(redis_store, table) == [1, 2]


async def test_an_append_is_one_round_trip(
    network: Proxy, far_store: RedisEventStore, table: str
) -> None:
    await fill(far_store, table, 1)
    before = len(network.requests)

    await far_store.append(command(table, 1, events=[card(1), card(2)]))

    assert len(network.requests) == before + 1


async def test_connections_that_break_at_any_time_lose_and_double_nothing(
    network: Proxy, far_store: RedisEventStore, table: str
) -> None:
    """Writers count only what they were told; every other request meets with some loss."""
    losses = asyncio.create_task(_lose_all_kinds(network))
    written = await asyncio.gather(
        *(_persist(far_store, table, b"writer-%d" % number, tries=8) for number in range(6))
    )
    losses.cancel()

    history = await far_store.read(table)
    assert sum(written) == len(history)
    assert len({recorded.command for recorded in history}) == len(history)


async def _lose_all_kinds(network: Proxy) -> None:
    while True:
        for loss in (Loss.CUT_AFTER, Loss.REPLY, Loss.CUT_BEFORE, Loss.REQUEST):
            network.lost.clear()
            network.lose(loss)
            await network.lost.wait()
            await asyncio.sleep(0)


async def _persist(store: RedisEventStore, table: str, name: bytes, tries: int) -> int:
    """How many commands were written, each sent until it is answered."""
    written = 0
    for number in range(tries):
        append = command(table, len(await store.read(table)), b"%s-%d" % (name, number))
        while True:
            try:
                await store.append(append)
            except StoreUnavailable:
                continue
            except VersionConflict:
                break
            written += 1
            break
    return written


async def test_a_server_that_dropped_all_connections_is_written_to_again(
    redis_store: RedisEventStore, redis: Redis, table: str
) -> None:
    assert await compete(redis_store, table, b"writer", tries=3) == 3
    await redis.client_kill_filter(_type="normal", skipme=True)

    assert await compete(redis_store, table, b"again", tries=3) == 3
    assert await versions(redis_store, table) == [1, 2, 3, 4, 5, 6]

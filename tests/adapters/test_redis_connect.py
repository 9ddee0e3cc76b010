"""Which servers are fit for games, and what is said of those that are not."""

import traceback
from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis
from redis.asyncio.connection import AbstractConnection

from spades_adapters.redis.connect import Clients, UnfitServer, check_server, connect
from spades_adapters.redis.health import RedisHealth
from spades_service.ports import StoreUnavailable
from support.redis_users import as_user, user

NOBODY = "redis://spade:s3cret@127.0.0.1:1/2"


@pytest.fixture
async def settings(redis: Redis) -> AsyncIterator[Redis]:
    """The server's settings, as they were before once the test is over."""
    before = await redis.config_get("maxmemory-policy", "appendonly")
    yield redis
    for name, value in before.items():
        await redis.config_set(str(name), str(value))


async def test_a_server_that_keeps_everything_is_fit(clients: Clients) -> None:
    assert await check_server(clients) == ()


@pytest.mark.parametrize("policy", ["allkeys-lru", "allkeys-random", "volatile-lru"])
async def test_a_server_that_evicts_is_refused_with_what_to_set(
    settings: Redis, clients: Clients, policy: str
) -> None:
    await settings.config_set("maxmemory-policy", policy)

    with pytest.raises(UnfitServer) as unfit:
        await check_server(clients)

    assert str(unfit.value) == (
        f"the server at {clients.address} throws games away when its memory is full "
        f"(maxmemory-policy {policy}): set maxmemory-policy noeviction"
    )


async def test_a_server_without_an_append_only_file_is_warned_of(
    settings: Redis, clients: Clients
) -> None:
    await settings.config_set("appendonly", "no")

    (warning,) = await check_server(clients)

    assert "set appendonly yes" in warning


async def test_a_server_that_forbids_config_is_judged_all_the_same(
    settings: Redis, redis_url: str
) -> None:
    await settings.config_set("maxmemory-policy", "allkeys-lru")
    async with user(settings, redis_url, "~*", "&*", "+@all", "-config") as url:
        clients = connect(url)
        with pytest.raises(UnfitServer, match="noeviction"):
            await check_server(clients)
        await clients.aclose()


async def test_a_server_that_forbids_every_look_is_a_warning(redis: Redis, redis_url: str) -> None:
    async with user(redis, redis_url, "~*", "&*", "+@all", "-config", "-info") as url:
        clients = connect(url)
        (warning,) = await check_server(clients)
        await clients.aclose()

    assert "maxmemory-policy noeviction" in warning
    assert "appendonly yes" in warning


async def test_a_server_that_is_not_there_is_named_without_its_password() -> None:
    clients = connect(NOBODY)

    with pytest.raises(StoreUnavailable) as missing:
        await check_server(clients)
    with pytest.raises(StoreUnavailable):
        await RedisHealth(clients).check()
    await clients.aclose()

    assert str(missing.value) == ("no Redis or Valkey server answers at redis://127.0.0.1:1/2")
    assert "s3cret" not in "".join(traceback.format_exception(missing.value))


async def test_a_wrong_password_is_refused_without_being_shown(redis_url: str) -> None:
    clients = connect(as_user(redis_url, "nobody", "s3cret"))

    with pytest.raises(UnfitServer, match="user or password") as unfit:
        await check_server(clients)
    await clients.aclose()

    assert "s3cret" not in "".join(traceback.format_exception(unfit.value))


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:6379",
        "http://localhost",
        "unix://",
        "redis://:s3/cret@localhost",
        "redis://:12/s3cret@localhost",
        "redis://:12?s3cret@localhost",
        "redis://:12#s3cret@localhost",
        "redis://[s3cret",
        "redis://localhost/0?db=s3cret",
        "redis://localhost?s3cret=1",
    ],
)
def test_a_url_that_cannot_be_read_is_refused_without_being_quoted(url: str) -> None:
    with pytest.raises(UnfitServer) as unfit:
        connect(url)

    assert "s3cret" not in "".join(traceback.format_exception(unfit.value, chain=True))


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("redis://", "redis://localhost:6379/0"),
        ("redis://me:s3cret@db.example/3", "redis://db.example:6379/3"),
        ("rediss://:s3%2Fcret@db.example:6380", "rediss://db.example:6380/0"),
        ("unix:///run/spades/valkey.sock?db=1&password=s3cret", "unix:///run/spades/valkey.sock"),
    ],
)
def test_an_address_is_the_url_without_its_secrets(url: str, address: str) -> None:
    clients = connect(url)

    assert clients.address == address
    assert "s3cret" not in repr(clients)


def connection(client: Redis) -> AbstractConnection:
    """One of the client's connections, before it is made."""
    made: AbstractConnection = client.connection_pool.make_connection()  # type: ignore[no-untyped-call]
    return made


def test_no_url_can_make_the_writer_send_twice() -> None:
    clients = connect("redis://localhost?retry_on_timeout=yes&socket_timeout=60&protocol=2")
    writer = connection(clients.writer)

    assert writer.retry.get_retries() == 0
    assert writer.socket_timeout == 1
    assert writer.protocol == 3


def test_each_client_has_its_own_patience() -> None:
    clients = connect("redis://localhost")
    reader, listener = connection(clients.reader), connection(clients.listener)

    assert reader.retry.get_retries() > 0
    assert reader.socket_timeout == 1
    assert listener.socket_timeout is None


async def test_a_server_that_answers_is_healthy(clients: Clients) -> None:
    await RedisHealth(clients).check()

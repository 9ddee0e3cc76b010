"""The end of a service, asked for or not: in bounded time, with every stream ended properly."""

import asyncio
import re
import signal
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import httpx
from redis import Redis

from spades_adapters.embedded import EmbeddedServer
from support.client import SUBSCRIPTION, User, first, rest_of, versions, visiting
from support.service import Service, alive, eventually, running


@asynccontextmanager
async def subscribed(user: User, media: str, table: str) -> AsyncIterator[AsyncIterator[str]]:
    """A GraphQL subscription over plain HTTP, once its first update is here; all that follows."""
    body = {"query": SUBSCRIPTION, "variables": {"table": table, "after": 0}}
    headers = {**user.headers, "Accept": media}
    async with user.http.stream("POST", "/graphql", json=body, headers=headers) as response:
        pieces = response.aiter_text()
        async with asyncio.timeout(10):
            while '"version":1' not in await anext(pieces):
                pass
        yield pieces


async def test_sigterm_ends_every_stream_properly_and_the_service_within_ten_seconds(
    tmp_path: Path,
) -> None:
    with running(tmp_path) as service:
        store = service.store_pid
        async with visiting(service.url) as stranger, AsyncExitStack() as stack:
            ann = await stranger.guest("Ann")
            table = (await ann.open()).id
            enter = stack.enter_async_context
            watcher = await enter(ann.socket())
            idle = await enter(ann.socket())
            silent = await enter(stranger.socket(init=False))
            streams = [
                watcher.updates(await watcher.watch(table, 0)),
                await enter(ann.streaming(table, "sse", after=0)),
                await enter(ann.streaming(table, "ndjson", after=0)),
            ]
            for updates in streams:
                assert versions(await first(updates, 1)) == [1]
            server_sent = await enter(subscribed(ann, "text/event-stream", table))
            multipart = await enter(subscribed(ann, "multipart/mixed;subscriptionSpec=1.0", table))

            began = time.monotonic()
            assert await asyncio.to_thread(service.stop) == 0
            assert time.monotonic() - began < 10

            assert [await rest_of(updates) for updates in streams] == [[], [], []]
            # 1001 says that the service goes away, 1012 that it restarts.
            assert {await socket.closed() for socket in (watcher, idle, silent)} <= {1001, 1012}
            assert "event: complete" in "".join([piece async for piece in server_sent])
            assert "".join([piece async for piece in multipart]).endswith("--graphql--\r\n")
        assert not alive(store)
        assert "Traceback" not in service.log


def test_ctrl_c_ends_a_service_that_nobody_uses_at_once(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        store = service.store_pid
        began = time.monotonic()
        assert service.end(signal.SIGINT) == 0
        assert time.monotonic() - began < 3
        assert not alive(store)
        assert "Traceback" not in service.log


def test_once_the_service_stops_it_never_says_again_that_it_is_ready(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        answers = ""
        with httpx.Client(base_url=service.url, trust_env=False) as client:
            service.signal(signal.SIGTERM)
            with suppress(httpx.TransportError):
                while True:
                    answers += {200: "r", 503: "s"}[client.get("/health/ready").status_code]
        assert re.fullmatch("r*s*", answers), answers
        assert service.wait() == 0


def test_when_the_service_is_killed_its_store_does_not_outlive_it(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        store = service.store_pid
        service.end(signal.SIGKILL)
        eventually(lambda: not alive(store))


async def test_a_killed_service_leaves_nothing_that_keeps_the_next_from_starting(
    tmp_path: Path,
) -> None:
    with running(tmp_path) as service:
        async with visiting(service.url) as stranger:
            ann = await stranger.guest("Ann")
            table = (await ann.open()).id
            service.end(signal.SIGKILL)
            service.start()
            assert await ann.version(table) == 1


def test_a_store_that_is_not_the_services_own_outlives_it(tmp_path: Path) -> None:
    with EmbeddedServer(tmp_path / "elsewhere", fsync="no") as url:
        with running(tmp_path, REDIS_URL=url) as service:
            assert service.stop() == 0
        with Redis.from_url(url) as redis:
            assert redis.ping()


async def test_a_command_under_way_is_answered_before_the_service_ends(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        async with visiting(service.url) as stranger:
            ann = await stranger.guest("Ann")
            table = (await ann.open()).id
            answered = await moving_until_the_end(service, ann, table)
            service.start()
            events = await ann.events(table)
            # The last command may have come too late to be heard.
            assert answered <= len(events) <= answered + 1


async def moving_until_the_end(service: Service, player: User, table: str) -> int:
    """Moves while the service stops; the version of its last answer."""
    version = 1
    ended = asyncio.create_task(asyncio.to_thread(service.stop))
    with suppress(httpx.TransportError):
        while True:
            version = (await player.sit(table, 0)).version
            version = (await player.leave(table)).version
    assert await ended == 0
    return version

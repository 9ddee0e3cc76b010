"""A stream that cannot go on from where a client says it stopped says so, and what to do."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from support.client import MEDIA, SUBSCRIPTION, Json, User, Wire

every_wire = pytest.mark.parametrize("wire", ["sse", "ndjson"])


@asynccontextmanager
async def lines_of(
    ann: User, wire: Wire, table: str, headers: Mapping[str, str], **params: Any
) -> AsyncIterator[AsyncIterator[str]]:
    path = f"/v1/tables/{table}/events"
    sent = {
        name.encode(): value.encode()
        for name, value in {**ann.headers, "Accept": MEDIA[wire], **headers}.items()
    }
    async with ann.http.stream("GET", path, headers=sent, params=params) as response:
        assert response.status_code == 200
        yield response.aiter_lines()


async def gap_in(lines: AsyncIterator[str], wire: Wire) -> Json:
    """The first thing that is said."""
    async with asyncio.timeout(10):
        if wire == "ndjson":
            said = json.loads(await anext(lines))
            assert set(said) == {"gap"}
            return dict(said["gap"])
        fields = dict([(await anext(lines)).split(": ", 1) for _ in range(3)])
        assert await anext(lines) == ""
    assert fields["event"] == "gap"
    gap: Json = json.loads(fields["data"])
    assert fields["id"] == str(gap["version"]), "a browser goes on from there by itself"
    return gap


@every_wire
@pytest.mark.parametrize("last", ["99", "-1", "x", "²", "1.0", f"{10**30}"])
async def test_a_stream_that_cannot_go_on_says_so_first(ann: User, wire: Wire, last: str) -> None:
    opened = await ann.open()
    async with lines_of(ann, wire, opened.id, {"Last-Event-ID": last}) as lines:
        gap = await gap_in(lines, wire)
    assert gap["version"] == opened.version
    assert "read it again" in gap["message"]


@every_wire
async def test_after_a_gap_the_stream_goes_on_from_the_version_that_it_named(
    ann: User, wire: Wire
) -> None:
    opened = await ann.open()
    async with lines_of(ann, wire, opened.id, {}, after=99) as lines:
        gap = await gap_in(lines, wire)
        seated = await ann.sit(opened.id, 0)
        async with asyncio.timeout(10):
            while True:
                line = (await anext(lines)).removeprefix("data: ")
                if line.startswith("{"):
                    break
    assert json.loads(line)["event"]["version"] == gap["version"] + 1 == seated.version


async def test_a_subscription_that_cannot_go_on_is_told_where_the_table_is(ann: User) -> None:
    opened = await ann.open()
    async with ann.socket() as socket:
        await socket.subscribe(SUBSCRIPTION, table=opened.id, after=99)
        payload = (await socket.receive())["payload"]
        (error,) = payload["errors"]
        assert error["extensions"] == {"code": "BAD_COMMAND", "version": opened.version}
        assert "read the table again" in error["message"]
        assert (await socket.receive())["type"] == "complete"

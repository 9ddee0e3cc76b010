"""GraphQL over HTTP as its specification has it, by the audits that other servers pass, too; and
the usual clients of web pages, which miss no version of a table that is being played at.
"""

import asyncio
import json
from pathlib import Path

import pytest

from support.client import User, four, started
from support.javascript import installed, ran
from support.service import Service

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed(tmp_path_factory.mktemp("javascript"))


async def test_every_audit_of_graphql_over_http_is_passed(service: Service, scripts: Path) -> None:
    lines = await asyncio.to_thread(ran, scripts / "audit.mjs", f"{service.url}/graphql")
    audits = [json.loads(line) for line in lines]
    assert [audit for audit in audits if audit["status"] != "ok"] == []
    assert len(audits) == 61


@pytest.mark.parametrize(("script", "scheme"), [("watch_ws.mjs", "ws"), ("watch_sse.mjs", "http")])
async def test_the_usual_clients_see_every_version_once_and_no_others_cards(
    service: Service, stranger: User, scripts: Path, script: str, scheme: str
) -> None:
    players = await four(stranger)
    game = await started(players[0], players)
    until = await players[0].version(game.id) + 20
    url = service.url.replace("http", scheme, 1) + "/graphql"
    token = players[0].token or ""
    watching = asyncio.create_task(
        asyncio.to_thread(ran, scripts / script, url, token, game.id, str(until))
    )
    while await players[0].version(game.id) < until:
        await game.step()
    seen = [json.loads(line) for line in await watching]
    assert [update["version"] for update in seen] == [*range(1, until + 1)]
    assert [len(update["hand"] or ()) for update in seen][:8] == [0, 0, 0, 0, 0, 0, 13, 13]

"""Who may do what at a running service: tenants, auditors, the admin, and tokens that end."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final

import jwt
import pytest
from msgspec import Struct

from support.client import Face, Json, Unanswered, User, first, rest_of, visiting
from support.command_line import spades
from support.service import PLATFORM_KEY, SECRET, Service, running

ADMIN_KEY: Final = "the-key-of-the-one-who-administers"
both_faces = pytest.mark.parametrize("face", ["graphql", "rest"])
NOBODYS: Final = "a" * 16
"""An id that no table has."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running(tmp_path_factory.mktemp("identity"), SPADES_ADMIN_KEY=ADMIN_KEY) as service:
        yield service
        assert "Traceback" not in service.log


@pytest.fixture
async def stranger(service: Service) -> AsyncIterator[User]:
    async with visiting(service.url) as stranger:
        yield stranger


@pytest.fixture
def admin(stranger: User) -> User:
    return stranger.having(ADMIN_KEY)


@pytest.fixture
def house(stranger: User) -> User:
    """The platform whose key is a setting."""
    return stranger.having(PLATFORM_KEY)


class Tenant(Struct):
    """A platform with a player and a table of its own."""

    id: str
    key: str
    platform: User
    player: User
    table: str


async def made(admin: User, name: str) -> Json:
    answer = await admin.post("/v1/admin/platforms", {"name": name})
    assert answer.status_code == 201, answer.text
    platform: Json = answer.json()
    return platform


async def tenant(admin: User, name: str) -> Tenant:
    platform = await made(admin, name)
    user = admin.having(platform["key"])
    opened = await user.open()
    assert opened.accepted
    player = await user.platform_player("u-17", f"{name}'s Ann")
    return Tenant(platform["platform"]["id"], platform["about"]["id"], user, player, opened.id)


@pytest.fixture
async def arcade(admin: User) -> Tenant:
    return await tenant(admin, "Arcade")


@pytest.fixture
async def club(admin: User) -> Tenant:
    return await tenant(admin, "Club")


async def auditor_of(maker: User, **named: str) -> User:
    answer = await maker.post("/v1/auditors", {"name": "Eve", **named})
    assert answer.status_code == 201, answer.text
    return maker.having(answer.json()["token"])


async def status(user: User, table: str) -> int:
    return (await user.get(f"/v1/tables/{table}")).status_code


# Tokens


async def test_who_signs_in_is_told_how_long_the_token_is_good(
    stranger: User, arcade: Tenant
) -> None:
    answers = [
        await stranger.post("/v1/guests", {"name": "Ann"}),
        await arcade.platform.post("/v1/players", {"externalId": "u-1", "name": "Ann"}),
        await arcade.platform.post("/v1/auditors", {"name": "Eve"}),
        await arcade.player.post("/v1/tokens"),
    ]
    for answer in answers:
        assert answer.status_code == 201, answer.text
        body = answer.json()
        expires = jwt.decode(body["token"], options={"verify_signature": False})["exp"]
        said = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(expires))
        assert body["expiresAt"] == said
        assert 719 * 3600 < expires - time.time() <= 720 * 3600


async def test_a_token_made_anew_is_the_same_players(arcade: Tenant) -> None:
    answer = (await arcade.player.post("/v1/tokens")).json()
    assert answer["player"] == {"id": arcade.player.id, "name": "Arcade's Ann"}
    fresh = arcade.player.having(answer["token"])
    assert (await fresh.sit(arcade.table, 0)).accepted
    assert (await fresh.table(arcade.table))["seats"][0]["player"]["id"] == arcade.player.id


async def test_a_key_or_nothing_is_not_made_anew(
    stranger: User, house: User, admin: User, arcade: Tenant
) -> None:
    assert (await stranger.post("/v1/tokens")).status_code == 401
    for user in (house, admin, arcade.platform, await auditor_of(arcade.platform)):
        answer = await user.post("/v1/tokens")
        assert (answer.status_code, answer.json()["code"]) == (403, "NOT_ALLOWED")


# Tenants


@both_faces
async def test_a_tenants_people_play_at_its_tables(arcade: Tenant, face: Face) -> None:
    player = arcade.player.over(face)
    assert (await player.sit(arcade.table, 2)).accepted
    assert (await player.table(arcade.table))["id"] == arcade.table
    assert len(await player.events(arcade.table)) == 2
    assert await arcade.platform.over(face).version(arcade.table) == 2


async def test_guests_play_at_the_tables_of_the_houses_platform(
    stranger: User, house: User
) -> None:
    guest = await stranger.guest("Ann")
    table = (await house.open()).id
    assert (await guest.sit(table, 0)).accepted
    user = await house.platform_player("u-17", "Bob")
    assert (await user.sit((await guest.open()).id, 0)).accepted


async def test_another_tenants_table_is_over_rest_as_none_at_all(
    arcade: Tenant, club: Tenant, house: User, admin: User, stranger: User
) -> None:
    outsiders = [club.player, club.platform, await auditor_of(club.platform)]
    outsiders += [house, admin, await stranger.guest("Ann")]
    paths = ["", "?atVersion=1", "/events", "/events?after=99"]
    for outsider in outsiders:
        for path in paths:
            for accept in ("*/*", "text/event-stream", "application/x-ndjson"):
                answers = [
                    await outsider.get(f"/v1/tables/{table}{path}", headers={"Accept": accept})
                    for table in (arcade.table, NOBODYS)
                ]
                assert answers[0].status_code == answers[1].status_code == 404
                assert answers[0].content == answers[1].content


async def test_a_command_at_another_tenants_table_is_answered_as_at_none(
    arcade: Tenant, club: Tenant, house: User, admin: User
) -> None:
    for outsider in (club.player, club.platform, house, admin):
        for body in ({"type": "takeSeat", "seat": 0}, {"type": "startGame", "commandId": "c"}):
            answers = [
                await outsider.post(f"/v1/tables/{table}/commands", body, headers=headers)
                for table in (arcade.table, NOBODYS)
                for headers in ({}, {"If-Match": '"1"'}, {"If-Match": '"7"'})
            ]
            assert {answer.status_code for answer in answers} == {404}
            assert len({answer.content for answer in answers}) == 1
    assert await arcade.platform.version(arcade.table) == 1


async def test_another_tenants_table_is_over_graphql_as_none_at_all(
    arcade: Tenant, club: Tenant
) -> None:
    documents = [
        "query($id: ID!) { table(id: $id) { id version } }",
        "query($id: ID!) { table(id: $id, atVersion: 1) { id } }",
        "query($id: ID!) { events(tableId: $id) { version } }",
        "mutation($id: ID!) { takeSeat(input: { tableId: $id, seat: 0 })"
        " { __typename ... on Refused { code message version } } }",
    ]
    for outsider in (club.player, club.platform):
        for document in documents:
            answers = [
                (await outsider.ask(document, id=table)).json() for table in (arcade.table, NOBODYS)
            ]
            assert answers[0] == answers[1]


async def test_another_tenants_table_cannot_be_watched(arcade: Tenant, club: Tenant) -> None:
    refusals = []
    for table in (arcade.table, NOBODYS):
        async with club.player.watching(table, 0) as updates:
            with pytest.raises(Unanswered) as refused:
                await first(updates, 1)
            refusals.append(refused.value.errors)
    assert refusals[0] == refusals[1]
    assert refusals[0][0]["extensions"]["code"] == "NOT_FOUND"


async def test_the_same_command_id_at_two_platforms_is_two_tables(
    arcade: Tenant, club: Tenant
) -> None:
    tables = {
        (await platform.open(command_id="mine")).id
        for platform in (arcade.platform, club.platform, arcade.platform)
    }
    assert len(tables) == 2


# Auditors


@both_faces
async def test_an_auditor_sees_the_tables_of_its_tenant_and_no_cards(
    arcade: Tenant, club: Tenant, face: Face
) -> None:
    auditor = (await auditor_of(arcade.platform)).over(face)
    shown = await auditor.table(arcade.table)
    assert shown == await arcade.platform.over(face).table(arcade.table)
    assert shown["hand"] is None
    assert await auditor.events(arcade.table)
    assert await status(auditor, club.table) == 404


@both_faces
async def test_an_auditor_neither_opens_nor_sits_nor_moves(arcade: Tenant, face: Face) -> None:
    auditor = (await auditor_of(arcade.platform)).over(face)
    outcomes = [
        await auditor.open(),
        await auditor.sit(arcade.table, 0),
        await auditor.start(arcade.table),
        await auditor.bid(arcade.table, 3),
        await auditor.play(arcade.table, "SA"),
    ]
    assert [outcome.code for outcome in outcomes] == ["NOT_ALLOWED"] * 5
    assert await auditor.version(arcade.table) == 1


async def test_the_admin_makes_auditors_for_any_platform(
    admin: User, arcade: Tenant, house: User
) -> None:
    theirs, ours = await auditor_of(admin, platform=arcade.id), await auditor_of(admin)
    table = (await house.open()).id
    assert [await status(theirs, arcade.table), await status(theirs, table)] == [200, 404]
    assert [await status(ours, arcade.table), await status(ours, table)] == [404, 200]


# The admin


async def test_the_admin_keeps_platforms_and_their_keys(admin: User) -> None:
    new = await made(admin, "Arcade")
    platform, about = new["platform"], new["about"]
    assert new["key"].startswith(f"spk_{about['id']}_")
    assert about["lastFour"] == new["key"][-4:]
    assert about["revokedAt"] is None
    assert platform in (await admin.get("/v1/admin/platforms")).json()
    keys = f"/v1/admin/platforms/{platform['id']}/keys"
    second = (await admin.post(keys)).json()
    assert [key["id"] for key in (await admin.get(keys)).json()] == [
        about["id"],
        second["about"]["id"],
    ]
    revoked = (await admin.post(f"/v1/admin/keys/{about['id']}/revoke")).json()
    assert revoked["revokedAt"] is not None
    listed = await admin.get(keys)
    assert listed.json() == [revoked, second["about"]]
    for key in (new["key"], second["key"]):
        assert key not in listed.text


async def test_a_revoked_key_opens_nothing_and_its_players_play_on(
    admin: User, arcade: Tenant
) -> None:
    assert (await admin.post(f"/v1/admin/keys/{arcade.key}/revoke")).status_code == 200
    answer = await arcade.platform.post("/v1/players", {"externalId": "u-18", "name": "Bob"})
    assert answer.status_code == 401
    assert (await arcade.player.sit(arcade.table, 0)).accepted


async def test_with_a_grace_both_keys_open(admin: User, arcade: Tenant) -> None:
    path = f"/v1/admin/keys/{arcade.key}/rotate"
    answer = await admin.post(path, {"graceSeconds": 3600})
    assert answer.status_code == 201, answer.text
    for key in (answer.json()["key"], arcade.platform.token):
        assert await status(admin.having(key), arcade.table) == 200


async def test_the_admins_paths_open_for_the_admins_key_alone(
    stranger: User, house: User, arcade: Tenant, admin: User
) -> None:
    others = [house, arcade.platform, arcade.player, await auditor_of(arcade.platform)]
    for method, path in (
        ("GET", "/v1/admin/platforms"),
        ("POST", "/v1/admin/platforms"),
        ("POST", f"/v1/admin/keys/{arcade.key}/revoke"),
        ("POST", f"/v1/admin/keys/{NOBODYS}/revoke"),
    ):
        answer = await stranger.request(method, path, content=b"{")
        assert (answer.status_code, answer.json()["code"]) == (401, "UNAUTHENTICATED")
        for user in others:
            answer = await user.request(method, path, content=b"{")
            assert (answer.status_code, answer.json()["code"]) == (403, "NOT_ALLOWED")
    assert await status(arcade.platform, arcade.table) == 200


async def test_the_admin_sees_no_table_and_opens_none(admin: User, arcade: Tenant) -> None:
    assert await status(admin, arcade.table) == 404
    assert (await admin.open()).code == "NOT_ALLOWED"


async def test_without_an_admins_key_there_are_no_such_paths(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with running(tmp_path_factory.mktemp("unadministered")) as service:
        async with visiting(service.url) as stranger:
            for user in (stranger, stranger.having(PLATFORM_KEY), stranger.having(ADMIN_KEY)):
                for path in ("platforms", "nothing"):
                    answer = await user.get(f"/v1/admin/{path}")
                    assert answer.status_code == 404
                    assert answer.json()["detail"] == "there is nothing at this path"


# The command line


async def run(service: Service, *arguments: str) -> list[str]:
    """The words that `spades platforms` prints, run beside the service on its own store."""
    data = str(service.data)
    done = await asyncio.to_thread(spades, "platforms", *arguments, SPADES_DATA=data)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


async def test_platforms_are_kept_from_the_command_line_while_the_service_runs(
    service: Service, stranger: User
) -> None:
    _, platform, _, id_, bearer = await run(service, "create", "Arcade")
    user = stranger.having(bearer)
    table = (await user.open()).id
    assert platform in await run(service, "list")
    _, replaced_by, fresh = await run(service, "rotate", id_, "--grace", "3600")
    _, _, added = await run(service, "add-key", platform)
    for key in (bearer, fresh, added):
        assert await status(stranger.having(key), table) == 200
    listed = await run(service, "keys", platform)
    assert {id_, replaced_by, f"...{bearer[-4:]}"} <= {*listed}
    assert not {bearer, fresh, added} & {*listed}

    await run(service, "revoke", id_)
    async with asyncio.timeout(10):
        while await status(user, table) != 401:  # noqa: ASYNC110 nothing tells when it is known
            await asyncio.sleep(0.1)
    assert await status(stranger.having(fresh), table) == 200


# The end of a token


def short_token(user: User, seconds: int = 2) -> User:
    """The same player with a token that ends soon."""
    now = int(time.time())
    claims = {
        "iss": "spades-service",
        "sub": user.id,
        "tnt": "",
        "role": "player",
        "iat": now,
        "exp": now + seconds,
    }
    token = jwt.encode(claims, SECRET, algorithm="HS256")
    return User(user.http, token, user.id, user.name, user.face)


async def test_a_socket_is_closed_when_its_token_expires_and_not_before(stranger: User) -> None:
    ann = await stranger.guest("Ann")
    table = (await ann.open()).id
    brief = short_token(ann)
    expires = int(time.time()) + 2
    async with brief.socket() as socket:
        name = await socket.watch(table, 0)
        assert len(await first(socket.updates(name), 1)) == 1
        assert await socket.closed() == 4403
        assert socket.connection.close_reason == "Token expired"
    assert expires - 0.5 <= time.time() < expires + 5
    async with brief.socket(init=False) as socket:
        await socket.send({"type": "connection_init", "payload": brief.headers})
        assert await socket.closed() == 4403


async def test_a_socket_without_operations_is_closed_too(stranger: User) -> None:
    async with short_token(await stranger.guest("Ann")).socket() as socket:
        assert await socket.closed() == 4403


@pytest.mark.parametrize("wire", ["sse", "ndjson"])
async def test_a_stream_ends_when_its_token_expires(stranger: User, wire: Any) -> None:
    ann = await stranger.guest("Ann")
    table = (await ann.open()).id
    async with short_token(ann).streaming(table, wire, after=0) as updates:
        assert len(await rest_of(updates)) == 1


async def test_a_subscription_over_server_sent_events_ends_when_its_token_expires(
    stranger: User,
) -> None:
    ann = short_token(await stranger.guest("Ann"))
    table = (await ann.open()).id
    document = f'subscription {{ tableEvents(tableId: "{table}", after: 0) {{ __typename }} }}'
    headers = {**ann.headers, "Accept": "text/event-stream"}
    async with (
        asyncio.timeout(15),
        ann.http.stream("POST", "/graphql", json={"query": document}, headers=headers) as response,
    ):
        assert response.status_code == 200
        body = "".join([text async for text in response.aiter_text()])
    assert body.count("event: next") == 1
    assert "event: complete" in body


async def test_a_stream_of_a_platforms_key_has_no_such_end(arcade: Tenant) -> None:
    async with arcade.platform.streaming(arcade.table, after=0) as updates:
        await first(updates, 1)
        assert (await arcade.player.sit(arcade.table, 0)).accepted
        (update,) = await first(updates, 1)
        assert update["event"]["version"] == 2


# What nobody may read


async def test_no_key_token_or_secret_is_ever_logged_or_answered(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("logged")
    with running(folder, SPADES_ADMIN_KEY=ADMIN_KEY, SPADES_ENV="production") as service:
        async with visiting(service.url) as stranger:
            admin = stranger.having(ADMIN_KEY)
            arcade = await tenant(admin, "Arcade")
            rotated = (await admin.post(f"/v1/admin/keys/{arcade.key}/rotate", {})).json()["key"]
            auditor = await auditor_of(admin)
            forged = stranger.having(jwt.encode({"sub": "x"}, "k" * 32, "HS256"))
            mistyped = stranger.having(f"{rotated}0")
            users = [admin, arcade.platform, arcade.player, auditor, forged, mistyped]
            users += [stranger.having(key) for key in (PLATFORM_KEY, rotated)]
            for user in users:
                for path in ("", "/events", "/events?after=x"):
                    await user.get(f"/v1/tables/{arcade.table}{path}")
                await user.post(f"/v1/tables/{arcade.table}/commands", {"type": user.token})
                await user.post("/v1/tables", {"rules": {"preset": "campus"}})
                await user.ask("{ me { id } }")
                await user.ask(f'{{ table(id: "{user.token}") {{ id }} }}')
                async with user.socket(init=False) as socket:
                    payload = user.headers
                    await socket.send({"type": "connection_init", "payload": payload})
                    await socket.send({"type": "no such type"})
                    await socket.closed()
            service.kill_store()
            for user in users:
                answer = await user.post("/v1/tables", {"rules": {"preset": "campus"}})
                assert user.token is not None
                assert user.token not in answer.text
            held = [user.token for user in users if user.token is not None]
    secrets = {SECRET, ADMIN_KEY, PLATFORM_KEY, rotated, *held}
    assert len(secrets) == 9
    for secret in secrets:
        assert secret not in service.log
        assert secret.rpartition("_")[2].rpartition(".")[2] not in service.log
    assert "store.unavailable" in service.log
    assert all(json.loads(line) for line in service.log.splitlines() if line.startswith("{"))

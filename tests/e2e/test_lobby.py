"""The lobby of a running service, on both faces: lists, invitations, matches and rematches."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Iterator
from contextlib import aclosing
from itertools import count
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from msgspec import Struct

from support.client import EVENT, RESULT, TABLE, Face, Json, Unanswered, User, first, visiting
from support.service import Service, running

ADMIN_KEY: Final = "the-key-of-the-one-who-administers"
NUMBERS: Final = count(1)
PATIENCE: Final = 20.0
CAMPUS: Final = {"preset": "campus"}
ONE_ROUND: Final[dict[Face, Json]] = {
    "graphql": {"preset": "campus", "maxRounds": 1},
    "rest": {"preset": "campus", "max_rounds": 1},
}
both_faces = pytest.mark.parametrize("face", ["graphql", "rest"])

BESIDE: Final = "fragment Beside on Table { private openedAt inviteCode rematch turnSeconds }"
LISTED: Final = (
    "{ edges { cursor node { ...Table ...Beside } }"
    " pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }"
)
PAGED: Final = "$first: Int, $after: String, $last: Int, $before: String"
PAGE: Final = "first: $first, after: $after, last: $last, before: $before"
TABLES: Final = (
    f"query($status: [TableStatus!], {PAGED}, $preset: String, $game: Game, $withFreeSeat: Boolean)"
    f" {{ it: tables(status: $status, {PAGE}, preset: $preset, game: $game,"
    f" withFreeSeat: $withFreeSeat) {LISTED} }}"
)
MY_TABLES: Final = (
    f"query($status: [TableStatus!], {PAGED}) {{ it: myTables(status: $status, {PAGE}) {LISTED} }}"
)
ONE: Final = (
    "query($id: ID!, $inviteCode: String)"
    " { it: table(id: $id, inviteCode: $inviteCode) { ...Table ...Beside } }"
)
INVITED: Final = "query($code: String!) { it: tableByInvite(code: $code) { ...Table ...Beside } }"
HISTORY: Final = (
    "query($id: ID!, $inviteCode: String)"
    " { it: events(tableId: $id, inviteCode: $inviteCode) { version } }"
)
WATCH: Final = (
    "subscription($id: ID!, $after: Int, $inviteCode: String) { tableEvents(tableId: $id,"
    " after: $after, inviteCode: $inviteCode) { event { ...Event } table { ...Table } } }"
)


class Refusal(Exception):
    """What the service said no to, by its code."""


class Visitor(Struct):
    """Somebody at the lobby, over one face."""

    user: User
    face: Face

    @property
    def id(self) -> str:
        return self.user.id

    async def _asked(self, document: str, **variables: Any) -> Any:
        fragments = "".join(
            text
            for name, text in (("Table", TABLE), ("Beside", BESIDE), ("Event", EVENT))
            if f"...{name}" in document
        )
        try:
            return (await self.user.query(document + fragments, **variables))["it"]
        except Unanswered as error:
            raise Refusal(error.errors[0]["extensions"]["code"]) from None

    async def _got(self, path: str, **params: Any) -> Any:
        given = {name: value for name, value in params.items() if value is not None}
        return _body(await self.user.get(path, params=given))

    async def _posted(self, path: str, body: Json) -> Any:
        return _body(await self.user.post(path, body))

    async def tables(self, **wanted: Any) -> Any:
        """A page of the public tables."""
        if self.face == "graphql":
            game = wanted.pop("game", None)
            wanted["game"] = None if game is None else game.upper().replace("-", "_")
            return await self._asked(TABLES, **wanted)
        return await self._got("/v1/tables", **wanted)

    async def my_tables(self, **wanted: Any) -> Any:
        if self.face == "graphql":
            return await self._asked(MY_TABLES, **wanted)
        return await self._got("/v1/me/tables", **wanted)

    async def listed(self, **wanted: Any) -> list[str]:
        return [edge["node"]["id"] for edge in (await self.tables(**wanted))["edges"]]

    async def mine(self, **wanted: Any) -> list[str]:
        return [edge["node"]["id"] for edge in (await self.my_tables(**wanted))["edges"]]

    async def table(self, id_: str, code: str | None = None) -> Any:
        """A table; raises Refusal where there is none."""
        if self.face == "graphql":
            return _found(await self._asked(ONE, id=id_, inviteCode=code))
        return await self._got(f"/v1/tables/{id_}", inviteCode=code)

    async def events(self, id_: str, code: str | None = None) -> list[int]:
        """The versions of a table's history; raises Refusal where there is none."""
        if self.face == "graphql":
            history = await self._asked(HISTORY, id=id_, inviteCode=code)
        else:
            history = await self._got(f"/v1/tables/{id_}/events", inviteCode=code)
        return [event["version"] for event in history]

    async def invited(self, code: str) -> Any:
        if self.face == "graphql":
            return _found(await self._asked(INVITED, code=code))
        return await self._got(f"/v1/invites/{code}")

    async def open(self, **more: Any) -> Any:
        return await self._done("openTable", "OpenTableInput", "/v1/tables", {**more})

    async def quick_match(self, rules: Json = CAMPUS, **more: Any) -> Any:
        body = {"rules": rules, **more}
        return await self._done("quickMatch", "QuickMatchInput", "/v1/quick-match", body)

    async def rematch(self, id_: str, **more: Any) -> Any:
        if self.face == "graphql":
            return await self._done("rematch", "RematchInput", "", {"tableId": id_, **more})
        return (await self._posted(f"/v1/tables/{id_}/rematch", more))["table"]

    async def sit(self, id_: str, seat: int, code: str | None = None) -> Json:
        more: dict[str, Any] = {} if code is None else {"inviteCode": code}
        outcome = await self.user.over(self.face).do("takeSeat", id_, seat=seat, **more)
        if not outcome.accepted:
            raise Refusal(outcome.code)
        return outcome.table

    async def _done(self, what: str, kind: str, path: str, body: Json) -> Any:
        """A command's table; a computer's level is spelled as the face spells it."""
        if self.face == "rest":
            return (await self._posted(path, body))["table"]
        if "fill" in body:
            body["fill"] = body["fill"].upper()
        document = f"mutation($input: {kind}!) {{ it: {what}(input: $input) {{ {RESULT} }} }}"
        done = (await self.user.query(document + EVENT + TABLE, input=body))["it"]
        if done["__typename"] == "Refused":
            raise Refusal(done["code"])
        return done["table"]

    async def watched(
        self, id_: str, after: int | None = None, code: str | None = None
    ) -> AsyncGenerator[Json, None]:
        """The updates of a table; raises Refusal where there is none."""
        if self.face == "graphql":
            async with self.user.socket() as socket:
                variables = {"id": id_, "after": after, "inviteCode": code}
                name = await socket.subscribe(WATCH + EVENT + TABLE, **variables)
                try:
                    async for update in socket.updates(name):
                        yield update
                except Unanswered as error:
                    raise Refusal(error.errors[0]["extensions"]["code"]) from None
            return
        headers = {**self.user.headers, "Accept": "application/x-ndjson"}
        given = {"after": after, "inviteCode": code}
        params = {name: value for name, value in given.items() if value is not None}
        path = f"/v1/tables/{id_}/events"
        async with self.user.http.stream("GET", path, headers=headers, params=params) as answer:
            if answer.status_code != 200:
                await answer.aread()
                _body(answer)
            async for line in answer.aiter_lines():
                if line:
                    yield httpx.Response(200, text=line).json()


def _body(response: httpx.Response) -> Any:
    """What came; raises Refusal for a problem."""
    if response.is_success:
        return response.json()
    assert response.headers["content-type"].startswith("application/problem+json"), response.text
    raise Refusal(response.json().get("code"))


def _found(table: Json | None) -> Json:
    if table is None:
        raise Refusal("NOT_FOUND")
    return table


async def refused(code: str, asking: Awaitable[object]) -> None:
    with pytest.raises(Refusal, match=f"^{code}$"):
        await asking


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running(tmp_path_factory.mktemp("lobby"), SPADES_ADMIN_KEY=ADMIN_KEY) as service:
        yield service
        assert "Traceback" not in service.log


@pytest.fixture
async def stranger(service: Service) -> AsyncIterator[User]:
    async with visiting(service.url) as stranger:
        yield stranger


class Arcade(Struct):
    """A platform with a lobby of its own, and players whom it lets in."""

    platform: User
    face: Face

    async def player(self, name: str) -> Visitor:
        return Visitor(await self.platform.platform_player(name, name), self.face)

    async def four(self) -> tuple[Visitor, Visitor, Visitor, Visitor]:
        ann, ben, cleo, dan = [await self.player(name) for name in ("Ann", "Ben", "Cleo", "Dan")]
        return ann, ben, cleo, dan


async def platform(stranger: User) -> User:
    admin = stranger.having(ADMIN_KEY)
    made = await admin.post("/v1/admin/platforms", {"name": f"Arcade {next(NUMBERS)}"})
    assert made.status_code == 201, made.text
    return stranger.having(made.json()["key"])


@pytest.fixture
async def arcade(stranger: User, face: Face) -> Arcade:
    return Arcade(await platform(stranger), face)


async def play_to_the_end(player: Visitor, id_: str) -> Any:
    """Every move of a player among computers, as it becomes their turn."""
    user = player.user.over(player.face)
    async with asyncio.timeout(PATIENCE), aclosing(player.watched(id_, 0)) as updates:
        async for update in updates:
            seen = update["table"]
            if seen["status"] == "FINISHED":
                return await player.table(id_)
            if seen["seat"] not in seen["awaited"] or seen["seat"] is None:
                continue
            if seen["version"] != await user.version(id_):
                continue
            if seen["phase"] == "BIDDING":
                await user.bid(id_, 3)
            else:
                await user.play(id_, seen["legalPlays"][0])
    raise AssertionError("the game has no end")


# Lists


@both_faces
async def test_public_tables_are_listed_to_those_of_their_platform(arcade: Arcade) -> None:
    ann, ben, *_ = await arcade.four()
    older, newer = await ann.open(rules=CAMPUS), await ben.open(rules=CAMPUS, seat=1)
    await ben.open(rules=CAMPUS, private=True)
    page = await ann.tables()
    assert [edge["node"]["id"] for edge in page["edges"]] == [newer["id"], older["id"]]
    node = page["edges"][0]["node"]
    assert node["seats"][1]["player"] == {"id": ben.id, "name": "Ben"}
    assert (node["private"], node["inviteCode"], node["rematch"]) == (False, None, None)
    first_event = (await ann.user.get(f"/v1/tables/{node['id']}/events")).json()[0]
    assert node["openedAt"] == first_event["at"]
    assert page["pageInfo"]["hasNextPage"] is False
    guest = Visitor(await arcade.platform.guest("Eve"), arcade.face)
    assert not {older["id"], newer["id"]} & set(await guest.listed(first=100))


@both_faces
async def test_a_list_is_walked_in_pages_there_and_back(arcade: Arcade) -> None:
    ann, *_ = await arcade.four()
    opened = [(await ann.open(rules=CAMPUS))["id"] for _ in range(7)][::-1]
    seen: list[str] = []
    page = await ann.tables(first=3)
    while True:
        seen += [edge["node"]["id"] for edge in page["edges"]]
        assert page["pageInfo"]["endCursor"] == page["edges"][-1]["cursor"]
        await ann.open(rules=CAMPUS)
        if not page["pageInfo"]["hasNextPage"]:
            break
        page = await ann.tables(first=3, after=page["pageInfo"]["endCursor"])
    assert seen == opened
    back: list[str] = []
    page = await ann.tables(last=3)
    while True:
        back = [edge["node"]["id"] for edge in page["edges"]] + back
        if not page["pageInfo"]["hasPreviousPage"]:
            break
        page = await ann.tables(last=3, before=page["pageInfo"]["startCursor"])
    assert back[-7:] == opened
    assert len(back) == len(set(back)) == 10


@both_faces
async def test_a_list_can_be_narrowed(arcade: Arcade) -> None:
    ann, ben, *_ = await arcade.four()
    seating = (await ann.open(rules=CAMPUS))["id"]
    playing = (await ann.open(rules=CAMPUS, seat=0, fill="easy"))["id"]
    two = (await ann.open(rules={"preset": "two-handed"}, seat=0))["id"]
    assert await ben.listed(status=["SEATING"]) == [two, seating]
    assert await ben.listed(status=["PLAYING", "SEATING"]) == [two, playing, seating]
    assert await ben.listed(preset="campus") == [playing, seating]
    assert await ben.listed(game="two-handed") == [two]
    assert await ben.listed(withFreeSeat=True) == [two, seating]
    assert await ben.listed(withFreeSeat=False, status=["PLAYING"]) == [playing]
    await refused("UNKNOWN_PRESET", ben.tables(preset="golf"))


@both_faces
@pytest.mark.parametrize(
    "page",
    [
        {"after": "nonsense"},
        {"before": "MTA6YWFh"},
        {"first": 0},
        {"first": 101},
        {"last": -1},
        {"first": 1, "last": 1},
    ],
)
async def test_a_page_that_cannot_be_is_refused(arcade: Arcade, page: Json) -> None:
    ann, *_ = await arcade.four()
    await refused("BAD_COMMAND", ann.tables(**page))
    await refused("BAD_COMMAND", ann.my_tables(**page))


async def test_both_faces_show_the_same_pages_and_take_each_others_cursors(
    stranger: User,
) -> None:
    ours = Arcade(await platform(stranger), "graphql")
    ann = await ours.player("Ann")
    for _ in range(5):
        await ann.open(rules=CAMPUS, seat=0)
    over_rest = Visitor(ann.user, "rest")
    one, other = await ann.tables(first=2), await over_rest.tables(first=2)
    assert one["pageInfo"] == other["pageInfo"]
    for here, there in zip(one["edges"], other["edges"], strict=True):
        assert here["cursor"] == there["cursor"]
        assert here["node"]["id"] == there["node"]["id"]
        for field in ("openedAt", "inviteCode", "rematch", "version", "seat", "private"):
            assert here["node"][field] == there["node"][field]
    end = one["pageInfo"]["endCursor"]
    assert (await over_rest.listed(after=end)) == (await ann.listed(after=end))


@both_faces
async def test_my_tables_are_those_where_i_sit_or_that_i_opened(arcade: Arcade) -> None:
    ann, ben, cleo, _ = await arcade.four()
    public = (await ann.open(rules=CAMPUS))["id"]
    hidden = await ben.open(rules=CAMPUS, private=True, seat=0)
    code = (await ben.table(hidden["id"]))["inviteCode"]
    await ann.sit(hidden["id"], 1, code)
    assert await ann.mine() == [hidden["id"], public]
    assert await ben.mine() == [hidden["id"]]
    assert await cleo.mine() == []
    assert await ann.mine(status=["FINISHED"]) == []
    assert await ann.mine(first=1) == [hidden["id"]]
    assert await ann.mine(last=1) == [public]


async def test_the_lists_are_whole_after_a_crash(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        async with visiting(service.url) as stranger:
            ann = Visitor(await stranger.guest("Ann"), "graphql")
            opened = [(await ann.open(rules=CAMPUS, seat=0))["id"] for _ in range(3)]
            hidden = await ann.open(rules=CAMPUS, private=True)
            code = (await ann.table(hidden["id"]))["inviteCode"]
            await asyncio.to_thread(service.kill)
            await asyncio.to_thread(service.start)
        async with visiting(service.url) as stranger:
            again = Visitor(stranger.having(ann.user.token), "rest")
            assert await again.listed() == opened[::-1]
            assert await again.mine() == [hidden["id"], *opened[::-1]]
            ben = Visitor(await stranger.guest("Ben"), "rest")
            assert (await ben.invited(code))["id"] == hidden["id"]


# Private tables


@both_faces
async def test_a_private_table_is_to_others_a_table_that_there_is_not(arcade: Arcade) -> None:
    ann, ben, *_ = await arcade.four()
    hidden = (await ann.open(rules=CAMPUS, private=True, seat=0))["id"]
    for id_ in (hidden, "a" * 16):
        for code in (None, "0" * 10):
            await refused("NOT_FOUND", ben.table(id_, code))
            await refused("NOT_FOUND", ben.events(id_, code))
            await refused("NOT_FOUND", ben.sit(id_, 1, code))
            with pytest.raises(Refusal, match="NOT_FOUND"):
                await anext(ben.watched(id_, code=code))
        await refused("NOT_FOUND", ben.rematch(id_))
        outcome = await ben.user.over(ben.face).leave(id_)
        assert (outcome.code, outcome.version) == ("NOT_FOUND", 0)
    assert await ben.listed() == []


@both_faces
async def test_an_invitation_opens_a_private_table(arcade: Arcade) -> None:
    ann, ben, cleo, _ = await arcade.four()
    hidden = (await ann.open(rules=CAMPUS, private=True, seat=0))["id"]
    code = (await ann.table(hidden))["inviteCode"]
    assert len(code) == 10
    assert (await Visitor(arcade.platform, arcade.face).table(hidden))["inviteCode"] == code
    for written in (code, code.lower(), f"{code[:5]}-{code[5:]}"):
        assert (await ben.invited(written))["id"] == hidden
    assert (await ben.table(hidden, code))["hand"] is None
    assert await ben.events(hidden, code) == [1, 2]
    await refused("NOT_FOUND", ben.invited("0" * 10))
    async with aclosing(ben.watched(hidden, 0, code)) as updates:
        assert len(await first(updates, 2)) == 2
        await cleo.sit(hidden, 2, code)
        (sat,) = await first(updates, 1)
        assert sat["event"]["seat"] == 2
    await ben.sit(hidden, 1, code)
    assert (await ben.table(hidden))["inviteCode"] == code


@both_faces
async def test_who_leaves_a_private_table_sees_no_more_of_it(arcade: Arcade) -> None:
    ann, ben, cleo, _ = await arcade.four()
    hidden = (await ann.open(rules=CAMPUS, private=True))["id"]
    code = (await ann.table(hidden))["inviteCode"]
    await ben.sit(hidden, 1, code)
    async with aclosing(ben.watched(hidden, 0)) as updates:
        assert len(await first(updates, 2)) == 2
        assert (await ben.user.over(ben.face).leave(hidden)).accepted
        await cleo.sit(hidden, 2, code)
        assert [update async for update in updates] == []
    await refused("NOT_FOUND", ben.table(hidden))


@both_faces
async def test_a_code_is_good_for_its_own_platform_alone(arcade: Arcade, stranger: User) -> None:
    ann, *_ = await arcade.four()
    hidden = (await ann.open(rules=CAMPUS, private=True))["id"]
    code = (await ann.table(hidden))["inviteCode"]
    guest = Visitor(await stranger.guest("Eve"), arcade.face)
    await refused("NOT_FOUND", guest.invited(code))
    await refused("NOT_FOUND", guest.table(hidden, code))
    await refused("NOT_FOUND", guest.sit(hidden, 1, code))


# Who watches, and who plays


@both_faces
async def test_anybody_watches_a_public_table_and_a_player_only_from_their_seat(
    arcade: Arcade,
) -> None:
    ann, ben, *_ = await arcade.four()
    id_ = (await ann.open(rules=CAMPUS, seat=2, fill="easy"))["id"]
    seen = await ben.table(id_)
    assert (seen["seat"], seen["hand"], seen["legalPlays"]) == (None, None, [])
    for code in (None, "0" * 10):
        own = await ann.table(id_, code)
        assert (own["seat"], len(own["hand"])) == (2, 13)
    async with aclosing(ann.watched(id_, 0)) as mine, aclosing(ben.watched(id_, 0)) as theirs:
        for own, public in zip(await first(mine, 7), await first(theirs, 7), strict=True):
            assert own["event"]["version"] == public["event"]["version"]
            assert public["table"]["seat"] is None
            assert public["table"]["hand"] is None
            assert own["table"]["version"] == 1 or own["table"]["seat"] == 2


# Quick match


@both_faces
async def test_four_who_ask_at_once_are_a_game(arcade: Arcade) -> None:
    players = await arcade.four()
    tables = await asyncio.gather(*(player.quick_match() for player in players))
    (id_,) = {table["id"] for table in tables}
    assert {table["seat"] for table in tables} == {0, 1, 2, 3}
    assert (await players[0].table(id_))["status"] == "PLAYING"


async def test_players_at_two_replicas_meet(service: Service, tmp_path: Path) -> None:
    with running(tmp_path, REDIS_URL=service.store_url) as replica:
        async with visiting(service.url) as here, visiting(replica.url) as there:
            arcade = await platform(here)
            players = [await arcade.platform_player(f"{seat}", f"P{seat}") for seat in range(40)]
            half = [there.having(player.token) for player in players[20:]]
            asking = [Visitor(user, "graphql") for user in (*players[:20], *half)]
            tables = await asyncio.gather(*(player.quick_match() for player in asking))
            assert len({table["id"] for table in tables}) == 10
            assert len({(table["id"], table["seat"]) for table in tables}) == 40
            assert await asking[0].listed(status=["SEATING"]) == []
            assert len(await asking[0].listed(status=["PLAYING"])) == 10


async def test_players_of_both_faces_meet(stranger: User) -> None:
    ours = Arcade(await platform(stranger), "graphql")
    ann, ben, *_ = await ours.four()
    one = await ann.quick_match({"preset": "two-handed"}, turnSeconds=60)
    other = await Visitor(ben.user, "rest").quick_match({"preset": "two-handed"}, turnSeconds=60)
    assert one["id"] == other["id"]
    assert other["status"] == "PLAYING"


@both_faces
async def test_a_match_asked_for_again_is_the_same_seat(arcade: Arcade) -> None:
    ann, ben, *_ = await arcade.four()
    await ben.quick_match()
    one = await ann.quick_match(commandId="once")
    assert await ann.quick_match(commandId="once") == one
    await refused("COMMAND_ID_REUSED", ann.quick_match({"preset": "classic"}, commandId="once"))
    assert await ann.mine() == [one["id"]]


@both_faces
async def test_with_computers_a_match_is_played_at_once(arcade: Arcade) -> None:
    ann, *_ = await arcade.four()
    table = await ann.quick_match(fill="easy")
    assert table["status"] == "PLAYING"
    assert [seat["bot"] for seat in table["seats"]] == [False, True, True, True]


@both_faces
async def test_a_match_that_cannot_be_is_refused(arcade: Arcade) -> None:
    ann, *_ = await arcade.four()
    await refused("UNKNOWN_PRESET", ann.quick_match({"preset": "golf"}))
    await refused("BAD_COMMAND", ann.quick_match(turnSeconds=1))
    await refused("NOT_ALLOWED", Visitor(arcade.platform, arcade.face).quick_match())


# Playing again


@both_faces
async def test_a_game_played_to_its_end_is_played_again(arcade: Arcade) -> None:
    ann, ben, *_ = await arcade.four()
    id_ = (await ann.open(rules=ONE_ROUND[ann.face], seat=1, fill="easy", turnSeconds=600))["id"]
    await refused("WRONG_PHASE", ann.rematch(id_))
    end = await play_to_the_end(ann, id_)
    assert (end["status"], end["rematch"]) == ("FINISHED", None)
    assert id_ in await ben.listed(status=["FINISHED"])
    await refused("NOT_SEATED", ben.rematch(id_))
    again = await ann.rematch(id_, commandId="again")
    assert again["id"] != id_
    assert (again["status"], again["seat"]) == ("PLAYING", 2)
    assert [seat["bot"] for seat in again["seats"]] == [True, True, False, True]
    shown = await ann.table(again["id"])
    assert (shown["private"], shown["turnSeconds"]) == (False, 600)
    assert (await ben.table(id_))["rematch"] == again["id"]
    assert (await ann.rematch(id_, commandId="again"))["id"] == again["id"]

"""Records go into the store and come out of it, beside a running service and without one."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from redis import Redis
from zstandard import ZstdCompressor

from spades.record_decoding import decode_record
from spades.record_replay import replay_record
from spades.record_results import Results, Status, results
from support.command_line import invoke, refused, spades
from support.records import CAMPUS, FOLDER, NAMES, TWO_HANDED, UNFINISHED, changed, data, plain
from support.service import PLATFORM_KEY, SECRET, Service, running

REVOKE = changed(CAMPUS, "last['tricks'][2] = 'E:HK S:H2 W:S3 N:H6'")


def record_of(name: str) -> Path:
    return FOLDER / f"{name}.json"


def result(record: bytes) -> Results:
    return results(replay_record(decode_record(record)).events)


def same_game(exported: bytes, imported: bytes) -> bool:
    """Equal but for a round that was dealt since: a game that is not over goes on."""
    after, before = result(exported), result(imported)
    rounds = len(before.rounds)
    assert len(after.rounds) <= rounds + 1
    return (after.status, after.rounds[:rounds], after.scores, after.winner) == (
        before.status,
        before.rounds,
        before.scores,
        before.winner,
    )


@pytest.fixture
def revoke(tmp_path: Path) -> Path:
    path = tmp_path / "revoke.json"
    path.write_bytes(REVOKE)
    return path


@pytest.fixture(params=["beside a running service", "alone"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A data folder that a service uses, or that nobody does."""
    if request.param == "alone":
        return str(tmp_path / "data")
    service: Service = request.getfixturevalue("service")
    return str(service.data)


def imported(name: str, folder: str) -> str:
    answer = invoke("import", record_of(name), SPADES_DATA=folder)
    assert (answer.exit_code, answer.stderr) == (0, "")
    return answer.stdout.strip()


def exported(table: str, folder: str) -> bytes:
    answer = invoke("export", table, SPADES_DATA=folder)
    assert (answer.exit_code, answer.stderr) == (0, "")
    return answer.stdout_bytes


# In and out again


@pytest.mark.parametrize("name", NAMES)
def test_a_game_comes_out_as_it_went_in(name: str, folder: str) -> None:
    table = imported(name, folder)

    assert same_game(exported(table, folder), data(name))


def test_what_came_out_goes_in_again(folder: str, tmp_path: Path) -> None:
    first = exported(imported(TWO_HANDED, folder), folder)
    path = tmp_path / "again.json"
    path.write_bytes(first)
    again = invoke("import", path, SPADES_DATA=folder).stdout.strip()

    assert exported(again, folder) == first


def test_a_record_imported_twice_is_two_tables(folder: str) -> None:
    assert imported(CAMPUS, folder) != imported(CAMPUS, folder)


def test_a_compressed_record_is_imported_like_any_other(folder: str, tmp_path: Path) -> None:
    packed = tmp_path / "campus.json.zst"
    packed.write_bytes(ZstdCompressor().compress(data(CAMPUS)))
    table = invoke("import", packed, SPADES_DATA=folder).stdout.strip()

    assert same_game(exported(table, folder), data(CAMPUS))


def test_an_export_can_go_to_a_file(folder: str, tmp_path: Path) -> None:
    table = imported(UNFINISHED, folder)
    path = tmp_path / "game.json"
    answer = invoke("export", table, "--output", path, SPADES_DATA=folder)

    assert (answer.exit_code, answer.stdout, answer.stderr) == (0, "", "")
    assert path.read_bytes() == exported(table, folder)


def test_a_process_of_its_own_does_the_same(folder: str) -> None:
    table = spades("import", record_of(CAMPUS), SPADES_DATA=folder).stdout.strip()
    answer = spades("export", table, SPADES_DATA=folder)

    assert (answer.returncode, answer.stderr) == (0, "")
    assert same_game(answer.stdout.encode(), data(CAMPUS))


def test_a_game_stays_when_the_service_has_gone(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        table = imported(UNFINISHED, str(service.data))
        beside = exported(table, str(service.data))

    assert exported(table, str(service.data)) == beside


def test_a_server_that_is_set_is_used(service: Service, tmp_path: Path) -> None:
    settings = {"REDIS_URL": service.store_url, "SPADES_DATA": str(tmp_path / "unused")}
    table = invoke("import", record_of(CAMPUS), **settings).stdout.strip()

    assert same_game(exported(table, str(service.data)), data(CAMPUS))
    assert not (tmp_path / "unused").exists()


# What cannot be done


def test_a_record_that_breaks_a_rule_is_refused(folder: str, revoke: Path) -> None:
    said = refused(invoke("import", revoke, SPADES_DATA=folder))

    assert said == f"{revoke}: round 1, trick 3: W must follow hearts: holds HA H3"


def test_a_record_that_breaks_a_rule_changes_nothing(service: Service, revoke: Path) -> None:
    with Redis.from_url(service.store_url) as redis:
        before = sorted(redis.keys())
        refused(invoke("import", revoke, SPADES_DATA=str(service.data)))

        assert sorted(redis.keys()) == before


def test_a_record_that_breaks_a_rule_starts_nothing(tmp_path: Path, revoke: Path) -> None:
    refused(invoke("import", revoke, SPADES_DATA=str(tmp_path / "data")))

    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"[]", "expected `object`, got `array`"),
        (b"no JSON", "this is not JSON in UTF-8"),
        (changed(CAMPUS, "record['sets'] = []"), "there is no key `sets`"),
        (changed(CAMPUS, "last['deal']['N'] = 'SA ' * 13"), "SA stands too often"),
    ],
)
def test_a_file_that_is_no_record_is_refused(
    content: bytes, reason: str, service: Service, tmp_path: Path
) -> None:
    path = tmp_path / "odd.json"
    path.write_bytes(content)

    assert reason in refused(invoke("import", path, SPADES_DATA=str(service.data)))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    said = refused(invoke("import", tmp_path / "none.json", SPADES_DATA=str(tmp_path / "data")))

    assert said == f"{tmp_path}/none.json: the file cannot be read: No such file or directory"


@pytest.mark.parametrize("table", ["nosuchtable", "", "a b", "é" * 300, "../../etc/passwd", "*"])
def test_an_unknown_table_cannot_be_exported(table: str, folder: str) -> None:
    said = refused(invoke("export", table, SPADES_DATA=folder))

    assert said.startswith("there is no ")


def test_a_file_that_cannot_be_written_is_one_sentence(service: Service, tmp_path: Path) -> None:
    folder = str(service.data)
    table = imported(CAMPUS, folder)
    path = tmp_path / "nowhere" / "game.json"
    said = refused(invoke("export", table, "-o", path, SPADES_DATA=folder))

    assert said == f"{path} cannot be written: No such file or directory"


@pytest.mark.parametrize(
    "arguments",
    [("import", record_of(CAMPUS)), ("export", "nosuchtable")],
    ids=["import", "export"],
)
def test_a_server_that_does_not_answer_is_one_sentence(arguments: tuple[str | Path, ...]) -> None:
    said = refused(invoke(*arguments, REDIS_URL="redis://127.0.0.1:1"))

    assert said == "no Redis or Valkey server answers at redis://127.0.0.1:1/0"


# Playing on


class Imported:
    """A table that came from a record, with a token for whoever sits at a seat."""

    def __init__(self, service: Service, name: str) -> None:
        self.id = imported(name, str(service.data))
        self._http = httpx.Client(base_url=service.url, trust_env=False)

    def shown(self, bearer: str = PLATFORM_KEY) -> dict[str, Any]:
        answer = self._http.get(f"/v1/tables/{self.id}", headers=_bearing(bearer))
        assert answer.status_code == 200, answer.text
        table: dict[str, Any] = answer.json()
        return table

    def token(self, seat: int) -> str:
        """As the service would sign it; an import gives none out."""
        player = self.shown()["seats"][seat]["player"]["id"]
        now = int(time.time())
        claims = {"sub": player, "iat": now, "exp": now + 60}
        house = {"iss": "spades-service", "tnt": "", "role": "player"}
        return jwt.encode({**claims, **house}, SECRET, "HS256")

    def play(self, bearer: str, card: str) -> httpx.Response:
        command = {"type": "playCard", "card": card}
        path = f"/v1/tables/{self.id}/commands"
        return self._http.post(path, json=command, headers=_bearing(bearer))

    def close(self) -> None:
        self._http.close()


def _bearing(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture
def table_of(service: Service, request: pytest.FixtureRequest) -> Callable[[str], Imported]:
    def open_(name: str) -> Imported:
        table = Imported(service, name)
        request.addfinalizer(table.close)
        return table

    return open_


def test_players_are_named_as_the_record_labels_them(
    table_of: Callable[[str], Imported],
) -> None:
    seats = table_of(CAMPUS).shown()["seats"]

    assert [seat["player"]["name"] for seat in seats] == plain(CAMPUS)["seats"]


def test_a_finished_game_is_finished(table_of: Callable[[str], Imported]) -> None:
    assert result(data(TWO_HANDED)).status is Status.FINISHED
    assert table_of(TWO_HANDED).shown()["status"] == "FINISHED"


def test_after_a_complete_round_the_next_is_dealt(table_of: Callable[[str], Imported]) -> None:
    shown = table_of(CAMPUS).shown()

    assert (shown["phase"], shown["round"]["number"]) == ("BIDDING", 2)
    assert [(side["score"], side["bags"]) for side in shown["sides"]] == [(61, 1), (-80, 0)]
    assert [seat["cardCount"] for seat in shown["seats"]] == [13, 13, 13, 13]


def test_an_unfinished_game_is_played_on_and_exported_with_what_was_played(
    service: Service, table_of: Callable[[str], Imported]
) -> None:
    table = table_of(UNFINISHED)
    shown = table.shown()
    turn = shown["turn"]
    bearer = table.token(turn)
    card = table.shown(bearer)["legalPlays"][0]
    played = table.play(bearer, card)

    assert played.status_code == 200, played.text
    assert played.json()["version"] > shown["version"]
    last = json.loads(exported(table.id, str(service.data)))["rounds"][-1]["tricks"][-1]
    assert last.split()[-1] == f"{plain(UNFINISHED)['seats'][turn]}:{card}"

"""`spades demo` plays a recorded round at a service that runs, or at one of its own."""

import os
import pty
import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

import httpx
import pytest

from spades.cards import Card
from spades.record_decoding import decode_record
from spades.record_replay import replay_record
from spades.record_results import results
from spades_adapters.embedded import running_url
from spades_service.cli.demo import RECORDED_ROUND
from spades_service.cli.demo_client import graphql_rules
from spades_service.cli.demo_words import in_words
from support.command_line import LONGEST, invoke, refused, spades
from support.records import BLIND_NIL, CAMPUS, FOLDER, SIX_HANDED, TWO_HANDED, changed, data
from support.service import PLATFORM_KEY, SPADES, Service, environment, free_port, running

REVOKE = changed(CAMPUS, "last['tricks'][2] = 'E:HK S:H2 W:S3 N:H6'")
URL: Final = re.compile(r"^Playing at .* at (http://\S+)\.$", re.MULTILINE)
REBUILT: Final = re.compile(
    r"^Rebuilt from the stream of table (\w{16}): (\d+) events, ([\d,]+) bytes, "
    r"folded in \d+\.\d ms\.$",
    re.MULTILINE,
)
SAME: Final = ": the same table as the API shows"


def alone(folder: Path, **settings: str) -> dict[str, str]:
    """Settings with which no service is found."""
    return {"SPADES_PORT": str(free_port()), "SPADES_DATA": str(folder / "data"), **settings}


def beside(service: Service, **settings: str) -> dict[str, str]:
    """Settings with which the service is found, its store too."""
    return {
        "SPADES_PORT": str(service.port),
        "SPADES_DATA": str(service.data),
        "SPADES_PLATFORM_KEY": PLATFORM_KEY,
        **settings,
    }


def shown(answer: subprocess.CompletedProcess[str]) -> str:
    """All that the command printed, without its standing in anybody's way."""
    assert (answer.returncode, answer.stderr) == (0, "")
    return answer.stdout


def url_in(output: str) -> str:
    found = URL.search(output)
    assert found, output
    return found[1]


def table_in(output: str) -> str:
    found = REBUILT.search(output)
    assert found, output
    return found[1]


def answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health/ready", trust_env=False).status_code == 200
    except httpx.TransportError:
        return False


# The recorded round


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("alone")


@pytest.fixture(scope="module")
def output(folder: Path) -> str:
    """What is printed where no service runs."""
    return shown(spades("demo", **alone(folder)))


def test_the_round_is_the_one_among_the_records() -> None:
    assert decode_record(RECORDED_ROUND.read_bytes()) == decode_record(data(CAMPUS))


def test_the_tricks_are_told_in_words(output: str) -> None:
    told = output.splitlines()

    assert "Bids: West 4, North 2, East 4, South 4." in told
    assert (
        "Trick 5: West leads the king of clubs, North the jack, East the 4 of hearts, "
        "South the 6 of spades. South takes it." in told
    )
    assert sum(line.startswith("Trick ") for line in told) == 13


def test_the_round_is_scored_as_it_was_at_the_table(output: str) -> None:
    assert re.search(r"^  N and S +6 +7 +\+61 +61 +1 ", output, re.MULTILINE)
    assert re.search(r"^  E and W +8 +6 +-80 +-80 +0 ", output, re.MULTILINE)
    assert "\nN and S 61, E and W -80. The game goes on.\n" in output


def test_the_sheet_does_not_show_the_hands_of_the_next_round(output: str) -> None:
    assert "Round 1, dealt by S" in output
    assert "Round 2" not in output


def test_the_rebuilt_table_is_what_everybody_is_shown(output: str) -> None:
    assert [line.strip() for line in output.splitlines() if line.endswith(SAME)] == [
        f"{viewer}{SAME}" for viewer in ("North", "East", "South", "West", "a spectator")
    ]


def test_the_stream_has_an_event_for_whatever_happened(output: str) -> None:
    rebuilt = REBUILT.search(output)
    assert rebuilt

    opened, seated, begun, dealt, bids, plays, taken, scored = 1, 4, 1, 2, 4, 52, 13, 1
    assert int(rebuilt[2]) == opened + seated + begun + dealt + bids + plays + taken + scored
    assert int(rebuilt[3].replace(",", "")) < 4096


def test_without_a_terminal_it_prints_plain_lines(output: str) -> None:
    assert "\x1b" not in output
    assert "\r" not in output


# A service of its own


def test_the_service_that_was_started_is_gone(output: str, folder: Path) -> None:
    assert "Playing at a service started for this at " in output
    assert not answers(url_in(output))
    assert running_url(folder / "data") is None


def test_the_game_stays_in_the_data_folder(output: str, folder: Path) -> None:
    table = table_in(output)
    exported = invoke("export", table, SPADES_DATA=str(folder / "data")).stdout_bytes

    assert f"spades export {table}" in output
    round_ = results(replay_record(decode_record(exported)).events).rounds[0]
    assert round_ == results(replay_record(decode_record(data(CAMPUS))).events).rounds[0]


def test_a_data_folder_in_use_is_left_alone(service: Service, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    settings = beside(service, SPADES_PORT=str(free_port()), TMPDIR=str(temporary))
    output = shown(spades("demo", **settings))

    assert "Playing at a service started for this at " in output
    assert "N and S 61, E and W -80." in output
    assert "spades export" not in output
    refused(invoke("export", table_in(output), SPADES_DATA=str(service.data)))
    assert answers(service.url)
    assert list(temporary.iterdir()) == []


def test_a_server_that_is_set_takes_the_games(service: Service, tmp_path: Path) -> None:
    settings = alone(tmp_path, REDIS_URL=service.store_url)
    output = shown(spades("demo", **settings))

    assert not answers(url_in(output))
    assert not (tmp_path / "data").exists()
    exported = invoke("export", table_in(output), SPADES_DATA=str(service.data))
    assert exported.exit_code == 0


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 1)])
def test_a_signal_ends_the_service_that_was_started(
    sent: signal.Signals, code: int, tmp_path: Path
) -> None:
    with subprocess.Popen(
        [SPADES, "demo", "--pace", "60"],
        env=environment(**alone(tmp_path)),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        url = url_in(next(lines))
        while next(lines) != "Round 1\n":
            pass
        assert answers(url)
        process.send_signal(sent)

        assert process.wait(LONGEST) == code
    assert not answers(url)
    assert running_url(tmp_path / "data") is None


def test_the_reader_of_a_pipe_may_leave_early(tmp_path: Path) -> None:
    command = f"'{SPADES}' demo | head -n 1"
    piped = subprocess.run(
        command,
        shell=True,
        env=environment(**alone(tmp_path)),
        capture_output=True,
        text=True,
        check=True,
        timeout=LONGEST,
    )

    assert piped.stdout.startswith("Playing at ")
    assert piped.stderr == ""
    assert not answers(url_in(piped.stdout))


# A service that runs


def test_a_service_that_runs_is_played_at_and_goes_on(service: Service) -> None:
    pid = service.pid
    output = shown(spades("demo", **beside(service)))

    assert f"Playing at the service that runs at {service.url}." in output
    assert re.search(r"^  N and S +6 +7 +\+61 +61 +1 ", output, re.MULTILINE)
    assert re.search(r"^  E and W +8 +6 +-80 +-80 +0 ", output, re.MULTILINE)
    assert output.count(SAME) == 5
    assert (answers(service.url), service.pid) == (True, pid)
    table = httpx.get(
        f"{service.url}/v1/tables/{table_in(output)}",
        headers={"Authorization": f"Bearer {PLATFORM_KEY}"},
        trust_env=False,
    ).json()
    assert (table["setDeals"], table["round"]["number"]) == (True, 2)


def test_the_key_in_the_data_folder_is_enough(tmp_path: Path) -> None:
    with running(tmp_path, SPADES_PLATFORM_KEY="", SPADES_GUESTS="off") as service:
        settings = beside(service, SPADES_PLATFORM_KEY="")

        assert "N and S 61, E and W -80." in shown(spades("demo", **settings))


@pytest.mark.parametrize("name", [BLIND_NIL, SIX_HANDED, TWO_HANDED])
def test_any_record_can_be_played(name: str, service: Service) -> None:
    output = shown(spades("demo", FOLDER / f"{name}.json", **beside(service)))

    record = decode_record(data(name))
    expected = results(replay_record(record).events)
    assert output.count(SAME) == record.layout.seats + 1
    taken = re.findall(r"^Trick .+ takes it\.$", output, re.MULTILINE)
    assert len(taken) == sum(len(round_.winners) for round_ in expected.rounds)
    exported = invoke("export", table_in(output), SPADES_DATA=str(service.data)).stdout_bytes
    played = results(replay_record(decode_record(exported)).events)
    assert [[line.change for line in round_.sides or ()] for round_ in played.rounds] == [
        [line.change for line in round_.sides or ()] for round_ in expected.rounds
    ]


# On a terminal


def test_on_a_terminal_a_bar_shows_the_moves(service: Service) -> None:
    seen = on_a_terminal([str(SPADES), "demo", "--pace", "0.01"], **beside(service))

    assert "━" in seen
    assert re.search(r"\d+/56", seen)
    assert "Trick 13: North leads the jack of diamonds" in seen
    assert "N and S 61, E and W -80." in seen


def on_a_terminal(command: list[str], **settings: str) -> str:
    """All that comes to a terminal of 100 columns."""
    ours, theirs = pty.openpty()
    env = environment(**settings, TERM="xterm", COLUMNS="100")
    with subprocess.Popen(command, env=env, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        seen = b""
        with suppress(OSError):  # Linux tells the end of a terminal so
            while read := os.read(ours, 65536):
                seen += read
        os.close(ours)
        assert process.wait(LONGEST) == 0
    return seen.decode()


# What cannot be done


def test_a_record_that_breaks_a_rule_starts_nothing(tmp_path: Path) -> None:
    path = tmp_path / "revoke.json"
    path.write_bytes(REVOKE)
    said = refused(spades("demo", path, **alone(tmp_path)))

    assert said == f"{path}: round 1, trick 3: W must follow hearts: holds HA H3"
    assert not (tmp_path / "data").exists()


def test_a_file_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    said = refused(invoke("demo", tmp_path / "none.json", **alone(tmp_path)))

    assert said == f"{tmp_path}/none.json: the file cannot be read: No such file or directory"


def test_a_service_whose_key_nobody_knows_is_one_sentence(service: Service, tmp_path: Path) -> None:
    settings = beside(service, SPADES_DATA=str(tmp_path))
    del settings["SPADES_PLATFORM_KEY"]
    said = refused(invoke("demo", **settings))

    assert said == (
        f"a service answers at {service.url}, and its platform key is not to be read from "
        f"{tmp_path}/platform-key: set SPADES_PLATFORM_KEY to its key, or SPADES_DATA to its data "
        "folder"
    )


def complaint(**settings: str) -> str:
    """The one sentence of a demonstration that had begun."""
    answer = spades("demo", **settings)
    assert answer.returncode == 2
    assert URL.fullmatch(answer.stdout.strip())
    (sentence,) = answer.stderr.splitlines()
    return sentence.removeprefix("spades: ")


def test_a_service_with_another_key_is_one_sentence(service: Service) -> None:
    assert complaint(**beside(service, SPADES_PLATFORM_KEY="another key")) == (
        f"the service at {service.url} has another platform key: "
        "set SPADES_PLATFORM_KEY to the one it has"
    )


def test_a_service_with_another_store_is_one_sentence(service: Service, tmp_path: Path) -> None:
    assert complaint(**beside(service, SPADES_DATA=str(tmp_path / "data"))) == (
        f"the service at {service.url} keeps its games in another store: "
        "set SPADES_DATA or REDIS_URL as it has them"
    )


def test_a_service_that_falls_silent_is_one_sentence(tmp_path: Path) -> None:
    with answering(b'{"status": "ready"}') as port:
        settings = alone(tmp_path, SPADES_PORT=str(port), SPADES_PLATFORM_KEY=PLATFORM_KEY)

        assert complaint(**settings) == (
            f"the service at http://127.0.0.1:{port} does not answer any more"
        )


def test_whatever_else_listens_there_is_no_service(tmp_path: Path) -> None:
    with answering(b'{"status": "well"}') as port:
        output = shown(spades("demo", **alone(tmp_path, SPADES_PORT=str(port))))

    assert "Playing at a service started for this at " in output


@contextmanager
def answering(ready: bytes) -> Iterator[int]:
    """Something that says whether it is ready, and hangs up on every other request; its port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(ready)))
            self.end_headers()
            self.wfile.write(ready)

        def do_POST(self) -> None:
            self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 the base's
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    "settings",
    [
        {"SPADES_PORT": "many"},
        {"SPADES_PLATFORM_KEY": "short"},
        {"REDIS_URL": "redis://127.0.0.1:1"},
        {"REDIS_URL": "http://127.0.0.1:1"},
    ],
)
def test_a_setting_that_cannot_be_used_is_one_sentence(
    settings: dict[str, str], tmp_path: Path
) -> None:
    refused(invoke("demo", **alone(tmp_path) | settings))


# Words and rules


@pytest.mark.parametrize(
    ("card", "led", "words"),
    [
        (Card.HK, None, "king of hearts"),
        (Card.CT, None, "10 of clubs"),
        (Card.D2, Card.DA, "2"),
        (Card.D2, Card.SA, "2 of diamonds"),
        (Card.BJ, Card.SA, "big joker"),
        (Card.SA, Card.LJ, "ace of spades"),
    ],
)
def test_a_card_is_said_as_at_a_table(card: Card, led: Card | None, words: str) -> None:
    assert in_words(card, led) == words


def test_rules_are_written_as_the_schema_has_them() -> None:
    rules = decode_record(
        changed(CAMPUS, "record['rules'] |= {'floor': -200, 'first_trick': 'lowest-clubs'}")
    ).rules

    assert graphql_rules(rules) == {
        "preset": "campus",
        "floor": -200,
        "firstTrick": "LOWEST_CLUBS",
    }

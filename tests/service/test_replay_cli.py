"""`spades replay` answers for one record, or for many, on the stream and with the status agreed."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from zstandard import ZstdCompressor

from spades_service import replay_cli
from spades_service.replay_cli import replay
from support.records import CAMPUS, CUTTHROAT, FOLDER, NAMES, SIX_HANDED, changed, data

CAMPUS_FILE = str(FOLDER / f"{CAMPUS}.json")
PROGRAM = "from spades_service.replay_cli import replay; replay()"
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
REVOKE = changed(CAMPUS, "last['tricks'][2] = 'E:HK S:H2 W:S3 N:H6'")
REVOKED = {
    "code": "MUST_FOLLOW_SUIT",
    "round": 1,
    "trick": 3,
    "seat": "W",
    "message": "W must follow hearts: holds HA H3",
}


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(replay, [str(argument) for argument in arguments])


def lines(output: str) -> list[Any]:
    return [json.loads(line) for line in output.splitlines()]


@pytest.fixture
def revoke(tmp_path: Path) -> Path:
    path = tmp_path / "revoke.json"
    path.write_bytes(REVOKE)
    return path


# One record


def test_one_record_prints_one_json_object_and_exits_0() -> None:
    answer = run("--json", CAMPUS_FILE)
    (result,) = lines(answer.stdout)
    assert (answer.exit_code, answer.stderr) == (0, "")
    assert list(result) == ["status", "rounds", "scores", "winner"]
    assert "".join(result["rounds"][0]["winners"]) == "EEEWSWSNESNNN"


def test_a_broken_rule_is_one_json_object_on_standard_error_and_exits_2(revoke: Path) -> None:
    answer = run("--json", revoke)
    assert (answer.exit_code, answer.stdout) == (2, "")
    assert lines(answer.stderr) == [{"error": REVOKED}]


def test_a_broken_rule_is_a_sentence_for_people(revoke: Path) -> None:
    answer = run(revoke)
    assert (answer.exit_code, answer.stdout) == (2, "")
    assert answer.stderr == f"{revoke}: round 1, trick 3: W must follow hearts: holds HA H3\n"


def test_people_read_a_score_sheet() -> None:
    answer = run(CAMPUS_FILE)
    assert answer.exit_code == 0
    assert answer.stdout.startswith("Spades: campus\n")
    assert answer.stdout.endswith("N and S 61, E and W -80. The game goes on.\n")


def test_a_compressed_record_is_read_like_any_other(tmp_path: Path) -> None:
    packed = tmp_path / "campus.json.zst"
    packed.write_bytes(ZstdCompressor().compress(data(CAMPUS)))
    assert run("--json", packed).stdout == run("--json", CAMPUS_FILE).stdout


def test_two_frames_of_zstd_are_one_file(tmp_path: Path) -> None:
    halves = data(CAMPUS)[:300], data(CAMPUS)[300:]
    packed = tmp_path / "campus.json.zst"
    packed.write_bytes(b"".join(ZstdCompressor().compress(half) for half in halves))
    assert run("--json", packed).exit_code == 0


def unreadable(answer: Result, words: str) -> None:
    """Whatever is wrong with a file, it is told like a record that is none."""
    (told,) = lines(answer.stderr)
    assert (answer.exit_code, answer.stdout) == (2, "")
    assert told["error"] | {"message": ""} == {
        "code": "BAD_RECORD",
        "round": None,
        "trick": None,
        "seat": None,
        "message": "",
    }
    assert words in told["error"]["message"]


def test_a_file_that_is_not_there_is_no_record(tmp_path: Path) -> None:
    unreadable(run("--json", tmp_path / "none.json"), "No such file")
    unreadable(run("--json", tmp_path / "none.json" / "below"), "No such file")
    unreadable(run("--json", tmp_path / ("long" * 100)), "too long")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_no_record(revoke: Path) -> None:
    revoke.chmod(0)
    unreadable(run("--json", revoke), "Permission denied")


def test_a_file_that_is_not_what_its_name_says_is_no_record(tmp_path: Path) -> None:
    packed = tmp_path / "campus.json.zst"
    packed.write_bytes(data(CAMPUS))
    unreadable(run("--json", packed), "zstd")
    packed.write_bytes(ZstdCompressor().compress(data(CAMPUS))[:-60])
    unreadable(run("--json", packed), "JSON")


def test_a_file_without_end_is_no_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay_cli, "LARGEST", 10_000)
    bomb = tmp_path / "bomb.json.zst"
    bomb.write_bytes(ZstdCompressor().compress(b" " * 1_000_000))
    unreadable(run("--json", bomb), "more than 10000 bytes")
    unreadable(run("--json", "/dev/zero"), "more than 10000 bytes")


# Several records


def test_several_records_are_a_line_each_in_the_order_named(revoke: Path, tmp_path: Path) -> None:
    answer = run("--json", CAMPUS_FILE, revoke, tmp_path / "none.json", CAMPUS_FILE)
    first, second, third, last = lines(answer.stdout)
    assert (answer.exit_code, answer.stderr) == (1, "")
    assert (first["file"], first["result"]["winner"]) == (CAMPUS_FILE, None)
    assert second == {"file": str(revoke), "error": REVOKED}
    assert third["error"]["code"] == "BAD_RECORD"
    assert last == first


def test_several_records_without_a_fault_exit_0() -> None:
    assert run("--json", CAMPUS_FILE, CAMPUS_FILE).exit_code == 0


def test_a_folder_is_its_records_sorted_and_those_of_its_folders(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    names = ("a.json", "b/b.json.zst", "b/c.json", "c.json")
    for name in names:
        packed = name.endswith(".zst")
        (tmp_path / name).write_bytes(
            ZstdCompressor().compress(data(CAMPUS)) if packed else data(CAMPUS)
        )
    (tmp_path / "notes.txt").write_text("no record", encoding="utf-8")
    answer = run("--json", tmp_path)
    assert answer.exit_code == 0
    assert [line["file"] for line in lines(answer.stdout)] == [
        str(tmp_path / name) for name in names
    ]


def test_a_folder_with_one_record_is_still_a_folder(revoke: Path) -> None:
    answer = run("--json", revoke.parent)
    assert answer.exit_code == 1
    assert lines(answer.stdout) == [{"file": str(revoke), "error": REVOKED}]


def test_a_folder_without_records_is_a_fault_and_not_a_success(tmp_path: Path) -> None:
    answer = run("--json", tmp_path)
    assert answer.exit_code == 1
    assert "holds no record" in lines(answer.stdout)[0]["error"]["message"]


def test_every_recorded_game_replays() -> None:
    answer = run("--json", FOLDER)
    assert answer.exit_code == 0
    assert [Path(line["file"]).stem for line in lines(answer.stdout)] == NAMES


def test_people_read_several_sheets_each_under_its_name(revoke: Path) -> None:
    answer = run(CAMPUS_FILE, revoke)
    assert answer.exit_code == 1
    assert answer.stdout.startswith(f"{CAMPUS_FILE}\n\nSpades: campus\n")
    assert answer.stderr.startswith(f"{revoke}: round 1, trick 3: ")


# Part of a record


def test_until_stops_after_a_trick() -> None:
    answer = run("--json", "--until", "2.4", FOLDER / f"{CUTTHROAT}.json")
    (result,) = lines(answer.stdout)
    assert [len(round_["winners"]) for round_ in result["rounds"]] == [13, 4]
    assert result["status"] == "playing"


def test_until_the_last_trick_of_a_round_scores_it() -> None:
    answer = run("--json", "--until", "1.13", FOLDER / f"{CUTTHROAT}.json")
    assert [round_["complete"] for round_ in lines(answer.stdout)[0]["rounds"]] == [True]


def test_until_stops_before_a_fault_that_comes_later(revoke: Path) -> None:
    assert run("--json", "--until", "1.2", revoke).exit_code == 0


@pytest.mark.parametrize("until", ["3", "0.1", "1.x", "-1.2", "1.2.3", ""])
def test_until_names_a_round_and_a_trick(until: str) -> None:
    answer = run("--json", "--until", until, CAMPUS_FILE)
    assert (answer.exit_code, answer.stdout) == (2, "")
    assert "such as 3.7" in answer.stderr


@pytest.mark.parametrize("seat", ["W", "3"])
def test_a_seat_is_named_by_its_label_or_its_number(seat: str) -> None:
    sheet = run("--seat", seat, "--until", "1.0", CAMPUS_FILE).stdout
    assert "  W  C4 C7 C8" in sheet
    assert "  N  C3" not in sheet


def test_where_labels_are_numbers_they_come_first() -> None:
    sheet = run("--seat", "1", "--until", "1.0", FOLDER / f"{SIX_HANDED}.json").stdout
    assert "\n  1  C" in sheet
    assert "\n  2  C" not in sheet


def test_an_unknown_seat_is_told_which_there_are() -> None:
    answer = run("--json", "--seat", "X", CAMPUS_FILE)
    assert (answer.exit_code, answer.stdout) == (2, "")
    assert lines(answer.stderr)[0]["error"]["message"].endswith("the seats are N E S W")


def test_results_are_public_and_the_same_for_every_seat() -> None:
    assert run("--json", "--seat", "N", CAMPUS_FILE).stdout == run("--json", CAMPUS_FILE).stdout


def test_a_command_line_without_a_file_is_a_mistake() -> None:
    answer = run("--json")
    assert (answer.exit_code, answer.stdout) == (2, "")
    assert "FILE" in answer.stderr


# The program itself


def test_the_program_writes_utf_8_and_nothing_but_its_answer(tmp_path: Path) -> None:
    record = tmp_path / "zoë.json"
    record.write_bytes(
        data(CAMPUS).replace(b'"N"', '"Zoë"'.encode()).replace(b"N:", "Zoë:".encode())
    )
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "--json", record, CAMPUS_FILE],
        capture_output=True,
        check=True,
        env=ENVIRONMENT,
    )
    first, _ = lines(done.stdout.decode())
    assert first["result"]["scores"][0]["seats"] == ["Zoë", "S"]
    assert first["file"] == str(record)
    assert done.stderr == b""


def test_a_progress_bar_is_drawn_on_a_terminal_and_stays_out_of_the_output() -> None:
    pty = pytest.importorskip("pty")
    terminal, other_end = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "--json", CAMPUS_FILE, CAMPUS_FILE],
        stdout=subprocess.PIPE,
        stderr=other_end,
        check=True,
        env=ENVIRONMENT | {"TERM": "xterm"},
    )
    os.close(other_end)
    with os.fdopen(terminal, "rb", buffering=0) as shown:
        assert b"Replaying" in shown.read(65536)
    assert len(lines(done.stdout.decode())) == 2

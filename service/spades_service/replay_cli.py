"""`spades replay`: play records through the rules, and show what came of them.

One file prints its results on standard output or its fault on standard error, never both. Several
are answered one after the other, whatever became of the ones before.
"""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import rich_click as click
from msgspec import Struct
from msgspec.json import encode
from rich.console import Console
from rich.progress import Progress
from zstandard import ZstdDecompressor, ZstdError

from spades.events import Event
from spades.record import Record, RecordFault, bad_record, cut
from spades.record_decoding import decode_record
from spades.record_replay import replay_record
from spades.record_results import results
from spades.refusals import RefusalCode
from spades.score_sheet import score_sheet
from spades.seats import Seat

SUFFIXES: Final = (".json", ".json.zst")
LARGEST: Final = 64 * 2**20
"""Bytes of JSON in a record: far above the longest game, far below what exhausts a machine."""

Until = tuple[int, int]


class Played(Struct, frozen=True):
    """A record's history, and the seat it is shown to: None is whoever holds the whole file."""

    events: tuple[Event, ...]
    viewer: Seat | None


Play = Callable[[Path], Played]


def until_of(_: click.Context, __: click.Parameter, value: str | None) -> Until | None:
    """The round and the trick of `3.7`."""
    if value is None:
        return None
    numbers = re.fullmatch(r"([1-9][0-9]{0,5})\.([0-9]{1,2})", value)
    if numbers is None:
        raise click.BadParameter(f"{value!r} is no round and trick, such as 3.7")
    return int(numbers[1]), int(numbers[2])


@click.command("replay", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path)
)
@click.option("--json", "json_", is_flag=True, help="Print JSON, for programs.")
@click.option(
    "--until",
    metavar="ROUND.TRICK",
    callback=until_of,
    help="Stop after this trick; 3.0 is after the bids of round 3.",
)
@click.option(
    "--seat",
    help="Show only the cards that this seat may see: its label, or else its number, from 0. "
    "JSON holds results, which everybody may see.",
)
def replay(files: tuple[Path, ...], *, json_: bool, until: Until | None, seat: str | None) -> None:
    """Play game records through the rules, and show what came of them.

    FILE is a record (.json, .json.zst) or a folder of them. The first play that breaks a rule is
    named, with the round, the trick, the seat and the reason.
    """
    play = partial(play_record, until=until, seat=seat)
    if len(files) == 1 and not _is_folder(files[0]):
        sys.exit(_replay_one(files[0], play, json_=json_))
    sys.exit(_replay_several(tuple(_records_in(files)), play, json_=json_))


# Files


def play_record(path: Path, *, until: Until | None = None, seat: str | None = None) -> Played:
    """The game in a file, as far as it is asked for; raises RecordFault."""
    record = read_record(path)
    viewer = None if seat is None else _seat(record, seat)
    if until is not None:
        record = cut(record, *until)
    return Played(replay_record(record).events, viewer)


def read_record(path: Path) -> Record:
    """The record in a file; raises RecordFault also where the file cannot be read."""
    try:
        data = _contents(path)
    except IsADirectoryError:
        raise bad_record("", f"the folder holds no record, {' or '.join(SUFFIXES)}") from None
    except OSError as error:
        raise bad_record("", f"the file cannot be read: {error.strerror}") from None
    except ZstdError as error:
        raise bad_record("", f"the file is not what zstd compressed: {error}") from None
    if len(data) > LARGEST:
        raise bad_record("", f"the file holds more than {LARGEST} bytes")
    return decode_record(data)


def _contents(path: Path) -> bytes:
    with path.open("rb") as file:
        if path.suffix != ".zst":
            return file.read(LARGEST + 1)
        with ZstdDecompressor().stream_reader(file, read_across_frames=True) as plain:
            return plain.read(LARGEST + 1)


def _records_in(paths: Iterable[Path]) -> Iterator[Path]:
    """Files as they are named; for a folder its records, sorted, or itself where it holds none."""
    for path in paths:
        yield from (_is_folder(path) and sorted(filter(_is_record, path.rglob("*")))) or [path]


def _is_record(path: Path) -> bool:
    return path.name.endswith(SUFFIXES) and path.is_file()


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _seat(record: Record, wanted: str) -> Seat:
    """Labels come first: those of six players are numbers of their own."""
    numbers = tuple(map(str, range(record.layout.seats)))
    for names in (record.labels, numbers):
        if wanted in names:
            return names.index(wanted)
    raise RecordFault(
        RefusalCode.NO_SUCH_SEAT,
        f"there is no seat {wanted!r}: the seats are {' '.join(record.labels)}",
    )


# Answers


def _replay_one(path: Path, play: Play, *, json_: bool) -> int:
    """Prints the results or the fault; gives the status to exit with."""
    try:
        game = play(path)
    except RecordFault as fault:
        click.echo(_json({"error": _error(fault)}) if json_ else _sentence(path, fault), err=True)
        return 2
    click.echo(_json(results(game.events)) if json_ else _sheet(game))
    return 0


def _replay_several(paths: Sequence[Path], play: Play, *, json_: bool) -> int:
    """Prints an answer for each, in order; gives the status to exit with."""
    status = 0
    with _progress() as progress:
        say, complain = _voices(progress.console)
        for path in progress.track(paths, description="Replaying"):
            name = click.format_filename(path)
            try:
                game = play(path)
            except RecordFault as fault:
                status = 1
                if json_:
                    say(_json({"file": name, "error": _error(fault)}))
                else:
                    complain(_sentence(path, fault))
            else:
                if json_:
                    say(_json({"file": name, "result": results(game.events)}))
                else:
                    say(f"{name}\n\n{_sheet(game)}\n")
    return status


def _progress() -> Progress:
    """A bar for people: on a terminal, and never where output is piped to."""
    return Progress(
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
        disable=not sys.stderr.isatty(),
    )


Say = Callable[[str], None]


def _voices(console: Console) -> tuple[Say, Say]:
    """How to print an answer and a complaint: where the bar is drawn, above it."""
    above = partial(console.print, markup=False, highlight=False, soft_wrap=True)
    say = above if sys.stderr.isatty() and sys.stdout.isatty() else click.echo
    complain = above if sys.stderr.isatty() else partial(click.echo, err=True)
    return say, complain


def _json(answer: object) -> str:
    return encode(answer).decode()


def _sheet(game: Played) -> str:
    return score_sheet(game.events, game.viewer)


def _sentence(path: Path, fault: RecordFault) -> str:
    return f"{click.format_filename(path)}: {fault}"


def _error(fault: RecordFault) -> dict[str, object]:
    return {
        "code": fault.code,
        "round": fault.round,
        "trick": fault.trick,
        "seat": fault.seat,
        "message": fault.message,
    }

"""`spades simulate`: whole games by simple players, to records or a summary."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from os import cpu_count
from pathlib import Path

import msgspec
import rich_click as click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from spades.record_export import encode_record, to_record
from spades.refusals import Refused
from spades.rules import Rules, resolve
from spades_service.cli.options import changed_options, read_option
from spades_service.cli.root import fail
from spades_service.simulation import Tally, simulate, tally


@click.command("simulate")
@click.option("--games", type=click.IntRange(1), default=100, show_default=True)
@click.option("--preset", default="classic", show_default=True, help="See `spades rules`.")
@changed_options
@click.option("--seed", default="1", show_default=True, help="The same seed, the same games.")
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="A folder for the games' records.",
)
@click.option("--json", "as_json", is_flag=True, help="The summary as one JSON object.")
def simulate_(
    *,
    games: int,
    preset: str,
    changes: tuple[str, ...],
    seed: str,
    output: Path | None,
    as_json: bool,
) -> None:
    """Let simple players play whole games, and sum up what came of them.

    The games depend on the rules and the seed alone: they are the same on every machine.
    """
    try:
        rules = resolve(preset, dict(map(read_option, changes)))
        if output is not None:
            output.mkdir(parents=True, exist_ok=True)
    except Refused as refused:
        fail(refused.message)
    except OSError as error:
        fail(f"{output} cannot be written: {error.strerror}")
    total = Tally()
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(f"{preset}, seed {seed}", total=games)
        for one in _played(rules, seed, games, output):
            total.add(one)
            progress.advance(task)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(total), indent=2))
    else:
        Console().print(_summary(preset, total))


def _played(rules: Rules, seed: str, games: int, output: Path | None) -> Iterator[Tally]:
    """Each game's tally, played on every core; the order of the games does not matter to any."""
    work = partial(_play, rules, seed, output, len(str(games)))
    workers = min(games, cpu_count() or 1)
    if workers == 1:
        yield from map(work, range(1, games + 1))
        return
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(work, range(1, games + 1), chunksize=max(1, games // workers // 8))


def _play(rules: Rules, seed: str, output: Path | None, digits: int, number: int) -> Tally:
    events = simulate(rules, f"{seed}/{number}")
    if output is not None:
        name = f"game-{number:0{digits}}.json"
        (output / name).write_bytes(encode_record(to_record(events)))
    return tally(events)


def _summary(preset: str, total: Tally) -> Table:
    contracts = total.contracts_made + total.contracts_missed
    nils = total.nils_made + total.nils_failed
    table = Table(title=f"{total.games} games of {preset}", show_header=False)
    table.add_column(style="bold")
    table.add_column(justify="right")
    for name, value in (
        ("rounds per game", f"{total.rounds / total.games:.1f}"),
        ("events per game", f"{total.events / total.games:.0f}"),
        ("winning score", f"{total.winning_scores / total.games:.0f}"),
        ("lowest score", f"{total.losing_scores / total.games:.0f}"),
        ("contracts set", _share(total.contracts_missed, contracts)),
        ("nils made", _share(total.nils_made, nils)),
        ("bags per round", f"{total.bags / max(1, total.rounds):.2f}"),
        ("bag penalties per game", f"{total.bag_penalties / total.games:.2f}"),
        ("draws", str(total.draws)),
        *((f"ended by {reason}", str(count)) for reason, count in sorted(total.reasons.items())),
    ):
        table.add_row(name, value)
    return table


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole:.0f} %)" if whole else "none"

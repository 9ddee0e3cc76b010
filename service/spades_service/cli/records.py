"""`spades import` and `spades export`: records in and out of the store."""

import asyncio
from pathlib import Path
from typing import Protocol

import rich_click as click

from spades.record import RecordFault
from spades.record_export import encode_record
from spades.record_replay import replay_record
from spades.refusals import Refused
from spades_service.cli.root import Unusable, fail, root_of
from spades_service.ports import BrokenHistory, StoreUnavailable
from spades_service.replay_cli import read_record
from spades_service.services import Services


class Work(Protocol):
    """Something to be done with the use cases, and what it prints."""

    async def __call__(self, services: Services) -> str:
        """Do it, and return what is to be printed."""
        ...


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.pass_context
def import_(context: click.Context, file: Path) -> None:
    """Make a table of the record in FILE, and print the table's id.

    FILE is .json or .json.zst, as for `spades replay`. A record that breaks a rule changes nothing.
    """
    try:
        record = read_record(file)
        # Before a store is looked for, let alone started.
        replay_record(record)
    except RecordFault as fault:
        fail(f"{click.format_filename(file)}: {fault}")
    data = encode_record(record)

    async def carry_in(services: Services) -> str:
        return await services.records.import_(data)

    click.echo(_with_store(context, carry_in))


@click.command()
@click.argument("table")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write, in place of standard output.",
)
@click.pass_context
def export(context: click.Context, table: str, output: Path | None) -> None:
    """Write the game of TABLE as a record. It shows every card: keep it from who plays."""

    async def carry_out(services: Services) -> str:
        return (await services.records.export(table)).decode()

    record = _with_store(context, carry_out)
    if output is None:
        click.echo(record, nl=False)
        return
    try:
        output.write_text(record, encoding="utf-8")
    except OSError as error:
        fail(f"{click.format_filename(output)} cannot be written: {error.strerror}")


def _with_store(context: click.Context, work: Work) -> str:
    """Do the work on the store that the settings name; every failure is one sentence."""
    root = root_of(context)

    async def done(url: str) -> str:
        async with root.services(settings, url) as services:
            return await work(services)

    try:
        settings = root.settings()
        with root.store(settings) as url:
            root.check(url)
            return asyncio.run(done(url))
    except Refused as refused:
        fail(refused.message)
    except (Unusable, RecordFault, StoreUnavailable, BrokenHistory) as error:
        fail(str(error))

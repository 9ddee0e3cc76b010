"""`spades rules`: the presets as a table, or one rule set as a sheet for people."""

from collections.abc import Sequence
from typing import Final

import msgspec
import rich_click as click
from rich.console import Console
from rich.table import Table

from spades.refusals import Refused
from spades.rule_sheet import as_markdown, as_text, rule_sheet
from spades.rules import PRESETS, SCHEMA, Rules, resolve
from spades_service.cli.options import changed_options, read_option
from spades_service.cli.root import fail

WHOLE: Final = 300


@click.command()
@click.argument("preset", required=False)
@click.option("--markdown", is_flag=True, help="The sheet in Markdown.")
@click.option("--json", "as_json", is_flag=True, help="The options as in a record.")
@changed_options
def rules(preset: str | None, markdown: bool, as_json: bool, changes: tuple[str, ...]) -> None:
    """Show every preset as a table, or PRESET as a rule sheet."""
    if preset is None:
        if changes or markdown:
            fail("a sheet is of one preset: name it, as in `spades rules classic`")
        _show_all(as_json=as_json)
        return
    try:
        resolved = resolve(preset, dict(map(read_option, changes)))
    except Refused as refused:
        fail(refused.message)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(resolved), indent=2))
        return
    title = _title(preset, changes)
    write = as_markdown if markdown else as_text
    click.echo(write(title, rule_sheet(resolved)), nl=False)


def _title(preset: str, changes: tuple[str, ...]) -> str:
    if changes:
        return f"{preset}, with {', '.join(changes)}"
    return f"{preset}: {PRESETS[preset].sentence}"


def _show_all(*, as_json: bool) -> None:
    if as_json:
        values = {name: preset.rules for name, preset in PRESETS.items()}
        click.echo(msgspec.json.format(msgspec.json.encode(values), indent=2))
        return
    console = Console()
    # Whoever pipes the table wants it whole; on a terminal it comes in as many parts as it needs.
    wide = console.width if console.is_terminal else WHOLE
    fitting = max(1, (wide - 22) // 15)
    names = list(PRESETS)
    for first in range(0, len(names), fitting):
        Console(width=wide).print(_table(names[first : first + fitting]))
    click.echo("One of them in words: spades rules NAME")


def _table(names: Sequence[str]) -> Table:
    table = Table()
    table.add_column("option", style="bold", no_wrap=True)
    for name in names:
        table.add_column(name)
    for option in SCHEMA:
        table.add_row(option, *(_word(PRESETS[name].rules, option) for name in names))
    return table


def _word(rules: Rules, option: str) -> str:
    value = getattr(rules, option)
    return "none" if value is None else str(value)

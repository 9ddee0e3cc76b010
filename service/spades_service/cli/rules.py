"""`spades rules`: the presets as a table."""

import json

import msgspec
import rich_click as click
from rich.console import Console
from rich.table import Table

from spades.rules import PRESETS, SCHEMA


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object, by preset.")
def rules(as_json: bool) -> None:
    """Show every preset and what each option is in it."""
    if as_json:
        values = {name: msgspec.to_builtins(preset.rules) for name, preset in PRESETS.items()}
        click.echo(json.dumps(values, indent=2))
        return
    table = Table(title="Rule sets", show_lines=False)
    table.add_column("option", style="bold")
    for name in PRESETS:
        table.add_column(name)
    for option in SCHEMA:
        table.add_row(
            option, *(_word(getattr(preset.rules, option)) for preset in PRESETS.values())
        )
    Console().print(table)


def _word(value: object) -> str:
    return "none" if value is None else str(value)

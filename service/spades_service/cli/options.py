"""`-o KEY=VALUE`: an option of a rule set on the command line."""

from typing import Final

import rich_click as click

changed_options: Final = click.option(
    "-o",
    "--option",
    "changes",
    multiple=True,
    metavar="KEY=VALUE",
    help="An option that differs from the preset, such as target=250 or floor=none.",
)


def read_option(change: str) -> tuple[str, object]:
    """`target=250` as a record would spell it: a key, and a number, a word or null."""
    key, _, text = change.partition("=")
    if text in {"none", "null"} and key != "jokers":
        return key, None
    try:
        return key, int(text)
    except ValueError:
        return key, text

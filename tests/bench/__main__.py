"""`make bench`: every figure that the project promises, measured on this machine, as a table."""

import sys
from collections.abc import Callable, Mapping

from bench import append, fold, moves
from rich.console import Console
from rich.table import Table

BENCHES: Mapping[str, Callable[[], Mapping[str, float | str]]] = {
    "The fold and replays": fold.run,
    "Appending to the store": append.run,
    "Moves over the wire: one worker, 50 tables": moves.run,
}


def main(wanted: list[str]) -> None:
    """All of them, or those whose title holds one of the words given."""
    console = Console()
    for title, run in BENCHES.items():
        if wanted and not any(word.lower() in title.lower() for word in wanted):
            continue
        table = Table(title=title, show_header=False, title_justify="left")
        table.add_column(style="bold", min_width=44)
        table.add_column(justify="right", min_width=14)
        for figure, value in run().items():
            table.add_row(figure, value if isinstance(value, str) else f"{value:,.3f}")
        console.print(table)


if __name__ == "__main__":
    main(sys.argv[1:])

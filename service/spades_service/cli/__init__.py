"""The command line of the service, a file for each command."""

import rich_click as click

from spades_service.app import VERSION
from spades_service.cli.demo import demo
from spades_service.cli.platforms import platforms
from spades_service.cli.records import export, import_
from spades_service.cli.rules import rules
from spades_service.cli.serve import serve
from spades_service.cli.simulate import simulate_
from spades_service.replay_cli import replay


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="spades")
def cli() -> None:
    """A Spades backend: play over GraphQL and REST, replay and check every game."""


for command in (serve, demo, replay, import_, export, platforms, rules, simulate_):
    cli.add_command(command)

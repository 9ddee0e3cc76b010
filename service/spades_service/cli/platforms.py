"""`spades platforms`: who brings players of their own, and the keys that they do it with."""

import rich_click as click

from spades_service.cli.on_store import Work, on_store
from spades_service.platform_keys import GRACE_SECONDS, NewKey
from spades_service.platforms import PlatformKey
from spades_service.services import Services
from spades_service.times import instant_text


@click.group()
def platforms() -> None:
    """Make platforms, and keep their keys.

    A platform's tables and players are its own: no other platform sees them. A key is printed once,
    when it is made, and nobody can print it again.
    """


@platforms.command()
@click.argument("name")
@click.pass_context
def create(context: click.Context, name: str) -> None:
    """Make a platform called NAME, and print its id and its first key."""

    async def made(services: Services) -> str:
        platform, new = await services.identity.platforms.create(name)
        return f"platform {platform.id}\n{_shown_once(new)}"

    _print(context, made)


@platforms.command("list")
@click.pass_context
def list_(context: click.Context) -> None:
    """List the platforms, the oldest first: id, since when, name."""

    async def listed(services: Services) -> str:
        return "\n".join(
            f"{platform.id}  {instant_text(platform.created)}  {platform.name}"
            for platform in await services.identity.platforms.all()
        )

    _print(context, listed)


@platforms.command()
@click.argument("platform")
@click.pass_context
def keys(context: click.Context, platform: str) -> None:
    """List the keys of PLATFORM, the oldest first: id, last four characters, since when."""

    async def listed(services: Services) -> str:
        return "\n".join(map(_line, await services.identity.platforms.keys(platform)))

    _print(context, listed)


@platforms.command("add-key")
@click.argument("platform")
@click.pass_context
def add_key(context: click.Context, platform: str) -> None:
    """Make one more key for PLATFORM, and print it; its others stay good."""

    async def made(services: Services) -> str:
        return _shown_once(await services.identity.platforms.add(platform))

    _print(context, made)


@platforms.command()
@click.argument("key")
@click.option(
    "--grace",
    type=click.IntRange(GRACE_SECONDS.start, GRACE_SECONDS.stop - 1),
    default=0,
    metavar="SECONDS",
    help="How long the old key still opens beside the new one; 0 unless given.",
)
@click.pass_context
def rotate(context: click.Context, key: str, grace: int) -> None:
    """Make a key in place of the one with the id KEY, and print it."""

    async def made(services: Services) -> str:
        return _shown_once(await services.identity.platforms.rotate(key, grace))

    _print(context, made)


@platforms.command()
@click.argument("key")
@click.pass_context
def revoke(context: click.Context, key: str) -> None:
    """End the key with the id KEY; a running service knows within seconds."""

    async def ended(services: Services) -> str:
        return _line(await services.identity.platforms.revoke(key))

    _print(context, ended)


def _print(context: click.Context, work: Work) -> None:
    text = on_store(context, work)
    if text:
        click.echo(text)


def _shown_once(new: NewKey) -> str:
    return f"key      {new.key.id}\n{new.bearer}"


def _line(key: PlatformKey) -> str:
    line = f"{key.id}  ...{key.last_four}  {instant_text(key.created)}"
    return line if key.revoked is None else f"{line}  revoked {instant_text(key.revoked)}"

"""What a command does on the store that the settings name."""

import asyncio
from typing import Protocol

import rich_click as click

from spades.refusals import Refused
from spades_service.cli.root import Unusable, fail, root_of
from spades_service.ports import BrokenHistory, StoreUnavailable
from spades_service.services import Services


class Work(Protocol):
    """Something to be done with the use cases, and what it prints."""

    async def __call__(self, services: Services) -> str:
        """Do it, and return what is to be printed."""
        ...


def on_store(context: click.Context, work: Work) -> str:
    """Do the work; every failure is one sentence."""
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
    except (Unusable, StoreUnavailable, BrokenHistory) as error:
        fail(str(error))

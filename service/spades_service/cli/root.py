"""What the commands need of the composition root, so that they know no adapter."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any, NoReturn, Protocol

import rich_click as click
from litestar import Litestar

from spades_service.services import Services
from spades_service.settings import Settings


class Unusable(Exception):
    """The service cannot run as it is set up; the message is one sentence that says what to do."""


class Root(Protocol):
    """Puts the parts together."""

    def settings(self) -> Settings:
        """The settings in force; raises Unusable for one that cannot be used."""
        ...

    def store(self, settings: Settings) -> AbstractContextManager[str]:
        """The URL of the store: the one that is set, an embedded server that runs already in the
        data folder, or one started for this purpose and ended afterwards. Raises Unusable.
        """
        ...

    def own_store(self, settings: Settings) -> AbstractContextManager[str]:
        """Like `store`, but a data folder that is in use is refused. Raises Unusable."""
        ...

    def check(self, url: str) -> Sequence[str]:
        """What the store's settings put at risk; raises Unusable where it cannot be trusted."""
        ...

    def services(self, settings: Settings, url: str) -> AbstractAsyncContextManager[Services]:
        """The use cases on a store, to be entered in the loop that uses them."""
        ...

    def app(self, settings: Settings, url: str) -> tuple[Litestar, Services]:
        """The application on a store."""
        ...


def fail(message: str) -> NoReturn:
    """One sentence on standard error, and exit code 2."""
    click.echo(f"spades: {message}", err=True)
    raise SystemExit(2)


def root_of(context: click.Context) -> Root:
    """The composition root that `main` has put into the context."""
    found: Any = context.find_root().obj
    return found  # type: ignore[no-any-return]

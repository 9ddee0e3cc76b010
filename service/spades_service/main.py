"""The composition root: the one place that knows every part, and puts them together."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from secrets import token_urlsafe

from litestar import Litestar

from spades_adapters.embedded import EmbeddedServer, EmbeddedServerError, running_url
from spades_adapters.redis.connect import Clients, UnfitServer, check_server, connect
from spades_adapters.redis.directory import RedisDirectory
from spades_adapters.redis.health import RedisHealth
from spades_adapters.redis.nudges import RedisNudges
from spades_adapters.redis.secret import shared_secret
from spades_adapters.redis.store import RedisEventStore
from spades_adapters.system import SystemClock, SystemEntropy
from spades_schema.build import build_schema
from spades_schema.controller import graphql_controller
from spades_service.app import create_app
from spades_service.cli import cli
from spades_service.cli.root import Unusable
from spades_service.identity import Identity
from spades_service.live import Live
from spades_service.names import Names
from spades_service.ports import StoreUnavailable
from spades_service.records import Records
from spades_service.services import Services
from spades_service.settings import BadSetting, Settings, read_settings
from spades_service.tables import Tables


class Composition:
    """Puts the parts together on Redis or Valkey."""

    def settings(self) -> Settings:
        try:
            return read_settings(os.environ)
        except BadSetting as error:
            raise Unusable(str(error)) from None

    @contextmanager
    def store(self, settings: Settings) -> Iterator[str]:
        found = settings.redis_url or running_url(settings.data)
        if found is not None:
            yield found
        else:
            with self.own_store(settings) as url:
                yield url

    @contextmanager
    def own_store(self, settings: Settings) -> Iterator[str]:
        if settings.redis_url is not None:
            yield settings.redis_url
            return
        server = EmbeddedServer(settings.data)
        try:
            url = server.start()
        except EmbeddedServerError as error:
            raise Unusable(str(error)) from None
        try:
            yield url
        finally:
            server.stop()

    def check(self, url: str) -> Sequence[str]:
        async def ask() -> Sequence[str]:
            clients = connect(url)
            try:
                return await check_server(clients)
            finally:
                await clients.aclose()

        try:
            return asyncio.run(ask())
        except (UnfitServer, StoreUnavailable) as error:
            raise Unusable(str(error)) from None

    @asynccontextmanager
    async def services(self, settings: Settings, url: str) -> AsyncIterator[Services]:
        clients = connect(url)
        try:
            yield _services(settings, clients, await _secret(settings, clients))
        finally:
            await clients.aclose()

    def app(self, settings: Settings, url: str) -> tuple[Litestar, Services]:
        clients = connect(url)
        secret = asyncio.run(_secret_alone(settings, url))
        services = _services(settings, clients, secret)

        @asynccontextmanager
        async def closing() -> AsyncIterator[None]:
            try:
                yield
            finally:
                await clients.aclose()

        graphql = graphql_controller(build_schema(), graphiql=settings.environment == "development")
        return create_app(services, faces=[graphql], resources=closing()), services


def _services(settings: Settings, clients: Clients, secret: bytes) -> Services:
    clock, entropy = SystemClock(), SystemEntropy()
    store = RedisEventStore(clients)
    tables = Tables(store, clock, entropy)
    names = Names(RedisDirectory(clients))
    return Services(
        tables=tables,
        live=Live(tables, RedisNudges(clients)),
        records=Records(store, names, clock, entropy),
        names=names,
        identity=Identity(
            names,
            clock,
            entropy,
            secret=secret,
            platform_key=settings.platform_key or _kept_platform_key(settings),
            guests=settings.guests,
        ),
        health=RedisHealth(clients),
        stopping=asyncio.Event(),
    )


async def _secret(settings: Settings, clients: Clients) -> bytes:
    if settings.secret is not None:
        return settings.secret.encode()
    return await shared_secret(clients, SystemEntropy().draw(32))


async def _secret_alone(settings: Settings, url: str) -> bytes:
    clients = connect(url)
    try:
        return await _secret(settings, clients)
    finally:
        await clients.aclose()


def _kept_platform_key(settings: Settings) -> str | None:
    """A key of the service's own, beside its own store: it is whole from the first start."""
    if settings.redis_url is not None:
        return None
    path: Path = settings.data / "platform-key"
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        key = token_urlsafe(32)
        path.touch(mode=0o600)
        path.write_text(f"{key}\n")
        return key


def main() -> None:
    """The `spades` command."""
    cli(obj=Composition())


if __name__ == "__main__":
    main()

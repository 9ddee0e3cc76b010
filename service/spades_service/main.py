"""The composition root: the one place that knows every part, and puts them together."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from secrets import token_urlsafe

from litestar import Litestar

from spades_adapters.embedded import EmbeddedServer, EmbeddedServerError, running_url
from spades_adapters.published_keys import HttpPublishedKeys
from spades_adapters.redis.connect import Clients, UnfitServer, check_server, connect
from spades_adapters.redis.deadlines import RedisDeadlines
from spades_adapters.redis.directory import RedisDirectory
from spades_adapters.redis.health import RedisHealth
from spades_adapters.redis.nudges import RedisNudges
from spades_adapters.redis.platforms import RedisPlatforms
from spades_adapters.redis.secret import shared_secret
from spades_adapters.redis.store import RedisEventStore
from spades_adapters.redis.table_index import RedisTableIndex
from spades_adapters.redis.tallies import RedisTallies
from spades_adapters.system import SystemClock, SystemEntropy
from spades_schema.build import build_schema
from spades_schema.controller import graphql_controller
from spades_service.app import create_app
from spades_service.cli import cli
from spades_service.cli.root import Unusable
from spades_service.computers import Computers
from spades_service.guards import Guards
from spades_service.identity import Identity, Keys
from spades_service.invites import Invites
from spades_service.issuers import Issuer, Trusted
from spades_service.live import Live
from spades_service.lobby import Lobby
from spades_service.my_turns import MyTurns
from spades_service.names import Names
from spades_service.platform_keys import PlatformKeys
from spades_service.ports import Clock, StoreUnavailable
from spades_service.records import Records
from spades_service.services import Services
from spades_service.settings import BadSetting, Settings, read_settings
from spades_service.shelves import Announcer
from spades_service.tables import Tables
from spades_service.tokens import Tokens


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

        graphql = graphql_controller(
            build_schema(),
            graphiql=settings.environment == "development",
            origins=settings.origins,
        )
        app = create_app(services, faces=[graphql], resources=closing(), origins=settings.origins)
        return app, services


def _services(settings: Settings, clients: Clients, secret: bytes) -> Services:
    clock, entropy = SystemClock(), SystemEntropy()
    store = RedisEventStore(clients)
    index, invites = RedisTableIndex(clients), Invites(secret)
    tables = Tables(store, clock, entropy, Announcer(index, invites), invites)
    names = Names(RedisDirectory(clients))
    lobby = Lobby(tables, index, invites, clock, entropy)
    live = Live(tables, RedisNudges(clients))
    return Services(
        tables=tables,
        lobby=lobby,
        live=live,
        my_turns=MyTurns(tables, lobby, live),
        computers=Computers(tables, RedisDeadlines(clients), clock, entropy),
        records=Records(store, names, clock, entropy),
        names=names,
        identity=Identity(
            names,
            Tokens(clock, secret=secret, hours=settings.token_hours),
            PlatformKeys(RedisPlatforms(clients), clock, entropy),
            clock,
            entropy,
            secret=secret,
            keys=Keys(
                platform=settings.platform_key or _kept_platform_key(settings),
                admin=settings.admin_key,
            ),
            guests=settings.guests,
            issuer=_issuer(settings, names, clock, secret),
        ),
        health=RedisHealth(clients),
        guards=Guards(RedisTallies(clients) if settings.rate_limits else None),
        stopping=asyncio.Event(),
    )


def _issuer(settings: Settings, names: Names, clock: Clock, secret: bytes) -> Issuer | None:
    """The identity provider whose tokens are let in, where the settings name one."""
    issuer, audience, url = settings.jwt_issuer, settings.jwt_audience, settings.jwks_url
    if issuer is None or audience is None or url is None:
        return None
    return Issuer(Trusted(issuer, audience), HttpPublishedKeys(url), names, clock, secret=secret)


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

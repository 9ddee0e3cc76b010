"""`spades serve`: the service, on its own store unless another is set."""

import rich_click as click

from spades_service import logs
from spades_service.app import VERSION
from spades_service.cli.root import Unusable, fail, root_of
from spades_service.server import PortBusy, listen
from spades_service.server import serve as run
from spades_service.settings import Settings


@click.command()
@click.pass_context
def serve(context: click.Context) -> None:
    """Serve until Ctrl-C or SIGTERM.

    Set by the environment: SPADES_HOST, SPADES_PORT, SPADES_DATA, REDIS_URL, SPADES_GUESTS,
    SPADES_PLATFORM_KEY, SPADES_ADMIN_KEY, SPADES_SECRET, SPADES_TOKEN_HOURS, SPADES_JWT_ISSUER,
    SPADES_JWT_AUDIENCE, SPADES_JWKS_URL, SPADES_ORIGINS, SPADES_TRUSTED_PROXIES,
    SPADES_RATE_LIMITS, SPADES_ENV.
    """
    root = root_of(context)
    try:
        settings = root.settings()
        logs.configure(json=settings.environment == "production")
        listener = listen(settings.host, settings.port)
        with root.own_store(settings) as url:
            warnings = root.check(url)
            app, services = root.app(settings, url)
            click.echo(welcome(settings))
            for warning in warnings:
                click.echo(f"  Warning    {warning}", err=True)
            run(app, services, listener, settings.trusted_proxies)
    except (Unusable, PortBusy) as error:
        fail(str(error))


def welcome(settings: Settings) -> str:
    """What a person who has started the service wants to know."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    here = f"http://{host}:{settings.port}"
    development = settings.environment == "development"
    store = "REDIS_URL" if settings.redis_url else f"its own Valkey, in {settings.data}"
    lines = [
        f"spades-service {VERSION}",
        f"  GraphQL    {here}/graphql" + ("   (open it in a browser)" if development else ""),
        f"  REST       {here}/v1        (described at {here}/docs)",
        f"  Health     {here}/health/ready",
        f"  Games      {store}",
    ]
    if settings.platform_key is None and settings.redis_url is None:
        lines.append(f"  Platform   key in {settings.data / 'platform-key'}")
    return "\n".join([*lines, "Stop with Ctrl-C; every game is there again at the next start."])

"""Clients of a Redis or Valkey server, each with the patience that its work allows."""

from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from redis.asyncio import BlockingConnectionPool, Redis, SSLConnection
from redis.asyncio.connection import parse_url
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialWithJitterBackoff, NoBackoff
from redis.exceptions import AuthenticationError, RedisError, ResponseError
from redis.maint_notifications import MaintNotificationsConfig

from spades_adapters.redis.calls import Calls
from spades_service.ports import StoreUnavailable

CONNECTIONS: Final = 32
"""Connections of each client, unless the URL says otherwise (`?max_connections=64`)."""

WAIT_FOR_CONNECTION: Final = 2.0
CONNECT_TIMEOUT: Final = 1.0
WRITE_TIMEOUT: Final = 1.0
READ_TIMEOUT: Final = 1.0
READ_RETRIES: Final = 2


class UnfitServer(Exception):
    """Games cannot be trusted to this server; the message is one sentence that says what to set."""


@dataclass(frozen=True)
class Clients:
    """One server's clients. `address` is its URL without user, password and options.

    The writer never sends twice, since a write that got no answer may have been carried out. The
    reader tries again. The listener waits without end.
    """

    address: str
    writer: Redis
    reader: Redis
    listener: Redis
    calls: Calls = field(default_factory=Calls)

    async def aclose(self) -> None:
        """Let the calls under way end, then close every connection."""
        await self.calls.ended()
        for client in (self.writer, self.reader, self.listener):
            await client.aclose()


def connect(url: str) -> Clients:
    """Clients of the server at a `redis://`, `rediss://` or `unix://` URL; nothing is sent yet.

    Raises UnfitServer where the URL is none.
    """
    options = _options(url)
    once = Retry(NoBackoff(), 0)
    again = Retry(ExponentialWithJitterBackoff(cap=0.5, base=0.02), READ_RETRIES)
    return Clients(
        _address(options),
        writer=_client(options, "writer", once, WRITE_TIMEOUT),
        reader=_client(options, "reader", again, READ_TIMEOUT),
        listener=_client(options, "listener", once, None),
    )


async def check_server(clients: Clients) -> tuple[str, ...]:
    """What the server's settings put at risk: a sentence each.

    Asks INFO, not CONFIG, since hosted servers seldom allow CONFIG. Raises UnfitServer where the
    server may throw games away or does not let us in, StoreUnavailable where there is none.
    """
    try:
        settings = await clients.reader.info("memory", "persistence")
    except ResponseError:
        settings = {}
    except RedisError as error:
        raise _unanswered(clients.address, error) from error
    _refuse_eviction(clients.address, settings)
    return tuple(_warnings(clients.address, settings))


def _unanswered(address: str, error: RedisError) -> Exception:
    # On a unix socket redis-py hands out the server's refusal wrapped.
    if isinstance(error, AuthenticationError) or isinstance(error.__cause__, AuthenticationError):
        return UnfitServer(
            f"the server at {address} refuses this user or password: "
            "put the right ones into its URL"
        )
    return StoreUnavailable(f"no Redis or Valkey server answers at {address}")


def _refuse_eviction(address: str, settings: dict[str, Any]) -> None:
    policy = settings.get("maxmemory_policy", "noeviction")
    if policy != "noeviction":
        raise UnfitServer(
            f"the server at {address} throws games away when its memory is full "
            f"(maxmemory-policy {policy}): set maxmemory-policy noeviction"
        )


def _warnings(address: str, settings: dict[str, Any]) -> list[str]:
    if "maxmemory_policy" not in settings or "aof_enabled" not in settings:
        return [
            f"the server at {address} does not tell its settings: "
            "see that it has maxmemory-policy noeviction and appendonly yes"
        ]
    if not settings["aof_enabled"]:
        return [f"the server at {address} loses games when it crashes: set appendonly yes"]
    return []


def _options(url: str) -> dict[str, Any]:
    # A password with an unescaped `/`, `?` or `#` ends up in the port, the path, the options or the
    # fragment. So nothing of the URL is quoted, and what failed is not chained.
    unreadable = UnfitServer(
        "the server's URL cannot be read: it is redis://user:password@host:port/number, "
        "rediss:// for TLS, or unix:///path, with special characters percent-encoded"
    )
    try:
        parts, options = urlsplit(url), dict(parse_url(url))
    except ValueError:
        raise unreadable from None
    no_path = parts.scheme == "unix" and not parts.path
    if no_path or parts.fragment or "@" in parts.path + parts.query:
        raise unreadable
    return options


def _address(options: dict[str, Any]) -> str:
    if "path" in options:
        return f"unix://{options['path']}"
    scheme = "rediss" if options.get("connection_class") is SSLConnection else "redis"
    host, port = options.get("host", "localhost"), options.get("port", 6379)
    return f"{scheme}://{host}:{port}/{options.get('db', 0)}"


def _client(options: dict[str, Any], work: str, retry: Retry, timeout: float | None) -> Redis:
    asked = {
        "max_connections": CONNECTIONS,
        "timeout": WAIT_FOR_CONNECTION,
        "socket_connect_timeout": CONNECT_TIMEOUT,
        **options,
    }
    # What follows is not the URL's to change.
    needed = {
        "client_name": f"spades-{work}",
        "retry": retry,
        "retry_on_timeout": False,
        "retry_on_error": [],
        "socket_timeout": timeout,
        "protocol": 3,
        "legacy_responses": False,
        "decode_responses": False,
        # While these are on, redis-py hands out connections on which a stray reply is waiting.
        "maint_notifications_config": MaintNotificationsConfig(enabled=False),
    }
    pool = BlockingConnectionPool(**(asked | needed))
    try:
        pool.make_connection()  # type: ignore[no-untyped-call]
    except (TypeError, ValueError, RedisError):
        raise UnfitServer("the server's URL has an option that there is not") from None
    return Redis.from_pool(pool)

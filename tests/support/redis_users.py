"""Users of a Redis server who may do less than everything."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from redis.asyncio import Redis


@asynccontextmanager
async def user(redis: Redis, url: str, *rights: str) -> AsyncIterator[str]:
    """A user with these rights, as the URL under which they connect."""
    name, password = "limited", "pass/word"
    rules = ("reset", "on", f">{password}", *rights)
    await redis.execute_command(  # type: ignore[no-untyped-call]
        "ACL SETUSER", name, *rules
    )
    try:
        yield as_user(url, name, "pass%2Fword")
    finally:
        await redis.acl_deluser(name)


def as_user(url: str, name: str, password: str) -> str:
    """The URL with a user and a password, which must be percent-encoded."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=f"{name}:{password}@{host}").geturl()

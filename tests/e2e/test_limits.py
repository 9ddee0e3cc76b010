"""Limits of the service as it is run: replicas count together, behind the proxies they trust."""

from pathlib import Path

from spades_service.guards import GUESTS
from support.client import User, visiting
from support.service import running

TRUSTED = {"SPADES_TRUSTED_PROXIES": "127.0.0.0/8", "SPADES_ORIGINS": "https://play.example.com"}


async def guests_from(stranger: User, address: str, tries: int) -> int:
    """How many guests an address may send in at a time."""
    for count in range(tries):
        headers = {"X-Forwarded-For": address}
        response = await stranger.post("/v1/guests", {"name": "Ann"}, headers=headers)
        if response.status_code == 429:
            assert int(response.headers["retry-after"]) > 0
            return count
        assert response.status_code == 201
    return tries


async def test_replicas_count_together(tmp_path: Path) -> None:
    with (
        running(tmp_path / "here", **TRUSTED) as here,
        running(tmp_path / "there", REDIS_URL=here.store_url, **TRUSTED) as there,
    ):
        async with visiting(here.url) as one, visiting(there.url) as other:
            first_ = await guests_from(one, "203.0.113.7", 100)
            second = await guests_from(other, "203.0.113.7", 100)
            assert GUESTS.most <= first_ + second <= GUESTS.most + 2 * GUESTS.share
            assert await guests_from(one, "203.0.113.8", 10) == 10


async def test_an_error_tells_a_page_of_an_origin_that_may_read_it(tmp_path: Path) -> None:
    with running(tmp_path, **TRUSTED) as service:
        async with visiting(service.url) as stranger:
            headers = {"Origin": "https://play.example.com"}
            for path in ("/v1/tables/aaaaaaaaaaaaaaaa", "/nothing"):
                response = await stranger.get(path, headers=headers)
                assert response.status_code in {401, 404}
                allowed = response.headers["access-control-allow-origin"]
                assert allowed == "https://play.example.com"


async def test_what_is_off_limits_nobody(tmp_path: Path) -> None:
    with running(tmp_path, SPADES_RATE_LIMITS="off", **TRUSTED) as service:
        async with visiting(service.url) as stranger:
            assert await guests_from(stranger, "203.0.113.7", 60) == 60

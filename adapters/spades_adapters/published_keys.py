"""An issuer's keys, over HTTP."""

from typing import Final

import httpx

SECONDS: Final = 5.0
MOST_BYTES: Final = 256 * 1024


class HttpPublishedKeys:
    """Reads the key set at an address."""

    def __init__(self, url: str) -> None:
        self._url = url

    async def fetch(self) -> bytes | None:
        try:
            async with (
                httpx.AsyncClient(timeout=SECONDS) as client,
                client.stream("GET", self._url) as response,
            ):
                return await _body(response) if response.is_success else None
        except (httpx.HTTPError, httpx.InvalidURL):
            return None


async def _body(response: httpx.Response) -> bytes | None:
    """The answer, unless it is too long for any key set."""
    body = b""
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > MOST_BYTES:
            return None
    return body

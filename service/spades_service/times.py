"""Times as clients read them."""

from datetime import UTC, datetime


def instant_text(at: int) -> str:
    """Milliseconds since 1970 as RFC 3339 in UTC: `2026-11-30T22:38:00.000Z`."""
    seconds, millis = divmod(at, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{millis:03d}Z"

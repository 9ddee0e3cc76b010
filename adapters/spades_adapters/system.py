"""Time and chance as the operating system has them."""

import secrets
import time


class SystemClock:
    """The wall clock."""

    def now(self) -> int:
        return time.time_ns() // 1_000_000


class SystemEntropy:
    """The operating system's generator."""

    def draw(self, count: int) -> bytes:
        return secrets.token_bytes(count)

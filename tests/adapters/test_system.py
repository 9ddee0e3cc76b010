"""The clock and the chance of the operating system."""

import time

from spades_adapters.system import SystemClock, SystemEntropy


def test_the_time_is_in_milliseconds_since_1970() -> None:
    before = time.time()
    now = SystemClock().now()

    assert before - 0.002 <= now / 1000 <= time.time()


def test_every_draw_is_fresh_and_as_long_as_asked() -> None:
    draws = {SystemEntropy().draw(32) for _ in range(100)}

    assert len(draws) == 100
    assert {len(draw) for draw in draws} == {32}

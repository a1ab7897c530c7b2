"""Clocks that a test puts forward: hours pass in a scenario without anybody waiting for them."""

from __future__ import annotations

from bot.now import now_us

SECOND_US = 1_000_000


class Ahead:
    """The wall clock and the process's own, both put forward by ``seconds``."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now_us(self) -> int:
        """Return microseconds since 1970."""
        return now_us() + int(self.seconds * SECOND_US)

    def monotonic(self) -> float:
        """Return seconds."""
        return self.now_us() / SECOND_US

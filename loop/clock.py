"""The clock seam: monotonic time in whole microseconds."""

from __future__ import annotations

import time
from typing import Protocol

__all__ = ["Clock", "MonotonicClock"]


class Clock(Protocol):
    """Monotonic time; only differences mean something."""

    def now_us(self) -> int:
        """Return the time in microseconds."""
        ...


class MonotonicClock:
    """The machine's monotonic clock. It may stand still while the machine sleeps."""

    def now_us(self) -> int:
        """Return the time in microseconds."""
        return time.monotonic_ns() // 1_000

"""The wall clock of the command line: the one place that reads it."""

from __future__ import annotations

import time
from datetime import UTC, datetime

__all__ = ["now_us", "utc_now"]


def utc_now() -> str:
    """Return the time as an ISO time stamp in UTC, which sorts as it stands."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def now_us() -> int:
    """Return the time in whole microseconds since 1970."""
    return time.time_ns() // 1000

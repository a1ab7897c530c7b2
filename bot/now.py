"""The wall clock of the command line: the one place that reads it."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime

__all__ = ["iso_text", "local_day", "now_us", "utc_now"]


def utc_now() -> str:
    """Return the time as an ISO time stamp in UTC, which sorts as it stands."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def local_day() -> date:
    """Return the day in this machine's time zone: the day of the people who use the bot."""
    return datetime.now().astimezone().date()


def iso_text(moment_us: int) -> str:
    """Return a moment in microseconds since 1970 in the form of ``utc_now``."""
    return datetime.fromtimestamp(moment_us / 1_000_000, UTC).isoformat(timespec="milliseconds")


def now_us() -> int:
    """Return the time in whole microseconds since 1970."""
    return time.time_ns() // 1000

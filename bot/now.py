"""The wall clock of the command line: the one place that reads it."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["utc_now"]


def utc_now() -> str:
    """Return the time as an ISO time stamp in UTC, which sorts as it stands."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")

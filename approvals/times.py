"""Moments and spans of the store: whole microseconds since 1970 (UTC), given by the caller."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

__all__ = ["DAY_US", "HOUR_US", "utc_text"]

HOUR_US: Final = 3_600_000_000
DAY_US: Final = 24 * HOUR_US
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def utc_text(moment_us: int) -> str:
    """Return a moment for people, such as ``2026-10-09 14:05 UTC``."""
    return (_EPOCH + timedelta(microseconds=moment_us)).strftime("%Y-%m-%d %H:%M UTC")

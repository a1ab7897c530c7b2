"""How long to wait before another try: what the provider asks for, else a growing backoff."""

from __future__ import annotations

import email.utils
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isfinite
from typing import Final

__all__ = ["Retries", "asked_wait_s", "utc_time"]

MOST_ASKED_S: Final = 1e9
"""A longer wait, in seconds, is told as this one (31 years): no record holds just any number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """How often a reply is asked for again, and after what waits (reference facts A8).

    Args:
        attempts: tries in total, at least 1.
        base_s: the first backoff, in seconds; each is twice the one before.
        cap_s: the longest backoff. What a provider asks for is never shortened.
        max_total_s: longest sum of waits of one reply, whatever the run's budget is.
        jitter: a number from 0 to 1 that a backoff is multiplied by, so that clients that failed
            together do not come back together.
    """

    attempts: int = 4
    base_s: float = 0.5
    cap_s: float = 8.0
    max_total_s: float = 60.0
    jitter: Callable[[], float] = random.random

    def backoff_s(self, attempt: int) -> float:
        """Return the wait after the try of this number, from 1."""
        return min(self.cap_s, self.base_s * 2.0 ** (attempt - 1)) * self.jitter()


def utc_time() -> float:
    """Return the wall time in seconds since 1970, for waits that are given as a date."""
    return datetime.now(UTC).timestamp()


def asked_wait_s(headers: Mapping[str, str], now: Callable[[], float]) -> float | None:
    """Return the wait that an answer asks for, from 0 to 1e9 seconds; None where it asks none.

    ``retry-after-ms`` comes first, then ``retry-after`` in seconds or as an HTTP date. What cannot
    be read is none.
    """
    wait = _number(headers.get("retry-after-ms"))
    if wait is not None:
        return _bounded(wait / 1000)
    text = headers.get("retry-after")
    wait = _number(text)
    if wait is None and text is not None:
        wait = _until(text, now)
    return None if wait is None else _bounded(wait)


def _bounded(wait_s: float) -> float:
    return min(max(0.0, wait_s), MOST_ASKED_S)


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if isfinite(value) else None


def _until(text: str, now: Callable[[], float]) -> float | None:
    try:
        moment = email.utils.parsedate_to_datetime(text)
        if moment.tzinfo is None:  # "-0000": UTC of an unknown place
            moment = moment.replace(tzinfo=UTC)
        return moment.timestamp() - now()
    except (ValueError, OverflowError):
        return None

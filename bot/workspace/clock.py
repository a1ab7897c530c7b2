"""The time of the workspace, and what is due at some moment of it.

Everything that Slack measures in seconds (time stamps of messages, triggers, retries, missing
acknowledgements) reads this clock. A test holds it still and moves it by ``advance``; the demo
lets it run.
"""

from __future__ import annotations

import heapq
import itertools
import threading
import time
from collections.abc import Callable
from typing import Protocol

__all__ = ["Clock", "HeldClock", "RunningClock", "Schedule"]


class Clock(Protocol):
    """Seconds since 1970."""

    def now(self) -> float:
        """Return the time."""
        ...


class HeldClock:
    """A clock that stands still until somebody moves it."""

    def __init__(self, start: float | None = None) -> None:
        self._now = time.time() if start is None else start

    def now(self) -> float:
        """Return the time that was last set."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Move forward."""
        self._now += seconds


class RunningClock:
    """The clock of the machine."""

    def now(self) -> float:
        """Return the machine's time."""
        return time.time()


class Schedule:
    """What is to be done at which moment; the owner says when to look."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self._lock = threading.Lock()

    def after(self, seconds: float, work: Callable[[], None]) -> None:
        """Do ``work`` at the first look after that many seconds; at once if there are none."""
        if seconds <= 0:
            work()
            return
        with self._lock:
            entry = (self._clock.now() + seconds, next(self._numbers), work)
            heapq.heappush(self._due, entry)

    def next_moment(self) -> float | None:
        """Return when the next piece of work is due; None if there is none."""
        with self._lock:
            return self._due[0][0] if self._due else None

    def run_due(self) -> None:
        """Do what is due, the oldest first, in the caller's thread."""
        while (work := self._pop()) is not None:
            work()

    def _pop(self) -> Callable[[], None] | None:
        with self._lock:
            if self._due and self._due[0][0] <= self._clock.now():
                return heapq.heappop(self._due)[2]
            return None

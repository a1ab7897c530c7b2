"""Waiting ever longer between tries that fail one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

__all__ = ["Backoff"]

FIRST_S: Final = 2.0
LONGEST_S: Final = 300.0
CALM_S: Final = 600.0
"""After so long without a failure the next one counts as the first."""


class Backoff:
    """When the next try may be made: twice as late after each failure, up to five minutes.

    A part of each wait is left to chance, so that processes that were refused together do not come
    back together.

    Args:
        monotonic: seconds.
        chance: from 0 to below 1.
    """

    def __init__(self, *, monotonic: Callable[[], float], chance: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._chance = chance
        self._failures = 0
        self._failed_at = monotonic() - CALM_S
        self._until = monotonic()

    @property
    def may_try(self) -> bool:
        """Whether the wait is over."""
        return self._monotonic() >= self._until

    @property
    def is_calm(self) -> bool:
        """Whether the last failure is long ago, or there was none."""
        return self._monotonic() - self._failed_at >= CALM_S

    def failed(self, *, at_least_s: float = 0.0) -> None:
        """Count a failure. ``at_least_s`` is what the other side asked to wait."""
        self._failures = 1 if self.is_calm else self._failures + 1
        self._failed_at = self._monotonic()
        wait_s = min(FIRST_S * 2.0 ** min(self._failures - 1, 16), LONGEST_S)
        self._until = self._failed_at + max(at_least_s, wait_s * (1 + self._chance()) / 2)

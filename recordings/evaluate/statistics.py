"""The few figures of an evaluation: shares with an interval, percentiles, pass^k.

One definition each, stated here and in ``docs/evaluation.md``.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, TypeVar

_Number = TypeVar("_Number", int, Decimal)

__all__ = ["Share", "median", "nearest_rank", "pass_hat", "percentile", "sign_test"]

_Z: Final = 1.959964
"""The normal quantile of a two-sided 95 % interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """So many of so many, with Wilson's 95 % interval (E. B. Wilson, 1927).

    The interval is of independent tickets. Runs of one ticket are not independent, so where a
    ticket was run several times it says less than it seems to: ``pass^k`` is the figure for that.
    """

    right: int
    of: int

    @property
    def value(self) -> float | None:
        """The share, 0 to 1; None of nothing."""
        return self.right / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float]:
        """Its 95 % interval; 0 to 1 of nothing."""
        if not self.of:
            return (0.0, 1.0)
        share, n, z2 = self.right / self.of, self.of, _Z * _Z
        middle = (share + z2 / (2 * n)) / (1 + z2 / n)
        half = _Z * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
        return (max(0.0, middle - half), min(1.0, middle + half))

    @classmethod
    def of_known(cls, answers: Collection[bool | None]) -> Share:
        """Return the share of yes among the answers that are known."""
        return cls(
            right=sum(each is True for each in answers),
            of=sum(each is not None for each in answers),
        )


def median(values: Sequence[Decimal]) -> Decimal | None:
    """Return the middle value, or the mean of the two middle ones; None of none."""
    if not values:
        return None
    ranked, half = sorted(values), len(values) // 2
    return ranked[half] if len(ranked) % 2 else (ranked[half - 1] + ranked[half]) / 2


def percentile(values: Sequence[_Number], percent: int) -> _Number | None:
    """Return the smallest value that at least ``percent`` of all do not exceed (nearest rank)."""
    return nearest_rank(sorted(values), percent)


def nearest_rank(ranked: Sequence[_Number], percent: int) -> _Number | None:
    """Return the percentile of values that are sorted; None of none."""
    if not ranked:
        return None
    return ranked[max(1, -(-percent * len(ranked) // 100)) - 1]


def pass_hat(successes: Sequence[tuple[int, int]], k: int) -> float | None:
    """Return pass^k: the chance that k runs of one ticket, drawn at random, all succeed.

    Args:
        successes: for each ticket how many runs succeeded, of how many.
        k: at least 1. Tickets with fewer runs do not count; None where none is left.

    The unbiased estimate of the τ-bench paper (S. Yao et al., 2024, section 3): the mean of
    C(successes, k) / C(runs, k).
    """
    chances = [math.comb(good, k) / math.comb(runs, k) for good, runs in successes if runs >= k]
    return sum(chances) / len(chances) if chances else None


def sign_test(won: int, lost: int) -> float:
    """Return the chance of a split as uneven as this if both were equally good (two-sided)."""
    n, most = won + lost, max(won, lost)
    tail = sum(math.comb(n, each) for each in range(most, n + 1))
    return min(1.0, float(2 * tail) / float(2**n))

"""How long the executor waits for what. Waits are stored, never slept."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Pace"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """The bounds of an operation's execution, in seconds.

    Attributes:
        timeout_s: longest wait for the answer to one write.
        waits_s: behind the first, second, … attempt. There is one attempt more than waits, the
            attempts that a crash cut short included.
        patience_s: how long after the approval a shop that cannot be asked is asked again,
            before the operation fails without having been sent.
        look_s: least and most time between two look-ups of one operation.
        watch_s: the same for what is pending or unknown.
        watch_days: how long that is watched.
    """

    timeout_s: float = 20.0
    waits_s: tuple[int, ...] = (2, 8, 30, 120)
    patience_s: int = 3600
    look_s: tuple[int, int] = (2, 60)
    watch_s: tuple[int, int] = (60, 21_600)
    watch_days: int = 30

    def __post_init__(self) -> None:
        times = (self.timeout_s, self.patience_s, self.watch_days, *self.look_s, *self.watch_s)
        if min(times) <= 0 or min(self.waits_s, default=0) < 0:
            raise ValueError("the times of a pace are above 0, and its waits not below")

    @property
    def max_attempts(self) -> int:
        """How often an operation is sent at most."""
        return len(self.waits_s) + 1

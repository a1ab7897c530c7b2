"""Errors of the loop floor.

LoopError
  LimitRefused        a limit's value cannot be (raised when limits are built)
  ProfileRefused      a profile that does not exist or does not hold together
  ModelError          a model gave no reply
    ProviderFailed    the provider answered with an error, or not at all
    BudgetCut         the run's time budget cut the call
    AskingStopped     the run was cancelled while its model was asked
    RecordingMissing  a replay holds no reply for this request
  ServerRefused       the address, key or settings of a model's server cannot be used
  FinishRefused       a finish with faults; answered inside the loop, never seen outside
  JournalDiverged     a run that replays its own journal does something else than before
"""

from __future__ import annotations

from loop.attempts import Attempt

__all__ = [
    "AskingStopped",
    "BudgetCut",
    "FinishRefused",
    "JournalDiverged",
    "LimitRefused",
    "LoopError",
    "ModelError",
    "ProfileRefused",
    "ProviderFailed",
    "RecordingMissing",
    "ServerRefused",
]


class LoopError(Exception):
    """Any error of this package."""


class LimitRefused(LoopError):
    """A limit's value cannot be; the message names the limit, the value and what is allowed."""

    def __init__(self, limit: str, problem: str) -> None:
        super().__init__(f"limit {limit}: {problem}")
        self.limit = limit


class ProfileRefused(LoopError):
    """A profile that does not exist or does not hold together."""


class ModelError(LoopError):
    """A model gave no reply. ``latency_us`` is the time it took, retries and waits included.

    ``attempts`` are the tries that were made, in order.
    """

    def __init__(
        self, message: str, *, latency_us: int = 0, attempts: tuple[Attempt, ...] = ()
    ) -> None:
        super().__init__(message)
        self.latency_us = latency_us
        self.attempts = attempts


class ProviderFailed(ModelError):
    """The provider answered with an error, or not at all.

    ``status`` is the HTTP status where there was one; ``wait_s`` the wait the provider asked for.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        wait_s: float | None = None,
        latency_us: int = 0,
        attempts: tuple[Attempt, ...] = (),
    ) -> None:
        super().__init__(message, latency_us=latency_us, attempts=attempts)
        self.status = status
        self.wait_s = wait_s


class BudgetCut(ModelError):
    """The run's time budget cut the call."""


class AskingStopped(ModelError):
    """The run was cancelled while its model was asked."""


class RecordingMissing(ModelError):
    """A replay holds no reply for this request; the message names the nearest and what differs."""


class ServerRefused(LoopError):
    """The address, key or settings of a model's server cannot be used; ``part`` names which."""

    def __init__(self, part: str, problem: str) -> None:
        super().__init__(f"{part}: {problem}")
        self.part = part
        self.problem = problem


class FinishRefused(LoopError):
    """A finish with faults; the message goes to the model and names fields and rules only."""


class JournalDiverged(LoopError):
    """A run that replays its own journal does something else than it did before."""

"""Switches that make the Web API misbehave, each for a number of calls."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

__all__ = ["Fault", "Faults", "Hold", "Misbehaviour"]

Where = Callable[[dict[str, Any]], bool]


class Misbehaviour(StrEnum):
    """What goes wrong with a call."""

    REFUSED = "refused"
    """``ok: false`` with a code, HTTP 200."""
    RATE_LIMITED = "rate_limited"
    """HTTP 429 with Retry-After."""
    BROKEN = "broken"
    """An HTTP status of 500 and above, with a body that is no JSON."""
    LOST_REQUEST = "lost_request"
    """The connection closes before the call is taken."""
    LOST_ANSWER = "lost_answer"
    """The call is taken, then the connection closes without an answer."""
    HELD = "held"
    """The call is taken; its answer waits until somebody lets it go."""


class Hold:
    """An answer that waits. ``reached`` is set once a call is held."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self._open = threading.Event()

    def release(self) -> None:
        """Let the answer go, and all later ones."""
        self._open.set()

    def wait(self, seconds: float = 30.0) -> None:
        """Wait for the release (the server's side)."""
        self.reached.set()
        self._open.wait(seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One switch. ``code`` is the error code, ``number`` Retry-After's seconds or a status."""

    method: str
    what: Misbehaviour
    code: str = ""
    number: int = 0
    hold: Hold | None = None
    where: Where | None = None


class Faults:
    """The switches that are on; each is used up by ``times`` calls that it fits, in order."""

    def __init__(self) -> None:
        self._on: list[list[Any]] = []
        self._lock = threading.Lock()

    def refuse(self, method: str, code: str, *, times: int = 1, where: Where | None = None) -> None:
        """Answer ``ok: false`` with this code."""
        self._add(Fault(method=method, what=Misbehaviour.REFUSED, code=code, where=where), times)

    def rate_limit(
        self, method: str, retry_after: int, *, times: int = 1, where: Where | None = None
    ) -> None:
        """Answer 429 with ``Retry-After`` in seconds."""
        what = Misbehaviour.RATE_LIMITED
        self._add(Fault(method=method, what=what, number=retry_after, where=where), times)

    def break_(
        self, method: str, status: int = 503, *, times: int = 1, where: Where | None = None
    ) -> None:
        """Answer with this HTTP status and no JSON."""
        what = Misbehaviour.BROKEN
        self._add(Fault(method=method, what=what, number=status, where=where), times)

    def lose_request(self, method: str, *, times: int = 1, where: Where | None = None) -> None:
        """Close the connection before the call is taken."""
        self._add(Fault(method=method, what=Misbehaviour.LOST_REQUEST, where=where), times)

    def lose_answer(self, method: str, *, times: int = 1, where: Where | None = None) -> None:
        """Take the call, then close the connection without an answer."""
        self._add(Fault(method=method, what=Misbehaviour.LOST_ANSWER, where=where), times)

    def hold(self, method: str, *, times: int = 1, where: Where | None = None) -> Hold:
        """Take the call and keep its answer back until the returned hold is released."""
        hold = Hold()
        self._add(Fault(method=method, what=Misbehaviour.HELD, hold=hold, where=where), times)
        return hold

    def clear(self) -> None:
        """Switch everything off."""
        with self._lock:
            self._on.clear()

    def take(self, method: str, args: dict[str, Any]) -> Fault | None:
        """Use up the first switch that fits a call; None if none does."""
        with self._lock:
            for entry in self._on:
                fault, left = entry
                if fault.method == method and (fault.where is None or fault.where(args)):
                    entry[1] = left - 1
                    if entry[1] <= 0:
                        self._on.remove(entry)
                    return fault  # type: ignore[no-any-return]
        return None

    def _add(self, fault: Fault, times: int) -> None:
        with self._lock:
            self._on.append([fault, times])

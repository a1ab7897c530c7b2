"""Public testing tools: a scripted model, a virtual clock, fixed ids.

For Handrail's own tests and for yours: nothing here sleeps, reads a clock or reaches a network.
See ``docs/testing.md``.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Mapping
from decimal import Decimal
from types import TracebackType
from typing import Any, Self

from loop.errors import LoopError, ModelError
from loop.messages import Request, WireCall
from loop.model import Cost, CostState, Reply, Usage

__all__ = ["FixedIds", "ScriptFailed", "ScriptedModel", "VirtualClock", "call", "reply"]


class ScriptFailed(LoopError):
    """A scripted model was asked more often, or less often, than its script says."""


class VirtualClock:
    """Time that stands still until it is moved. Microseconds; seconds where it says so."""

    def __init__(self, now_us: int = 0) -> None:
        self._now_us = now_us

    def now_us(self) -> int:
        """Return the time in microseconds."""
        return self._now_us

    def advance_us(self, us: int) -> None:
        """Move on by microseconds.

        Raises:
            ValueError: for less than 0; time does not go back.
        """
        if us < 0:
            raise ValueError("a virtual clock moves forward only")
        self._now_us += us

    def advance(self, seconds: float) -> None:
        """Move on by seconds."""
        self.advance_us(round(seconds * 1_000_000))


class FixedIds:
    """Makes ids in order: ``run-1``, ``run-2`` … Call it where a ``new_id`` is wanted."""

    def __init__(self, prefix: str = "run") -> None:
        self._prefix = prefix
        self._made = 0

    def __call__(self) -> str:
        """Return the next id."""
        self._made += 1
        return f"{self._prefix}-{self._made}"


class ScriptedModel:
    """Gives written replies in order, and keeps every request in ``history``.

    A reply that is an error is raised. Asked once too often it fails; used as a context manager
    it fails on leaving when replies are left over. With a clock, each reply moves it by its
    latency.
    """

    def __init__(
        self, replies: Iterable[Reply | ModelError], clock: VirtualClock | None = None
    ) -> None:
        self.history: list[Request] = []
        self._queue = deque(replies)
        self._clock = clock

    def ask(self, request: Request, *, time_left_s: float | None) -> Reply:
        """Return the next reply, or raise it.

        Raises:
            ScriptFailed: when no reply is left.
            ModelError: the one that was scripted.
        """
        del time_left_s
        self.history.append(request)
        if not self._queue:
            raise ScriptFailed(f"no reply is left for step {request.step}")
        answer = self._queue.popleft()
        if self._clock is not None:
            self._clock.advance_us(answer.latency_us or 0)
        if isinstance(answer, ModelError):
            raise answer
        return answer

    def done(self) -> None:
        """Fail when replies are left over.

        Raises:
            ScriptFailed: saying how many.
        """
        if self._queue:
            raise ScriptFailed(f"{len(self._queue)} replies were never asked for")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.done()


def call(name: str, arguments: Mapping[str, Any] | str = "{}", call_id: str = "") -> WireCall:
    """Return a call as a model would write it; arguments may be an object or any text."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return WireCall(call_id=call_id, name=name, arguments=text)


def reply(
    *calls: WireCall,
    text: str | None = None,
    finish_reason: str | None = None,
    refusal: str | None = None,
    latency_s: float = 0.5,
    tokens: tuple[int, int] | None = (1000, 50),
    usd: Decimal | str | None = "0",
    model: str | None = "scripted",
) -> Reply:
    """Return a reply. ``tokens`` are in and out; ``usd`` None is a cost that nobody knows."""
    known = usd is not None
    return Reply(
        text=text,
        calls=calls,
        finish_reason=finish_reason or ("tool_calls" if calls else "stop"),
        refusal=refusal,
        model=model,
        usage=Usage() if tokens is None else Usage(tokens_in=tokens[0], tokens_out=tokens[1]),
        latency_us=round(latency_s * 1_000_000),
        cost=Cost(state=CostState.KNOWN, usd=Decimal(str(usd)))
        if known
        else Cost(state=CostState.UNKNOWN),
    )

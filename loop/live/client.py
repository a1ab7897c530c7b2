"""The live client: one model on a server, with one retry layer inside the run's time budget."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from loop.attempts import Attempt, Fault
from loop.clock import Clock, MonotonicClock
from loop.errors import AskingStopped, BudgetCut, ProviderFailed
from loop.live.body import body_of
from loop.live.completion import Completion
from loop.live.endpoint import Endpoint
from loop.live.refusals import Refusal, said_of
from loop.live.server import Server
from loop.live.stream import Progress
from loop.live.waits import Retries, utc_time
from loop.messages import Request
from loop.model import Cost, Reply, Usage

__all__ = ["CostOf", "LiveModel", "Means"]

LEAST_TIMEOUT_S: Final = 1.0
"""A try is given at least this long, however little is left of the budget, in seconds."""
LOOK_S: Final = 1.0
"""How often a wait, or a reply that comes in pieces, looks whether the run was cancelled."""
CostOf = Callable[[str | None, str, Usage], Cost]
"""What a reply cost: by the model that answered, the one that was asked, and the tokens."""


def _nobody(_: Progress) -> None:
    """Nobody watches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What a live model takes from outside.

    Args:
        cost_of: prices a reply.
        clock: measures latency.
        wait: waits so many seconds, by the same clock.
        utc: seconds since 1970, for waits that are given as a date.
        retries: how often a reply is asked for, and after what waits.
        on_progress: hears what the server is at.
        is_cancelled: says whether the run is; None where nobody can cancel it.
    """

    cost_of: CostOf
    clock: Clock = field(default_factory=MonotonicClock)
    wait: Callable[[float], None] = time.sleep
    utc: Callable[[], float] = utc_time
    retries: Retries = field(default_factory=Retries)
    on_progress: Callable[[Progress], None] = _nobody
    is_cancelled: Callable[[], bool] | None = None


class LiveModel:
    """Asks one model on one server. Safe to use from several threads.

    A try that fails for a reason that may pass is made again, after the wait that the provider
    asks for or a growing one of our own, as long as the run's budget lasts. The tries that failed
    stand in the ``attempts`` of the reply, or of the error.

    Raises:
        ServerRefused: the address, the proxy, the key or the certificates cannot be used.
    """

    def __init__(self, server: Server, means: Means, endpoint: Endpoint | None = None) -> None:
        self._server = server
        self._means = means
        self._endpoint = endpoint or Endpoint(server, means.utc)

    def ask(self, request: Request, *, time_left_s: float | None) -> Reply:
        """Return the reply, asking as often as it takes and may take.

        Raises:
            ProviderFailed: no reply; the message says why, in the provider's words without secrets.
            BudgetCut: the run's time is over.
            AskingStopped: the run was cancelled in a wait, or while the reply came in pieces.
        """
        asking = _Asking(self._server, self._endpoint, self._means, time_left_s)
        completion = asking.completion(body_of(request, self._server))
        asked = request.head.model
        return Reply(
            text=completion.text,
            calls=completion.calls,
            finish_reason=completion.finish_reason,
            refusal=completion.refusal,
            model=completion.model,
            usage=completion.usage,
            latency_us=asking.taken_us,
            cost=self._means.cost_of(completion.model, asked, completion.usage),
            attempts=tuple(asking.attempts),
        )

    def watched(
        self,
        on_progress: Callable[[Progress], None],
        is_cancelled: Callable[[], bool] | None = None,
    ) -> LiveModel:
        """Return the same model, over the same connections, with somebody who hears its progress.

        Both are called in the thread that asks, and hold it up as long as they take;
        ``is_cancelled`` at most once a second.
        """
        means = replace(self._means, on_progress=on_progress, is_cancelled=is_cancelled)
        return LiveModel(self._server, means, self._endpoint)

    def close(self) -> None:
        """Close the connections. Closing twice is allowed."""
        self._endpoint.close()


class _Cancelled(Exception):
    """The run was cancelled; what was tried is not noted yet."""


class _Asking:
    """One reply, asked for as often as it takes: what was tried, and what time is left."""

    def __init__(
        self, server: Server, endpoint: Endpoint, means: Means, time_left_s: float | None
    ) -> None:
        self.attempts: list[Attempt] = []
        self._server = server
        self._endpoint = endpoint
        self._means = means
        self._budget_s = time_left_s
        self._begun_us = means.clock.now_us()
        self._try_begun_us = 0
        self._waited_s = 0.0
        self._looked_us = self._begun_us

    @property
    def taken_us(self) -> int:
        """Time since the asking began, waits included, in microseconds."""
        return max(0, self._means.clock.now_us() - self._begun_us)

    def completion(self, body: bytes) -> Completion:
        """Return the first completion that comes.

        Raises:
            ProviderFailed, BudgetCut, AskingStopped: none comes.
        """
        while True:
            outcome = self._try(body)
            if isinstance(outcome, Completion):
                return outcome
            wait_s = self._wait_after(outcome)
            self._means.on_progress(Progress.WAITING)
            self._wait(wait_s)
            self._waited_s += wait_s

    def _try(self, body: bytes) -> Completion | Refusal:
        self._try_begun_us = self.taken_us
        self._means.on_progress(Progress.ASKED)
        try:
            return self._endpoint.try_once(
                body,
                timeout_s=self._timeout_s(),
                on_progress=self._means.on_progress,
                on_piece=self._look,
            )
        except _Cancelled:
            cut = Refusal(fault=Fault.BROKEN, reason="the run was cancelled")
            self._note(cut, waits_s=0.0)
            raise self._stopped() from None

    def _wait(self, seconds: float) -> None:
        """Wait in parts, with a look between them, where somebody can cancel the run."""
        if self._means.is_cancelled is None:
            self._means.wait(seconds)
            return
        try:
            while seconds > 0:
                self._look()
                self._means.wait(min(LOOK_S, seconds))
                seconds -= LOOK_S
            self._look()
        except _Cancelled:
            raise self._stopped() from None

    def _look(self) -> None:
        """Look whether the run was cancelled, unless that was just done.

        Raises:
            _Cancelled: it was.
        """
        now_us = self._means.clock.now_us()
        if self._means.is_cancelled is None or now_us - self._looked_us < _us(LOOK_S):
            return
        self._looked_us = now_us
        if self._means.is_cancelled():
            raise _Cancelled

    def _left_s(self) -> float | None:
        """Return what is left of the budget, in seconds; None is no limit."""
        return None if self._budget_s is None else self._budget_s - self.taken_us / 1_000_000

    def _timeout_s(self) -> float:
        left_s = self._left_s()
        own_s = self._server.timeout_s
        return own_s if left_s is None else min(own_s, max(LEAST_TIMEOUT_S, left_s))

    def _wait_after(self, refusal: Refusal) -> float:
        """Return how long to wait before the next try, and keep what came of this one.

        Raises:
            ProviderFailed, BudgetCut: there is no next one.
        """
        left_s, asked_s = self._left_s(), refusal.asked_wait_s
        number = len(self.attempts) + 1
        may = refusal.is_retried and number < self._means.retries.attempts
        wait_s = self._means.retries.backoff_s(number) if asked_s is None else asked_s
        fits = (left_s is None or wait_s < left_s) and self._fits(wait_s)
        self._note(refusal, waits_s=wait_s if may and fits else 0.0)
        if refusal.is_retried and left_s is not None and left_s <= 0:
            raise self._cut()
        if may and fits:
            return wait_s
        raise self._failed(refusal, too_long_s=asked_s if may else None)

    def _note(self, refusal: Refusal, *, waits_s: float) -> None:
        """Keep what came of the last try."""
        asked_s = refusal.asked_wait_s
        self.attempts.append(
            Attempt(
                fault=refusal.fault,
                status=refusal.status,
                latency_us=self.taken_us - self._try_begun_us,
                asked_wait_us=None if asked_s is None else _us(asked_s),
                waited_us=_us(waits_s),
                begun=refusal.begun,
            )
        )

    def _fits(self, wait_s: float) -> bool:
        return self._waited_s + wait_s <= self._means.retries.max_total_s

    def _cut(self) -> BudgetCut:
        return BudgetCut(
            "the run's time was over before a whole reply came",
            latency_us=self.taken_us,
            attempts=tuple(self.attempts),
        )

    def _stopped(self) -> AskingStopped:
        return AskingStopped(
            "the run was cancelled while its model was asked",
            latency_us=self.taken_us,
            attempts=tuple(self.attempts),
        )

    def _failed(self, refusal: Refusal, *, too_long_s: float | None) -> ProviderFailed:
        said = said_of(refusal, self._endpoint.hidden)
        if too_long_s is not None:
            said = f"{said}; asked to wait {too_long_s:g} s, which is more than is left"
        tries = len(self.attempts)
        return ProviderFailed(
            said if tries == 1 else f"{said} (after {tries} tries)",
            status=refusal.status,
            wait_s=refusal.asked_wait_s,
            latency_us=self.taken_us,
            attempts=tuple(self.attempts),
        )


def _us(seconds: float) -> int:
    return round(seconds * 1_000_000)

"""Bringing payloads to the app: one try now, and for events up to three more on Slack's schedule.

Slack tries a failed event again at once, after about a minute and after about five
(docs.slack.dev, "The Events API", retries). Interactions and commands are tried once: the person
sees a warning and presses again.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from typing import Protocol

from bot.workspace.clock import Schedule
from bot.workspace.state import State
from bot.workspace.traffic import Answer, Attempt, Delivery, Kind

__all__ = ["RETRY_AFTER_SECONDS", "Courier", "Transport"]

RETRY_AFTER_SECONDS = (0.0, 60.0, 300.0)

Done = Callable[[Answer], None]


class Transport(Protocol):
    """A way to the app: Socket Mode or signed HTTP."""

    def carry(self, delivery: Delivery, number: int, reason: str | None, done: Done) -> None:
        """Start one try and return; call ``done`` once, from any thread, with what came back."""
        ...


class Courier:
    """Delivers, retries, and keeps every delivery for the reader of the tests."""

    def __init__(
        self,
        state: State,
        schedule: Schedule,
        transport: Transport,
        *,
        stopwatch: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._stopwatch = stopwatch
        self.deliveries: list[Delivery] = []
        self.transport = transport
        self._state = state
        self._schedule = schedule
        self._in_flight = 0

    def send(
        self,
        kind: Kind,
        payload: dict[str, object],
        *,
        answered: Callable[[Answer], None] | None = None,
    ) -> Delivery:
        """Start delivering; ``answered`` is called with an acknowledgement, before it settles."""
        delivery = Delivery(kind=kind, payload=copy.deepcopy(payload))
        with self._state.changing():
            self.deliveries.append(delivery)
        self._try(delivery, 0, None, answered)
        return delivery

    def again(
        self, delivery: Delivery, *, number: int = 1, reason: str = "http_timeout"
    ) -> Delivery:
        """Deliver the very same payload once more, as a retry that Slack need not have made."""
        second = Delivery(kind=delivery.kind, payload=copy.deepcopy(delivery.payload))
        with self._state.changing():
            self.deliveries.append(second)
        self._try(second, number, reason, None)
        return second

    @property
    def quiet(self) -> bool:
        """Whether no try is on its way. A retry that waits for the clock counts as quiet."""
        return self._in_flight == 0

    def _try(
        self,
        delivery: Delivery,
        number: int,
        reason: str | None,
        answered: Callable[[Answer], None] | None,
    ) -> None:
        at, started = self._state.clock.now(), self._stopwatch()
        with self._state.changing():
            self._in_flight += 1

        def done(answer: Answer) -> None:
            if answer.ok and answered is not None:
                answered(answer)
            took = self._stopwatch() - started
            self._note(delivery, Attempt(number=number, at=at, took_seconds=took, answer=answer))
            if delivery.settled.is_set() or answer.ok or delivery.given_up:
                delivery.settled.set()
            else:
                self._retry(delivery, number, answer, answered)
            with self._state.changing():
                self._in_flight -= 1

        self.transport.carry(delivery, number, reason, done)

    def _note(self, delivery: Delivery, attempt: Attempt) -> None:
        with self._state.changing():
            delivery.attempts.append(attempt)
            retryable = delivery.kind is Kind.EVENT and not attempt.answer.no_retry
            last = attempt.number >= len(RETRY_AFTER_SECONDS)
            delivery.given_up = not attempt.answer.ok and (last or not retryable)

    def _retry(
        self,
        delivery: Delivery,
        number: int,
        answer: Answer,
        answered: Callable[[Answer], None] | None,
    ) -> None:
        def try_again() -> None:
            self._try(delivery, number + 1, answer.failure, answered)

        self._schedule.after(RETRY_AFTER_SECONDS[number], try_again)

"""What went over the wires: the calls of the app, and the deliveries to it."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from bot.workspace.errors import TookTooLong

__all__ = ["Answer", "Attempt", "Call", "Delivery", "Kind"]


class Kind(StrEnum):
    """What is delivered, in Socket Mode's words."""

    EVENT = "events_api"
    INTERACTIVE = "interactive"
    COMMAND = "slash_commands"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of the Web API or of a response URL (method ``response_url``).

    ``answered`` is the body that was sent, or None if the connection was dropped; ``taken`` says
    whether the call had its effect. ``at`` is the workspace's time.
    """

    method: str
    args: dict[str, Any]
    status: int
    answered: dict[str, Any] | None
    taken: bool
    at: float

    @property
    def ok(self) -> bool:
        """Whether the app was told that it succeeded."""
        return bool(self.answered and self.answered.get("ok"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back for one delivery. ``failure`` is Slack's retry reason, or None."""

    failure: str | None = None
    status: int | None = None
    body: dict[str, Any] | None = None
    no_retry: bool = False

    @property
    def ok(self) -> bool:
        """Whether it was acknowledged."""
        return self.failure is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One try to deliver: its number (0 is the first), when, and what came back.

    ``at`` is the workspace's time; ``took_seconds`` is real time, as an app's answer is.
    """

    number: int
    at: float
    took_seconds: float
    answer: Answer


@dataclass(slots=True, kw_only=True, eq=False)
class Delivery:
    """One payload on its way to the app, over all its tries."""

    kind: Kind
    payload: dict[str, Any]
    attempts: list[Attempt] = field(default_factory=list)
    given_up: bool = False
    settled: threading.Event = field(default_factory=threading.Event, repr=False)

    @property
    def acknowledged(self) -> bool:
        """Whether one try was acknowledged."""
        return any(attempt.answer.ok for attempt in self.attempts)

    @property
    def event_type(self) -> str:
        """The inner event's type, or the type of an interaction."""
        inner = self.payload.get("event", self.payload)
        return str(inner.get("type") or inner.get("command") or "")

    def answer(self, seconds: float = 5.0) -> Answer:
        """Wait for an acknowledgement, or for the last try to fail, and return the last answer.

        Raises:
            TookTooLong: after so many seconds of real time. A held clock brings no retry: move it.
        """
        if not self.settled.wait(seconds):
            raise TookTooLong(f"no answer to {self.event_type} within {seconds} s")
        return self.attempts[-1].answer

"""How fast the demo goes: its pauses, the time that recorded replies take, the bot's clock."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

from bot.models import replayed
from bot.now import now_us as wall_us
from bot.plan import Plan
from loop import Clock, Model, Reply, Request

__all__ = ["Pace"]

MICROS: Final = 1_000_000


class Pace:
    """Time that goes ``speed`` times as fast as on the wall, from the moment this is made.

    The bot reads it, so that also the second which it leaves between two messages is shorter. The
    local workspace does not: what Slack measures (three seconds for an answer) stays as it is.

    Args:
        speed: above 0.
        wall: microseconds since 1970.
    """

    def __init__(self, speed: float, *, wall: Callable[[], int] = wall_us) -> None:
        if not speed > 0:
            raise ValueError("the speed is above 0")
        self._speed = speed
        self._wall = wall
        self._began_us = wall()
        self._ended = threading.Event()

    def now_us(self) -> int:
        """Return the bot's time in microseconds since 1970."""
        return self._began_us + int((self._wall() - self._began_us) * self._speed)

    def pause(self, seconds: float) -> bool:
        """Let so many seconds of the demo pass; return False at once where it is over."""
        return not self._ended.wait(seconds / self._speed)

    def end(self) -> None:
        """End every pause, those that are to come too."""
        self._ended.set()

    def play(self, plan: Plan) -> tuple[Model, Clock]:
        """Return the recorded model of a plan; each reply takes the time that it once took."""
        model, clock = replayed(plan)
        return _Timed(model, self), clock


class _Timed:
    def __init__(self, model: Model, pace: Pace) -> None:
        self._model = model
        self._pace = pace

    def ask(self, request: Request, *, time_left_s: float | None) -> Reply:
        reply = self._model.ask(request, time_left_s=time_left_s)
        self._pace.pause((reply.latency_us or 0) / MICROS)  # a time that was not recorded is none
        return reply

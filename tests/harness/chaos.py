"""A service that misbehaves: it drops answers, fails before or behind a write, is busy."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from enum import Enum, auto
from typing import assert_never

from tools.practice.service import Reply, Request

Answers = Callable[[Request], Reply | None]


class Fate(Enum):
    """What a call meets."""

    ANSWER = auto()
    DROP_BEFORE = auto()
    DROP_AFTER = auto()
    BREAK_BEFORE = auto()
    BREAK_AFTER = auto()
    IN_FLIGHT = auto()
    BUSY = auto()


FATES = {
    Fate.ANSWER: 78,
    Fate.DROP_BEFORE: 3,
    Fate.DROP_AFTER: 6,
    Fate.BREAK_BEFORE: 3,
    Fate.BREAK_AFTER: 5,
    Fate.IN_FLIGHT: 3,
    Fate.BUSY: 2,
}
"""In percent of all calls."""
_BROKEN = Reply(500, b'{"code":"internal_error","message":"broken"}')
_IN_FLIGHT = Reply(409, b'{"code":"key_in_flight","message":"at work"}')
_BUSY = Reply(429, b'{"code":"busy","message":"a pause, please"}')


class Chaos:
    """Gives each call its fate, reads and look-ups included."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._lock = threading.Lock()

    def answer(self, request: Request, act: Answers) -> Reply | None:
        """Answer as the call's fate is; ``act`` is the service as it should be."""
        with self._lock:
            (fate,) = self._chance.choices(list(FATES), list(FATES.values()))
        match fate:
            case Fate.ANSWER:
                return act(request)
            case Fate.DROP_BEFORE:
                return None
            case Fate.DROP_AFTER:
                act(request)
                return None
            case Fate.BREAK_BEFORE:
                return _BROKEN
            case Fate.BREAK_AFTER:
                act(request)
                return _BROKEN
            case Fate.IN_FLIGHT:
                return _IN_FLIGHT
            case Fate.BUSY:
                return _BUSY
            case _:
                assert_never(fate)

"""Rounds: the channels are read now and again where no socket says that all is heard.

Over HTTP Slack delivers for about six minutes and then gives up, and an app that we are attached
to may be reached in any way. So the channels are read at the start, soon after a reading that left
something out, and regularly. In Socket Mode ``bot.slack.watch`` knows when there was a gap.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

from sqlite_utils import Database

from bot.slack.catch_up import CaughtUp

__all__ = ["Rounds"]

EVERY_S: Final = 300
"""How often the channels are read: some 30 calls, and one for each thread with something new."""
AGAIN_S: Final = 60
"""After a reading that left something out: the time over which Slack counts calls."""
SECOND_US: Final = 1_000_000


class Rounds:
    """Reads when it is time. The holder of the serve lock goes on; others read at their start.

    Args:
        catch_up: reads what was missed; it never raises.
        now_us: microseconds since 1970.
    """

    def __init__(self, catch_up: Callable[[], CaughtUp], *, now_us: Callable[[], int]) -> None:
        self._catch_up = catch_up
        self._now_us = now_us
        self._due_us = 0
        self._lock = threading.Lock()

    def go(self) -> int:
        """Read if it is time, or wait for a reading that was begun; return when to come again."""
        with self._lock:
            if self._now_us() >= self._due_us:
                wait_s = EVERY_S if self._catch_up().whole else AGAIN_S
                self._due_us = self._now_us() + wait_s * SECOND_US
            return self._due_us

    def step(self, _db: Database) -> int:
        """Do the same as a ``Step``. The reading opens the store for itself."""
        return self.go()

"""Rounds: the channels are read now and again where no socket says that all is heard.

Over HTTP Slack delivers for about six minutes and then gives up, and an app that we are attached
to may be reached in any way. So the channels are read at the start, soon after a reading that left
something out, when the minute is over in which Slack left events out, and regularly. In Socket
Mode ``bot.slack.watch`` knows when there was a gap.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

from sqlite_utils import Database

from bot.slack.pages import Reads
from bot.slack.store.cursors import LEFT_OUT, read_cursor

__all__ = ["Rounds"]

EVERY_S: Final = 300
"""How often the channels are read: some 30 calls, and one for each thread with something new."""
AGAIN_S: Final = 60
"""After a reading that left something out: the time over which Slack counts calls. And after word
that Slack leaves events out: it does so for a minute at a time."""
SECOND_US: Final = 1_000_000


class Rounds:
    """Reads when it is time. The holder of the serve lock goes on; others read at their start.

    Args:
        catch_up: reads what was missed.
        now_us: microseconds since 1970.
    """

    def __init__(self, catch_up: Reads, *, now_us: Callable[[], int]) -> None:
        self._catch_up = catch_up
        self._now_us = now_us
        self._began_us = 0  # when every channel was last read
        self._afresh_us = 0  # when every channel is to be read again
        self._due_us = 0  # when that is due, or the rest of a reading
        self._lock = threading.Lock()

    def go(self) -> int:
        """Read if it is time, or wait for a reading that was begun; return when to come again."""
        with self._lock:
            now_us = self._now_us()
            if now_us >= self._due_us:
                afresh = now_us >= self._afresh_us
                if afresh:
                    self._began_us, self._afresh_us = now_us, now_us + EVERY_S * SECOND_US
                wait_s = EVERY_S if self._catch_up(afresh=afresh).whole else AGAIN_S
                self._due_us = self._now_us() + wait_s * SECOND_US
            return self._due_us

    def step(self, db: Database) -> int:
        """Do the same as a ``Step``, with what the store says that Slack left out."""
        left_out_us = read_cursor(db, LEFT_OUT)
        if left_out_us is not None:
            self._read_at(left_out_us + AGAIN_S * SECOND_US)
        return self.go()

    def _read_at(self, at_us: int) -> None:
        """Read every channel no later than at this moment, unless that began since."""
        with self._lock:
            if self._began_us < at_us:
                self._afresh_us = min(self._afresh_us, at_us)
                self._due_us = min(self._due_us, at_us)

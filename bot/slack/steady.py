"""A thread that does one thing again and again: when something was committed, or its time came."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

from sqlite_utils import Database

from approvals.store import connect, data_version

__all__ = ["AT_ONCE", "Steady", "Step", "every"]

POLL_S: Final = 0.05
"""How often it looks for commits: of other threads and of other processes alike."""
AFTER_ERROR_S: Final = 1.0
AT_ONCE: Final = 20
"""How many things one step does at most, where each may take long: a stop is seen between steps."""

Step = Callable[[Database], int | None]
"""Does all that can be done now and returns when to come again, in microseconds since 1970."""

_log: Final = logging.getLogger("handrail.slack")


def every(us: int, work: Callable[[Database], None], *, now_us: Callable[[], int]) -> Step:
    """Return a step that does some work at once, and then every so many microseconds.

    What is committed in between does not hasten it, and what the work raises does not either.
    """
    next_us = 0

    def step(db: Database) -> int:
        nonlocal next_us
        now = now_us()
        if now >= next_us:
            next_us = now + us
            work(db)
        return next_us

    return step


class Steady:
    """Takes steps on a thread of its own until it is stopped. Usable once.

    An error of a step is logged and the step is taken again: what it was to do stands in the store.

    Args:
        name: of the thread.
        store: the store's file.
        step: what to do.
        now_us: the time.
    """

    def __init__(self, name: str, store: Path, step: Step, *, now_us: Callable[[], int]) -> None:
        self._store = store
        self._step = step
        self._now_us = now_us
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Finish the step that was begun, and return when that is done."""
        self._stopped.set()
        self._thread.join()

    @property
    def alive(self) -> bool:
        """Whether the thread runs."""
        return self._thread.is_alive()

    def _run(self) -> None:
        with closing(connect(self._store)) as db:
            while not self._stopped.is_set():
                try:
                    seen = data_version(db)  # before the step: nothing falls in between
                    self._await(db, seen, self._step(db))
                except Exception:  # noqa: BLE001 - the thread lives, the next step does it
                    _log.exception("%s could not do its step", self._thread.name)
                    self._stopped.wait(AFTER_ERROR_S)

    def _await(self, db: Database, seen: int, due_us: int | None) -> None:
        while not self._stopped.wait(POLL_S):
            if data_version(db) != seen or (due_us is not None and due_us <= self._now_us()):
                return

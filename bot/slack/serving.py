"""What only one process of a store does: run jobs, post, follow the audit, and what comes due.

A process that does not hold the serve lock tries for it every few seconds, so that another one
takes over when the holder ends, however it ends.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from approvals import Executor
from approvals.store import JobServer, ServeLock, connect
from bot.slack.follow import Follower
from bot.slack.steady import Steady
from tools import ShopError

__all__ = ["Serving", "Staff"]

TRY_EVERY_S: Final = 2.0
"""How often a process without the lock tries for it."""
MONEY_WORKERS: Final = 2
"""Threads for what was approved: slow runs must not keep it waiting."""
_log: Final = logging.getLogger("handrail.slack")


class Staff:
    """The servers and threads of the lock's holder. Usable once.

    Args:
        store: the store's file.
        executor: reconciles before any job runs.
        money: runs what was approved.
        runs: works on tickets, on ``workers`` threads.
        follower: repairs cards at the start.
        loops: the poster, the follower, the upkeep, and what else is done again and again.
    """

    def __init__(
        self,
        *,
        store: Path,
        executor: Executor,
        money: JobServer,
        runs: JobServer,
        workers: int,
        follower: Follower,
        loops: Sequence[Steady],
    ) -> None:
        self._store = store
        self._executor = executor
        self._money = money
        self._runs = runs
        self._follower = follower
        self._loops = loops
        self._threads = [
            threading.Thread(target=self._serve, args=(money, MONEY_WORKERS), name="money"),
            threading.Thread(target=self._serve, args=(runs, workers), name="runs"),
        ]
        self._begun = False

    def start(self) -> None:
        """Reconcile what an earlier process left, then begin."""
        self._money.recover()
        try:
            with closing(connect(self._store)) as db:
                self._executor.reconcile(db, adopt=True)
        except ShopError as error:  # each operation is looked up again before it is sent
            _log.warning("the shop could not be asked at the start: %s", error)
        self._follower.repair()
        self._begun = True
        for loop in self._loops:
            loop.start()
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Begin nothing more, and return when what was begun has ended."""
        if not self._begun:
            return
        self._runs.stop()
        self._money.stop()
        for thread in self._threads:
            thread.join()
        for loop in self._loops:
            loop.stop()

    @property
    def well(self) -> bool:
        """Whether everything still runs."""
        return all(each.is_alive() for each in self._threads) and all(
            loop.alive for loop in self._loops
        )

    def _serve(self, server: JobServer, workers: int) -> None:
        try:
            server.run(workers=workers, recover=False)
        except Exception:  # noqa: BLE001 - seen as a thread that ended; another turn takes over
            _log.exception("the job server stopped; what it had begun is resumed by the next one")


class Serving:
    """Tries for the lock and, once it is held, has the staff at work until it is stopped."""

    def __init__(self, lock: ServeLock, hire: Callable[[], Staff]) -> None:
        self._lock = lock
        self._hire = hire
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="serving")

    def start(self) -> None:
        """Begin to try."""
        self._thread.start()

    def stop(self) -> None:
        """Finish what was begun, let go of the lock, and return."""
        self._stopped.set()
        self._thread.join()

    @property
    def holds_lock(self) -> bool:
        """Whether this process is the one that runs jobs."""
        return self._lock.held

    def _run(self) -> None:
        while not self._stopped.is_set():
            if self._lock.try_acquire():
                self._serve()
            self._stopped.wait(TRY_EVERY_S)

    def _serve(self) -> None:
        """Serve until told to stop, or until a part fails; then let another process try."""
        staff = self._hire()
        try:
            staff.start()
            while staff.well and not self._stopped.wait(TRY_EVERY_S):
                pass
        except Exception:  # noqa: BLE001 - such as a full disk; it may be over at the next try
            _log.exception("serving failed and is tried again")
        finally:
            staff.stop()
            self._lock.release()

"""Running jobs: the loop of the process that holds the serve lock."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

from sqlite_utils import Database

from approvals.errors import LockNotHeld
from approvals.store.connect import connect
from approvals.store.jobs import Job, Jobs
from approvals.store.lock import ServeLock
from approvals.store.tx import data_version
from approvals.store.writer import Writer

__all__ = ["Handler", "JobServer"]

POLL_S: Final = 0.02
"""How often a server looks for commits of other processes; its own process can wake it at once."""
FIRST_RETRY_US: Final = 1_000_000
"""Wait after a first failed attempt; doubled with each further one."""
MOST_DOUBLINGS: Final = 9
"""The wait grows no further than to 512 seconds: a job that waits often has many attempts."""

Handler = Callable[[Database, Job], None]
"""Does one job, with the worker's own connection and no transaction open.

It may settle the job in a transaction of its own, together with what the job came to; a job that
it leaves running is settled as done when it returns, and as failed when it raises.
"""


class JobServer:
    """Claims due jobs and hands them to their handlers, on one or several threads."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        jobs: Jobs,
        handlers: Mapping[str, Handler],
        lock: ServeLock,
        writer: Writer,
        owner: str,
        now_us: Callable[[], int],
        on_failure: Callable[[Job, Exception], None],
    ) -> None:
        """Put the parts together; nothing is opened yet.

        Args:
            path: the store's file; each worker thread opens a connection of its own.
            jobs: the verbs.
            handlers: one per kind. Jobs of other kinds are left waiting.
            lock: this store's lock. It must be held whenever jobs run.
            writer: takes all writes of the claims and verdicts.
            owner: names this process in claims, a new name for each process.
            now_us: microseconds since 1970.
            on_failure: gets each error of a handler, for the log; the store keeps its type only.
        """
        self._path = path
        self._jobs = jobs
        self._handlers = dict(handlers)
        self._lock = lock
        self._writer = writer
        self._owner = owner
        self._now_us = now_us
        self._on_failure = on_failure
        self._stopped = False
        self._news = 0
        self._signal = threading.Condition()  # guards the two above
        self._claiming = threading.Lock()  # woken together, all would queue for one job

    def recover(self) -> int:
        """Set back what an earlier process left running; once, before anything runs.

        Raises:
            LockNotHeld: this process may not run jobs.
        """
        self._check_lock()
        return self._writer.run(self._jobs.recover)

    def drain(self) -> int:
        """Run what is due now, in this thread, and return how many jobs were started."""
        with connect(self._path) as db:
            started = 0
            while self._run_one(db):
                started += 1
            return started

    def run(self, *, workers: int = 1, recover: bool = True) -> None:
        """Recover, then run jobs on ``workers`` threads until ``stop``; then finish those begun.

        ``recover`` is False for a further server of a process, which recovered before it started
        any: what is marked as running then may be running.

        Raises:
            LockNotHeld: this process may not run jobs, or lost the right to.
            StoreError: a claim or a verdict could not be written. The workers stop, and what was
                not settled is recovered at the next start.
        """
        if recover:
            self.recover()
        with ThreadPoolExecutor(workers, thread_name_prefix="job") as pool:
            ends = [pool.submit(self._work) for _ in range(workers)]
            try:
                self._watch(ends)
            finally:  # also when this thread is interrupted: the pool waits for its threads
                self.stop()
        for end in ends:
            end.result()

    def wake(self) -> None:
        """Say that a job was committed in this process, so that nobody waits for a poll."""
        with self._signal:
            self._news += 1
            self._signal.notify_all()

    def stop(self) -> None:
        """Start no further job; ``run`` returns when those begun have ended. From any thread."""
        with self._signal:
            self._stopped = True
            self._signal.notify_all()

    def _watch(self, ends: list[Future[None]]) -> None:
        """Wake the workers when anybody committed and when a waiting job comes due."""
        with connect(self._path) as db:
            seen, due = -1, None
            while not self._stopped and not any(end.done() for end in ends):
                version = data_version(db)
                if version != seen:
                    seen, due = version, self._jobs.next_due_us(db, kinds=self._handlers)
                    self.wake()
                elif due is not None and due <= self._now_us():
                    self.wake()
                with self._signal:
                    self._signal.wait(POLL_S)

    def _work(self) -> None:
        with connect(self._path) as db:
            while not self._stopped:
                seen = self._news  # before the look, so that no news falls in between
                if not self._run_one(db):
                    self._await_news(seen)

    def _await_news(self, seen: int) -> None:
        with self._signal:
            while self._news == seen and not self._stopped:
                self._signal.wait()

    def _run_one(self, db: Database) -> bool:
        job = self._claim(db)
        if job is None:
            return False
        self._handle(db, job)
        return True

    def _claim(self, db: Database) -> Job | None:
        self._check_lock()
        with self._claiming:
            now = self._now_us()
            due = self._jobs.next_due_us(db, kinds=self._handlers)  # spares the write lock
            if due is None or due > now:
                return None
            return self._writer.run(
                lambda w: self._jobs.claim_next(
                    w, kinds=self._handlers, owner=self._owner, now_us=now
                )
            )

    def _handle(self, db: Database, job: Job) -> None:
        try:
            self._handlers[job.kind](db, job)
        except Exception as error:  # noqa: BLE001 - told to on_failure, kept as the job's verdict
            name = type(error).__name__
            retry = self._now_us() + FIRST_RETRY_US * 2 ** min(job.attempt - 1, MOST_DOUBLINGS)
            self._writer.run(lambda w: self._jobs.fail(w, job, error=name, retry_at_us=retry))
            self._on_failure(job, error)
        else:
            self._writer.run(lambda w: self._jobs.finish(w, job))

    def _check_lock(self) -> None:
        if not self._lock.held:
            raise LockNotHeld("jobs run only where the serve lock is held; acquire it first")

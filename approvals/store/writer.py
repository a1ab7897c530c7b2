"""The one writer thread of a serving process.

All its writes go through one connection, one after the other, so none waits for another by
polling the file lock; and that connection alone checkpoints. One transaction per function:
committing several together is left out until a measurement asks for it.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Final, Self, TypeVar

from sqlite_utils import Database

from approvals.errors import TransactionOpen, WriterClosed
from approvals.store.connect import connect
from approvals.store.tx import in_transaction, rows, tx

__all__ = ["Writer"]

IDLE_S: Final = 1.0
"""After this long without work the log is emptied into the main file and cut to nothing."""

T = TypeVar("T")


class Writer:
    """A thread that runs functions, each inside a transaction of its own, in the order given.

    Usable as a context manager that closes it.
    """

    def __init__(self, path: str | os.PathLike[str], *, idle_s: float = IDLE_S) -> None:
        """Open the store in the new thread and wait for that.

        Raises:
            StoreUnusable, StoreBusy: the store could not be opened.
        """
        self._path = path
        self._idle_s = idle_s
        self._pid = os.getpid()
        self._jobs: queue.SimpleQueue[Callable[[Database], None] | None] = queue.SimpleQueue()
        self._gate = threading.Lock()  # nothing is queued behind the end mark
        self._closed = False
        opened: Future[None] = Future()
        # A daemon: a crash of the main thread must end the process. What was not committed then
        # was reported to nobody; close() is what drains.
        self._thread = threading.Thread(
            target=self._serve, args=(opened,), name="store-writer", daemon=True
        )
        self._thread.start()
        opened.result()

    def submit(self, work: Callable[[Database], T]) -> Future[T]:
        """Queue ``work``; the future holds its result once that is committed.

        An error of ``work`` or of the commit rolls back and goes to the future; the thread goes
        on with the next.

        Raises:
            WriterClosed: after ``close``, or in a forked child, where the thread does not exist.
            TransactionOpen: called inside ``tx()``, where waiting for the writer never ends.
        """
        if in_transaction():
            raise TransactionOpen(
                "work for the writer was submitted inside a transaction, and the writer would wait"
                " for its end; commit first"
            )
        if self._pid != os.getpid():
            raise WriterClosed("the writer belongs to the parent process; open one of your own")
        future: Future[T] = Future()
        with self._gate:
            if self._closed:
                raise WriterClosed("the writer is closed; nothing was written")
            self._jobs.put(lambda db: _settle(db, work, future))
        return future

    def run(self, work: Callable[[Database], T]) -> T:
        """Run ``work`` in the writer's thread and return its result after the commit."""
        return self.submit(work).result()

    def close(self) -> None:
        """Finish what was submitted, empty the log, close the connection and end the thread."""
        with self._gate:
            if not self._closed:
                self._closed = True
                self._jobs.put(None)
        if self._pid == os.getpid():
            self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _serve(self, opened: Future[None]) -> None:
        try:
            db = connect(self._path, checkpoints=True)
        except BaseException as error:  # noqa: BLE001 - raised by the constructor
            opened.set_exception(error)
            return
        opened.set_result(None)
        try:
            self._work(db)
        finally:
            db.close()

    def _work(self, db: Database) -> None:
        wrote = True  # what an earlier process left in the log counts
        while True:
            try:
                job = self._jobs.get(timeout=self._idle_s if wrote else None)
            except queue.Empty:
                wrote = not _empty_log(db)
                continue
            if job is None:
                _empty_log(db)
                return
            job(db)
            wrote = True


def _settle(db: Database, work: Callable[[Database], T], future: Future[T]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        with tx(db):
            result = work(db)
    except BaseException as error:  # noqa: BLE001 - raised where the result is awaited
        future.set_exception(error)
    else:
        future.set_result(result)


def _empty_log(db: Database) -> bool:
    """Move the log into the main file and cut it to nothing; False where a reader is in the way.

    It does not wait for readers: the next idle moment will do, and writers must not wait here.
    """
    waits = rows(db, "PRAGMA busy_timeout")[0]["timeout"]
    rows(db, "PRAGMA busy_timeout=0")
    try:
        return bool(rows(db, "PRAGMA wal_checkpoint(TRUNCATE)")[0]["busy"] == 0)
    finally:
        rows(db, f"PRAGMA busy_timeout={waits}")

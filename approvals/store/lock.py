"""The serve lock: of all processes that share a store, one runs its jobs.

An OS lock (flock) on a file beside the store, held for life. It ends with its process, however
that ends, so there are no leases and no heartbeats: whoever gets the lock knows that nothing
which is marked as running runs.
"""

from __future__ import annotations

import fcntl
import os
import weakref
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from approvals.errors import LockHeld, StoreUnusable

__all__ = ["ServeLock"]


class ServeLock:
    """The lock of one store. Usable as a context manager that acquires and releases.

    Only the process that acquired it holds it. A forked child inherits the descriptor, which
    would keep the lock alive after its parent died, so the child drops its copy at once. It
    closes it and never unlocks it: unlocking would take the lock from the parent.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Name the store's file; nothing is opened yet."""
        # One file has one lock, by whatever name or link it is reached.
        self._store = Path(path).resolve()
        self._file = Path(f"{self._store}.lock")
        self._descriptor: int | None = None
        self._pid: int | None = None
        # A hook cannot be taken back, hence the weak reference: it must not keep the lock alive.
        drop = weakref.WeakMethod(self._drop)
        os.register_at_fork(after_in_child=lambda: _call(drop))

    @property
    def held(self) -> bool:
        """Whether this very process holds the lock."""
        return self._descriptor is not None and self._pid == os.getpid()

    def try_acquire(self) -> bool:
        """Take the lock if it is free; return whether this process holds it now.

        Raises:
            StoreUnusable: the lock file cannot be opened.
        """
        if self.held:
            return True
        try:
            descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StoreUnusable(
                f"the lock file {self._file} cannot be opened ({error.strerror}); check its folder"
            ) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        except BaseException:
            os.close(descriptor)
            raise
        self._pid = os.getpid()
        self._descriptor = descriptor
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{self._pid}\n".encode("ascii"), 0)
        return True

    def acquire(self) -> None:
        """Take the lock.

        Raises:
            LockHeld: another process serves this store; the message names its pid.
            StoreUnusable: the lock file cannot be opened.
        """
        if not self.try_acquire():
            raise LockHeld(str(self._store), self.holder())

    def holder(self) -> int | None:
        """Return the pid in the lock file; None where there is none or it is being written.

        It may be the pid of a dead process: only trying the lock tells whether it is free.
        """
        try:
            text = self._file.read_text(encoding="ascii", errors="replace").strip()
        except OSError:
            return None
        return int(text) if text.isascii() and text.isdigit() else None

    def release(self) -> None:
        """Let go. Does nothing where this process does not hold the lock.

        The file stays: removing it would let two processes lock two files of one name.
        """
        if not self.held or self._descriptor is None:
            return
        os.ftruncate(self._descriptor, 0)
        fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        self._drop()

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    def _drop(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = None
        self._pid = None


def _call(method: weakref.WeakMethod[Callable[[], None]]) -> None:
    alive = method()
    if alive is not None:
        alive()

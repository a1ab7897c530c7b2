"""Folders that pass: gone with their owner, or cleared away after its process died.

Each holds a lock file that its process has locked for as long as it lives; a lock that is free
says that nobody needs the folder any more.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

__all__ = ["PassingFolder", "clear_stale"]

PREFIX: Final = "handrail-practice-"
LOCK: Final = "lock"
YOUNG_S: Final = 60.0
"""A folder younger than this is left alone: its process may not have locked it yet."""


class PassingFolder:
    """A private folder of this process, deleted by ``close``."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor

    @classmethod
    def make(cls, prefix: str = PREFIX) -> Self:
        """Make one among the system's temporary files, after clearing those that died.

        ``prefix`` begins the names of all folders of this kind.

        Raises:
            OSError: it cannot be made.
        """
        parent = Path(tempfile.gettempdir())
        clear_stale(parent, prefix, now_s=time.time())
        path = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        descriptor = os.open(path / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        return cls(path, descriptor)

    def close(self) -> None:
        """Delete the folder with all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._descriptor)


def clear_stale(parent: Path, prefix: str = PREFIX, *, now_s: float) -> None:
    """Delete this user's folders of a kind whose process is dead.

    Args:
        parent: where they lie.
        prefix: how their names begin.
        now_s: the time of day, in seconds since 1970.
    """
    for folder in parent.glob(f"{prefix}*"):
        with suppress(OSError):  # somebody else clears it at the same time, or it is not ours
            if _is_old(folder, now_s):
                _delete_unless_held(folder)


def _is_old(folder: Path, now_s: float) -> bool:
    found = folder.lstat()  # a link would lead elsewhere
    ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
    return ours and now_s - found.st_mtime > YOUNG_S


def _delete_unless_held(folder: Path) -> None:
    """Delete a folder; one that somebody holds raises ``BlockingIOError`` and stays."""
    try:
        descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        shutil.rmtree(folder)  # its process died before it could lock
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder)
    finally:
        os.close(descriptor)

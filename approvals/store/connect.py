"""The one way to open the store's SQLite file.

Every connection gets the same settings and they are checked, not trusted: SQLite keeps only the
journal mode in the file, all else starts at a default with each connection.

A connection belongs to the thread that opened it, and to the process: never carry one over a fork.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from sqlite_utils import Database

from approvals.errors import StoreBusy, StoreUnusable
from approvals.store.identity import check_ours, lost_part, sign

__all__ = ["DEFAULT_TIMEOUT_S", "check_store", "connect", "plain_errors"]

DEFAULT_TIMEOUT_S: Final = 30.0
"""How long a connection waits for another writer. Listeners that must answer fast give less."""
WRITER_CHECKPOINT_PAGES: Final = 1000
"""The writer moves the log into the main file when it holds this many pages of 4096 bytes."""
_FULL: Final = 2

# The log, not the main file, grows until the writer checkpoints. Every other connection leaves
# that alone: SQLite 3.7.0 to 3.51.2 can damage a file when one connection resets the log while
# another one checkpoints, and mapped memory (mmap_size) makes that worse.
_SETTINGS: Final = {
    "synchronous": _FULL,
    "foreign_keys": 1,
    "fullfsync": 1,  # heeded on macOS only, where a plain fsync may stay in the drive's cache
    "checkpoint_fullfsync": 1,
    "secure_delete": 1,  # what is erased is overwritten with zeros, whatever SQLite was built for
    "query_only": 1,  # lifted by tx() alone, so that nothing is written outside a transaction
}


def connect(
    path: str | os.PathLike[str],
    *,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    checkpoints: bool = False,
) -> Database:
    """Open the store, creating an empty one with file mode 0600 where there is none.

    The connection is in autocommit mode and refuses every write until ``tx()`` opens a
    transaction.

    Args:
        path: the database file. Its folder must exist.
        timeout_s: seconds to wait for another writer before ``StoreBusy``; 0 does not wait.
        checkpoints: True for the writer's connection only, the one that moves the log into the
            main file.

    Raises:
        StoreForeign: the file is not a store of ours; nothing of it was changed.
        StoreUnusable: the folder is missing, the file is read-only or damaged, or its disk
            cannot hold a write-ahead log (network disks cannot).
        StoreBusy: another process holds the file exclusively.
    """
    file = Path(path).absolute()
    if not check_store(file):
        _check_folder(file)
        _create(file)
    _check_mode(file)
    with plain_errors(lambda: str(file)):
        connection = sqlite3.connect(file, timeout=timeout_s, isolation_level=None)
        try:
            _configure(connection, file, checkpoints=checkpoints)
        except BaseException:
            connection.close()
            raise
    return Database(connection, recursive_triggers=False, execute_plugins=False)


def check_store(path: str | os.PathLike[str]) -> bool:
    """Return whether there is a store at the path. Nothing is made, and nothing is changed.

    Raises:
        StoreForeign: the file is a database of another program.
        StoreUnusable: it is damaged, no database or no file, or cannot be read.
    """
    file = Path(path).absolute()
    with plain_errors(lambda: str(file)):
        return check_ours(file)


@contextmanager
def plain_errors(name: Callable[[], str]) -> Iterator[None]:
    """Turn SQLite's errors about the file into ours, in words; all others pass unchanged.

    ``name`` returns the store's name and is only called for a message.

    ``sqlite3.IntegrityError`` is one that passes: a conflict is an answer, not a fault of the
    file.
    """
    try:
        yield
    except sqlite3.Error as error:
        # Absent on errors of the Python layer, such as use from another thread.
        code = getattr(error, "sqlite_errorcode", None)
        if code is None:
            raise
        primary, store = code & 0xFF, name()
        if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise StoreBusy(
                f"the store {store} was held by another writer for too long; nothing was"
                " written, try again"
            ) from error
        if primary in _UNUSABLE:
            raise StoreUnusable(f"the store {store} {_UNUSABLE[primary]}") from error
        if primary == sqlite3.SQLITE_ERROR and lost_part(error):
            raise StoreUnusable(
                f"the store {store} has lost a part ({error}); restore a backup"
            ) from error
        raise


_UNUSABLE: Final = {
    sqlite3.SQLITE_CANTOPEN: "cannot be opened; check that it is a file this user may write",
    sqlite3.SQLITE_CORRUPT: "is damaged; stop every process that uses it and restore a backup",
    sqlite3.SQLITE_FULL: "cannot grow: the disk is full; nothing was written, free some space",
    sqlite3.SQLITE_IOERR: "met a disk error; check the disk, then start again",
    sqlite3.SQLITE_NOTADB: "is not a SQLite database; name another file",
    sqlite3.SQLITE_PERM: "may not be opened by this user; check its owner and mode",
    sqlite3.SQLITE_READONLY: "is read-only, or was written to outside a transaction",
}


def _check_folder(file: Path) -> None:
    if not file.parent.is_dir():
        raise StoreUnusable(f"the folder {file.parent} of the store does not exist; create it")


def _create(file: Path) -> None:
    """Bring an empty store into being: private and in WAL mode before it has its name.

    Under its own name two things would go wrong. Two processes that switch one file to WAL at
    once meet "database is locked" without any wait. And closing a plain descriptor of a file
    drops all locks that this process's SQLite connections hold on it (POSIX).
    """
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
        os.close(descriptor)
        try:
            with plain_errors(lambda: str(file)):
                connection = sqlite3.connect(name, isolation_level=None)
                try:
                    sign(connection)
                    connection.execute("PRAGMA journal_mode=WAL")
                finally:
                    connection.close()
            with suppress(FileExistsError):  # another process was first; its file is as good
                os.link(name, file)
        finally:
            Path(name).unlink()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise StoreUnusable(
            f"the store {file} cannot be created ({reason}); check its folder"
        ) from error


def _check_mode(file: Path) -> None:
    """Refuse a read-only file, and close an open one to group and others.

    SQLite gives -wal and -shm the mode of the main file; ones that already exist keep theirs.
    The owner's write bit counts even for root, who could write all the same.
    """
    if not file.stat().st_mode & stat.S_IWUSR or not os.access(file, os.W_OK):
        raise StoreUnusable(f"the store {file} is read-only; make it writable for this user")
    for each in (file, Path(f"{file}-wal"), Path(f"{file}-shm")):
        try:
            mode = stat.S_IMODE(each.stat().st_mode)
            if mode & (stat.S_IRWXG | stat.S_IRWXO):
                each.chmod(mode & stat.S_IRWXU)
        except FileNotFoundError:
            continue  # no log yet, or the last connection has just removed it
        except PermissionError as error:
            raise StoreUnusable(
                f"{each} is open to other users and belongs to another one; set its mode to 0600"
            ) from error


def _configure(connection: sqlite3.Connection, file: Path, *, checkpoints: bool) -> None:
    sign(connection)
    if _pragma(connection, "journal_mode") != "wal":
        mode = _pragma(connection, "journal_mode", "WAL")
        if mode != "wal":
            raise StoreUnusable(
                f"the disk of {file} cannot hold a write-ahead log (journal mode {mode});"
                " use a local disk"
            )
    _pragma(connection, "mmap_size", 0)  # answers nothing where mapping is compiled out
    _pragma(connection, "wal_autocheckpoint", WRITER_CHECKPOINT_PAGES if checkpoints else 0)
    for name, value in _SETTINGS.items():
        _pragma(connection, name, value)
        found = _pragma(connection, name)
        if found != value:
            raise StoreUnusable(f"this SQLite keeps {name} at {found} instead of {value}")


def _pragma(connection: sqlite3.Connection, name: str, value: int | str | None = None) -> object:
    """Set a pragma where a value is given; return its first answer, None where it has none."""
    text = f"PRAGMA {name}" if value is None else f"PRAGMA {name}={value}"
    answer = connection.execute(text).fetchall()
    return answer[0][0] if answer else None

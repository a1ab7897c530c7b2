"""Whole copies of the store, and the compacting that makes erased bytes disappear."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from sqlite_utils import Database

from approvals.errors import StoreBusy, StoreForeign, StoreUnusable, TransactionOpen
from approvals.store.connect import connect, plain_errors
from approvals.store.tx import in_transaction, rows, store_name

__all__ = ["check_whole", "compact", "copy_into", "set_aside"]

_HEADER: Final = b"SQLite format 3\0"


def copy_into(db: Database, target: Path) -> None:
    """Write what the store holds now to a new file that only its owner can read (mode 0600).

    Other processes may go on writing; the copy is one moment's. It is on the disk when this
    returns.

    Raises:
        StoreUnusable: the file exists or cannot be written, or the store cannot be read.
        StoreBusy: another writer held the store for too long.
    """
    _create(target)
    try:
        with plain_errors(lambda: store_name(db)), _writable(db):
            db.execute("VACUUM INTO ?", [str(target)])
        _to_disk(target)
        _to_disk(target.parent)
    except (OSError, UnicodeEncodeError) as error:
        target.unlink(missing_ok=True)
        problem = error.strerror if isinstance(error, OSError) else "its name is not UTF-8"
        raise StoreUnusable(f"{target} cannot be written: {problem}") from error
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def compact(db: Database, *, empties_log: bool) -> None:
    """Write the store anew without its free pages, which still hold what was erased.

    Args:
        db: a connection, no transaction open.
        empties_log: also cut the log to nothing. Only for the holder of the serve lock: a serving
            process's writer does that by itself, and no two may do it at once.

    Raises:
        StoreBusy: another writer held the store for too long.
        StoreUnusable: the disk is full or failing.
    """
    with plain_errors(lambda: store_name(db)), _writable(db):
        db.execute("VACUUM")
    if empties_log:
        rows(db, "PRAGMA wal_checkpoint(TRUNCATE)")


def check_whole(db: Database) -> None:
    """Walk every page of a store.

    Raises:
        StoreUnusable: it is damaged.
    """
    found = rows(db, "PRAGMA integrity_check(1)")[0]["integrity_check"]
    if found != "ok":
        raise StoreUnusable(f"the store {store_name(db)} is damaged; use another copy")


def set_aside(store: Path, aside: Path) -> bool:
    """Keep a store under a second name as well, so that another file can take its own.

    A damaged store is kept as it is, with its log. Return whether there was one.

    Raises:
        StoreBusy: another process uses it.
        StoreForeign: it is another program's database; it was left alone.
        StoreUnusable: it cannot be kept.
    """
    if not store.exists():
        return False
    with _damage_borne():
        _check_header(store)  # SQLite throws the log of what is no database away
        with closing(connect(store)) as db:
            rows(db, "PRAGMA wal_checkpoint(TRUNCATE)")
        # The last connection that closes removes the log, so somebody else holds one.
        if Path(f"{store}-wal").exists():
            raise StoreBusy(f"the store {store} is used by another process; end it, then try again")
    try:
        os.link(store, aside)
        for end in ("-wal", "-shm"):  # a log of one file must never meet another
            if Path(f"{store}{end}").exists():
                Path(f"{store}{end}").replace(f"{aside}{end}")
    except OSError as error:
        raise StoreUnusable(f"the store {store} cannot be kept as {aside}: {error}") from error
    return True


@contextmanager
def _writable(db: Database) -> Iterator[None]:
    """Lift the wall around a connection for a statement that runs outside transactions."""
    if in_transaction():
        raise TransactionOpen("a copy was asked for inside a transaction; commit first")
    db.execute("PRAGMA query_only=OFF")
    try:
        yield
    finally:
        db.execute("PRAGMA query_only=ON")


@contextmanager
def _damage_borne() -> Iterator[None]:
    """Go on with a store that cannot be opened: that is what a backup is for."""
    try:
        yield
    except StoreForeign:
        raise
    except StoreUnusable:
        return


def _check_header(store: Path) -> None:
    with store.open("rb") as file:
        if file.read(len(_HEADER)) != _HEADER:
            raise StoreUnusable(f"the store {store} is not a SQLite database")


def _create(target: Path) -> None:
    try:
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        raise StoreUnusable(
            f"{target} exists, and nothing is overwritten; name a new file"
        ) from None
    except OSError as error:
        raise StoreUnusable(f"{target} cannot be written: {error.strerror}") from error


def _to_disk(place: Path) -> None:
    descriptor = os.open(place, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

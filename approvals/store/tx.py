"""Transactions and the three ways to talk to the store inside and outside one.

``tx()`` is the only way to write. It takes the write lock at its start (BEGIN IMMEDIATE): a
deferred transaction that reads first and writes later fails at once when another one wrote in
between, and no time-out helps there.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from sqlite_utils import Database

from approvals.errors import NoTransaction, TransactionOpen
from approvals.store.connect import plain_errors

__all__ = ["Params", "assert_no_transaction", "changed", "data_version", "rows", "tx"]

Params = Sequence[Any] | Mapping[str, Any]

TURN_S: Final = 1.0
_TURN: Final = threading.Lock()
_OPEN: Final = threading.local()  # .held is True while this thread is inside tx()


@contextmanager
def tx(db: Database) -> Iterator[Database]:
    """Run the block in one write transaction: committed at its end, rolled back on any error.

    ``sqlite3.IntegrityError`` passes unchanged; errors about the file become ours.

    Raises:
        TransactionOpen: this thread is in a transaction already; one never joins another.
        StoreBusy: another writer held the store for longer than the connection waits.
        StoreUnusable: the disk is full, the file read-only or damaged. Nothing was written.
        NoTransaction: the block ended the transaction by itself.
        TransactionOpen: the block left a statement that writes half read. Nothing was written.
    """
    if in_transaction() or _is_open(db):
        raise TransactionOpen(
            "a transaction is already open in this thread; pass its connection down instead of"
            " opening another"
        )
    with plain_errors(lambda: store_name(db)), _in_turn():
        try:
            db.execute("PRAGMA query_only=OFF")
            db.execute("BEGIN IMMEDIATE")
            _OPEN.held = True
            yield db
            if not _is_open(db):
                raise NoTransaction(
                    "the transaction was ended inside tx(); leave commit and rollback to it"
                )
            _commit(db)
        finally:
            _OPEN.held = False
            db.rollback()  # does nothing after the commit
            db.execute("PRAGMA query_only=ON")


@contextmanager
def _in_turn() -> Iterator[None]:
    """Queue with the other threads of this process, whatever their stores.

    SQLite waits for its lock by sleeping, longer and longer, and whoever comes fresh overtakes: a
    commit that somebody waits for could come last. Only a queue and no lock: whoever has waited for
    ``TURN_S`` goes on to SQLite's own, so nothing hangs, not even a fork that inherited it taken.
    """
    taken = _TURN.acquire(timeout=TURN_S)
    try:
        yield
    finally:
        if taken:
            _TURN.release()


def in_transaction() -> bool:
    """Whether this thread is inside ``tx()``."""
    return getattr(_OPEN, "held", False)


def assert_no_transaction() -> None:
    """Refuse to go on inside ``tx()``. Called before every network call.

    Raises:
        TransactionOpen: this thread holds an open transaction.
    """
    if in_transaction():
        raise TransactionOpen(
            "a network call was about to start inside a transaction; commit first, then call"
        )


def changed(db: Database, sql: str, params: Params = ()) -> int:
    """Run one INSERT, UPDATE or DELETE inside ``tx()`` and return how many rows it changed.

    The way to leave a state: ``UPDATE … WHERE id = ? AND state = ?`` changed one row, or
    somebody else was first and it changed none.

    Raises:
        NoTransaction: called outside ``tx()``.
        ValueError: the statement is not one of the three, or returns rows (then use ``rows``).
    """
    if not in_transaction():
        raise NoTransaction("a write was asked for outside tx(); open one around it")
    cursor = db.execute(sql, _bind(params))
    if cursor.description is not None or cursor.rowcount < 0:
        cursor.close()
        raise ValueError("changed() takes one INSERT, UPDATE or DELETE without RETURNING")
    return cursor.rowcount


def rows(db: Database, sql: str, params: Params = ()) -> list[dict[str, Any]]:
    """Run one statement that returns rows and fetch them all, so that nothing stays open.

    Takes ``UPDATE … RETURNING`` too, inside ``tx()`` only: outside it the store is read-only.
    """
    with plain_errors(lambda: store_name(db)):
        cursor = db.execute(sql, _bind(params))
        if cursor.description is None:
            raise ValueError("rows() takes a statement that returns rows; use changed()")
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def data_version(db: Database) -> int:
    """Return a number that moves when any other connection has committed since the last call."""
    return int(rows(db, "PRAGMA data_version")[0]["data_version"])


def store_name(db: Database) -> str:
    """Return the file of a connection, for messages."""
    return str(db.execute("PRAGMA database_list").fetchone()[2])


def _commit(db: Database) -> None:
    try:
        db.execute("COMMIT")
    except sqlite3.OperationalError as error:
        # The write lock is held since BEGIN IMMEDIATE, so busy means: by a statement of our own.
        if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
            raise
        raise TransactionOpen(
            "a statement with RETURNING was not read to its end, and nothing was written; use"
            " rows()"
        ) from error


def _is_open(db: Database) -> bool:
    return db.conn.in_transaction


def _bind(params: Params) -> Sequence[Any] | dict[str, Any]:
    return dict(params) if isinstance(params, Mapping) else params

"""The writer runs one transaction after the other and outlives every error."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlite_utils import Database

from approvals import StoreUnusable, TransactionOpen, WriterClosed
from approvals.store import Writer, assert_no_transaction, changed, connect, rows, tx
from tests.harness.processes import result, start


def insert(n: int) -> Callable[[Database], int]:
    return lambda db: changed(db, "INSERT INTO item VALUES (?, ?)", (n, n))


def insert_then_fail(db: Database) -> None:
    insert(99)(db)
    raise LookupError("on purpose")


def insert_twice(db: Database) -> None:
    insert(1)(db)
    insert(1)(db)


def count(db: Database) -> int:
    found: int = rows(db, "SELECT count(*) AS n FROM item")[0]["n"]
    return found


def test_a_result_arrives_after_its_commit(path: Path, db: Database) -> None:
    with Writer(path) as writer:
        assert writer.run(insert(1)) == 1
        assert count(db) == 1


def test_an_error_rolls_back_and_the_next_work_goes_on(path: Path, db: Database) -> None:
    with Writer(path) as writer:
        bad = writer.submit(insert_then_fail)
        conflict = writer.submit(insert_twice)
        good = writer.submit(insert(2))

        with pytest.raises(LookupError, match="on purpose"):
            bad.result()
        with pytest.raises(sqlite3.IntegrityError):
            conflict.result()
        assert good.result() == 1
        assert rows(db, "SELECT id FROM item") == [{"id": 2}]


def test_work_runs_inside_a_transaction_of_the_writers_thread(path: Path, db: Database) -> None:
    with Writer(path) as writer:
        with pytest.raises(TransactionOpen, match="network call"):
            writer.run(lambda _: assert_no_transaction())
        assert_no_transaction()
    assert count(db) == 0


def test_submitting_inside_a_transaction_is_refused_instead_of_waiting_for_ever(
    path: Path, db: Database
) -> None:
    with Writer(path) as writer:
        with tx(db), pytest.raises(TransactionOpen, match="commit first"):
            writer.submit(insert(1))
        with pytest.raises(TransactionOpen, match="commit first"):
            writer.run(lambda _: writer.run(insert(1)))


def test_many_threads_lose_nothing(path: Path, db: Database) -> None:
    with Writer(path) as writer:

        def feed(start_at: int) -> None:
            for n in range(start_at, start_at + 25):
                writer.run(insert(n))

        threads = [threading.Thread(target=feed, args=(25 * n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert count(db) == 200


def test_close_finishes_what_was_submitted_and_empties_the_log(path: Path, db: Database) -> None:
    db.close()
    writer = Writer(path)
    futures = [writer.submit(insert(n)) for n in range(50)]
    with connect(path) as reader:  # an open connection, so that closing is not what empties it
        writer.close()

        assert all(future.result(timeout=0) == 1 for future in futures)
        assert Path(f"{path}-wal").stat().st_size == 0
        assert count(reader) == 50


def test_the_log_is_emptied_when_there_is_nothing_to_do(path: Path, db: Database) -> None:
    """With each commit the log grows by a page or more, so it is shorter only after that."""
    log = Path(f"{path}-wal")
    sizes = [log.stat().st_size]
    with Writer(path, idle_s=0) as writer:
        while len(sizes) < 1000 and sizes[-1] >= max(sizes):
            writer.run(insert(len(sizes)))
            sizes.append(log.stat().st_size)

        assert sizes[-1] < max(sizes)
        assert count(db) == len(sizes) - 1


def test_a_reader_in_the_way_does_not_hold_up_the_writer(path: Path, db: Database) -> None:
    with Writer(path, idle_s=0) as writer:
        writer.run(insert(1))
        cursor = db.execute("SELECT * FROM item UNION ALL SELECT * FROM item")
        assert cursor.fetchone() is not None

        assert [writer.submit(insert(n)).result(10) for n in (2, 3)] == [1, 1]
        cursor.close()


def test_a_closed_writer_takes_nothing_more(path: Path, db: Database) -> None:
    writer = Writer(path)
    writer.close()
    writer.close()

    with pytest.raises(WriterClosed, match="nothing was written"):
        writer.submit(insert(1))
    assert count(db) == 0


def test_work_that_was_cancelled_in_time_is_not_done(path: Path, db: Database) -> None:
    go_on = threading.Event()
    with Writer(path) as writer:
        writer.submit(lambda _: go_on.wait(30))
        future = writer.submit(insert(1))
        assert future.cancel()
        go_on.set()

    assert count(db) == 0


def test_a_store_that_cannot_be_opened_is_told_to_the_caller(tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable, match="does not exist"):
        Writer(tmp_path / "absent" / "store.db")


FORK = """
import os, sys
from approvals import WriterClosed
from approvals.store import Writer
with Writer(sys.argv[1]) as writer:
    child = os.fork()
    if child == 0:
        try:
            writer.run(lambda db: None)
        except WriterClosed as error:
            writer.close()
            print(error, flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""


def test_a_forked_child_has_no_writer(path: Path) -> None:
    assert "belongs to the parent process" in result(start(FORK, path))

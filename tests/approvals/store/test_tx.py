"""Nothing is written outside a transaction, and none is left open."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlite_utils import Database

from approvals import NoTransaction, StoreBusy, TransactionOpen
from approvals.store import assert_no_transaction, changed, connect, data_version, rows, tx
from approvals.store.tx import TURN_S
from tests.harness.processes import kill, line, start

ALL = "SELECT id, n FROM item ORDER BY id"
THREADS = 8
ROUNDS = 30


class Boom(Exception):
    """Raised in the middle of a transaction."""


def test_the_block_is_committed_at_its_end(path: Path, db: Database) -> None:
    with connect(path) as other:
        with tx(db):
            changed(db, "INSERT INTO item VALUES (1, 10)")
            assert rows(other, ALL) == []

        assert rows(other, ALL) == [{"id": 1, "n": 10}]


@pytest.mark.parametrize("error", [Boom, KeyboardInterrupt])
def test_any_error_rolls_back(db: Database, error: type[BaseException]) -> None:
    with pytest.raises(error), tx(db):
        changed(db, "INSERT INTO item VALUES (1, 10)")
        raise error

    assert rows(db, ALL) == []
    assert not db.conn.in_transaction
    assert_no_transaction()


def test_a_second_transaction_in_a_thread_is_refused(path: Path, db: Database) -> None:
    with connect(path) as other, tx(db):
        for each in (db, other):
            with pytest.raises(TransactionOpen, match="already open in this thread"), tx(each):
                pass
        changed(db, "INSERT INTO item VALUES (1, 10)")

    assert rows(db, ALL) == [{"id": 1, "n": 10}]


def test_a_transaction_begun_by_hand_is_not_joined(db: Database) -> None:
    db.execute("BEGIN")

    with pytest.raises(TransactionOpen), tx(db):
        pass

    assert db.conn.in_transaction  # it belongs to whoever began it
    db.rollback()


def test_a_commit_inside_the_block_is_an_error(db: Database) -> None:
    with pytest.raises(NoTransaction, match="ended inside"), tx(db):
        db.commit()

    assert_no_transaction()


def test_a_network_call_is_refused_inside_a_transaction(db: Database) -> None:
    assert_no_transaction()
    with tx(db), pytest.raises(TransactionOpen, match="network call"):
        assert_no_transaction()
    assert_no_transaction()


def test_a_transaction_of_another_thread_does_not_count(db: Database) -> None:
    free: list[bool] = []

    def check() -> None:
        assert_no_transaction()
        free.append(True)

    with tx(db):
        thread = threading.Thread(target=check)
        thread.start()
        thread.join()

    assert free == [True]


@pytest.mark.parametrize(
    "write",
    [
        lambda db: db.execute("INSERT INTO item VALUES (1, 1)"),
        lambda db: db.execute("UPDATE item SET n = 2 RETURNING id"),
        lambda db: db.execute("BEGIN IMMEDIATE"),
        lambda db: db.table("item").insert({"id": 1, "n": 1}),
        lambda db: db.execute("CREATE TABLE other (id INTEGER)"),
    ],
)
def test_no_write_outside_a_transaction(db: Database, write: Callable[[Database], object]) -> None:
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        write(db)

    assert not db.conn.in_transaction
    assert rows(db, ALL) == []


def test_changed_outside_a_transaction_says_so(db: Database) -> None:
    with pytest.raises(NoTransaction, match=r"outside tx\(\)"):
        changed(db, "INSERT INTO item VALUES (1, 1)")


def test_changed_counts_the_rows_that_left_a_state(db: Database) -> None:
    with tx(db):
        assert changed(db, "INSERT INTO item VALUES (1, 10), (2, 10)") == 2
        assert changed(db, "UPDATE item SET n = :new WHERE n = :old", {"new": 11, "old": 10}) == 2
        assert changed(db, "UPDATE item SET n = ? WHERE n = ?", (11, 10)) == 0
        assert changed(db, "INSERT INTO item VALUES (1, 9) ON CONFLICT (id) DO NOTHING") == 0
        assert changed(db, "DELETE FROM item WHERE id = ?", (2,)) == 1


@pytest.mark.parametrize(
    "sql", ["SELECT 1", "UPDATE item SET n = 1 RETURNING id", "CREATE TABLE other (id INTEGER)"]
)
def test_changed_refuses_what_it_cannot_count(db: Database, sql: str) -> None:
    with pytest.raises(ValueError, match="one INSERT, UPDATE or DELETE"), tx(db):
        changed(db, sql)

    assert not db.conn.in_transaction


def test_rows_refuses_a_statement_without_rows(db: Database) -> None:
    with pytest.raises(ValueError, match="returns rows"), tx(db):
        rows(db, "DELETE FROM item")


def test_the_wrong_type_and_a_conflict_pass_as_integrity_errors(db: Database) -> None:
    with pytest.raises(sqlite3.IntegrityError), tx(db):
        changed(db, "INSERT INTO item VALUES (1, 'many')")


def test_sqlite_utils_leaves_update_returning_open_and_rows_does_not(
    path: Path, db: Database
) -> None:
    """The trap on a plain connection: the write holds on, later ones join it, closing loses all."""
    with tx(db):
        changed(db, "INSERT INTO item VALUES (1, 10)")
    plain = Database(sqlite3.connect(path))
    plain.execute("UPDATE item SET n = 11 RETURNING id").fetchall()
    assert plain.conn.in_transaction
    plain.execute("INSERT INTO item VALUES (2, 20)")
    plain.close()
    assert rows(db, ALL) == [{"id": 1, "n": 10}]

    with tx(db):
        assert rows(db, "UPDATE item SET n = 11 RETURNING id, n") == [{"id": 1, "n": 11}]
        changed(db, "INSERT INTO item VALUES (2, 20)")
    assert not db.conn.in_transaction
    db.close()

    with connect(path) as again:
        assert rows(again, ALL) == [{"id": 1, "n": 11}, {"id": 2, "n": 20}]


def test_a_returning_statement_that_was_not_read_is_refused_at_the_commit(db: Database) -> None:
    with tx(db):
        changed(db, "INSERT INTO item VALUES (1, 10), (2, 20)")

    with pytest.raises(TransactionOpen, match="not read to its end"), tx(db):
        cursor = db.execute("UPDATE item SET n = n + 1 RETURNING id")

    assert cursor.description is not None
    assert not db.conn.in_transaction
    assert [row["n"] for row in rows(db, ALL)] == [10, 20]


def test_a_deferred_begin_fails_at_once_when_it_comes_to_write(path: Path, db: Database) -> None:
    """The trap that tx() avoids: thirty seconds of busy time-out do not help an upgrade."""
    with tx(db):
        changed(db, "INSERT INTO item VALUES (1, 0)")
    late = Database(sqlite3.connect(path, timeout=30, isolation_level=None))
    late.execute("BEGIN")
    late.execute(ALL).fetchall()
    with tx(db):
        changed(db, "UPDATE item SET n = 1")

    with pytest.raises(sqlite3.OperationalError, match="locked"):
        late.execute("UPDATE item SET n = n + 1")
    late.close()


def test_threads_that_read_then_write_all_succeed(path: Path, db: Database) -> None:
    with tx(db):
        changed(db, "INSERT INTO item VALUES (1, 0)")
    errors: list[BaseException] = []
    begin = threading.Barrier(THREADS)

    def count() -> None:
        try:
            with connect(path) as own:
                begin.wait(30)
                for _ in range(ROUNDS):
                    with tx(own):
                        n = rows(own, "SELECT n FROM item WHERE id = 1")[0]["n"]
                        changed(own, "UPDATE item SET n = ? WHERE id = 1", (n + 1,))
        except BaseException as error:
            errors.append(error)
            raise

    threads = [threading.Thread(target=count) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert errors == []
    assert rows(db, ALL) == [{"id": 1, "n": THREADS * ROUNDS}]


def test_no_helper_leaves_a_transaction_open(db: Database) -> None:
    def inside(work: Callable[[], object]) -> None:
        with tx(db):
            work()

    helpers: list[Callable[[], object]] = [
        lambda: rows(db, ALL),
        lambda: data_version(db),
        lambda: inside(lambda: changed(db, "INSERT INTO item VALUES (1, 1)")),
        lambda: inside(lambda: rows(db, "UPDATE item SET n = 2 RETURNING id")),
        lambda: inside(lambda: db.table("item").insert({"id": 2, "n": 2})),
        assert_no_transaction,
    ]
    for helper in helpers:
        helper()
        assert not db.conn.in_transaction
        assert_no_transaction()


def test_the_data_version_moves_with_commits_of_others_only(path: Path, db: Database) -> None:
    with connect(path) as other:
        before = data_version(db)
        with tx(db):
            changed(db, "INSERT INTO item VALUES (1, 1)")
        assert data_version(db) == before

        with tx(other):
            changed(other, "INSERT INTO item VALUES (2, 1)")
        assert data_version(db) != before


PAIRS = """
import sys
from approvals.store import changed, connect, tx
with connect(sys.argv[1]) as db:
    for n in range(1, 10**9):
        with tx(db):
            changed(db, "INSERT INTO item VALUES (?, 0)", (2 * n,))
            changed(db, "INSERT INTO item VALUES (?, 0)", (2 * n + 1,))
        print(n, flush=True)
"""


def test_a_kill_leaves_whole_transactions_and_every_acknowledged_one(
    path: Path, db: Database
) -> None:
    process = start(PAIRS, path)
    acknowledged = 0
    while acknowledged < 50:
        acknowledged = int(line(process))
    kill(process)

    found = rows(db, "SELECT count(*) AS n, count(DISTINCT id / 2) AS pairs FROM item")[0]
    assert found["n"] == 2 * found["pairs"]
    assert found["pairs"] >= acknowledged
    assert rows(db, "PRAGMA integrity_check") == [{"integrity_check": "ok"}]


HALF = """
import sys
from approvals.store import changed, connect, tx
with connect(sys.argv[1]) as db, tx(db):
    changed(db, "INSERT INTO item VALUES (1, 1)")
    print("half", flush=True)
    sys.stdin.read()
"""


def test_a_kill_inside_a_transaction_leaves_nothing_and_frees_the_lock(
    path: Path, db: Database
) -> None:
    process = start(HALF, path)
    assert line(process) == "half"
    kill(process)

    assert rows(db, ALL) == []
    with tx(db):
        assert changed(db, "INSERT INTO item VALUES (1, 2)") == 1


def test_threads_of_a_process_queue_and_do_not_race_for_the_stores_lock(
    path: Path, db: Database
) -> None:
    outcome: list[str] = []
    ended = threading.Event()

    def write() -> None:
        with connect(path, timeout_s=0) as other:  # SQLite itself would refuse at once
            try:
                with tx(other):
                    changed(other, "INSERT INTO item VALUES (2, 20)")
                outcome.append("written")
            except StoreBusy:
                outcome.append("refused")
        ended.set()

    with tx(db):
        second = threading.Thread(target=write)
        second.start()
        ended.wait(TURN_S / 4)
    second.join()

    assert outcome == ["written"]

"""Every connection has the same settings, and a file that cannot serve is refused in words."""

from __future__ import annotations

import sqlite3
import stat
import threading
from pathlib import Path

import pytest
from sqlite_utils import Database

from approvals import StoreBusy, StoreUnusable
from approvals.store import Writer, changed, connect, rows, tx


def pragma(db: Database, name: str) -> object:
    return db.execute(f"PRAGMA {name}").fetchone()[0]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def settings(db: Database) -> dict[str, object]:
    names = ["journal_mode", "synchronous", "foreign_keys", "wal_autocheckpoint", "query_only"]
    return {name: pragma(db, name) for name in names}


EXPECTED = {
    "journal_mode": "wal",
    "synchronous": 2,
    "foreign_keys": 1,
    "wal_autocheckpoint": 0,
    "query_only": 1,
}


def test_every_connection_has_the_settings(path: Path) -> None:
    with connect(path) as first, connect(path) as second:
        assert settings(first) == EXPECTED
        assert settings(second) == EXPECTED
        assert pragma(first, "mmap_size") == 0
        assert pragma(first, "busy_timeout") == 30_000


def test_the_writers_connection_alone_checkpoints(path: Path) -> None:
    with Writer(path) as writer, connect(path) as other:
        found = writer.run(settings)

        assert found == EXPECTED | {"wal_autocheckpoint": 1000, "query_only": 0}  # inside tx()
        assert settings(other) == EXPECTED


def test_the_three_files_are_private(path: Path, db: Database) -> None:
    with tx(db):
        changed(db, "INSERT INTO item VALUES (1, 1)")

    assert {name.name: mode(name) for name in path.parent.iterdir()} == {
        "store.db": 0o600,
        "store.db-wal": 0o600,
        "store.db-shm": 0o600,
    }


def test_files_that_others_could_read_are_closed_to_them(path: Path, db: Database) -> None:
    files = [path, Path(f"{path}-wal"), Path(f"{path}-shm")]
    for file in files:
        file.chmod(0o644)

    connect(path).close()

    assert pragma(db, "journal_mode") == "wal"
    assert [mode(file) for file in files] == [0o600] * 3


def test_foreign_keys_are_enforced(db: Database) -> None:
    with tx(db):
        db.execute("CREATE TABLE part (id INTEGER REFERENCES item (id)) STRICT")

    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"), tx(db):
        changed(db, "INSERT INTO part VALUES (7)")


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable, match=r"folder .*/absent of the store does not exist"):
        connect(tmp_path / "absent" / "store.db")


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable, match="is not a file"):
        connect(tmp_path)


def test_a_read_only_file_is_refused(path: Path) -> None:
    connect(path).close()
    path.chmod(0o400)

    with pytest.raises(StoreUnusable, match=r"store\.db is read-only; make it writable"):
        connect(path)

    assert mode(path) == 0o400


def test_a_file_that_is_no_database_is_refused_and_kept(path: Path) -> None:
    path.write_text("ticket_id,text\n" * 100)

    with pytest.raises(StoreUnusable, match="is not a SQLite database; name another file"):
        connect(path)

    assert path.read_text() == "ticket_id,text\n" * 100


def test_a_damaged_file_is_refused(path: Path, db: Database) -> None:
    with tx(db):
        db.executescript("".join(f"INSERT INTO item VALUES ({n}, {n});" for n in range(2000)))
    db.close()
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * len(data[4096:])
    path.write_bytes(data)

    with connect(path) as damaged, pytest.raises(StoreUnusable, match="is damaged"):
        rows(damaged, "SELECT * FROM item")


def test_a_full_disk_leaves_no_half_transaction(db: Database) -> None:
    pages = pragma(db, "page_count")
    db.execute(f"PRAGMA max_page_count={pages}")

    with pytest.raises(StoreUnusable, match="the disk is full"), tx(db):
        changed(db, "INSERT INTO item VALUES (1, 1)")
        changed(db, "UPDATE item SET n = 2")
        db.execute("CREATE TABLE large (text TEXT) STRICT")

    assert rows(db, "SELECT * FROM item") == []
    assert not db.conn.in_transaction


def test_an_empty_file_and_one_without_wal_become_stores(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    plain = sqlite3.connect(tmp_path / "plain.db")
    plain.execute("CREATE TABLE item (id INTEGER)")
    plain.close()

    for name in ("empty.db", "plain.db"):
        with connect(tmp_path / name) as db:
            assert settings(db) == EXPECTED


def test_creation_leaves_nothing_but_the_store(path: Path) -> None:
    connect(path).close()

    assert [file.name for file in path.parent.iterdir()] == ["store.db"]


def test_a_locked_store_is_busy(path: Path, db: Database) -> None:
    with connect(path, timeout_s=0) as other, tx(db):
        assert pragma(other, "busy_timeout") == 0
        other.execute("PRAGMA query_only=OFF")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")

    held = threading.Event()
    done = threading.Event()

    def hold() -> None:
        with connect(path) as holder, tx(holder):
            held.set()
            assert done.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(30)
    try:
        with (
            connect(path, timeout_s=0) as other,
            pytest.raises(StoreBusy, match="held by another writer"),
            tx(other),
        ):
            pass
    finally:
        done.set()
        thread.join()


def test_a_connection_is_refused_in_another_thread(db: Database) -> None:
    """Shared, one thread's rollback would undo what another one had reported as saved."""
    caught: list[BaseException] = []

    def use() -> None:
        for work in (lambda: rows(db, "SELECT 1"), lambda: tx(db).__enter__()):
            try:
                work()
            except sqlite3.ProgrammingError as error:
                caught.append(error)

    thread = threading.Thread(target=use)
    thread.start()
    thread.join()

    assert ["same thread" in str(error) for error in caught] == [True, True]

"""Every connection has the same settings, and a file that cannot serve is refused in words."""

from __future__ import annotations

import shutil
import sqlite3
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlite_utils import Database

from approvals import StoreBusy, StoreForeign, StoreUnusable
from approvals.store import Writer, changed, check_store, connect, rows, tx

PAGE_BYTES = 4096


def pragma(db: Database, name: str) -> object:
    return db.execute(f"PRAGMA {name}").fetchone()[0]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def settings(db: Database) -> dict[str, object]:
    names = ["journal_mode", "synchronous", "foreign_keys", "wal_autocheckpoint"]
    names += ["secure_delete", "query_only"]
    return {name: pragma(db, name) for name in names}


EXPECTED = {
    "journal_mode": "wal",
    "synchronous": 2,
    "foreign_keys": 1,
    "wal_autocheckpoint": 0,
    "secure_delete": 1,
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


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()

    with connect(tmp_path / "empty.db") as db:
        assert settings(db) == EXPECTED

    assert check_store(tmp_path / "empty.db")


def test_a_store_that_lost_its_log_mode_gets_it_back(path: Path) -> None:
    connect(path).close()
    plain = sqlite3.connect(path)
    plain.execute("PRAGMA journal_mode=DELETE")
    plain.close()

    with connect(path) as db:
        assert settings(db) == EXPECTED


@pytest.mark.parametrize("journal", ["DELETE", "WAL"])
@pytest.mark.parametrize("opener", [connect, check_store])
def test_a_database_of_another_program_is_refused_and_left_as_it_is(
    tmp_path: Path, journal: str, opener: Callable[[Path], object]
) -> None:
    theirs = tmp_path / "theirs.db"
    plain = sqlite3.connect(theirs)
    plain.execute(f"PRAGMA journal_mode={journal}")
    plain.execute("CREATE TABLE jobs (id INTEGER)")
    plain.commit()
    plain.close()
    theirs.chmod(0o644)
    before = theirs.read_bytes()

    with pytest.raises(StoreForeign, match="a database of another program"):
        opener(theirs)

    assert theirs.read_bytes() == before
    assert mode(theirs) == 0o644
    assert [file.name for file in tmp_path.iterdir()] == ["theirs.db"]


def test_what_is_no_database_keeps_its_mode(path: Path) -> None:
    path.write_text("ticket_id,text\n" * 100)
    path.chmod(0o644)

    with pytest.raises(StoreUnusable):
        connect(path)

    assert mode(path) == 0o644


def test_a_store_whose_process_was_killed_while_it_emptied_the_log_is_whole(tmp_path: Path) -> None:
    """The first page is moved first: it tells of pages that only the log has yet."""
    store, torn = tmp_path / "store.db", tmp_path / "torn.db"
    with connect(store) as db:
        with tx(db):
            db.execute("CREATE TABLE item (text TEXT NOT NULL) STRICT")
            for _ in range(50):
                db.execute("INSERT INTO item (text) VALUES (?)", ["x" * 4000])
        before = store.read_bytes()
        shutil.copyfile(f"{store}-wal", f"{torn}-wal")
        rows(db, "PRAGMA wal_checkpoint(TRUNCATE)")
        after = store.read_bytes()
    torn.write_bytes(after[:PAGE_BYTES] + before[PAGE_BYTES:])

    assert check_store(torn)
    with connect(torn) as db:
        assert rows(db, "SELECT count(*) AS n FROM item") == [{"n": 50}]


def test_looking_for_a_store_makes_none(path: Path) -> None:
    assert not check_store(path)
    assert list(path.parent.iterdir()) == []


def test_a_link_to_nothing_and_a_name_that_is_too_long_are_refused(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "nothing.db")

    with pytest.raises(StoreUnusable, match="a link to a file that does not exist"):
        connect(tmp_path / "link.db")
    with pytest.raises(StoreUnusable, match="File name too long"):
        connect(tmp_path / ("s" * 300))


def test_a_store_that_lost_a_table_says_so(db: Database) -> None:
    with pytest.raises(StoreUnusable, match=r"has lost a part \(no such table: journal\)"):
        rows(db, "SELECT * FROM journal")


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


@pytest.mark.parametrize("size", [10, 1000, 3 * PAGE_BYTES])
def test_what_was_erased_is_in_no_byte_of_the_file_once_the_log_is_emptied(
    path: Path, size: int
) -> None:
    said, insert = "x" * size, "INSERT INTO said (t) VALUES (?)"
    with Writer(path) as writer:
        writer.run(lambda db: db.execute("CREATE TABLE said (id INTEGER PRIMARY KEY, t TEXT)"))
        writer.run(lambda db: [changed(db, insert, (f"canary {n} {said}",)) for n in range(30)])
        writer.run(lambda db: changed(db, "UPDATE said SET t = '' WHERE id % 2 = 0"))
        writer.run(lambda db: changed(db, "DELETE FROM said WHERE id % 2 = 1"))

    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert b"canary" not in path.read_bytes()

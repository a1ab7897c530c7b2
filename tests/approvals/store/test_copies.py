"""Copies of the store, and compacting it so that erased bytes are gone."""

from __future__ import annotations

import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

from approvals.errors import (
    NoTransaction,
    StoreBusy,
    StoreForeign,
    StoreUnusable,
    TransactionOpen,
)
from approvals.store import changed, check_whole, compact, connect, copy_into, rows, set_aside, tx

WORD = "a-word-that-is-erased"


def filled(path: Path, count: int = 50) -> Database:
    db = connect(path)
    with tx(db):
        db.execute("CREATE TABLE t (x TEXT) STRICT")
        for _ in range(count):
            changed(db, "INSERT INTO t VALUES (?)", (WORD * 20,))
    return db


def count(path: Path) -> int:
    with closing(connect(path)) as db:
        return int(rows(db, "SELECT count(*) AS n FROM t")[0]["n"])


def test_a_copy_is_private_whole_and_one_moments(tmp_path: Path) -> None:
    with closing(filled(tmp_path / "s.db")) as db:
        copy_into(db, tmp_path / "copy.db")
        with tx(db):
            changed(db, "DELETE FROM t")

    assert stat.S_IMODE((tmp_path / "copy.db").stat().st_mode) == 0o600
    assert count(tmp_path / "copy.db") == 50


def test_a_copy_is_made_while_another_writes(tmp_path: Path) -> None:
    with closing(filled(tmp_path / "s.db")) as db:
        stop = threading.Event()

        def write() -> None:
            with closing(connect(tmp_path / "s.db")) as other:
                while not stop.is_set():
                    with tx(other):
                        changed(other, "INSERT INTO t VALUES ('x')")
                        changed(other, "INSERT INTO t VALUES ('x')")

        writer = threading.Thread(target=write)
        writer.start()
        for number in range(5):
            copy_into(db, tmp_path / f"copy-{number}.db")
        stop.set()
        writer.join()

    for number in range(5):
        with closing(connect(tmp_path / f"copy-{number}.db")) as copy:
            check_whole(copy)
        assert count(tmp_path / f"copy-{number}.db") % 2 == 0


def test_nothing_is_overwritten_and_nothing_is_left_of_a_failure(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    with closing(filled(tmp_path / "s.db")) as db:
        with pytest.raises(StoreUnusable, match="nothing is overwritten"):
            copy_into(db, tmp_path / "mine")
        with pytest.raises(StoreUnusable, match="cannot be written"):
            copy_into(db, tmp_path / "nowhere" / "copy.db")
        with pytest.raises(TransactionOpen), tx(db):
            copy_into(db, tmp_path / "copy.db")

    assert (tmp_path / "mine").read_text() == "mine"
    assert not (tmp_path / "copy.db").exists()


def test_the_wall_around_the_connection_stands_again_afterwards(tmp_path: Path) -> None:
    with closing(filled(tmp_path / "s.db")) as db:
        copy_into(db, tmp_path / "copy.db")
        compact(db, empties_log=True)

        with pytest.raises(NoTransaction):
            changed(db, "DELETE FROM t")
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            db.execute("DELETE FROM t")


def test_erased_bytes_are_gone_after_compacting(tmp_path: Path) -> None:
    file = tmp_path / "s.db"
    with closing(filled(file)) as db:
        rows(db, "PRAGMA secure_delete=OFF")  # some builds overwrite by themselves
        with tx(db):
            changed(db, "DELETE FROM t")
        rows(db, "PRAGMA wal_checkpoint(TRUNCATE)")
        before = WORD.encode() in file.read_bytes()
        compact(db, empties_log=True)

        assert before
        assert WORD.encode() not in file.read_bytes()
        assert WORD.encode() not in Path(f"{file}-wal").read_bytes()


def test_a_damaged_page_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "s.db"
    filled(file, 500).close()
    content = bytearray(file.read_bytes())
    content[4096 * 3 : 4096 * 4] = b"\xff" * 4096
    file.write_bytes(content)

    with closing(connect(file)) as db, pytest.raises(StoreUnusable, match="damaged"):
        check_whole(db)


def test_a_store_is_set_aside_under_a_second_name(tmp_path: Path) -> None:
    file, aside = tmp_path / "s.db", tmp_path / "aside.db"
    filled(file).close()

    assert not set_aside(tmp_path / "none.db", aside)
    assert set_aside(file, aside)
    assert count(aside) == 50


def test_a_store_in_use_is_not_set_aside(tmp_path: Path) -> None:
    file = tmp_path / "s.db"
    with closing(filled(file)), pytest.raises(StoreBusy, match="another process"):
        set_aside(file, tmp_path / "aside.db")

    assert not (tmp_path / "aside.db").exists()


def test_a_damaged_store_is_set_aside_with_its_log(tmp_path: Path) -> None:
    file, aside = tmp_path / "s.db", tmp_path / "aside.db"
    file.write_bytes(b"\xff" * 5000)
    Path(f"{file}-wal").write_bytes(b"log")

    assert set_aside(file, aside)
    assert aside.read_bytes() == b"\xff" * 5000
    assert Path(f"{aside}-wal").read_bytes() == b"log"
    assert not Path(f"{file}-wal").exists()


def test_another_programs_database_is_not_set_aside(tmp_path: Path) -> None:
    file = tmp_path / "theirs.db"
    theirs = sqlite3.connect(file)
    theirs.execute("CREATE TABLE t (x TEXT)")
    theirs.close()

    with pytest.raises(StoreForeign):
        set_aside(file, tmp_path / "aside.db")

    assert [each.name for each in tmp_path.iterdir()] == ["theirs.db"]

"""The read-only look into a database of another program."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from approvals import StoreUnusable
from approvals.store import read_foreign


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A database with a table, a view and a text that is no UTF-8."""
    path = tmp_path / "other's ?.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(
            "CREATE TABLE a (b TEXT); INSERT INTO a VALUES (CAST(x'ff41' AS TEXT));"
            "CREATE VIEW v AS SELECT b FROM a;"
        )
    return path


def test_tables_and_rows_are_read_and_views_are_none(file: Path) -> None:
    with read_foreign(file) as db:
        assert db.tables() == {"a"}
        assert [row["b"] for row in db.rows("SELECT b FROM a")] == ["\ufffdA"]


def test_nothing_can_be_written(file: Path) -> None:
    with read_foreign(file) as db, pytest.raises(StoreUnusable, match="cannot be read"):
        list(db.rows("DELETE FROM a"))


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable, match="cannot be opened"), read_foreign(tmp_path / "no.db"):
        pass

    assert list(tmp_path.iterdir()) == []

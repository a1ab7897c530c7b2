"""A store with one table, in a folder of the test's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlite_utils import Database

from approvals.store import connect, tx


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store is to be; nothing is there yet."""
    return tmp_path / "store.db"


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    """A connection to a store that holds the table ``item (id, n)``."""
    with connect(path) as opened:
        with tx(opened):
            opened.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, n INTEGER NOT NULL) STRICT")
        yield opened

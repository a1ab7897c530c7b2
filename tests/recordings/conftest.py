"""Fixtures of the recordings tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlite_utils import Database

from approvals.store import connect, migrate
from recordings import RUN_MIGRATIONS
from tools import PracticeShop


@pytest.fixture(scope="session")
def shop() -> Iterator[PracticeShop]:
    """The shipped practice shop."""
    with PracticeShop.from_folder() as shop:
        yield shop


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """An empty store with the tables of runs."""
    db = connect(tmp_path / "store.sqlite3")
    migrate(db, [RUN_MIGRATIONS])
    yield db
    db.close()

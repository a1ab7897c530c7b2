"""What the doctor finds about SQLite, the store and its disk."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest

from approvals.store import connect, migrate, tx
from bot.doctor.findings import Finding, Level
from bot.doctor.storage import (
    LEAST_FREE,
    OLDEST_SQLITE,
    SCARCE_FREE,
    SOUND_SQLITE,
    check_disk,
    check_sqlite,
    check_the_store,
)
from bot.store import MIGRATIONS


def one(findings: Iterable[Finding]) -> Finding:
    """Return the one finding that there is."""
    (found,) = findings
    return found


def made(path: Path, sets: int = len(MIGRATIONS)) -> Path:
    """Make a store with the first migration sets."""
    with closing(connect(path)) as db:
        migrate(db, MIGRATIONS[:sets])
    return path


@pytest.mark.parametrize(
    ("version", "level"),
    [
        ("3.37.2", Level.PROBLEM),
        (".".join(map(str, OLDEST_SQLITE)), Level.WARNING),
        ("3.51.2", Level.WARNING),
        (".".join(map(str, SOUND_SQLITE)), Level.OK),
        ("3.53.0", Level.OK),
    ],
)
def test_the_version_of_sqlite_is_held_against_both_floors(version: str, level: Level) -> None:
    found = one(check_sqlite(version))

    assert found.level is level
    assert version in found.what


@pytest.mark.parametrize(
    ("free", "level"),
    [
        (LEAST_FREE - 1, Level.PROBLEM),
        (LEAST_FREE, Level.WARNING),
        (SCARCE_FREE - 1, Level.WARNING),
        (SCARCE_FREE, Level.OK),
    ],
)
def test_a_disk_that_is_nearly_full_is_told_before_it_is(
    tmp_path: Path, free: int, level: Level
) -> None:
    asked: list[Path] = []

    def room(folder: Path) -> int:
        asked.append(folder)
        return free

    found = one(check_disk(tmp_path / "not" / "yet" / "handrail.sqlite3", room))

    assert found.level is level
    assert asked == [tmp_path]


def test_a_whole_store_is_said_to_be_whole(tmp_path: Path) -> None:
    store = made(tmp_path / "store.db")

    assert one(check_the_store(store)).what.startswith(f"{store} is whole")


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    found = one(check_the_store(tmp_path / "store.db"))

    assert found.level is Level.OK
    assert list(tmp_path.iterdir()) == []


def test_pending_migrations_are_a_warning_and_are_not_applied(tmp_path: Path) -> None:
    store = made(tmp_path / "store.db", sets=1)
    first = list(check_the_store(store))
    again = list(check_the_store(store))

    assert [each.level for each in first] == [Level.OK, Level.WARNING]
    assert again == first


def test_a_damaged_store_is_a_problem(tmp_path: Path) -> None:
    store = made(tmp_path / "store.db")
    pages = bytearray(store.read_bytes())
    pages[4096 : len(pages) // 2] = b"\xff" * (len(pages) // 2 - 4096)
    store.write_bytes(pages)
    found = one(check_the_store(store))

    assert found.level is Level.PROBLEM
    assert "restore" in found.do


def test_a_file_of_another_program_is_a_problem(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    store.write_text("not a database, whatever its name says", encoding="utf-8")

    assert one(check_the_store(store)).level is Level.PROBLEM


def test_a_store_of_a_newer_handrail_is_a_problem(tmp_path: Path) -> None:
    store = made(tmp_path / "store.db")
    with closing(connect(store)) as db, tx(db):
        db.execute("INSERT INTO migrations VALUES ('jobs', 99, 'of tomorrow')")

    assert one(check_the_store(store)).level is Level.PROBLEM


def test_what_was_given_up_is_a_warning(tmp_path: Path) -> None:
    store = made(tmp_path / "store.db")
    with closing(connect(store)) as db, tx(db):
        db.execute(
            "INSERT INTO outbox (channel, method, payload, key, state, next_at_us)"
            " VALUES ('C0', 'chat.postMessage', '{}', 'k', 'failed', 0)"
        )
    whole, letters = check_the_store(store)

    assert whole.level is Level.OK
    assert (letters.check, letters.level) == ("letters", Level.WARNING)
    assert letters.what.startswith("1 thing given up")

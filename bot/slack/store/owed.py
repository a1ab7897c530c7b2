"""Recordings that are owed: runs that ended and have no file yet."""

from __future__ import annotations

from sqlite_utils import Database

from approvals.store import changed, rows

__all__ = ["owe_recording", "owed_recordings", "settle_recording"]


def owe_recording(db: Database, run_id: str) -> None:
    """Note that a run's recording is to be written, inside the ``tx()`` that ends the run."""
    changed(db, "INSERT OR IGNORE INTO recordings_owed (run_id) VALUES (?)", (run_id,))


def owed_recordings(db: Database) -> list[str]:
    """Return the runs whose recordings are to be written. A read."""
    return [row["run_id"] for row in rows(db, "SELECT run_id FROM recordings_owed ORDER BY run_id")]


def settle_recording(db: Database, run_id: str) -> None:
    """Note that it is written, or never can be, inside the caller's ``tx()``."""
    changed(db, "DELETE FROM recordings_owed WHERE run_id = ?", (run_id,))

"""Erasing journals: the runs stay listed, what customers wrote and what was answered goes.

Inside the caller's ``tx()``. The file keeps no erased byte, but the log does until it is emptied.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable

from sqlite_utils import Database

from approvals.store import changed, rows

__all__ = ["erase_journals_of", "erase_old_journals"]


def erase_journals_of(db: Database, customer_id: str) -> tuple[str, ...]:
    """Erase the journal of every run about a customer's tickets, and return the runs' ids.

    One that still lives is ended, as cancelled; its process stops at its next entry.
    """
    found = rows(
        db,
        "SELECT run_id FROM journal WHERE seq = 0"
        " AND CASE WHEN json_valid(line) THEN line ->> 'customer_id' = ? END",
        (customer_id,),
    )
    run_ids = tuple(row["run_id"] for row in found)
    changed(
        db,
        "UPDATE runs SET state = 'ended', result = 'failed', reason = 'cancelled'"
        " WHERE state = 'running' AND run_id IN (SELECT value FROM json_each(?))",
        (json.dumps(run_ids),),
    )
    _erase(db, run_ids)
    return run_ids


def erase_old_journals(
    db: Database, *, started_before: str, keep: Collection[str]
) -> tuple[str, ...]:
    """Erase the journals of ended runs that began before an ISO time stamp; return their ids.

    ``keep`` are runs that are still needed.
    """
    found = rows(
        db,
        "SELECT run_id FROM runs WHERE state = 'ended' AND started_at < ?"
        " AND run_id IN (SELECT run_id FROM journal)"
        " AND run_id NOT IN (SELECT value FROM json_each(?))",
        (started_before, json.dumps(sorted(keep))),
    )
    run_ids = tuple(row["run_id"] for row in found)
    _erase(db, run_ids)
    return run_ids


def _erase(db: Database, run_ids: Iterable[str]) -> None:
    sql = "DELETE FROM journal WHERE run_id IN (SELECT value FROM json_each(?))"
    changed(db, sql, (json.dumps(list(run_ids)),))

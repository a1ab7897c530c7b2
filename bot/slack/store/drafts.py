"""What people made of a run's answer: their own text beside it, and what each did with it.

Verbs that write are called inside the caller's ``tx()``.
"""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import Final, NamedTuple

from sqlite_utils import Database

from approvals.store import changed, rows

__all__ = [
    "EditedText",
    "FeedbackKind",
    "count_feedback",
    "edited_text",
    "feedback_of",
    "first_feedback",
    "give_feedback",
    "judged_runs",
    "keep_edit",
]


class FeedbackKind(StrEnum):
    """What somebody did with an answer. All of it is kept, with who and when."""

    HELPFUL = "helpful"
    NOT_HELPFUL = "not_helpful"
    DISCARDED = "discarded"
    TAKEN_OVER = "taken_over"
    EDITED = "edited"
    STOPPED = "stopped"
    ASKED_AGAIN = "asked_again"
    RETRIED = "retried"


_THUMBS: Final = (FeedbackKind.HELPFUL, FeedbackKind.NOT_HELPFUL)


class EditedText(NamedTuple):
    """A person's text of a draft."""

    text: str
    by: str


def keep_edit(db: Database, run_id: str, text: str, *, by: str, now_us: int) -> None:
    """Keep a person's text beside the draft; the last one counts."""
    changed(
        db,
        "INSERT INTO drafts (run_id, edited_text, edited_by, at_us) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (run_id) DO UPDATE SET edited_text = excluded.edited_text,"
        " edited_by = excluded.edited_by, at_us = excluded.at_us",
        (run_id, text, by, now_us),
    )


def edited_text(db: Database, run_id: str) -> EditedText | None:
    """Return the text that a person made of a draft; None where nobody did. A read."""
    found = rows(db, "SELECT edited_text, edited_by FROM drafts WHERE run_id = ?", (run_id,))
    return EditedText(found[0]["edited_text"], found[0]["edited_by"]) if found else None


def give_feedback(
    db: Database, run_id: str, kind: FeedbackKind, *, by: str, now_us: int, text: str | None = None
) -> None:
    """Keep what somebody did. A thumb takes the place of the same person's earlier one."""
    if kind in _THUMBS:
        changed(
            db,
            "DELETE FROM feedback WHERE run_id = ? AND user_id = ?"
            " AND kind IN ('helpful', 'not_helpful')",
            (run_id, by),
        )
    changed(
        db,
        "INSERT INTO feedback (run_id, user_id, kind, at_us, text) VALUES (?, ?, ?, ?, ?)",
        (run_id, by, kind.value, now_us, text),
    )


def first_feedback(db: Database, run_id: str, kind: FeedbackKind) -> str | None:
    """Return who was the first to do something with a run; None where nobody did. A read."""
    sql = (
        "SELECT user_id FROM feedback WHERE run_id = ? AND kind = ?"
        " ORDER BY at_us, feedback_id LIMIT 1"
    )
    found = rows(db, sql, (run_id, kind.value))
    return found[0]["user_id"] if found else None


def count_feedback(db: Database, run_id: str, kind: FeedbackKind) -> int:
    """Count who did something with a run. A read."""
    sql = "SELECT count(*) AS n FROM feedback WHERE run_id = ? AND kind = ?"
    return int(rows(db, sql, (run_id, kind.value))[0]["n"])


def feedback_of(db: Database, run_id: str) -> Counter[FeedbackKind]:
    """Count all that was done with a run's answer, by kind. A read."""
    sql = "SELECT kind, count(*) AS n FROM feedback WHERE run_id = ? GROUP BY kind"
    return Counter({FeedbackKind(row["kind"]): row["n"] for row in rows(db, sql, (run_id,))})


def judged_runs(db: Database) -> frozenset[str]:
    """Return the ids of the runs that somebody did something with. A read."""
    return frozenset(row["run_id"] for row in rows(db, "SELECT DISTINCT run_id FROM feedback", ()))

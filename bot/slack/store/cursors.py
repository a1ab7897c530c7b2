"""How far something was read: the audit by the follower, a channel's history by the catch-up.

And when Slack last said that it leaves events out, in microseconds since 1970.
"""

from __future__ import annotations

from typing import Final

from sqlite_utils import Database

from approvals.store import changed, rows

__all__ = ["LEFT_OUT", "move_cursor", "read_cursor"]

LEFT_OUT: Final = "left-out"
"""Names the cursor of that moment: whichever process is told, the one that reads sees it."""


def read_cursor(db: Database, name: str) -> int | None:
    """Return how far a cursor is; None where nothing was read yet. A read."""
    found = rows(db, "SELECT seq FROM cursor WHERE name = ?", (name,))
    return int(found[0]["seq"]) if found else None


def move_cursor(db: Database, name: str, seq: int) -> None:
    """Move a cursor on, inside the caller's ``tx()``; it never moves back."""
    changed(
        db,
        "INSERT INTO cursor (name, seq) VALUES (?, ?) ON CONFLICT (name)"
        " DO UPDATE SET seq = max(seq, excluded.seq)",
        (name, seq),
    )

"""Erasable texts beside the proposals: evidence lines, the draft, why somebody decided.

Facts are kept for years and texts are not: other tables hold a text's digest alone. Each text has
a salt of its own that is erased with it, so that a short text cannot be guessed from its digest.
"""

from __future__ import annotations

import secrets
from enum import StrEnum
from typing import Final

from sqlite_utils import Database

from approvals.forms import text_digest
from approvals.store import changed, rows
from tools import clean_text

__all__ = ["MAX_TEXT_CHARS", "TextKind", "keep_text", "random_salt", "texts_of"]

MAX_TEXT_CHARS: Final = 4000
"""Longest text that is kept, in characters; the rest is cut, and the cut is said."""


class TextKind(StrEnum):
    """What a text is."""

    EVIDENCE = "evidence"
    DRAFT = "draft"
    WHY = "why"


def random_salt() -> str:
    """Return a salt that nobody can guess."""
    return secrets.token_hex(16)


def keep_text(
    db: Database, *, proposal_id: str, kind: TextKind, text: str, salt: str, at_us: int
) -> str:
    """Keep a text, made safe to show, inside the caller's ``tx()`` and return its digest."""
    clean = clean_text(text, MAX_TEXT_CHARS)
    digest = text_digest(salt, clean)
    changed(
        db,
        "INSERT INTO texts (proposal_id, kind, digest, salt, text, at_us)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (proposal_id, kind.value, digest, salt, clean, at_us),
    )
    return digest


def texts_of(db: Database, proposal_id: str, kind: TextKind) -> list[str | None]:
    """Return a proposal's texts of a kind, oldest first; None where one was erased. A read."""
    found = rows(
        db,
        "SELECT text FROM texts WHERE proposal_id = ? AND kind = ? ORDER BY text_id",
        (proposal_id, kind.value),
    )
    return [row["text"] for row in found]


def text_by_digest(db: Database, proposal_id: str, digest: str) -> str | None:
    """Return the text of a digest, None where it was erased. A read."""
    found = rows(
        db,
        "SELECT text FROM texts WHERE proposal_id = ? AND digest = ? LIMIT 1",
        (proposal_id, digest),
    )
    return found[0]["text"] if found else None

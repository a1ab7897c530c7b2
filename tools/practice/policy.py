"""Policy search: full text, public passages in force on the day, nothing else."""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from datetime import date
from typing import Final

from tools.records import Passage

__all__ = ["search", "words_of"]

MAX_PASSAGES: Final = 3
MIN_WORD_CHARS: Final = 3
"""Shorter words are dropped (reference facts B3)."""
_WORD: Final = re.compile(r"[^\W_]+")

_SEARCH: Final = """
SELECT p.passage_id, p.doc_id, p.title, p.version, p.section, p.text,
       p.effective_from, p.effective_to
FROM passages_words JOIN passages AS p ON p.id = passages_words.rowid
WHERE passages_words MATCH ?1
  AND p.access = 'public'
  AND p.effective_from <= ?2 AND (p.effective_to IS NULL OR p.effective_to >= ?2)
ORDER BY passages_words.rank, p.id
LIMIT ?3
"""


def words_of(query: str) -> tuple[str, ...]:
    """Return the words that are looked for: each once, those of one or two characters dropped."""
    # Composed, as the passages are: a decomposed accent would cut a word in two.
    words = (word.lower() for word in _WORD.findall(unicodedata.normalize("NFC", query)))
    return tuple(dict.fromkeys(word for word in words if len(word) >= MIN_WORD_CHARS))


def search(connection: sqlite3.Connection, query: str, on: date) -> tuple[Passage, ...]:
    """Return the three passages that fit best, best first; a passage fits by any of the words."""
    words = words_of(query)
    if not words:
        return ()
    match = " OR ".join(f'"{word}"' for word in words)  # quoted: no word can be an operator
    rows = connection.execute(_SEARCH, (match, on.isoformat(), MAX_PASSAGES)).fetchall()
    return tuple(_passage(row) for row in rows)


def _passage(row: tuple[str, str, str, int, str, str, str, str | None]) -> Passage:
    passage_id, doc_id, title, version, section, text, start, end = row
    return Passage(
        passage_id=passage_id,
        doc_id=doc_id,
        title=title,
        version=version,
        section=section,
        text=text,
        effective_from=date.fromisoformat(start),
        effective_to=None if end is None else date.fromisoformat(end),
    )

"""SQLite is opened and its transactions are made in two places only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("approvals", "bot", "loop", "recordings", "tools")
ALLOWED = ("approvals/store/", "tools/practice/")
FORBIDDEN = {
    "sqlite3.connect": re.compile(r"\bsqlite3\s*\.\s*connect\b|from sqlite3 import[^\n]*connect"),
    "Database(": re.compile(r"(?<![\w\"'`])Database\s*\((?!\w+: )"),
    ".atomic(": re.compile(r"\.\s*atomic\s*\("),
    "execute(… RETURNING": re.compile(
        r"\.\s*execute(?:many|script)?\s*\([^)]*\bRETURNING\b", re.IGNORECASE
    ),
}


def findings(text: str) -> list[str]:
    """Name each forbidden form that a source text holds."""
    return [name for name, pattern in FORBIDDEN.items() if pattern.search(text)]


def sources() -> Iterator[Path]:
    for package in PACKAGES:
        yield from sorted((ROOT / package).rglob("*.py"))


def test_only_the_two_stores_open_sqlite_or_make_transactions() -> None:
    found = {
        str(path.relative_to(ROOT)): findings(path.read_text(encoding="utf-8"))
        for path in sources()
        if not str(path.relative_to(ROOT)).startswith(ALLOWED)
    }

    assert found
    assert {name: what for name, what in found.items() if what} == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("db = sqlite3.connect(path)", ["sqlite3.connect"]),
        ("from sqlite3 import connect", ["sqlite3.connect"]),
        ("db = Database(path)", ["Database("]),
        ("with db.atomic():\n    pass", [".atomic("]),
        ('db.execute("UPDATE t SET a = 1 RETURNING a")', ["execute(… RETURNING"]),
        (
            'db.execute(\n    "UPDATE t SET a = ?"\n    " returning a", [1])',
            ["execute(… RETURNING"],
        ),
        ('rows(db, "UPDATE t SET a = 1 RETURNING a")', []),
        ("from approvals.store import connect\ndb = connect(path)", []),
        ("def f(db: Database) -> None: ...", []),
    ],
)
def test_the_lint_sees_what_it_is_for(text: str, expected: list[str]) -> None:
    assert findings(text) == expected

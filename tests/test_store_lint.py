"""SQLite is opened in two places only, and SQL stands in the store modules."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("approvals", "bot", "loop", "recordings", "tools")
ALLOWED = ("approvals/store/", "tools/practice/")
STORE_MODULES = (
    "approvals/asked_by.py",
    "approvals/audit.py",
    "approvals/decisions.py",
    "approvals/epochs.py",
    "approvals/erase.py",
    "approvals/follow.py",
    "approvals/operation_rows.py",
    "approvals/proposals.py",
    "approvals/records.py",
    "approvals/revisions.py",
    "approvals/schema.py",
    "approvals/standing.py",
    "approvals/store/",
    "approvals/texts.py",
    "bot/slack/store/",
    "recordings/erase.py",
    # Another program's log, through the read-only look that approvals.store gives.
    "recordings/importers/llm_",
    "recordings/store.py",
    "tools/practice/",
)
"""Where statements may stand. Elsewhere a verb of one of these is called."""
STATEMENT = re.compile(
    r"\s*(?:SELECT\s|INSERT\s+(?:OR\s+\w+\s+)?INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s"
    r"|CREATE\s+(?:UNIQUE\s+)?(?:TABLE|INDEX|TRIGGER|VIEW)\s|PRAGMA\s|WITH\s+\w+\s+AS\s)"
)
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


def statements(text: str) -> list[str]:
    """Return the beginning of each SQL statement among a source text's literals."""
    return [
        node.value.split("\n")[0][:60]
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and STATEMENT.match(node.value)
    ]


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


def test_sql_stands_in_the_store_modules_and_nowhere_else() -> None:
    found = {
        str(path.relative_to(ROOT)): statements(path.read_text(encoding="utf-8"))
        for path in sources()
        if not str(path.relative_to(ROOT)).startswith(STORE_MODULES)
    }

    assert {name: what for name, what in found.items() if what} == {}


def test_every_store_module_is_there_and_holds_sql() -> None:
    empty = [
        name
        for name in STORE_MODULES
        if not any(
            statements(path.read_text(encoding="utf-8"))
            for path in sources()
            if str(path.relative_to(ROOT)).startswith(name)
        )
    ]

    assert empty == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('rows(db, "SELECT 1 FROM cards")', 1),
        ('sql = (\n    "UPDATE cards SET ts = ?"\n    " WHERE a = 1")', 1),
        ('sql = f"DELETE FROM {table}"', 1),
        ('SQL = """\nINSERT OR IGNORE INTO cards VALUES (1)"""', 1),
        ('"Select the ticket", "Update it", "with care", "Delete from here"', 0),
    ],
)
def test_a_statement_is_known_by_its_first_words(text: str, count: int) -> None:
    assert len(statements(text)) == count


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

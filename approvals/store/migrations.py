"""Numbered, append-only changes of the store's tables.

Each package above registers its own set; a set is never edited, only continued. All pending
migrations of all sets and their records are one transaction: the store is at the old version or
at the new one, also when several processes start at once or one is killed half-way.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sqlite_utils import Database

from approvals.errors import StoreTooNew
from approvals.store.tx import changed, rows, tx

__all__ = ["Applied", "Migration", "MigrationSet", "migrate", "pending", "script"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One change. ``number`` starts at 1 in its set; ``apply`` runs inside the transaction."""

    number: int
    name: str
    apply: Callable[[Database], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationSet:
    """The migrations of one package, numbered 1, 2, 3 … without a gap."""

    name: str
    migrations: tuple[Migration, ...]

    def __post_init__(self) -> None:
        numbers = [migration.number for migration in self.migrations]
        if numbers != list(range(1, len(numbers) + 1)):
            raise ValueError(f"migration set {self.name}: numbers must be 1, 2, 3 … in order")


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Applied:
    """A migration as the store records it."""

    set_name: str
    number: int
    name: str

    def __str__(self) -> str:
        return f"{self.set_name} {self.number} ({self.name})"


def script(sql: str) -> Callable[[Database], None]:
    """Return an ``apply`` that runs several statements, triggers included, one after the other."""
    statements = tuple(_statements(sql))

    def apply(db: Database) -> None:
        for statement in statements:
            db.execute(statement)

    return apply


def pending(db: Database, sets: Sequence[MigrationSet]) -> list[Applied]:
    """List what ``migrate`` would apply, in its order. Writes nothing.

    Raises:
        StoreTooNew: the store holds a migration that is in none of the sets.
    """
    return [record for record, _ in _missing(db, sets)]


def migrate(db: Database, sets: Sequence[MigrationSet]) -> list[Applied]:
    """Apply everything pending, in the order of the sets, and return it; empty if up to date.

    Give all sets that the program has: a set that is not given counts as unknown.

    Raises:
        StoreTooNew: the store holds a migration that is in none of the sets; nothing is changed.
    """
    if not _missing(db, sets):
        return []
    with tx(db):
        missing = _missing(db, sets)  # again: another process may have been first
        db.execute(_TABLE)
        for record, migration in missing:
            migration.apply(db)
            changed(
                db,
                "INSERT INTO migrations (set_name, number, name) VALUES (?, ?, ?)",
                (record.set_name, record.number, record.name),
            )
    return [record for record, _ in missing]


_TABLE = """
CREATE TABLE IF NOT EXISTS migrations (
    set_name TEXT NOT NULL,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (set_name, number)
) STRICT, WITHOUT ROWID
"""


def _missing(db: Database, sets: Sequence[MigrationSet]) -> list[tuple[Applied, Migration]]:
    known = {
        Applied(set_name=each.name, number=migration.number, name=migration.name): migration
        for each in sets
        for migration in each.migrations
    }
    if len({each.name for each in sets}) != len(sets):
        raise ValueError("two migration sets have one name")
    done = _applied(db)
    unknown = sorted(done - known.keys())
    if unknown:
        raise StoreTooNew(str(unknown[0]))
    return [(record, migration) for record, migration in known.items() if record not in done]


def _applied(db: Database) -> set[Applied]:
    if not rows(db, "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'"):
        return set()
    return {Applied(**row) for row in rows(db, "SELECT set_name, number, name FROM migrations")}


def _statements(sql: str) -> Iterator[str]:
    """Cut a script at the semicolons that end a statement, not at those inside a trigger."""
    part = ""
    for piece in sql.split(";")[:-1]:
        part += f"{piece};"
        if sqlite3.complete_statement(part):
            yield part.strip()
            part = ""
    rest = part + sql.rpartition(";")[2]
    if rest.strip():
        raise ValueError("a migration script must end each statement with a semicolon")

"""A look into a SQLite file that is not ours, such as another program's log. Nothing is written."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from approvals.errors import StoreUnusable

__all__ = ["Foreign", "read_foreign"]


class Foreign:
    """An open file of another program. Ask it with SELECT alone; it refuses everything else."""

    def __init__(self, connection: sqlite3.Connection, file: Path) -> None:
        self._connection = connection
        self._file = file

    def tables(self) -> frozenset[str]:
        """Return the names of the tables; views are left out, for they may run anything.

        Raises:
            StoreUnusable: the file is damaged, or no database.
        """
        return frozenset(
            row[0] for row in self.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")
        )

    def rows(self, sql: str, values: Sequence[str | int] = ()) -> Iterator[sqlite3.Row]:
        """Yield the rows of a SELECT one by one.

        Raises:
            StoreUnusable: the file is damaged, or has not what is asked for.
        """
        try:
            yield from self._connection.execute(sql, values)
        except sqlite3.Error as error:
            raise StoreUnusable(f"{self._file} cannot be read: {error}") from None


@contextmanager
def read_foreign(file: Path) -> Iterator[Foreign]:
    """Give a read-only look into a database file of another program.

    A byte of a text that is no UTF-8 comes as U+FFFD.

    Raises:
        StoreUnusable: it cannot be opened.
    """
    try:
        connection = sqlite3.connect(f"file:{quote(str(file.absolute()))}?mode=ro", uri=True)
    except sqlite3.Error as error:
        raise StoreUnusable(f"{file} cannot be opened: {error}") from None
    with closing(connection):
        connection.row_factory = sqlite3.Row
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        # What a hostile file may try: functions in its schema, and writes.
        connection.executescript("PRAGMA trusted_schema = OFF; PRAGMA query_only = ON;")
        yield Foreign(connection, file)

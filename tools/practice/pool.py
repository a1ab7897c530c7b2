"""One read-only connection for each thread of each process, and short read transactions."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.errors import ShopUnavailable
from tools.practice.database import connect

__all__ = ["Readers"]


class Readers:
    """Connections to one file, each kept for the thread that first asked.

    A thread's number comes again after its end, and so does its connection: there are never more
    than threads were alive at once. A connection is not carried over a fork (SQLite forbids it).
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connections: dict[tuple[int, int], sqlite3.Connection] = {}
        self._closed = False

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Give a connection inside one read transaction: all queries see one state.

        Raises:
            ShopUnavailable: the file cannot be read now, or the shop was closed.
        """
        try:
            connection = self._own()
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("ROLLBACK")
        except sqlite3.Error as error:
            raise ShopUnavailable(f"the practice shop cannot be read: {error}") from error

    def close(self) -> None:
        """Close this process's connections. No thread may be reading."""
        self._closed = True
        here = os.getpid()
        for connection in [item for key, item in self._connections.items() if key[0] == here]:
            connection.close()
        self._connections.clear()

    def _own(self) -> sqlite3.Connection:
        if self._closed:
            raise ShopUnavailable("the practice shop was closed")
        key = (os.getpid(), threading.get_ident())
        connection = self._connections.get(key)
        if connection is None:
            connection = self._connections[key] = connect(self._path, read_only=True)
        return connection

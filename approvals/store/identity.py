"""Which files are Handrail's: told before anything of a file is changed, its mode included."""

from __future__ import annotations

import os
import re
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import Final

from approvals.errors import StoreForeign, StoreUnusable

__all__ = ["APPLICATION_ID", "check_ours", "lost_part", "sign"]

APPLICATION_ID: Final = 0x48526C31
"""What SQLite's field for the kind of a database holds in every store of ours: "HRl1"."""
_LOST: Final = re.compile(r"no such (table|column)|already exists|duplicate column name")


def check_ours(file: Path) -> bool:
    """Return whether there is a store at the place; an empty file is one that can become one.

    Nothing is written, no lock is taken, and no log is looked at: the sign stands in the main
    file from before the store had its name.

    Raises:
        StoreForeign: the file is a database of another program.
        StoreUnusable: the place cannot be looked at, or holds something that is no file.
        sqlite3.DatabaseError: the file is no database, is damaged or cannot be read.
    """
    found = _look_at(file)
    if found is None or found.st_size == 0:
        return found is not None
    # Through SQLite, not by reading the header: closing a plain descriptor would drop the locks
    # that this process's other connections hold on the file (POSIX).
    address = f"{file.absolute().as_uri()}?immutable=1"
    with closing(sqlite3.connect(address, uri=True)) as connection:
        # While another process moves the log into the main file, and after a kill in the midst of
        # that, the file is shorter than its first page says. The log makes up for it, but it is
        # not looked at here, so SQLite must not take that for damage. This switches the check off.
        connection.execute("PRAGMA writable_schema=ON")
        number = connection.execute("PRAGMA application_id").fetchone()[0]
    if number != APPLICATION_ID:
        raise StoreForeign(str(file))
    return True


def sign(connection: sqlite3.Connection) -> None:
    """Mark an empty database as a store of ours; one that bears a mark keeps it."""
    if connection.execute("PRAGMA application_id").fetchone()[0] == 0:
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")


def lost_part(error: sqlite3.Error) -> bool:
    """Whether a statement failed because tables are not those that the migrations made."""
    return _LOST.search(str(error)) is not None


def _look_at(file: Path) -> os.stat_result | None:
    """Return what lies at the place; None where nothing does."""
    try:
        if not file.exists():
            if file.is_symlink():
                raise StoreUnusable(f"the store {file} is a link to a file that does not exist")
            return None
        found = file.stat()
    except OSError as error:
        raise StoreUnusable(f"the store {file} cannot be opened: {error.strerror}") from error
    if not stat.S_ISREG(found.st_mode):
        raise StoreUnusable(f"the store {file} is not a file; name a file")
    return found

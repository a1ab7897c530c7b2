"""A practice shop that lasts: one file, built once, that keeps what writes change in it."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from contextlib import closing, suppress
from pathlib import Path

from tools.canonical import digest
from tools.errors import DataError
from tools.forms import IdForms
from tools.practice.database import build, connect
from tools.practice.gateway import PracticeGateway
from tools.practice.load import ShopData, read_folder
from tools.practice.shop import PRACTICE_IDS, PRACTICE_TODAY, SHIPPED_DATA, PracticeShop

__all__ = ["build_lasting", "open_lasting"]


def open_lasting(
    path: Path, folder: Path | None = None, *, ids: IdForms = PRACTICE_IDS
) -> PracticeShop:
    """Open the shop in a file, building it where there is none yet.

    A shop of other data is built anew as long as nothing was changed in it.

    Args:
        path: the shop's file; its folder must exist.
        folder: the data that it must have been built from; None takes whatever it holds, and
            builds a missing one from the data that ship.
        ids: the forms of its ids.

    Raises:
        DataError: a data file is missing or malformed, the file cannot be made, or it was built
            from other data and holds changes that would be lost.
    """
    if not path.exists():
        _build(path, read_folder(folder or SHIPPED_DATA, ids), replaces=False)
    elif folder is not None:
        data = read_folder(folder, ids)
        if _source_of(path) != _source(data):
            if _has_changes(path):
                raise DataError(
                    str(path),
                    "this practice shop was built from other data and holds changes; handrail shop"
                    " reset builds it anew without them, --no-store leaves it alone",
                )
            _build(path, data, replaces=True)
    return PracticeShop(path, ids)


def build_lasting(path: Path, folder: Path | None = None, *, ids: IdForms = PRACTICE_IDS) -> None:
    """Build the shop anew from its data; what was changed in it is gone.

    Raises:
        DataError: a data file is missing or malformed, or the file cannot be made.
    """
    _build(path, read_folder(folder or SHIPPED_DATA, ids), replaces=True)


def _build(path: Path, data: ShopData, *, replaces: bool) -> None:
    """Build under another name, so that nobody ever opens half a shop."""
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        os.close(descriptor)
        fresh = Path(name)
        try:
            build(fresh, data, source=_source(data))
            if replaces:
                for end in ("-wal", "-shm"):  # a log of one file must never meet another
                    Path(f"{path}{end}").unlink(missing_ok=True)
                fresh.replace(path)
            else:
                with suppress(FileExistsError):  # another process was first; its file is as good
                    os.link(fresh, path)
        finally:
            fresh.unlink(missing_ok=True)
    except (OSError, sqlite3.Error) as error:
        raise DataError(str(path), f"the practice shop cannot be made: {error}") from None


def _source(data: ShopData) -> str:
    rows = {table: [list(row) for row in values] for table, values in data.rows.items()}
    return digest("practice data", {"payments_known": data.payments_known, "rows": rows})


def _source_of(path: Path) -> str | None:
    """Return what the file says that it was built from; None where it does not say."""
    try:
        with closing(connect(path, read_only=True)) as db:
            row = db.execute("SELECT value FROM about WHERE key = 'source'").fetchone()
    except sqlite3.Error as error:
        raise DataError(str(path), f"is not a practice shop: {error}") from None
    return None if row is None else str(row[0])


def _has_changes(path: Path) -> bool:
    with PracticeGateway(path, today=lambda: PRACTICE_TODAY) as gateway:
        return bool(gateway.changes())

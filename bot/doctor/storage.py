"""The store: SQLite, the file, its migrations and pages, the disk, and who runs the jobs."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from sqlite_utils import Database

from approvals import OperationState, StoreError, operations_in
from approvals.store import ServeLock, check_store, check_whole, connect, pending
from bot.doctor.findings import Finding, fine, problem, warning
from bot.slack.store.letters import count_letters
from bot.store import MIGRATIONS
from bot.texts import counted

__all__ = ["check_disk", "check_lock", "check_sqlite", "check_the_store"]

OLDEST_SQLITE: Final = (3, 38, 0)
"""The first with ``->>``; STRICT tables came with 3.37 (sqlite.org, release log)."""
SOUND_SQLITE: Final = (3, 51, 3)
"""The first without the WAL-reset bug of 3.7.0 to 3.51.2 (sqlite.org, "WAL-mode File Format")."""
LEAST_FREE: Final = 100_000_000
"""Bytes below which a store may soon be unable to grow: a problem."""
SCARCE_FREE: Final = 1_000_000_000
"""Bytes below which somebody should know."""
_NAME: Final = "store"

FreeBytes = Callable[[Path], int]


def free_bytes(folder: Path) -> int:
    """Return how many bytes are free on a folder's disk."""
    return shutil.disk_usage(folder).free


def check_sqlite(version: str = sqlite3.sqlite_version) -> Iterator[Finding]:
    """Look at the version of SQLite that Python brings."""
    number = tuple(int(part) for part in version.split("."))
    if number < OLDEST_SQLITE:
        yield problem(
            "sqlite",
            f"SQLite {version} is too old",
            f"use a Python with SQLite {_dotted(OLDEST_SQLITE)} or newer",
        )
    elif number < SOUND_SQLITE:
        yield warning(
            "sqlite",
            f"SQLite {version} can damage a file that two programs empty the log of at once;"
            " one handrail process does not, several at one store might",
            f"run one process at a store, or use a Python with SQLite {_dotted(SOUND_SQLITE)}",
        )
    else:
        yield fine("sqlite", f"SQLite {version}")


def check_the_store(store: Path) -> Iterator[Finding]:
    """Open the store, look for what is to be migrated, and walk its pages. Nothing is changed."""
    try:
        if not check_store(store):
            yield _no_store(store)
            return
        with closing(connect(store)) as db:
            yield from _open_store(db, store)
    except StoreError as error:
        yield problem(_NAME, str(error), "handrail restore puts a backup in its place")


def check_disk(store: Path, free: FreeBytes = free_bytes) -> Iterator[Finding]:
    """Look at the room that the store has to grow."""
    folder = _nearest_folder(store)
    left = free(folder)
    words = f"{left / 1e9:.1f} GB free for {store}"
    if left < LEAST_FREE:
        yield problem("disk", words, "free some space: a full disk takes no more tickets")
    elif left < SCARCE_FREE:
        yield warning("disk", words, "free some space; handrail purge erases old texts")
    else:
        yield fine("disk", words)


def check_lock(store: Path) -> Iterator[Finding]:
    """Look at who runs the jobs. The lock is tried for and let go at once."""
    if not store.parent.is_dir():
        yield fine("jobs", "nobody runs the jobs: there is no store yet")
        return
    lock = ServeLock(store)
    try:
        holder = lock.holder()
        free = lock.try_acquire()
    except StoreError as error:
        yield problem("jobs", str(error), "check the owner and mode of the folder")
        return
    finally:
        lock.release()
    if free:
        yield fine("jobs", "nobody runs the jobs now; handrail serve does")
    else:
        who = "another process" if holder is None else f"process {holder}"
        yield fine("jobs", f"{who} runs the jobs")


def _open_store(db: Database, store: Path) -> Iterator[Finding]:
    waiting = pending(db, MIGRATIONS)
    check_whole(db)
    size = store.stat().st_size
    yield fine(_NAME, f"{store} is whole, {size / 1e6:.1f} MB")
    if waiting:
        yield warning(
            _NAME,
            f"{counted(len(waiting), 'migration')} pending",
            "handrail migrate applies them; so does every other command",
        )
        return
    yield from _left_to_people(db)


def _left_to_people(db: Database) -> Iterator[Finding]:
    """Yield what waits for an operator in a store that is up to date."""
    letters = count_letters(db)
    if letters:
        yield warning(
            "letters",
            f"{counted(letters, 'thing')} given up: deliveries, runs or posts",
            "handrail letters lists them, and tries them again",
        )
    unknown = len(operations_in(db, OperationState.UNKNOWN))
    if unknown:
        yield warning(
            "changes",
            f"{counted(unknown, 'change')} that the shop cannot vouch for",
            "handrail reconcile asks it again; handrail proposals settle closes one",
        )


def _no_store(store: Path) -> Finding:
    folder = _nearest_folder(store)
    if not folder.is_dir():
        return problem(_NAME, f"{folder} is not a folder", "name another file: HANDRAIL_STORE")
    return fine(_NAME, f"there is no store {store} yet; the first run makes one")


def _nearest_folder(store: Path) -> Path:
    """Return the store's folder, or what would be made below."""
    return next(each for each in store.absolute().parents if each.exists())


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))

"""The store as the command line opens it, brought up to date; only what begins a run makes one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from sqlite_utils import Database

from approvals import APPROVAL_MIGRATIONS
from approvals.store import JOB_MIGRATIONS, MigrationSet, check_store, connect, migrate
from bot.errors import BotError
from bot.slack.store.schema import SLACK_MIGRATIONS
from recordings import RUN_MIGRATIONS

__all__ = ["MIGRATIONS", "existing", "make_folder", "open_existing", "open_store"]

MIGRATIONS: Final[tuple[MigrationSet, ...]] = (
    JOB_MIGRATIONS,
    RUN_MIGRATIONS,
    APPROVAL_MIGRATIONS,
    SLACK_MIGRATIONS,
)
"""All that this program knows. A set that is left out would count as a newer program's."""


@contextmanager
def open_store(store: Path) -> Iterator[Database]:
    """Open the store, making the file and its private folder where there is none.

    Raises:
        StoreError: it cannot be opened, is newer than this program, or is busy.
        BotError: its folder cannot be made, or its name is not a file's.
    """
    if not check_store(store):
        make_folder(store)
    with closing(connect(store)) as db:
        migrate(db, MIGRATIONS)
        yield db


@contextmanager
def open_existing(store: Path) -> Iterator[Database]:
    """Open a store that is there; what reads or decides has no use for a new one.

    Raises:
        BotError: there is none; nothing was made.
        StoreError: it cannot be opened, is newer than this program, or is busy.
    """
    with open_store(existing(store)) as db:
        yield db


def existing(store: Path) -> Path:
    """Return the store's file; where there is none, its name is a slip.

    Raises:
        BotError: there is none.
        StoreError: it is not a store of ours.
    """
    if not check_store(store):
        raise BotError(
            f"there is no store {store}",
            hint="the first handrail run makes one; --store or HANDRAIL_STORE names another",
        )
    return store


def make_folder(file: Path) -> None:
    """Make the folder of a file of ours, private to its owner.

    Raises:
        BotError: it cannot be made, or the name is not a file's.
    """
    try:
        if file.exists() and not file.is_file():
            raise BotError(
                f"{file} is not a file", hint="name a file, with --store or HANDRAIL_STORE"
            )
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise BotError(
            f"the folder {file.parent} cannot be used: {error.strerror}",
            hint="name another file with --store or HANDRAIL_STORE, or keep nothing: --no-store",
        ) from None

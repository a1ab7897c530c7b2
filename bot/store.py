"""The store as the command line opens it: made where there is none, and brought up to date."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from sqlite_utils import Database

from approvals import APPROVAL_MIGRATIONS
from approvals.store import JOB_MIGRATIONS, MigrationSet, connect, migrate
from bot.errors import BotError
from bot.slack.schema import SLACK_MIGRATIONS
from recordings import RUN_MIGRATIONS

__all__ = ["MIGRATIONS", "make_folder", "open_store"]

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
    make_folder(store)
    with closing(connect(store)) as db:
        migrate(db, MIGRATIONS)
        yield db


def make_folder(file: Path) -> None:
    """Make the folder of a file of ours, private to its owner.

    Raises:
        BotError: it cannot be made, or the name is not a file's.
    """
    if file.exists() and not file.is_file():
        raise BotError(f"{file} is not a file", hint="name a file, with --store or HANDRAIL_STORE")
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise BotError(
            f"the folder {file.parent} of the store cannot be made: {error.strerror}",
            hint="name another file with --store or HANDRAIL_STORE, or keep nothing: --no-store",
        ) from None

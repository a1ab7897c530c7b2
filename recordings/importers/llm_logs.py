"""The SQLite log of the ``llm`` tool, in both of its layouts; a conversation is one run.

Source: the package llm 0.36, ``migrations.py`` and ``logs.py`` (threads, turns, messages, parts),
and its older tables (conversations, responses, tool_calls, tool_results), which newer versions
still read. Both have tokens and times of replies; neither has costs or the times of tools.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from approvals import StoreUnusable
from approvals.store import Foreign, read_foreign
from recordings.importers.llm_responses import responses_run
from recordings.importers.llm_turns import turns_run
from recordings.importers.protocol import Fit
from recordings.importers.runs import ImportedRun
from recordings.importers.source import SourceFile
from recordings.importers.streams import Peek

__all__ = ["fits", "name", "runs"]

name: Final = "llm"
_MAGIC: Final = b"SQLite format 3\x00"
_TURNS: Final = frozenset({"threads", "turns", "messages", "parts"})
_RESPONSES: Final = frozenset({"conversations", "responses"})


def fits(peek: Peek) -> Fit:
    """Whether this is a log of ``llm``."""
    if not peek.head.startswith(_MAGIC):
        return Fit.NO
    try:
        with read_foreign(peek.path) as db:
            tables = db.tables()
    except StoreUnusable:
        return Fit.LOOSELY  # a damaged database: its reader says so
    return Fit.SURELY if tables >= _TURNS or tables >= _RESPONSES else Fit.NO


def runs(file: SourceFile) -> Iterator[ImportedRun]:
    """Yield one run a conversation, those of the older tables first."""
    try:
        with read_foreign(file.path) as db:
            tables = db.tables()
            if tables >= _RESPONSES:
                sql = "SELECT DISTINCT conversation_id FROM responses ORDER BY 1"
                yield from _each(file, db, sql, "conversation", responses_run)
            if tables >= _TURNS:
                sql = "SELECT DISTINCT thread_id FROM turns ORDER BY 1"
                yield from _each(file, db, sql, "thread", turns_run)
    except StoreUnusable as error:
        file.failed("the database", str(error))


def _each(
    file: SourceFile,
    db: Foreign,
    sql: str,
    what: str,
    read: Callable[[Foreign, str, str], ImportedRun],
) -> Iterator[ImportedRun]:
    for (found,) in db.rows(sql):
        if not isinstance(found, str):
            continue  # a reply that was logged outside of any
        place = f"{what} {found[:60]}"
        try:
            run = file.read(place, read, db, found, file.name)
        except StoreUnusable as error:  # a damaged page: other conversations stand on others
            file.failed(place, str(error))
        else:
            if run is not None:
                yield run

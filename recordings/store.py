"""Runs and their journals in the store: rows while the run lives, the same lines when exported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from sqlite3 import IntegrityError
from typing import Final

from sqlite_utils import Database

from approvals.store import Migration, MigrationSet, changed, rows, script, tx
from loop import Closed, Entry, Stop
from recordings.codec import decode, encode
from recordings.errors import RunEnded, RunTaken, RunUnknown

__all__ = ["RUN_MIGRATIONS", "DurableSink", "RunRow", "RunState", "Runs", "abandon_run"]

RUN_MIGRATIONS: Final = MigrationSet(
    name="runs",
    migrations=(
        Migration(
            number=1,
            name="runs and their journals",
            apply=script(
                """
                CREATE TABLE runs (
                    run_id TEXT PRIMARY KEY,
                    ticket_id TEXT NOT NULL,
                    profile TEXT NOT NULL,
                    model TEXT NOT NULL,
                    started_at TEXT NOT NULL,
                    state TEXT NOT NULL CHECK (state IN ('running', 'ended')),
                    result TEXT CHECK (result IN ('valid', 'rejected', 'failed')),
                    reason TEXT,
                    CHECK ((state = 'ended') = (result IS NOT NULL AND reason IS NOT NULL))
                ) STRICT;
                CREATE INDEX runs_by_ticket ON runs (ticket_id, started_at);
                CREATE TABLE journal (
                    run_id TEXT NOT NULL REFERENCES runs (run_id),
                    seq INTEGER NOT NULL CHECK (seq >= 0),
                    line TEXT NOT NULL,
                    PRIMARY KEY (run_id, seq)
                ) STRICT, WITHOUT ROWID;
                """
            ),
        ),
    ),
)


class RunState(StrEnum):
    """Whether a run still lives."""

    RUNNING = "running"
    ENDED = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """One run as listed. ``result`` and ``reason`` are given once it has ended."""

    run_id: str
    ticket_id: str
    profile: str
    model: str
    started_at: str
    state: RunState
    result: str | None
    reason: str | None


class Runs:
    """The runs of one store. Each verb is one transaction of its own, or none."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def start(
        self, *, run_id: str, ticket_id: str, profile: str, model: str, started_at: str
    ) -> None:
        """Store that a run begins. ``started_at`` is an ISO time stamp.

        Raises:
            RunTaken: a run of this id exists.
        """
        try:
            with tx(self._db):
                changed(
                    self._db,
                    "INSERT INTO runs (run_id, ticket_id, profile, model, started_at, state)"
                    " VALUES (?, ?, ?, ?, ?, 'running')",
                    (run_id, ticket_id, profile, model, started_at),
                )
        except IntegrityError:
            raise RunTaken(f"run {run_id} exists already; a new run needs a new id") from None

    def append(self, run_id: str, entry: Entry) -> None:
        """Store one entry of a run's journal.

        Raises:
            RunTaken: the journal has an entry of this number: another process owns the run.
        """
        with tx(self._db):
            self._insert(run_id, entry)

    def end(
        self,
        run_id: str,
        entry: Entry,
        stop: Stop,
        within: Callable[[Database], None] | None = None,
    ) -> None:
        """End a run: its closing entry, its state, and what ``within`` stores, in one commit.

        Raises:
            RunEnded: it has ended already; nothing is stored.
            RunTaken: another process owns the run; nothing is stored.
        """
        closed = entry.record
        if not isinstance(closed, Closed):
            raise TypeError("a run ends with its closing record")
        with tx(self._db):
            count = changed(
                self._db,
                "UPDATE runs SET state = 'ended', result = ?, reason = ?"
                " WHERE run_id = ? AND state = 'running'",
                (closed.result, stop.reason.value, run_id),
            )
            if count == 0:
                raise RunEnded(f"run {run_id} has ended already, or was never started")
            self._insert(run_id, entry)
            if within is not None:
                within(self._db)

    def get(self, run_id: str) -> RunRow:
        """Return one run.

        Raises:
            RunUnknown: there is none of this id.
        """
        found = rows(self._db, f"{_SELECT} WHERE run_id = ?", (run_id,))
        if not found:
            raise RunUnknown(f"there is no run {run_id}; handrail runs lists them")
        return _run(found[0])

    def recent(self, limit: int) -> list[RunRow]:
        """Return the newest runs first, at most ``limit``."""
        found = rows(self._db, f"{_SELECT} ORDER BY started_at DESC, rowid DESC LIMIT ?", (limit,))
        return [_run(row) for row in found]

    def ids(self) -> list[str]:
        """Return the ids of all runs, oldest first."""
        found = rows(self._db, "SELECT run_id FROM runs ORDER BY started_at, rowid")
        return [row["run_id"] for row in found]

    def of_ticket(self, ticket_id: str) -> list[RunRow]:
        """Return the runs of a ticket, oldest first."""
        sql = f"{_SELECT} WHERE ticket_id = ? ORDER BY started_at, rowid"
        return [_run(row) for row in rows(self._db, sql, (ticket_id,))]

    def unfinished(self) -> list[RunRow]:
        """Return the runs that have no end, oldest first."""
        sql = f"{_SELECT} WHERE state = 'running' ORDER BY started_at, rowid"
        return [_run(row) for row in rows(self._db, sql)]

    def lines(self, run_id: str) -> list[str]:
        """Return the journal's lines in order, exactly as they are exported.

        A byte that is not UTF-8 comes as a lone surrogate: a damaged line costs itself only.
        """
        sql = "SELECT CAST(line AS BLOB) AS line FROM journal WHERE run_id = ? ORDER BY seq"
        found = rows(self._db, sql, (run_id,))
        return [row["line"].decode("utf-8", "surrogateescape") for row in found]

    def entries(self, run_id: str) -> list[Entry]:
        """Return the journal's entries in order.

        Raises:
            RecordingUnreadable: a stored line is damaged; the message numbers it.
        """
        place = f"journal of run {run_id}"
        return [
            decode(line, file=place, number=number)[1]
            for number, line in enumerate(self.lines(run_id), start=1)
        ]

    def _insert(self, run_id: str, entry: Entry) -> None:
        try:
            changed(
                self._db,
                "INSERT INTO journal (run_id, seq, line) VALUES (?, ?, ?)",
                (run_id, entry.seq, encode(run_id, entry)),
            )
        except IntegrityError:
            raise RunTaken(
                f"entry {entry.seq} of run {run_id} is stored already, or the run is not: another "
                "process owns it; stop working on it"
            ) from None


class DurableSink:
    """A journal sink: each entry is committed before the run goes on."""

    def __init__(self, runs: Runs, run_id: str) -> None:
        self._runs = runs
        self._run_id = run_id

    def append(self, entry: Entry) -> None:
        """Commit the entry.

        Raises:
            RunTaken: another process owns the run.
        """
        self._runs.append(self._run_id, entry)


def abandon_run(db: Database, run_id: str) -> None:
    """End a run that nobody will go on with, as cancelled, inside the caller's ``tx()``.

    Its journal stays without a closing entry. A run that is not stored, or has ended, stays as it
    is.
    """
    changed(
        db,
        "UPDATE runs SET state = 'ended', result = 'failed', reason = 'cancelled'"
        " WHERE run_id = ? AND state = 'running'",
        (run_id,),
    )


_SELECT: Final = (
    "SELECT run_id, ticket_id, profile, model, started_at, state, result, reason FROM runs"
)


def _run(row: dict[str, str | None]) -> RunRow:
    return RunRow(**{**row, "state": RunState(row["state"])})  # type: ignore[arg-type]

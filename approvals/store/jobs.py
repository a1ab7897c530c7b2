"""The job port: work that survives its process, kept as rows of the store.

A job is submitted inside the transaction that caused it, so the cause and the job are there
together or not at all. It runs at least once: what a job does in the world must itself be safe to
repeat (see the operations of the approvals).

    ready -> running -> done | ready (again, later) | dead
    ready -> cancelled
    dead -> ready (a person has it tried again) | cancelled (a person lets it rest)

All times are whole microseconds since 1970 (UTC), given by the caller.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from sqlite_utils import Database

from approvals.store.migrations import Migration, MigrationSet, script
from approvals.store.tx import changed, rows

__all__ = ["JOB_MIGRATIONS", "Health", "Job", "JobState", "Jobs"]

MAX_ATTEMPTS: Final = 5
"""How often a job is started at most, starts that were cut by a crash included."""


class JobState(StrEnum):
    """Where a job stands. The last three are ends."""

    READY = "ready"
    RUNNING = "running"
    DONE = "done"
    DEAD = "dead"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One row. ``owner`` and ``attempt`` name the claim; a later claim makes them stale."""

    job_id: int
    kind: str
    key: str
    payload: str
    state: JobState
    attempt: int
    max_attempts: int
    owner: str | None
    created_us: int
    ready_us: int
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How many jobs are in each state, and how old the oldest unfinished one is (None: none)."""

    counts: Mapping[JobState, int]
    oldest_unfinished_us: int | None


class Jobs:
    """The jobs of a store. Every verb that writes is called inside the caller's ``tx()``."""

    def submit(
        self,
        db: Database,
        *,
        kind: str,
        key: str,
        payload: str,
        now_us: int,
        max_attempts: int = MAX_ATTEMPTS,
    ) -> Job:
        """Add a job that is due at once, or return the one that has this kind and key already.

        The first one stands, with its payload, in whatever state it is: a job that was done or
        given up is not started again by submitting it again.
        """
        if not kind or not key or max_attempts < 1:
            raise ValueError("a job needs a kind, a key and at least one attempt")
        changed(
            db,
            "INSERT INTO jobs (kind, key, payload, state, max_attempts, created_us, ready_us)"
            " VALUES (?, ?, ?, 'ready', ?, ?, ?) ON CONFLICT (kind, key) DO NOTHING",
            (kind, key, payload, max_attempts, now_us, now_us),
        )
        return _job(rows(db, "SELECT * FROM jobs WHERE kind = ? AND key = ?", (kind, key))[0])

    def get(self, db: Database, *, kind: str, key: str) -> Job | None:
        """Return the job of this kind and key. A read; needs no transaction."""
        found = rows(db, "SELECT * FROM jobs WHERE kind = ? AND key = ?", (kind, key))
        return _job(found[0]) if found else None

    def claim_next(
        self, db: Database, *, kinds: Iterable[str], owner: str, now_us: int
    ) -> Job | None:
        """Start the due job that waits longest: ``running``, one attempt more, ``owner``'s."""
        found = rows(
            db,
            "UPDATE jobs SET state = 'running', attempt = attempt + 1, owner = ? WHERE job_id ="
            " (SELECT job_id FROM jobs WHERE state = 'ready' AND ready_us <= ?"
            " AND kind IN (SELECT value FROM json_each(?))"
            " ORDER BY ready_us, job_id LIMIT 1) RETURNING *",
            (owner, now_us, _list(kinds)),
        )
        return _job(found[0]) if found else None

    def next_due_us(self, db: Database, *, kinds: Iterable[str]) -> int | None:
        """Return when the next ready job is due (it may be past), None where none waits."""
        found = rows(
            db,
            "SELECT min(ready_us) AS due FROM jobs WHERE state = 'ready'"
            " AND kind IN (SELECT value FROM json_each(?))",
            (_list(kinds),),
        )
        due: int | None = found[0]["due"]
        return due

    def finish(self, db: Database, job: Job) -> bool:
        """Settle a claimed job as done; False where the claim is no longer this one."""
        return self._settle(db, job, JobState.DONE, None, job.ready_us)

    def fail(
        self, db: Database, job: Job, *, error: str, retry_at_us: int | None
    ) -> JobState | None:
        """Settle a claimed job that failed; return its new state, None where the claim is stale.

        It is ready again at ``retry_at_us``, or dead: where that is None, and after its last
        attempt. ``error`` is kept with the row: a short word for the kind of failure, no text
        of a customer.
        """
        again = retry_at_us is not None and job.attempt < job.max_attempts
        state = JobState.READY if again else JobState.DEAD
        due = job.ready_us if retry_at_us is None else retry_at_us
        return state if self._settle(db, job, state, error, due) else None

    def cancel(self, db: Database, *, kind: str, key: str) -> bool:
        """Take back a job that was not started; False where it runs, has ended or never was."""
        sql = "UPDATE jobs SET state = 'cancelled' WHERE kind = ? AND key = ? AND state = 'ready'"
        return changed(db, sql, (kind, key)) == 1

    def dead(self, db: Database) -> list[Job]:
        """Return the jobs that were given up, the oldest first. A read."""
        return [_job(row) for row in rows(db, "SELECT * FROM jobs WHERE state = 'dead'")]

    def revive(self, db: Database, job_id: int, *, now_us: int) -> bool:
        """Start a job that was given up anew, with all its attempts; False where it was not."""
        sql = (
            "UPDATE jobs SET state = 'ready', attempt = 0, ready_us = ?"
            " WHERE job_id = ? AND state = 'dead'"
        )
        return changed(db, sql, (now_us, job_id)) == 1

    def dismiss(self, db: Database, job_id: int) -> bool:
        """Let a job that was given up rest, as cancelled; False where it was not given up."""
        sql = "UPDATE jobs SET state = 'cancelled' WHERE job_id = ? AND state = 'dead'"
        return changed(db, sql, (job_id,)) == 1

    def recover(self, db: Database) -> int:
        """Set every running job back to ready, or to dead after its last attempt; return how many.

        Only for the holder of the serve lock, before it starts any job: what is marked as
        running then was cut by the end of an earlier process.
        """
        return changed(
            db,
            "UPDATE jobs SET owner = NULL, error = 'interrupted',"
            " state = CASE WHEN attempt < max_attempts THEN 'ready' ELSE 'dead' END"
            " WHERE state = 'running'",
        )

    def health(self, db: Database, *, now_us: int) -> Health:
        """Count the jobs by state. A read; an age is never negative, whatever the clock does."""
        counts = dict.fromkeys(JobState, 0)
        for row in rows(db, "SELECT state, count(*) AS n FROM jobs GROUP BY state"):
            counts[JobState(row["state"])] = row["n"]
        oldest = rows(
            db,
            "SELECT min(created_us) AS oldest FROM jobs WHERE state IN ('ready', 'running')",
        )[0]["oldest"]
        age = None if oldest is None else max(0, now_us - oldest)
        return Health(counts=counts, oldest_unfinished_us=age)

    def _settle(
        self, db: Database, job: Job, state: JobState, error: str | None, ready_us: int
    ) -> bool:
        # Owner and attempt: one that was given up and wakes cannot overwrite a newer verdict.
        settled = changed(
            db,
            "UPDATE jobs SET state = ?, error = ?, ready_us = ?, owner = NULL"
            " WHERE job_id = ? AND state = 'running' AND owner = ? AND attempt = ?",
            (state, error, ready_us, job.job_id, job.owner, job.attempt),
        )
        return settled == 1


JOB_MIGRATIONS: Final = MigrationSet(
    name="jobs",
    migrations=(
        Migration(
            number=1,
            name="jobs",
            apply=script(
                """
                CREATE TABLE jobs (
                    job_id INTEGER PRIMARY KEY,
                    kind TEXT NOT NULL,
                    key TEXT NOT NULL,
                    payload TEXT NOT NULL,
                    state TEXT NOT NULL
                        CHECK (state IN ('ready', 'running', 'done', 'dead', 'cancelled')),
                    attempt INTEGER NOT NULL DEFAULT 0 CHECK (attempt BETWEEN 0 AND max_attempts),
                    max_attempts INTEGER NOT NULL,
                    owner TEXT,
                    created_us INTEGER NOT NULL,
                    ready_us INTEGER NOT NULL,
                    error TEXT,
                    UNIQUE (kind, key),
                    CHECK ((state = 'running') = (owner IS NOT NULL))
                ) STRICT;
                CREATE INDEX jobs_due ON jobs (ready_us, job_id) WHERE state = 'ready';
                CREATE INDEX jobs_unfinished ON jobs (created_us)
                    WHERE state IN ('ready', 'running');
                """
            ),
        ),
    ),
)


def _job(row: Mapping[str, Any]) -> Job:
    return Job(**{**row, "state": JobState(row["state"])})


def _list(kinds: Iterable[str]) -> str:
    return json.dumps(sorted(kinds))

"""Dead letters: deliveries, jobs and posts that were given up, in one list for an operator.

Each may be tried again or discarded; no row is ever removed, what is discarded loses its words.
Verbs that write are called inside the caller's ``tx()``.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, assert_never

from sqlite_utils import Database

from approvals.store import Job, Jobs, JobState, changed, rows
from bot.slack.store.inbox import retry_delivery
from bot.slack.store.outbox import retry_post
from bot.slack.store.tickets import TRIAGE_JOB, run_again
from bot.slack.views import Letter, LetterKind

__all__ = ["count_letters", "discard_letter", "letters", "retry_letter"]

_ID: Final = re.compile(r"(delivery|job|post)-(\d{1,18})", re.ASCII)


def letters(db: Database, *, limit: int = 50) -> list[Letter]:
    """Return what was given up, the newest of each kind first. A read."""
    return [Letter(**{**row, "kind": LetterKind(row["kind"])}) for row in rows(db, _ALL, (limit,))]


def count_letters(db: Database) -> int:
    """Count what was given up. A read."""
    return int(rows(db, f"SELECT count(*) AS n FROM ({_LETTERS})")[0]["n"])  # noqa: S608 - ours


def retry_letter(db: Database, jobs: Jobs, letter_id: str, *, now_us: int) -> bool:
    """Try something again; False where there is no such dead letter, or its ticket is no more."""
    kind, number = _read(letter_id)
    match kind:
        case LetterKind.DELIVERY:
            return retry_delivery(db, number, now_us=now_us)
        case LetterKind.POST:
            return retry_post(db, number, now_us=now_us)
        case LetterKind.JOB:
            return _retry_job(db, jobs, number, now_us)
        case None:
            return False
        case _:
            assert_never(kind)


def discard_letter(db: Database, letter_id: str) -> bool:
    """Let something rest; False where there is no such dead letter. Its row stays."""
    kind, number = _read(letter_id)
    match kind:
        case LetterKind.DELIVERY:
            sql = "UPDATE inbox SET state = 'done', payload = '{}' WHERE seq = ? AND state = 'dead'"
            return changed(db, sql, (number,)) == 1
        case LetterKind.POST:
            sql = (
                "UPDATE outbox SET state = 'skipped', payload = '{}'"
                " WHERE outbox_id = ? AND state = 'failed'"
            )
            return changed(db, sql, (number,)) == 1
        case LetterKind.JOB:
            return Jobs().dismiss(db, number)
        case None:
            return False
        case _:
            assert_never(kind)


def _retry_job(db: Database, jobs: Jobs, job_id: int, now_us: int) -> bool:
    """Start a job anew; a run as a new one, because its thread was told that the old one ended."""
    job = next((each for each in jobs.dead(db) if each.job_id == job_id), None)
    if job is None:
        return False
    if job.kind != TRIAGE_JOB:
        return jobs.revive(db, job_id, now_us=now_us)
    place = _place_of(job)
    return run_again(db, jobs, place["channel"], place["ts"], now_us=now_us) and jobs.dismiss(
        db, job_id
    )


def _place_of(job: Job) -> dict[str, Any]:
    place: dict[str, Any] = json.loads(job.payload)
    return place


def _read(letter_id: str) -> tuple[LetterKind | None, int]:
    found = _ID.fullmatch(letter_id.strip().lower())
    return (None, 0) if found is None else (LetterKind(found[1]), int(found[2]))


_LETTERS: Final = f"""
SELECT 'delivery' AS kind, seq AS number, kind AS what, coalesce(error, '') AS why
FROM inbox WHERE state = 'dead'
UNION ALL
SELECT 'job', job_id, kind || ' ' || key, coalesce(error, '') FROM jobs
WHERE state = '{JobState.DEAD.value}'
UNION ALL
SELECT 'post', outbox_id, method || ' in ' || channel, coalesce(error, '')
FROM outbox WHERE state = 'failed'
"""  # noqa: S608 - a constant of ours
_ALL: Final = f"SELECT * FROM ({_LETTERS}) ORDER BY kind, number DESC LIMIT ?"  # noqa: S608 - ours

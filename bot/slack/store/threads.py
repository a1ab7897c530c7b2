"""Runs as the channels know them: which thread each belongs to, what holds tickets back, the cost.

All verbs that write are called inside the caller's ``tx()``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from sqlite_utils import Database

from approvals.store import changed, rows

__all__ = [
    "CAPS",
    "DAY_US",
    "HOUR_US",
    "PAUSED",
    "Caps",
    "RunThread",
    "RunThreadState",
    "count_held",
    "draft_key",
    "end_thread",
    "forget_told",
    "gave_up_key",
    "held_tickets",
    "hold_ticket",
    "is_paused",
    "is_told",
    "newest_thread",
    "note_cost",
    "note_told",
    "open_thread",
    "pause_reason",
    "pause_runs",
    "paused_by",
    "release_ticket",
    "resume_runs",
    "running_thread",
    "runs_of_thread",
    "spent_usd",
    "status_key",
    "stop_run",
    "thread_of_run",
    "thread_sent",
]

HOUR_US: Final = 3_600 * 1_000_000
DAY_US: Final = 24 * HOUR_US
CAPS: Final = ("max_runs_per_hour", "max_cost_per_day")
"""Why tickets wait where nobody paused the runs."""
PAUSED: Final = "paused"
"""The switch that holds all tickets back; its value is a reason in words, or empty."""


class RunThreadState(StrEnum):
    """Where a run stands, as its thread knows it."""

    RUNNING = "running"
    ENDED = "ended"
    CANCELLED = "cancelled"
    """Asked to end; the run itself ends at its next step, and is then ``ended``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunThread:
    """A run and the thread of its ticket."""

    run_id: str
    channel: str
    thread_ts: str
    state: RunThreadState
    cause: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """How much may be run and spent; None is no cap."""

    runs_per_hour: int | None = None
    cost_per_day: Decimal | None = None


def status_key(run_id: str) -> str:
    """Return the outbox key of a run's one status message."""
    return f"status:{run_id}"


def draft_key(run_id: str, part: int = 0) -> str:
    """Return the outbox key of a part of a run's draft; the first has its buttons."""
    return f"draft:{run_id}:{part}"


def gave_up_key(run_id: str) -> str:
    """Return the outbox key of what is told of a run that was given up."""
    return f"gave-up:{run_id}"


def open_thread(db: Database, *, run_id: str, channel: str, thread_ts: str, now_us: int) -> None:
    """Store that a run begins for a thread; it counts against the caps from now on."""
    changed(
        db,
        "INSERT INTO threads (run_id, channel, thread_ts, state) VALUES (?, ?, ?, 'running')",
        (run_id, channel, thread_ts),
    )
    changed(db, "INSERT INTO spending (run_id, started_us) VALUES (?, ?)", (run_id, now_us))
    release_ticket(db, channel, thread_ts)


def running_thread(db: Database, channel: str, thread_ts: str) -> RunThread | None:
    """Return the run of a thread that has not ended, asked to end or not. A read."""
    where = "channel = ? AND thread_ts = ? AND state != 'ended' ORDER BY rowid DESC LIMIT 1"
    return _one(rows(db, f"{_SELECT} WHERE {where}", (channel, thread_ts)))


def newest_thread(db: Database, channel: str, thread_ts: str) -> RunThread | None:
    """Return the run of a thread that began last. A read."""
    where = "channel = ? AND thread_ts = ? ORDER BY rowid DESC LIMIT 1"
    return _one(rows(db, f"{_SELECT} WHERE {where}", (channel, thread_ts)))


def runs_of_thread(db: Database, channel: str, thread_ts: str) -> list[str]:
    """Return the ids of a thread's runs, the oldest first. A read."""
    sql = "SELECT run_id FROM threads WHERE channel = ? AND thread_ts = ? ORDER BY rowid"
    return [row["run_id"] for row in rows(db, sql, (channel, thread_ts))]


def thread_of_run(db: Database, run_id: str) -> RunThread | None:
    """Return a run with its thread. A read."""
    return _one(rows(db, f"{_SELECT} WHERE run_id = ?", (run_id,)))


def stop_run(db: Database, run_id: str, *, cause: str) -> bool:
    """Ask a run to end at its next step; False where it does not run any more."""
    sql = "UPDATE threads SET state = 'cancelled', cause = ? WHERE run_id = ? AND state = 'running'"
    return changed(db, sql, (cause, run_id)) == 1


def end_thread(db: Database, run_id: str) -> None:
    """Note that a run has ended."""
    sql = "UPDATE threads SET state = 'ended', cause = NULL WHERE run_id = ?"
    changed(db, sql, (run_id,))


def note_cost(db: Database, run_id: str, usd: Decimal) -> None:
    """Store what is known of a run's cost."""
    changed(db, "UPDATE spending SET cost_usd = ? WHERE run_id = ?", (str(usd), run_id))


def spent_usd(db: Database, start_us: int, end_us: int) -> Decimal:
    """Return what the runs cost that began from one moment on and before another. A read."""
    sql = (
        "SELECT cost_usd FROM spending"
        " WHERE started_us >= ? AND started_us < ? AND cost_usd IS NOT NULL"
    )
    found = rows(db, sql, (start_us, end_us))
    return sum((Decimal(row["cost_usd"]) for row in found), Decimal(0))


def pause_reason(db: Database, caps: Caps, *, now_us: int) -> str | None:
    """Return why no run may begin now: a name of the reason, None where one may. A read."""
    if is_paused(db):
        return PAUSED
    started = rows(
        db, "SELECT count(*) AS n FROM spending WHERE started_us > ?", (now_us - HOUR_US,)
    )[0]["n"]
    if caps.runs_per_hour is not None and started >= caps.runs_per_hour:
        return "max_runs_per_hour"
    if (
        caps.cost_per_day is not None
        and spent_usd(db, now_us - DAY_US, now_us + 1) >= caps.cost_per_day
    ):
        return "max_cost_per_day"
    return None


def is_paused(db: Database) -> bool:
    """Whether an operator paused the runs. A read."""
    return bool(rows(db, "SELECT 1 FROM switches WHERE name = ?", (PAUSED,)))


def paused_by(db: Database) -> tuple[str, str] | None:
    """Return who paused the runs, and why, perhaps empty; None where they run. A read."""
    found = rows(db, "SELECT set_by, value FROM switches WHERE name = ?", (PAUSED,))
    return (found[0]["set_by"], found[0]["value"]) if found else None


def pause_runs(db: Database, *, by: str, why: str, now_us: int) -> None:
    """Begin no further run until somebody resumes."""
    changed(
        db,
        "INSERT INTO switches (name, value, set_by, at_us) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (name) DO UPDATE SET value = excluded.value, set_by = excluded.set_by,"
        " at_us = excluded.at_us",
        (PAUSED, why, by, now_us),
    )


def resume_runs(db: Database) -> bool:
    """Begin runs again; False where they were not paused."""
    return changed(db, "DELETE FROM switches WHERE name = ?", (PAUSED,)) == 1


def hold_ticket(db: Database, channel: str, ts: str, *, reason: str, now_us: int) -> bool:
    """Note that a ticket waits, and why; False where it waits already for the same reason."""
    sql = (
        "INSERT INTO held (channel, ts, reason, since_us) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (channel, ts) DO UPDATE SET reason = excluded.reason"
        " WHERE reason != excluded.reason"
    )
    return changed(db, sql, (channel, ts, reason, now_us)) == 1


def release_ticket(db: Database, channel: str, ts: str) -> bool:
    """Let a ticket wait no longer; False where it does not."""
    return changed(db, "DELETE FROM held WHERE channel = ? AND ts = ?", (channel, ts)) == 1


def held_tickets(db: Database, *, limit: int = 50) -> list[tuple[str, str]]:
    """Return channel and time stamp of the tickets that wait, the longest first. A read."""
    found = rows(db, "SELECT channel, ts FROM held ORDER BY since_us, rowid LIMIT ?", (limit,))
    return [(row["channel"], row["ts"]) for row in found]


def count_held(db: Database, reason: str) -> int:
    """Count the tickets that wait for this reason. A read."""
    return int(rows(db, "SELECT count(*) AS n FROM held WHERE reason = ?", (reason,))[0]["n"])


def is_told(db: Database, cap: str) -> bool:
    """Whether the operators know that a cap is reached. A read."""
    return bool(rows(db, "SELECT 1 FROM switches WHERE name = ?", (_told(cap),)))


def note_told(db: Database, cap: str, *, now_us: int) -> bool:
    """Note that the operators are told of a cap; False where they know."""
    sql = (
        "INSERT INTO switches (name, value, set_by, at_us) VALUES (?, '', 'system', ?)"
        " ON CONFLICT (name) DO NOTHING"
    )
    return changed(db, sql, (_told(cap), now_us)) == 1


def forget_told(db: Database, cap: str) -> None:
    """Note that no ticket waits for a cap any more: the next time is told again."""
    changed(db, "DELETE FROM switches WHERE name = ?", (_told(cap),))


def _told(cap: str) -> str:
    return f"told {cap}"


def thread_sent(db: Database, key: str, ts: str) -> None:
    """Note the name of a run's status or draft message, as the poster posts it."""
    kind, _, rest = key.partition(":")
    if kind == "status":
        changed(db, "UPDATE threads SET status_ts = ? WHERE run_id = ?", (ts, rest))
    elif kind == "draft" and rest.endswith(":0"):
        run_id = rest.removesuffix(":0")
        changed(db, "UPDATE threads SET draft_ts = ? WHERE run_id = ?", (ts, run_id))


_SELECT: Final = "SELECT run_id, channel, thread_ts, state, cause FROM threads"


def _one(found: list[dict[str, Any]]) -> RunThread | None:
    return _thread(found[0]) if found else None


def _thread(row: Mapping[str, Any]) -> RunThread:
    return RunThread(**{**row, "state": RunThreadState(row["state"])})

"""The tickets of the channels, and the jobs that work on them.

A ticket has a version: an edit, a follow-up and a request to run again each make a new one. A run
is of one version, and a running run that finds another version ends as cancelled. There is at most
one unfinished job of a ticket: a newer version takes the place of a job that was not started, and
waits for one that was, whose end submits it. Started is also one whose run was interrupted and
waits to be resumed: only that job can end the run.

All verbs that write are called inside the caller's ``tx()``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from sqlite_utils import Database

from approvals.store import Jobs, JobState, changed, rows
from bot.slack.headers import IdSource
from bot.slack.store.threads import running_thread

__all__ = [
    "LAST_US",
    "TRIAGE_JOB",
    "TicketRow",
    "TicketState",
    "cancel_ticket",
    "change_ticket",
    "count_tickets",
    "dead_jobs",
    "first_ticket_us",
    "give_customer",
    "is_thread",
    "job_key",
    "latest_job_state",
    "lively_tickets",
    "open_ticket",
    "read_ticket",
    "reopen_ticket",
    "run_again",
    "submit_newer",
    "ticket_of_id",
]

TRIAGE_JOB: Final = "triage"
"""The kind of the job that works on a ticket; its key names the ticket's message and version."""
TRIAGE_STARTS: Final = 8
"""How often that job is started at most, starts that were cut by a crash included."""


LAST_US: Final = """max(created_us,
    coalesce((SELECT max(s.started_us) FROM threads t JOIN spending s USING (run_id)
        WHERE t.channel = tickets.channel AND t.thread_ts = tickets.ts), 0),
    coalesce((SELECT CAST(max(r.ts) * 1000000 AS INTEGER) FROM replies r
        WHERE r.channel = tickets.channel AND r.thread_ts = tickets.ts), 0))"""
"""When a ticket was last heard of, as SQL over ``tickets``: it came, a run began, it had a reply.

A ticket has no end of its own, as any answer can be asked about; it is quiet after some time.
"""


class TicketState(StrEnum):
    """Where a ticket stands. An answered one is open: a reply may ask for another answer."""

    OPEN = "open"
    WAITING_FOR_CUSTOMER_ID = "waiting_for_customer_id"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketRow:
    """A ticket. ``posted_by`` wrote it or filled in its form, ``opened_by`` brought it to us.

    ``source`` is where its ids came from; ``customer_given``: the customer came from a person who
    was asked. ``text_ts`` is Slack's time stamp of the text; empty in tickets of older releases.
    """

    channel: str
    ts: str
    ticket_id: str
    customer_id: str | None
    text: str
    attachments: tuple[str, ...]
    posted_by: str
    opened_by: str
    state: TicketState
    version: int
    created_us: int
    source: IdSource = IdSource.HEADER
    customer_given: bool = False
    text_ts: str = ""


def job_key(channel: str, ts: str, version: int) -> str:
    """Return the key of the job for one version of a ticket."""
    return f"{channel}:{ts}:{version}"


def read_ticket(db: Database, channel: str, ts: str) -> TicketRow | None:
    """Return the ticket of a message. A read."""
    found = rows(db, f"{_SELECT} WHERE channel = ? AND ts = ?", (channel, ts))
    return _ticket(found[0]) if found else None


def ticket_of_id(db: Database, ticket_id: str) -> TicketRow | None:
    """Return the ticket of this id that was not cancelled. A read."""
    found = rows(db, f"{_SELECT} WHERE ticket_id = ? AND state != 'cancelled'", (ticket_id,))
    return _ticket(found[0]) if found else None


def count_tickets(db: Database, start_us: int, end_us: int) -> int:
    """Count the tickets that came from one moment on and before another. A read."""
    sql = "SELECT count(*) AS n FROM tickets WHERE created_us >= ? AND created_us < ?"
    return int(rows(db, sql, (start_us, end_us))[0]["n"])


def first_ticket_us(db: Database) -> int | None:
    """Return when the first ticket came; None where none did. A read."""
    first: int | None = rows(db, "SELECT min(created_us) AS first FROM tickets")[0]["first"]
    return first


def lively_tickets(db: Database, channel: str, since_us: int) -> list[str]:
    """Return the time stamps of a channel's tickets that did not end and are not quiet. A read.

    Quiet is a ticket that came, was replied to and had a run begun before ``since_us``.
    """
    sql = f"SELECT ts FROM tickets WHERE channel = ? AND state != 'cancelled' AND {LAST_US} > ?"  # noqa: S608 - a constant of ours
    return [row["ts"] for row in rows(db, sql, (channel, since_us))]


def is_thread(db: Database, channel: str, thread_ts: str) -> bool:
    """Whether this is the thread of a ticket of ours. A read."""
    sql = "SELECT 1 FROM tickets WHERE channel = ? AND ts = ?"
    return bool(rows(db, sql, (channel, thread_ts)))


def open_ticket(db: Database, jobs: Jobs, ticket: TicketRow) -> None:
    """Store a new ticket, and the job that works on it where its customer is known."""
    changed(
        db,
        "INSERT INTO tickets (channel, ts, ticket_id, customer_id, text, attachments, posted_by,"
        " opened_by, state, version, created_us, source, customer_given, text_ts)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            ticket.channel,
            ticket.ts,
            ticket.ticket_id,
            ticket.customer_id,
            ticket.text,
            json.dumps(ticket.attachments, ensure_ascii=False),
            ticket.posted_by,
            ticket.opened_by,
            ticket.state.value,
            ticket.version,
            ticket.created_us,
            ticket.source.value,
            ticket.customer_given,
            ticket.text_ts,
        ),
    )
    if ticket.state is TicketState.OPEN:
        _submit(db, jobs, ticket, ticket.created_us)


def reopen_ticket(db: Database, jobs: Jobs, ticket: TicketRow) -> None:
    """Store a ticket in the place of one of the same message that had ended, and have it worked on.

    It is the next version, so whatever was still under way for the ended one stays ended.
    """
    changed(
        db,
        "UPDATE tickets SET ticket_id = ?, customer_id = ?, text = ?, attachments = ?,"
        " posted_by = ?, opened_by = ?, source = ?, customer_given = 0, text_ts = ?, state = 'open'"
        " WHERE channel = ? AND ts = ? AND state = 'cancelled'",
        (
            ticket.ticket_id,
            ticket.customer_id,
            ticket.text,
            json.dumps(ticket.attachments, ensure_ascii=False),
            ticket.posted_by,
            ticket.opened_by,
            ticket.source.value,
            ticket.text_ts,
            ticket.channel,
            ticket.ts,
        ),
    )
    run_again(db, jobs, ticket.channel, ticket.ts, now_us=ticket.created_us)


def change_ticket(
    db: Database,
    jobs: Jobs,
    ticket: TicketRow,
    *,
    customer_id: str | None,
    text: str,
    attachments: tuple[str, ...],
    text_ts: str,
    now_us: int,
) -> None:
    """Store what a ticket says now, as a new version that is worked on if its customer is known.

    A run in progress ends either way: it is for what the ticket said before. While a ticket waits
    for its customer its version stays, by which the question for the customer is known.
    """
    state = TicketState.WAITING_FOR_CUSTOMER_ID if customer_id is None else TicketState.OPEN
    changed(
        db,
        "UPDATE tickets SET customer_id = ?, customer_given = customer_given AND customer_id IS ?,"
        " text = ?, attachments = ?, text_ts = ?, state = ?, version = version + ?"
        " WHERE channel = ? AND ts = ?",
        (
            customer_id,
            customer_id,
            text,
            json.dumps(attachments, ensure_ascii=False),
            text_ts,
            state.value,
            customer_id is None and ticket.customer_id is not None,  # else a run has the next
            ticket.channel,
            ticket.ts,
        ),
    )
    if state is TicketState.OPEN:
        run_again(db, jobs, ticket.channel, ticket.ts, now_us=now_us)
    else:
        _take_back(db, jobs, ticket)


def run_again(db: Database, jobs: Jobs, channel: str, ts: str, *, now_us: int) -> bool:
    """Ask for another run: a new version. False where the ticket is not open.

    A run in progress ends as cancelled, "newer message".
    """
    before = read_ticket(db, channel, ts)
    moved = changed(
        db,
        "UPDATE tickets SET version = version + 1 WHERE channel = ? AND ts = ? AND state = 'open'",
        (channel, ts),
    )
    if before is None or moved == 0:
        return False
    _take_back(db, jobs, before)
    if latest_job_state(db, channel, ts) not in (JobState.READY, JobState.RUNNING):
        submit_newer(db, jobs, channel, ts, than=0, now_us=now_us)
    return True


def submit_newer(
    db: Database, jobs: Jobs, channel: str, ts: str, *, than: int, now_us: int
) -> None:
    """Submit the job of an open ticket whose version is newer than the one that was worked on."""
    ticket = read_ticket(db, channel, ts)
    if ticket is not None and ticket.state is TicketState.OPEN and ticket.version > than:
        _submit(db, jobs, ticket, now_us)


def latest_job_state(db: Database, channel: str, ts: str) -> JobState | None:
    """Return where the newest job of a ticket stands, None where there is none. A read."""
    found = rows(
        db,
        "SELECT state FROM jobs WHERE kind = ? AND key >= ? AND key < ?"
        " ORDER BY job_id DESC LIMIT 1",
        (TRIAGE_JOB, f"{channel}:{ts}:", f"{channel}:{ts};"),
    )
    return JobState(found[0]["state"]) if found else None


def cancel_ticket(db: Database, jobs: Jobs, ticket: TicketRow) -> None:
    """Mark a ticket as gone: a job that was not started is taken back, a run that was ends."""
    changed(
        db,
        "UPDATE tickets SET state = 'cancelled' WHERE channel = ? AND ts = ?",
        (ticket.channel, ticket.ts),
    )
    _take_back(db, jobs, ticket)


def give_customer(
    db: Database,
    jobs: Jobs,
    channel: str,
    ts: str,
    *,
    customer_id: str,
    user_id: str,
    now_us: int,
) -> bool:
    """Store whose ticket it is and have it worked on; False where that was said already.

    Who says it has asked for the run, and so never signs what it proposes.
    """
    given = changed(
        db,
        "UPDATE tickets SET customer_id = ?, customer_given = 1, opened_by = ?, state = 'open'"
        " WHERE channel = ? AND ts = ? AND state = 'waiting_for_customer_id'",
        (customer_id, user_id, channel, ts),
    )
    return given == 1 and run_again(db, jobs, channel, ts, now_us=now_us)


def dead_jobs(db: Database) -> list[tuple[str, int, str, str]]:
    """Return key, attempts, channel and time stamp of the jobs that were given up. A read."""
    sql = (
        "SELECT key, attempt, payload ->> 'channel' AS channel, payload ->> 'ts' AS ts"
        " FROM jobs WHERE kind = ? AND state = 'dead' ORDER BY job_id"
    )
    found = rows(db, sql, (TRIAGE_JOB,))
    return [(row["key"], row["attempt"], row["channel"], row["ts"]) for row in found]


def _take_back(db: Database, jobs: Jobs, ticket: TicketRow) -> None:
    """Take back a job that was not started, unless a run of it was interrupted."""
    if running_thread(db, ticket.channel, ticket.ts) is None:
        key = job_key(ticket.channel, ticket.ts, ticket.version)
        jobs.cancel(db, kind=TRIAGE_JOB, key=key)


def _submit(db: Database, jobs: Jobs, ticket: TicketRow, now_us: int) -> None:
    payload = {"channel": ticket.channel, "ts": ticket.ts, "version": ticket.version}
    jobs.submit(
        db,
        kind=TRIAGE_JOB,
        key=job_key(ticket.channel, ticket.ts, ticket.version),
        payload=json.dumps(payload),
        now_us=now_us,
        max_attempts=TRIAGE_STARTS,
    )


_SELECT: Final = (
    "SELECT channel, ts, ticket_id, customer_id, text, attachments, posted_by, opened_by, state,"
    " version, created_us, source, customer_given, text_ts FROM tickets"
)


def _ticket(row: Mapping[str, Any]) -> TicketRow:
    values = {
        **row,
        "attachments": tuple(json.loads(row["attachments"])),
        "state": TicketState(row["state"]),
        "source": IdSource(row["source"]),
        "customer_given": bool(row["customer_given"]),
    }
    return TicketRow(**values)

"""The tickets of the channels, what was said in their threads, and the jobs that work on them.

A ticket has a version: an edit, a follow-up and a request to run again each make a new one. A run
is of one version, and a running run that finds another version ends as cancelled. There is at most
one unfinished job of a ticket: a newer version takes the place of a job that was not started, and
waits for one that runs, whose end submits it.

All verbs that write are called inside the caller's ``tx()``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from sqlite_utils import Database

from approvals.store import Jobs, JobState, changed, rows

__all__ = [
    "TRIAGE_JOB",
    "ReplyRow",
    "TicketRow",
    "TicketState",
    "cancel_ticket",
    "change_ticket",
    "count_tickets",
    "dead_jobs",
    "edit_reply",
    "first_ticket_us",
    "give_customer",
    "is_kept",
    "is_thread",
    "job_key",
    "keep_reply",
    "latest_job_state",
    "open_ticket",
    "open_tickets_since",
    "read_ticket",
    "remove_reply",
    "replies_of",
    "requesters_of",
    "run_again",
    "submit_newer",
    "ticket_of_id",
    "use_replies",
]

TRIAGE_JOB: Final = "triage"
"""The kind of the job that works on a ticket; its key names the ticket's message and version."""
TRIAGE_STARTS: Final = 8
"""How often that job is started at most, starts that were cut by a crash included."""


class TicketState(StrEnum):
    """Where a ticket stands."""

    OPEN = "open"
    WAITING_FOR_CUSTOMER_ID = "waiting_for_customer_id"
    CANCELLED = "cancelled"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketRow:
    """A ticket. ``posted_by`` wrote it or filled in its form, ``opened_by`` brought it to us."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyRow:
    """What a person wrote in a ticket's thread.

    ``to_us``: it asks for a further run. ``used_by_run``: the first run that read it.
    """

    ts: str
    user_id: str
    text: str
    to_us: bool
    used_by_run: str | None


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


def open_tickets_since(db: Database, since_us: int, *, limit: int) -> list[tuple[str, str]]:
    """Return channel and time stamp of the open tickets after a moment, newest first. A read."""
    sql = (
        "SELECT channel, ts FROM tickets WHERE created_us > ?"
        " AND state IN ('open', 'waiting_for_customer_id') ORDER BY created_us DESC LIMIT ?"
    )
    return [(row["channel"], row["ts"]) for row in rows(db, sql, (since_us, limit))]


def is_thread(db: Database, channel: str, thread_ts: str) -> bool:
    """Whether this is the thread of a ticket of ours. A read."""
    sql = "SELECT 1 FROM tickets WHERE channel = ? AND ts = ?"
    return bool(rows(db, sql, (channel, thread_ts)))


def open_ticket(db: Database, jobs: Jobs, ticket: TicketRow) -> None:
    """Store a new ticket, and the job that works on it where its customer is known."""
    changed(
        db,
        "INSERT INTO tickets (channel, ts, ticket_id, customer_id, text, attachments, posted_by,"
        " opened_by, state, version, created_us) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
        ),
    )
    if ticket.state is TicketState.OPEN:
        _submit(db, jobs, ticket, ticket.created_us)


def change_ticket(
    db: Database,
    jobs: Jobs,
    ticket: TicketRow,
    *,
    customer_id: str | None,
    text: str,
    attachments: tuple[str, ...],
    now_us: int,
) -> None:
    """Store what a ticket says now, as a new version that is worked on if its customer is known.

    A run in progress ends either way: it is for what the ticket said before.
    """
    state = TicketState.WAITING_FOR_CUSTOMER_ID if customer_id is None else TicketState.OPEN
    changed(
        db,
        "UPDATE tickets SET customer_id = ?, text = ?, attachments = ?, state = ?,"
        " version = version + ? WHERE channel = ? AND ts = ?",
        (
            customer_id,
            text,
            json.dumps(attachments, ensure_ascii=False),
            state.value,
            customer_id is None,  # else the next run is the next version
            ticket.channel,
            ticket.ts,
        ),
    )
    if state is TicketState.OPEN:
        run_again(db, jobs, ticket.channel, ticket.ts, now_us=now_us)
    else:
        key = job_key(ticket.channel, ticket.ts, ticket.version)
        jobs.cancel(db, kind=TRIAGE_JOB, key=key)


def run_again(db: Database, jobs: Jobs, channel: str, ts: str, *, now_us: int) -> bool:
    """Ask for another run: a new version. False where the ticket is not open.

    A run in progress ends as cancelled, "newer message".
    """
    before = read_ticket(db, channel, ts)
    moved = changed(
        db,
        "UPDATE tickets SET version = version + 1"
        " WHERE channel = ? AND ts = ? AND state IN ('open', 'closed')",
        (channel, ts),
    )
    if before is None or moved == 0:
        return False
    changed(db, "UPDATE tickets SET state = 'open' WHERE channel = ? AND ts = ?", (channel, ts))
    jobs.cancel(db, kind=TRIAGE_JOB, key=job_key(channel, ts, before.version))
    if latest_job_state(db, channel, ts) is not JobState.RUNNING:
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
    """Mark a ticket as gone: a job that was not started is taken back, a running run ends."""
    changed(
        db,
        "UPDATE tickets SET state = 'cancelled' WHERE channel = ? AND ts = ?",
        (ticket.channel, ticket.ts),
    )
    jobs.cancel(db, kind=TRIAGE_JOB, key=job_key(ticket.channel, ticket.ts, ticket.version))


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
        "UPDATE tickets SET customer_id = ?, opened_by = ?, state = 'open'"
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


def keep_reply(
    db: Database,
    *,
    channel: str,
    ts: str,
    thread_ts: str,
    user_id: str,
    text: str,
    to_us: bool = True,
) -> bool:
    """Keep what a person wrote in a thread; False where it is kept already."""
    sql = (
        "INSERT INTO replies (channel, ts, thread_ts, user_id, text, to_us)"
        " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
    )
    return changed(db, sql, (channel, ts, thread_ts, user_id, text, to_us)) == 1


def is_kept(db: Database, *, channel: str, ts: str) -> bool:
    """Whether a reply is kept. A read."""
    return bool(rows(db, "SELECT 1 FROM replies WHERE channel = ? AND ts = ?", (channel, ts)))


def edit_reply(db: Database, *, channel: str, ts: str, text: str, to_us: bool) -> bool:
    """Store what a reply says now; False where it says that already, or is not kept.

    One that mentions the bot by now is a follow-up; one that did once stays one, so that whoever
    asked for a run cannot take that back.
    """
    sql = (
        "UPDATE replies SET text = ?, to_us = max(to_us, ?)"
        " WHERE channel = ? AND ts = ? AND (text != ? OR to_us < ?)"
    )
    return changed(db, sql, (text, to_us, channel, ts, text, to_us)) == 1


def remove_reply(db: Database, *, channel: str, ts: str) -> bool:
    """Forget a reply; False where it is not kept."""
    return changed(db, "DELETE FROM replies WHERE channel = ? AND ts = ?", (channel, ts)) == 1


def replies_of(db: Database, channel: str, thread_ts: str) -> list[ReplyRow]:
    """Return what was said in a thread, oldest first. A read."""
    sql = (
        "SELECT ts, user_id, text, to_us, used_by_run FROM replies"
        " WHERE channel = ? AND thread_ts = ? ORDER BY ts"
    )
    found = rows(db, sql, (channel, thread_ts))
    return [ReplyRow(**{**row, "to_us": bool(row["to_us"])}) for row in found]


def use_replies(db: Database, channel: str, replies: Iterable[ReplyRow], run_id: str) -> None:
    """Note that a run reads these replies: who wrote them is one of its requesters."""
    for reply in replies:
        changed(
            db,
            "UPDATE replies SET used_by_run = ? WHERE channel = ? AND ts = ?"
            " AND used_by_run IS NULL",
            (run_id, channel, reply.ts),
        )


def requesters_of(ticket: TicketRow, replies: Iterable[ReplyRow]) -> frozenset[str]:
    """Return the user ids of everybody who asked for a run over these."""
    followed_up = (reply.user_id for reply in replies if reply.to_us)
    asked = {ticket.posted_by, ticket.opened_by, *followed_up}
    return frozenset(asked - {""})


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
    " version, created_us FROM tickets"
)


def _ticket(row: Mapping[str, Any]) -> TicketRow:
    values = {
        **row,
        "attachments": tuple(json.loads(row["attachments"])),
        "state": TicketState(row["state"]),
    }
    return TicketRow(**values)

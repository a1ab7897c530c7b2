"""What people said in the threads of tickets, and who of them asked for a run.

All verbs that write are called inside the caller's ``tx()``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlite_utils import Database

from approvals.store import changed, rows
from bot.slack.store.tickets import TicketRow

__all__ = [
    "ReplyRow",
    "edit_reply",
    "is_kept",
    "keep_reply",
    "remove_reply",
    "replies_of",
    "requesters_of",
    "use_replies",
]


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

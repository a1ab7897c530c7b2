"""Erasing what people wrote in Slack: tickets and runs stay listed, the words go.

Inside the caller's ``tx()``. Free pages still hold erased bytes until the file is compacted.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from sqlite_utils import Database

from approvals.store import Jobs, changed, rows
from bot.slack.store.tickets import cancel_ticket, read_ticket

__all__ = ["erase_old_tickets", "erase_tickets_of"]


def erase_tickets_of(db: Database, jobs: Jobs, customer_id: str) -> int:
    """Erase every word in the threads of a customer's tickets; return how many tickets lost any.

    Such a ticket ends as cancelled, and what was not yet posted in its thread never is.
    """
    return _erase(db, jobs, rows(db, f"{_WITH_WORDS} AND customer_id = ?", (customer_id,)))


def erase_old_tickets(db: Database, jobs: Jobs, *, before_us: int, keep: Collection[str]) -> int:
    """Erase the words of tickets that ended and came before a moment; return how many lost any.

    ``keep`` are the ids of the runs whose threads keep theirs.
    """
    found = rows(db, _OLD, (before_us, json.dumps(sorted(keep))))
    return _erase(db, jobs, found)


_WITH_WORDS: Final = """
SELECT channel, ts FROM tickets WHERE (text != '' OR EXISTS (
    SELECT 1 FROM replies r WHERE r.channel = tickets.channel AND r.thread_ts = tickets.ts))
"""
_OLD: Final = f"""{_WITH_WORDS}
    AND created_us < ? AND state IN ('closed', 'cancelled') AND NOT EXISTS (
        SELECT 1 FROM threads t WHERE t.channel = tickets.channel AND t.thread_ts = tickets.ts
        AND (t.state = 'running' OR t.run_id IN (SELECT value FROM json_each(?))))
"""  # noqa: S608 - constants of ours
_RUNS: Final = "(SELECT run_id FROM threads WHERE channel = :channel AND thread_ts = :ts)"
_POSTS: Final = """
UPDATE outbox SET payload = '{}', state = CASE state WHEN 'sent' THEN 'sent' ELSE 'skipped' END
WHERE channel = :channel AND thread_ts = :ts AND state != 'sending'
"""
"""What is being sent is the poster's to move on."""
_DELIVERIES: Final = """
UPDATE inbox SET payload = '{}', state = 'done', error = NULL
WHERE kind = 'message' AND state != 'done' AND payload ->> 'channel' = :channel
AND :ts IN (payload ->> 'ts', payload ->> 'thread_ts', payload -> 'message' ->> 'ts',
    payload -> 'message' ->> 'thread_ts')
"""
_ERASE: Final = (
    "UPDATE tickets SET text = '', attachments = '[]' WHERE channel = :channel AND ts = :ts",
    "DELETE FROM replies WHERE channel = :channel AND thread_ts = :ts",
    f"DELETE FROM drafts WHERE run_id IN {_RUNS}",  # noqa: S608 - a constant of ours
    f"UPDATE feedback SET text = NULL WHERE run_id IN {_RUNS}",  # noqa: S608 - a constant of ours
    _POSTS,
    _DELIVERIES,
)


def _erase(db: Database, jobs: Jobs, places: Iterable[Mapping[str, Any]]) -> int:
    erased = 0
    for place in places:
        ticket = read_ticket(db, place["channel"], place["ts"])
        if ticket is None:
            continue
        cancel_ticket(db, jobs, ticket)
        for sql in _ERASE:
            changed(db, sql, place)
        erased += 1
    return erased

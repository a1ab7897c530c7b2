"""Erasing what people wrote in Slack: tickets and runs stay listed, the words go.

What was sent, and deliveries that are done, hold no words any more (``outbox``, ``inbox``). What
still waits, or was given up, is found by its thread, and where it stands elsewhere (an answer to
one person, a form, an edit) by the ids that it names.

Inside the caller's ``tx()``. The log still holds erased bytes until it is emptied.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final

from sqlite_utils import Database

from approvals.store import Jobs, changed, rows
from bot.slack.store.tickets import LAST_US, TRIAGE_JOB, cancel_ticket, read_ticket

__all__ = ["erase_old_tickets", "erase_tickets_of"]


def erase_tickets_of(db: Database, jobs: Jobs, customer_id: str) -> int:
    """Erase every word in the threads of a customer's tickets; return how many tickets lost any.

    Such a ticket ends as cancelled, and what was not yet posted about the customer never is.
    """
    with_words = rows(db, f"{_WITH_WORDS} AND customer_id = ?", (customer_id,))
    sql = "SELECT channel, ts, ticket_id FROM tickets WHERE customer_id = ?"
    about = rows(db, "SELECT proposal_id FROM proposals WHERE customer_id = ?", (customer_id,))
    ids = {customer_id, *(row["proposal_id"] for row in about)}
    _erase(db, jobs, rows(db, sql, (customer_id,)), ids)
    return len(with_words)


def erase_old_tickets(db: Database, jobs: Jobs, *, before_us: int, keep: Collection[str]) -> int:
    """Erase the words of tickets that were last heard of before a moment; return how many lost any.

    ``keep`` are the ids of the runs whose threads keep theirs. What is still to be worked on, or
    is held back, keeps its words too.
    """
    found = rows(db, _OLD, (before_us, json.dumps(sorted(keep))))
    _erase(db, jobs, found, ())
    return len(found)


_WITH_WORDS: Final = """
SELECT channel, ts, ticket_id FROM tickets WHERE (text != '' OR attachments != '[]'
    OR EXISTS (SELECT 1 FROM replies r
        WHERE r.channel = tickets.channel AND r.thread_ts = tickets.ts)
    OR EXISTS (SELECT 1 FROM threads t JOIN drafts d USING (run_id)
        WHERE t.channel = tickets.channel AND t.thread_ts = tickets.ts))
"""
_OLD: Final = f"""{_WITH_WORDS}
    AND {LAST_US} < ? AND NOT EXISTS (
        SELECT 1 FROM threads t WHERE t.channel = tickets.channel AND t.thread_ts = tickets.ts
        AND (t.state != 'ended' OR t.run_id IN (SELECT value FROM json_each(?))))
    AND NOT EXISTS (
        SELECT 1 FROM held h WHERE h.channel = tickets.channel AND h.ts = tickets.ts)
    AND NOT EXISTS (
        SELECT 1 FROM jobs j WHERE j.kind = '{TRIAGE_JOB}' AND j.state IN ('ready', 'running')
        AND j.key >= tickets.channel || ':' || tickets.ts || ':'
        AND j.key < tickets.channel || ':' || tickets.ts || ';')
"""  # noqa: S608 - constants of ours
_PLACES: Final = "(SELECT value ->> 'channel', value ->> 'ts' FROM json_each(:places))"
_RUNS: Final = f"(SELECT run_id FROM threads WHERE (channel, thread_ts) IN {_PLACES})"  # noqa: S608 - constants of ours
_IDS: Final = f"""
SELECT run_id AS id FROM threads WHERE run_id IN {_RUNS}
UNION SELECT proposal_id FROM proposals WHERE run_id IN {_RUNS}
"""  # noqa: S608 - constants of ours
_WORDS: Final = (
    f"UPDATE tickets SET text = '', attachments = '[]' WHERE (channel, ts) IN {_PLACES}",  # noqa: S608 - constants of ours
    f"DELETE FROM replies WHERE (channel, thread_ts) IN {_PLACES}",  # noqa: S608 - constants of ours
    f"DELETE FROM drafts WHERE run_id IN {_RUNS}",  # noqa: S608 - constants of ours
    f"UPDATE feedback SET text = NULL WHERE run_id IN {_RUNS}",  # noqa: S608 - constants of ours
)
_POSTS_OF_THREADS: Final = f"""
SELECT outbox_id AS id FROM outbox WHERE (channel, thread_ts) IN {_PLACES} OR target_key IN (
    SELECT key FROM outbox WHERE (channel, thread_ts) IN {_PLACES})
"""  # noqa: S608 - constants of ours
_ERASE_POSTS: Final = """
UPDATE outbox SET payload = '{}', state = CASE state WHEN 'sent' THEN 'sent' ELSE 'skipped' END
WHERE outbox_id IN (SELECT value FROM json_each(?))
"""
_ERASE_DELIVERIES: Final = """
UPDATE inbox SET payload = '{}', state = 'done', error = NULL
WHERE seq IN (SELECT value FROM json_each(?))
"""


def _erase(
    db: Database, jobs: Jobs, tickets: Iterable[Mapping[str, Any]], ids: Iterable[str]
) -> None:
    """Erase the words of tickets, and all that names one of them or one of these ids."""
    found = [read_ticket(db, row["channel"], row["ts"]) for row in tickets]
    gone = [ticket for ticket in found if ticket is not None]
    where = {"places": json.dumps([{"channel": each.channel, "ts": each.ts} for each in gone])}
    ids = {row["id"] for row in rows(db, _IDS, where)} | set(ids)
    named = _naming(ids | {each.ticket_id for each in gone} | {each.ts for each in gone})
    posts = {row["id"] for row in rows(db, _POSTS_OF_THREADS, where)}
    posts |= named(rows(db, "SELECT outbox_id AS id, payload FROM outbox WHERE payload != '{}'"))
    forms = named(rows(db, "SELECT seq AS id, payload FROM inbox WHERE payload != '{}'"))
    for ticket in gone:
        cancel_ticket(db, jobs, ticket)
    for sql in _WORDS:
        changed(db, sql, where)
    changed(db, _ERASE_POSTS, (json.dumps(sorted(posts)),))
    changed(db, _ERASE_DELIVERIES, (json.dumps(sorted(forms)),))


def _naming(ids: Collection[str]) -> Callable[[Iterable[Mapping[str, Any]]], set[int]]:
    """Return what picks the rows whose payload has one of these ids as a whole word."""
    longest_first = sorted(ids, key=len, reverse=True)
    either = "|".join(map(re.escape, longest_first))
    word = re.compile(rf"(?<![\w-])(?:{either})(?![\w])", re.IGNORECASE | re.ASCII)
    return lambda found: {row["id"] for row in found if ids and word.search(row["payload"])}

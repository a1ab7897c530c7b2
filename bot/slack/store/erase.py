"""Erasing what people wrote in Slack: tickets and runs stay listed, the words go.

What was sent, and deliveries that are done, hold no words any more (``outbox``, ``inbox``). What
still waits, or was given up, is found by its thread; a click, a form and an answer by what it
carries back; a post that stands in no thread by the ids that it names. What belongs to another
thread stays, whatever it says.

Inside the caller's ``tx()``. The log still holds erased bytes until it is emptied.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final

from sqlite_utils import Database

from approvals.store import Jobs, changed, rows
from bot.slack.store.about import undone_deliveries, untaken_tickets_of
from bot.slack.store.tickets import LAST_US, TRIAGE_JOB, cancel_ticket, read_ticket
from tools import IdForms

__all__ = ["erase_old_tickets", "erase_tickets_of"]

_EVER_US: Final = 2**62
"""Later than anything that waits."""


def erase_tickets_of(db: Database, jobs: Jobs, customer_id: str, *, forms: IdForms) -> int:
    """Erase every word in the threads of a customer's tickets; return how many tickets lost any.

    Such a ticket ends as cancelled, and what was not yet posted about the customer never is. A
    ticket that was delivered and is not taken in yet never is either, as far as it says whose it
    is: ``forms`` tell.
    """
    with_words = rows(db, f"{_WITH_WORDS} AND customer_id = ?", (customer_id,))
    stored = rows(db, "SELECT channel, ts FROM tickets WHERE customer_id = ?", (customer_id,))
    places = _places(stored) | untaken_tickets_of(db, customer_id, forms)
    about = rows(db, "SELECT proposal_id FROM proposals WHERE customer_id = ?", (customer_id,))
    ids = {customer_id, *(row["proposal_id"] for row in about)}
    _erase(db, jobs, places, ids, before_us=_EVER_US)
    return len(with_words)


def erase_old_tickets(db: Database, jobs: Jobs, *, before_us: int, keep: Collection[str]) -> int:
    """Erase the words of tickets that were last heard of before a moment; return how many lost any.

    ``keep`` are the ids of the runs whose threads keep theirs. What is still to be worked on, or
    is held back, keeps its words too, and so does a ticket about which something was delivered
    that is not taken in yet, or that was given up since.
    """
    old = _places(rows(db, _OLD, (before_us, json.dumps(sorted(keep)))))
    found = old - _heard_of(db, since_us=before_us)
    _erase(db, jobs, found, (), before_us=before_us)
    return len(found)


_WITH_WORDS: Final = """
SELECT channel, ts FROM tickets WHERE (text != '' OR attachments != '[]'
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
_POSTS_OF_NO_THREAD: Final = """
SELECT o.outbox_id AS id, o.payload FROM outbox o LEFT JOIN outbox t ON t.key = o.target_key
WHERE o.payload != '{}' AND o.thread_ts IS NULL AND t.thread_ts IS NULL AND o.next_at_us < ?
"""
_THREADS_OF: Final = """
SELECT channel, thread_ts AS ts FROM threads WHERE run_id IN (
    SELECT value FROM json_each(:ids)
    UNION SELECT run_id FROM proposals WHERE proposal_id IN (SELECT value FROM json_each(:ids)))
"""
_ERASE_POSTS: Final = """
UPDATE outbox SET payload = '{}', state = CASE state WHEN 'sent' THEN 'sent' ELSE 'skipped' END
WHERE outbox_id IN (SELECT value FROM json_each(?))
"""
_ERASE_DELIVERIES: Final = """
UPDATE inbox SET payload = '{}', state = 'done', error = NULL
WHERE seq IN (SELECT value FROM json_each(?))
"""


def _erase(
    db: Database,
    jobs: Jobs,
    places: Collection[tuple[str, str]],
    ids: Iterable[str],
    *,
    before_us: int,
) -> None:
    """Erase the words of the threads at these places, and all else that is about them or the ids.

    ``before_us``: a post in no thread that is to be sent later than this stays.
    """
    where = {"places": json.dumps([{"channel": each[0], "ts": each[1]} for each in places])}
    gone = [each for place in places if (each := read_ticket(db, *place)) is not None]
    ids = {row["id"] for row in rows(db, _IDS, where)} | set(ids)
    named = _naming(ids | {each.ticket_id for each in gone} | {each.ts for each in gone})
    posts = {row["id"] for row in rows(db, _POSTS_OF_THREADS, where)}
    posts |= named(rows(db, _POSTS_OF_NO_THREAD, (before_us,)))
    marks = ids | set(places)
    deliveries = [each.seq for each in undone_deliveries(db) if each.marks & marks]
    for ticket in gone:
        cancel_ticket(db, jobs, ticket)
    for sql in _WORDS:
        changed(db, sql, where)
    changed(db, _ERASE_POSTS, (json.dumps(sorted(posts)),))
    changed(db, _ERASE_DELIVERIES, (json.dumps(deliveries),))


def _heard_of(db: Database, *, since_us: int) -> set[tuple[str, str]]:
    """Return the threads about which a delivery is new, or came since a moment and is not done."""
    fresh = [each for each in undone_deliveries(db) if each.is_new or each.received_us >= since_us]
    marks = frozenset().union(*(each.marks for each in fresh))
    ids = json.dumps(sorted(each for each in marks if isinstance(each, str)))
    threads = _places(rows(db, _THREADS_OF, {"ids": ids}))
    return threads | {each for each in marks if not isinstance(each, str)}


def _places(found: Iterable[Mapping[str, Any]]) -> set[tuple[str, str]]:
    return {(row["channel"], row["ts"]) for row in found}


def _naming(ids: Collection[str]) -> Callable[[Iterable[Mapping[str, Any]]], set[int]]:
    """Return what picks the rows whose payload has one of these ids as a whole word."""
    longest_first = sorted(ids, key=len, reverse=True)
    either = "|".join(map(re.escape, longest_first))
    word = re.compile(rf"(?<![\w-])(?:{either})(?![\w])", re.IGNORECASE | re.ASCII)
    return lambda found: {row["id"] for row in found if ids and word.search(row["payload"])}

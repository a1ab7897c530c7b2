"""The outbox: everything that is to be posted, as rows that are written in the commit that asks.

    ready -> sending -> sent | failed
    sending -> ready          Slack certainly did not take it
    ready, sending -> skipped a newer state of the same thing took its place
    sent -> ready             somebody deleted it: it is posted anew, as its edit was to show it

What a row says goes once it is sent or skipped: after that it names a message and no more.

A row that is ``sending`` when its time comes is in doubt: it may have been posted although no
answer came, or the process was killed in between. It is looked up before it is sent once more,
unless one person alone gets it: to read those messages would take a scope that nothing else needs.

Verbs that write are called inside the caller's ``tx()``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from sqlite_utils import Database

from approvals.store import changed, rows
from bot.slack.store.posts import Method, Post, PostRow, PostState, Priority

__all__ = [
    "begin_post",
    "count_posts",
    "fail_post",
    "failed_posts",
    "finish_post",
    "is_put",
    "next_due_post",
    "next_post_us",
    "post_anew",
    "postpone",
    "put_post",
    "put_shown",
    "retry_post",
    "skip_unsent",
    "ts_of",
]


def put_post(db: Database, post: Post, *, now_us: int) -> bool:
    """Store a post; False where its key is stored already.

    Of its stream, what was asked for earlier by the same method and is not sent is skipped.
    """
    stored = changed(
        db,
        "INSERT INTO outbox (channel, thread_ts, method, payload, key, target_key,"
        " supersedes_key, priority, next_at_us) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (key) DO NOTHING",
        (
            post.channel,
            post.thread_ts,
            post.method.value,
            _json(post.payload),
            post.key,
            post.target_key,
            post.stream,
            post.priority,
            now_us,
        ),
    )
    if stored == 1 and post.stream is not None:
        skip_unsent(db, post.stream, method=post.method, but=post.key)
    return stored == 1


def skip_unsent(
    db: Database, stream: str, *, method: Method = Method.POST, but: str | None = None
) -> None:
    """Leave out what a stream still has to say by one method, the row of the key ``but`` apart.

    What is in doubt is left out too: if it was posted, it stays there and is not looked up.
    """
    changed(
        db,
        "UPDATE outbox SET state = 'skipped', payload = '{}'"
        " WHERE supersedes_key = ? AND method = ? AND key IS NOT ?"
        " AND state IN ('ready', 'sending')",
        (stream, method.value, but),
    )


def put_shown(db: Database, post: Post, *, cause: str, edit_priority: int, now_us: int) -> None:
    """Store the post of a message; where it is stored already, that message is changed in place.

    ``cause`` names the change: the same one is stored once.
    """
    if not put_post(db, post, now_us=now_us):
        edit = replace(
            post,
            key=f"{post.key}:{cause}",
            thread_ts=None,
            method=Method.UPDATE,
            target_key=post.key,
            stream=post.key,
            priority=edit_priority,
        )
        put_post(db, edit, now_us=now_us)


def next_due_post(
    db: Database,
    *,
    now_us: int,
    full_channels: Sequence[str] = (),
    shut_channels: Sequence[str] = (),
    closed_methods: Sequence[str] = (),
    least: int = Priority.PROGRESS,
) -> PostRow | None:
    """Return what is to be sent now: the most urgent, of those the oldest. A read.

    ``full_channels`` take no new message yet, ``shut_channels`` nothing but answers to one person,
    which may go to them directly. ``closed_methods`` may not be called yet, those of a look-up
    either; what is less urgent than ``least`` waits. An edit waits until the message that it
    changes is posted or given up. A message waits while an older one of its thread is in doubt, so
    that a thread keeps its order.
    """
    found = _posts(
        db,
        _DUE,
        {
            "now_us": now_us,
            "channels": json.dumps(list(full_channels)),
            "shut": json.dumps(list(shut_channels)),
            "methods": json.dumps(list(closed_methods)),
            "least": least,
        },
    )
    return found[0] if found else None


def next_post_us(db: Database, *, now_us: int) -> int | None:
    """Return the next moment after now when a row is due, None where there is none. A read."""
    due: int | None = rows(
        db,
        "SELECT min(next_at_us) AS due FROM outbox WHERE state IN ('ready', 'sending')"
        " AND next_at_us > ?",
        (now_us,),
    )[0]["due"]
    return due


def begin_post(db: Database, row: PostRow) -> bool:
    """Note that a row is about to be sent; False where something else became of it."""
    sql = (
        "UPDATE outbox SET state = 'sending', attempts = attempts + 1"
        " WHERE outbox_id = ? AND state IN ('ready', 'sending')"
    )
    return changed(db, sql, (row.outbox_id,)) == 1


def finish_post(db: Database, row: PostRow, ts: str | None) -> bool:
    """Note that Slack has it; ``ts`` names the message, None for what has no name."""
    sql = (
        "UPDATE outbox SET state = 'sent', payload = '{}', ts = ?, error = NULL"
        " WHERE outbox_id = ? AND state IN ('ready', 'sending')"
    )
    return changed(db, sql, (ts, row.outbox_id)) == 1


def postpone(db: Database, row: PostRow, *, at_us: int, error: str | None, in_doubt: bool) -> bool:
    """Put a row off. ``in_doubt`` says that Slack may have taken it all the same."""
    state = PostState.SENDING if in_doubt else PostState.READY
    sql = (
        "UPDATE outbox SET state = ?, next_at_us = ?, error = ?"
        " WHERE outbox_id = ? AND state IN ('ready', 'sending')"
    )
    return changed(db, sql, (state.value, at_us, error, row.outbox_id)) == 1


def post_anew(db: Database, edit: PostRow, *, now_us: int) -> bool:
    """Post a message again that somebody deleted, as ``edit`` was to show it, in its place.

    False where the message is not the one that the edit was for; the edit is left as it is then.
    """
    again = changed(
        db,
        "UPDATE outbox SET state = 'ready', payload = ?, ts = NULL, attempts = 0, next_at_us = ?"
        " WHERE key = ? AND state = 'sent' AND ts = ?",
        (_json(edit.payload), now_us, edit.target_key, edit.target_ts),
    )
    if again == 0:
        return False
    changed(
        db,
        "UPDATE outbox SET state = 'skipped', payload = '{}' WHERE outbox_id = ?",
        (edit.outbox_id,),
    )
    return True


def fail_post(db: Database, row: PostRow, error: str) -> bool:
    """Give a row up. ``error`` is Slack's name for why; people see it and can try it again."""
    sql = (
        "UPDATE outbox SET state = 'failed', error = ?"
        " WHERE outbox_id = ? AND state IN ('ready', 'sending')"
    )
    return changed(db, sql, (error, row.outbox_id)) == 1


def retry_post(db: Database, outbox_id: int, *, now_us: int) -> bool:
    """Try once more what was given up; False where it was not. It counts as in doubt."""
    sql = (
        "UPDATE outbox SET state = 'sending', next_at_us = ?"
        " WHERE outbox_id = ? AND state = 'failed'"
    )
    return changed(db, sql, (now_us, outbox_id)) == 1


def failed_posts(db: Database, *, limit: int = 50) -> list[PostRow]:
    """Return what was given up, the newest first. A read."""
    return _posts(db, "o.state = 'failed' ORDER BY o.outbox_id DESC LIMIT ?", (limit,))


def count_posts(db: Database) -> dict[PostState, int]:
    """Count the rows by state. A read."""
    counts = dict.fromkeys(PostState, 0)
    for row in rows(db, "SELECT state, count(*) AS n FROM outbox GROUP BY state"):
        counts[PostState(row["state"])] = row["n"]
    return counts


def is_put(db: Database, key: str) -> bool:
    """Whether a message was put into the outbox, sent by now or not. A read."""
    return bool(rows(db, "SELECT 1 FROM outbox WHERE key = ?", (key,)))


def ts_of(db: Database, key: str) -> str | None:
    """Return the name of a posted message, None where it is not posted (yet). A read."""
    found = rows(db, "SELECT ts FROM outbox WHERE key = ?", (key,))
    return found[0]["ts"] if found else None


_DUE: Final = """
o.state IN ('ready', 'sending') AND o.next_at_us <= :now_us AND o.priority >= :least
AND o.method NOT IN (SELECT value FROM json_each(:methods))
AND (o.method = 'chat.postEphemeral' OR o.channel NOT IN (SELECT value FROM json_each(:shut)))
AND NOT (o.state = 'sending' AND o.method = 'chat.postMessage' AND o.channel GLOB '[CG]*' AND
    CASE WHEN o.thread_ts IS NULL THEN 'conversations.history' ELSE 'conversations.replies' END
    IN (SELECT value FROM json_each(:methods)))
AND (o.target_key IS NULL OR t.outbox_id IS NULL OR t.state NOT IN ('ready', 'sending'))
AND (o.method != 'chat.postMessage' OR (
    o.channel NOT IN (SELECT value FROM json_each(:channels))
    AND NOT EXISTS (
        SELECT 1 FROM outbox e WHERE e.state = 'sending' AND e.channel = o.channel
        AND e.thread_ts IS o.thread_ts AND e.method = o.method AND e.outbox_id < o.outbox_id)))
ORDER BY o.priority DESC, o.outbox_id LIMIT 1
"""


def _json(payload: Mapping[str, Any]) -> str:
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":"))


def _posts(db: Database, where: str, params: tuple[Any, ...] | Mapping[str, Any]) -> list[PostRow]:
    found = rows(
        db,
        f"SELECT o.*, t.ts AS target_ts FROM outbox o"  # noqa: S608 - the wheres are ours
        f" LEFT JOIN outbox t ON t.key = o.target_key WHERE {where}",
        params,
    )
    return [_post(row) for row in found]


def _post(row: Mapping[str, Any]) -> PostRow:
    return PostRow(
        outbox_id=row["outbox_id"],
        channel=row["channel"],
        thread_ts=row["thread_ts"],
        method=Method(row["method"]),
        payload=json.loads(row["payload"]),
        key=row["key"],
        target_key=row["target_key"],
        target_ts=row["target_ts"],
        state=PostState(row["state"]),
        ts=row["ts"],
        attempts=row["attempts"],
        next_at_us=row["next_at_us"],
        error=row["error"],
        priority=row["priority"],
    )

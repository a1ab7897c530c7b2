"""The poster: sends what the outbox holds, each row once, at the pace that Slack allows.

It runs where the serve lock is held, so there is one poster of a store. Rows in doubt are looked
up before anything is sent again; what Slack refuses for good is given up where people can see it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, Final, assert_never

from sqlite_utils import Database

from approvals.store import Writer
from bot.slack.calls import Calls, Limited, Lost, Refused, Took
from bot.slack.intake import Us
from bot.slack.posted import Absent, Found, find_posted
from bot.slack.store.outbox import (
    METADATA_TYPE,
    Method,
    Post,
    PostRow,
    begin_post,
    fail_post,
    finish_post,
    next_due_post,
    next_post_us,
    postpone,
    put_post,
)

__all__ = ["THREAD_GONE", "OnSent", "Poster"]

SECOND_US: Final = 1_000_000
CHANNEL_PACE_US: Final = SECOND_US
"""Slack takes about one new message a second in a channel (docs.slack.dev, "Rate limits")."""
FIRST_WAIT_US: Final = SECOND_US
LONGEST_WAIT_US: Final = 60 * SECOND_US
"""The wait after a call that was lost doubles up to this, and goes on for ever: nothing that was
to be said is dropped because Slack was away."""
THREAD_GONE: Final = "thread_not_found"
"""Why a reply was given up whose thread was deleted."""

_UNSHOWABLE: Final = frozenset({"invalid_blocks", "msg_blocks_too_long"})
_NOT_HERE: Final = frozenset({"channel_not_found", "not_in_channel", "user_not_in_channel"})

_log: Final = logging.getLogger("handrail.slack")

OnSent = Callable[[Database, PostRow, str], None]
"""Told of a new message, with its ts, in the transaction that notes it as sent."""


class Poster:
    """Sends rows one after the other.

    Args:
        calls: the Web API, without any retry of its own.
        us: whose messages a look-up goes through.
        writer: commits what became of each row.
        now_us: the time.
        on_sent: told of each new message.
    """

    def __init__(
        self,
        calls: Calls,
        us: Us,
        *,
        writer: Writer,
        now_us: Callable[[], int],
        on_sent: OnSent | None = None,
    ) -> None:
        self._calls = calls
        self._us = us
        self._writer = writer
        self._now_us = now_us
        self._on_sent = on_sent
        self._free_us: dict[str, int] = {}  # by channel: when it takes the next message
        self._open_us: dict[str, int] = {}  # by method: when it may be called again
        self._told: set[str] = set()  # what stands in the log already

    def step(self, db: Database) -> int | None:
        """Send what can be sent now; return when to come again, in microseconds since 1970."""
        while (row := self._next(db)) is not None:
            self._send(row)
        return self._due_us(db)

    def _next(self, db: Database) -> PostRow | None:
        now_us = self._now_us()
        return next_due_post(
            db,
            now_us=now_us,
            full_channels=_later(self._free_us, now_us),
            closed_methods=_later(self._open_us, now_us),
        )

    def _due_us(self, db: Database) -> int | None:
        now_us = self._now_us()
        held = [*self._free_us.values(), *self._open_us.values()]
        row_us = next_post_us(db, now_us=now_us)
        return min((us for us in (*held, row_us) if us is not None and us > now_us), default=None)

    def _send(self, row: PostRow) -> None:
        if row.target_key is not None and row.target_ts is None:
            self._give_up(row, "the message that it changes was not posted")
            return
        if not self._writer.run(lambda w: begin_post(w, row)):
            return  # a newer state took its place
        if row.in_doubt and row.method is Method.POST and not self._is_absent(row):
            return
        if row.method is Method.POST:
            self._free_us[row.channel] = self._now_us() + CHANNEL_PACE_US
        match self._calls.write(row.method.value, _arguments(row)):
            case Took(data=data):
                self._took(row, data)
            case Limited(wait_s=wait_s):
                self._hold(row, row.method.value, wait_s, in_doubt=False)
            case Lost(code=code):
                self._lost(row, code)
            case Refused(code=code, needed=needed):
                self._refused(row, code, needed)
            case never:
                assert_never(never)

    def _is_absent(self, row: PostRow) -> bool:
        """Look a row in doubt up, and settle it where that tells what became of it."""
        look = find_posted(
            self._calls, self._us, channel=row.channel, thread_ts=row.thread_ts, key=row.key
        )
        match look:
            case Found(ts=ts, in_thread=True):
                self._sent(row, ts)
            case Found(ts=ts):
                self._remove_stray(row, ts)
            case Absent(thread_gone=True):
                self._give_up(row, THREAD_GONE)
            case Absent():
                return True
            case Limited(wait_s=wait_s):
                # The method of the look-up is another one, and this row must not hold it closed.
                self._hold(row, None, wait_s, in_doubt=True)
            case Lost(code=code):
                self._lost(row, code)
            case Refused(code=code, needed=needed):
                self._refused(row, code, needed)
            case Took():
                raise AssertionError("a look-up finds or does not find")
            case never:
                assert_never(never)
        return False

    def _took(self, row: PostRow, data: Mapping[str, Any]) -> None:
        if row.method is not Method.POST:
            ts = data.get("message_ts") if row.method is Method.EPHEMERAL else data.get("ts")
            self._sent(row, ts, is_new=False)
            return
        ts = str(data["ts"])
        posted = data.get("message") or {}
        if row.thread_ts is not None and posted.get("thread_ts") != row.thread_ts:
            self._remove_stray(row, ts)
        else:
            self._sent(row, ts)

    def _sent(self, row: PostRow, ts: str | None, *, is_new: bool = True) -> None:
        def note(db: Database) -> None:
            if finish_post(db, row, ts) and is_new and ts is not None and self._on_sent:
                self._on_sent(db, row, ts)

        self._writer.run(note)

    def _remove_stray(self, row: PostRow, ts: str) -> None:
        """Take back what Slack put into the channel because the thread is gone."""
        removal = Post(
            channel=row.channel,
            key=f"{row.key}:stray:{ts}",
            payload={"ts": ts},
            method=Method.DELETE,
        )

        def note(db: Database) -> None:
            fail_post(db, row, THREAD_GONE)
            put_post(db, removal, now_us=self._now_us())

        self._writer.run(note)

    def _hold(self, row: PostRow, method: str | None, wait_s: int, *, in_doubt: bool) -> None:
        until_us = self._now_us() + wait_s * SECOND_US
        if method is not None:
            self._open_us[method] = until_us
        self._writer.run(
            lambda w: postpone(w, row, at_us=until_us, error="ratelimited", in_doubt=in_doubt)
        )

    def _lost(self, row: PostRow, code: str) -> None:
        wait_us = min(FIRST_WAIT_US * 2 ** min(row.attempts, 10), LONGEST_WAIT_US)
        at_us = self._now_us() + wait_us
        self._tell(code, "Slack's answer was lost (%s); it is looked up and tried again", code)
        self._writer.run(lambda w: postpone(w, row, at_us=at_us, error=code, in_doubt=True))

    def _refused(self, row: PostRow, code: str, needed: str | None) -> None:
        if row.method is Method.DELETE and code == "message_not_found":
            self._sent(row, None, is_new=False)
            return
        scope = "" if needed is None else f"; the app needs the scope {needed}"
        self._tell(
            f"{code} {row.channel}",
            "Slack refused %s in %s: %s%s; handrail doctor says what to do",
            row.method.value,
            row.channel,
            code,
            scope,
        )
        self._give_up(row, code, instead=_instead(row, code))

    def _give_up(self, row: PostRow, error: str, *, instead: Post | None = None) -> None:
        def note(db: Database) -> None:
            if fail_post(db, row, error) and instead is not None:
                put_post(db, instead, now_us=self._now_us())

        self._writer.run(note)

    def _tell(self, what: str, text: str, *values: object) -> None:
        if what not in self._told:
            self._told.add(what)
            _log.error(text, *values)


def _arguments(row: PostRow) -> dict[str, Any]:
    """Return the arguments of the call. The key goes into the metadata of what is looked up."""
    args: dict[str, Any] = {"channel": row.channel, **row.payload}
    match row.method:
        case Method.POST:
            args["metadata"] = _metadata(row.key)
        case Method.UPDATE:
            args["metadata"] = _metadata(row.target_key or row.key)
            args["ts"] = row.target_ts
            return args
        case Method.EPHEMERAL:
            pass
        case Method.DELETE:
            return args
        case never:
            assert_never(never)
    if row.thread_ts is not None:
        args["thread_ts"] = row.thread_ts
    return args


def _metadata(key: str) -> dict[str, Any]:
    return {"event_type": METADATA_TYPE, "event_payload": {"key": key}}


def _instead(row: PostRow, code: str) -> Post | None:
    """Return what is still worth a try: the plain text of blocks, a direct message to a person."""
    if code in _UNSHOWABLE and row.payload.get("blocks"):
        return Post(
            channel=row.channel,
            thread_ts=row.thread_ts,
            key=f"{row.key}:plain",
            payload={name: value for name, value in row.payload.items() if name != "blocks"},
            method=row.method if row.method is Method.EPHEMERAL else Method.POST,
            priority=row.priority,
        )
    if code in _NOT_HERE and row.method is Method.EPHEMERAL:
        payload = dict(row.payload)
        user_id = str(payload.pop("user"))
        key = f"{row.key}:direct"
        return Post(channel=user_id, key=key, payload=payload, priority=row.priority)
    return None


def _later(times: Mapping[str, int], now_us: int) -> list[str]:
    return [name for name, us in times.items() if us > now_us]

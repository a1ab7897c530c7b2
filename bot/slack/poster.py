"""The poster: sends what the outbox holds, each row once, at the pace that Slack allows.

It runs where the serve lock is held, so there is one poster of a store. Rows in doubt are looked
up before anything is sent again. What Slack refuses until somebody repairs the app or a channel
waits for that (``bot.slack.remedies``); what it refuses for good is given up where people see it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, assert_never

from sqlite_utils import Database

from approvals.store import Writer
from bot.slack.calls import Calls, Limited, Lost, Refused, Took
from bot.slack.holds import Holds
from bot.slack.intake import Us
from bot.slack.post_calls import arguments_of, instead_of, is_to_come_back
from bot.slack.posted import LOOK_UPS, Absent, Found, find_posted
from bot.slack.remedies import LETTERS, Course, course_of, remedy
from bot.slack.steady import AT_ONCE
from bot.slack.store.outbox import (
    begin_post,
    fail_post,
    finish_post,
    next_due_post,
    next_post_us,
    post_anew,
    postpone,
    put_post,
)
from bot.slack.store.posts import Method, Post, PostRow, Priority
from bot.slack.troubles import REFUSED, Troubles, shut

__all__ = ["THREAD_GONE", "OnSent", "Poster"]

SECOND_US: Final = 1_000_000
CHANNEL_PACE_US: Final = SECOND_US
"""Slack takes about one new message a second in a channel (docs.slack.dev, "Rate limits")."""
PROGRESS_PACE_US: Final = 2 * SECOND_US
"""Between two edits that only show progress, of all runs together. Slack takes about 50 edits a
minute of an app (docs.slack.dev, "Rate limits", tier 3): the others are left to final states."""
FIRST_WAIT_US: Final = SECOND_US
LONGEST_WAIT_US: Final = 60 * SECOND_US
"""The wait after a call that was lost doubles up to this, and goes on for ever: nothing that was
to be said is dropped because Slack was away."""
REPAIR_WAIT_US: Final = 60 * SECOND_US
"""How often it is tried whether a refusal that a person has to repair is over."""
THREAD_GONE: Final = "thread_not_found"
"""Why a reply was given up whose thread was deleted."""

_LOST: Final = "Slack's answers get lost"

OnSent = Callable[[Database, PostRow, str], None]
"""Told of a new message, with its ts, in the transaction that notes it as sent."""


class Poster:
    """Sends rows one after the other.

    Args:
        calls: the Web API, without any retry of its own.
        us: whose messages a look-up goes through.
        writer: commits what became of each row.
        now_us: the time.
        troubles: told of what a person has to repair.
        on_sent: told of each new message.
    """

    def __init__(
        self,
        calls: Calls,
        us: Us,
        *,
        writer: Writer,
        now_us: Callable[[], int],
        troubles: Troubles,
        on_sent: OnSent | None = None,
    ) -> None:
        self._calls = calls
        self._us = us
        self._writer = writer
        self._now_us = now_us
        self._troubles = troubles
        self._on_sent = on_sent
        self._holds = Holds(now_us)

    def step(self, db: Database) -> int | None:
        """Send what can be sent now; return when to come again, in microseconds since 1970.

        Not more than ``AT_ONCE``: a backlog may be long, and nobody who stops waits for all of it.
        """
        for _ in range(AT_ONCE):
            row = self._next(db)
            if row is None:
                return self._due_us(db)
            self._send(row)
        return self._now_us()

    def _next(self, db: Database) -> PostRow | None:
        if self._holds.all_held:
            return None
        return next_due_post(
            db,
            now_us=self._now_us(),
            full_channels=self._holds.full_channels,
            shut_channels=self._holds.shut_channels,
            closed_methods=self._holds.closed_methods,
            least=Priority.PROGRESS + self._holds.progress_held,
        )

    def _due_us(self, db: Database) -> int | None:
        due = (self._holds.next_us(), next_post_us(db, now_us=self._now_us()))
        return min((us for us in due if us is not None), default=None)

    def _send(self, row: PostRow) -> None:
        if row.target_key is not None and row.target_ts is None:
            self._give_up(row, "the message that it changes was not posted")
            return
        if not self._writer.run(lambda w: begin_post(w, row)):
            return  # a newer state took its place
        if row.in_doubt and _can_be_found(row) and not self._is_absent(row):
            return
        if row.method is Method.POST:
            self._holds.pace(row.channel, CHANNEL_PACE_US)
        if row.priority == Priority.PROGRESS:
            self._holds.progress(PROGRESS_PACE_US)
        match self._calls.write(row.method.value, arguments_of(row)):
            case Took(data=data):
                self._took(row, data)
                self._well(row, row.method.value)
            case Limited() as limited:
                self._hold(row, limited, in_doubt=False)
            case Lost(code=code):
                self._lost(row, code)
            case Refused() as refused:
                self._refused(row, refused)
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
                self._well(row, *LOOK_UPS)
                return True
            case Limited() as limited:
                self._hold(row, limited, in_doubt=True)
            case Lost(code=code):
                self._lost(row, code)
            case Refused() as refused:
                self._refused(row, refused, in_doubt=True)
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

    def _hold(self, row: PostRow, limited: Limited, *, in_doubt: bool) -> None:
        until_us = self._holds.method(limited.method, limited.wait_s * SECOND_US)
        self._put_off(row, until_us, "ratelimited", in_doubt=in_doubt)

    def _lost(self, row: PostRow, code: str) -> None:
        wait_us = min(FIRST_WAIT_US * 2 ** min(row.attempts, 10), LONGEST_WAIT_US)
        self._troubles.tell(
            _LOST, "Slack's answer was lost (%s); it is looked up and tried again", code
        )
        self._put_off(row, self._now_us() + wait_us, code, in_doubt=True)

    def _refused(self, row: PostRow, refused: Refused, *, in_doubt: bool = False) -> None:
        code = refused.code
        if row.method is Method.DELETE and code == "message_not_found":
            self._sent(row, None, is_new=False)
            return
        if is_to_come_back(row, code) and self._writer.run(
            lambda w: post_anew(w, row, now_us=self._now_us())
        ):
            return
        instead = instead_of(row, code)
        match _course(row, code, instead):
            case Course.AWAIT_APP:
                until_us = self._holds.everything(REPAIR_WAIT_US)
                self._await(row, refused, until_us, REFUSED, in_doubt=in_doubt)
            case Course.AWAIT_METHOD:
                until_us = self._holds.method(refused.method, REPAIR_WAIT_US)
                self._await(row, refused, until_us, _closed(refused.method), in_doubt=in_doubt)
            case Course.AWAIT_CHANNEL:
                until_us = self._holds.channel(row.channel, REPAIR_WAIT_US)
                self._await(row, refused, until_us, shut(row.channel), in_doubt=in_doubt)
            case Course.GIVE_UP:
                if instead is None:
                    self._tell(f"Slack refuses {code} in {row.channel}", row, refused, LETTERS)
                self._give_up(row, code, instead=instead)
            case never:
                assert_never(never)

    def _await(
        self, row: PostRow, refused: Refused, until_us: int, trouble: str, *, in_doubt: bool
    ) -> None:
        """Keep a row until somebody has repaired what Slack refuses it for."""
        self._tell(trouble, row, refused, remedy(refused.code, refused.needed))
        self._put_off(row, until_us, refused.code, in_doubt=in_doubt)

    def _put_off(self, row: PostRow, at_us: int, error: str, *, in_doubt: bool) -> None:
        self._writer.run(lambda w: postpone(w, row, at_us=at_us, error=error, in_doubt=in_doubt))

    def _well(self, row: PostRow, *methods: str) -> None:
        """Note that Slack answers these methods, and in the row's channel."""
        for trouble in (REFUSED, _LOST, shut(row.channel), *map(_closed, methods)):
            self._troubles.over(trouble)

    def _give_up(self, row: PostRow, error: str, *, instead: Post | None = None) -> None:
        def note(db: Database) -> None:
            if fail_post(db, row, error) and instead is not None:
                put_post(db, instead, now_us=self._now_us())

        self._writer.run(note)

    def _tell(self, trouble: str, row: PostRow, refused: Refused, to_do: str) -> None:
        self._troubles.tell(
            trouble,
            "Slack refused %s in %s: %s. To do: %s",
            refused.method,
            row.channel,
            refused.code,
            to_do,
        )


def _closed(method: str) -> str:
    return f"Slack does not let us call {method}"


def _can_be_found(row: PostRow) -> bool:
    """Whether a look-up can tell if it was posted.

    What cannot be found is sent once more: twice told harms less than not told.
    """
    return row.method is Method.POST and not row.is_direct


def _course(row: PostRow, code: str, instead: Post | None) -> Course:
    """Return what to do about a refusal; there is no waiting for a person's own channel."""
    course = course_of(code)
    waits = instead is None and not row.is_direct
    return Course.GIVE_UP if course is Course.AWAIT_CHANNEL and not waits else course

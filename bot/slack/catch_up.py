"""Catching up: what was said in the channels while nothing was delivered to us.

Everything that is found goes the way of a delivery, so what was delivered is not taken twice. A
press that got lost cannot be found again: whoever pressed saw a warning, and presses again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sqlite_utils import Database

from approvals.store import Writer, connect
from bot.slack.calls import Answer, Calls, Refused, Took
from bot.slack.errors import WrongShape
from bot.slack.gate import Gate, Taken
from bot.slack.incoming import message_subject
from bot.slack.messages import unread
from bot.slack.remedies import Course, course_of, remedy
from bot.slack.shapes import Message, check
from bot.slack.store.cursors import move_cursor, read_cursor
from bot.slack.store.inbox import has_subject
from bot.slack.store.tickets import open_tickets_since
from bot.slack.troubles import Troubles

__all__ = ["CatchUp", "CaughtUp"]

PAGE: Final = 200
MOST_PAGES: Final = 20
"""Of one channel at once. More than 4,000 messages in one gap are said in the log."""
OVERLAP_S: Final = 600
"""How far back of the last message that we know: Slack promises no order."""
MOST_THREADS: Final = 30
"""Threads that are read, the newest: Slack takes about 50 such calls a minute."""
THREADS_US: Final = 7 * 24 * 3_600 * 1_000_000
"""How old a ticket may be for its thread to be read."""
SECOND_US: Final = 1_000_000
_GONE: Final = frozenset({"thread_not_found", "message_not_found"})
_log: Final = logging.getLogger("handrail.slack")


@dataclass(slots=True, kw_only=True)
class CaughtUp:
    """What was read.

    Attributes:
        found: how much of it was new to us.
        whole: nothing was left out; else it is to be read again.
        stopped: Slack answered so that the rest was not asked for.
    """

    found: int = 0
    whole: bool = True
    stopped: bool = False


class CatchUp:
    """Reads the channels' history and the open threads.

    Args:
        calls: the Web API.
        gate: takes what is found.
        channels: those of the settings.
        store: the store's file.
        writer: commits up to where a channel was read.
        now_us: microseconds since 1970.
        troubles: told of what cannot be read.
    """

    def __init__(
        self,
        calls: Calls,
        gate: Gate,
        *,
        channels: Collection[str],
        store: Path,
        writer: Writer,
        now_us: Callable[[], int],
        troubles: Troubles,
    ) -> None:
        self._calls = calls
        self._gate = gate
        self._channels = sorted(channels)
        self._store = store
        self._writer = writer
        self._now_us = now_us
        self._troubles = troubles

    def run(self) -> CaughtUp:
        """Take in what is new. Never raises: what went wrong is logged, and is no whole reading.

        A channel that cannot be read is said in the log, once, and read the next time; one that
        was never read before begins now: what was posted before the bot came is not its business.
        """
        read = CaughtUp()
        try:
            self._read(read)
        except Exception:  # noqa: BLE001 - whatever it is, the bot goes on and reads again
            _log.exception("the channels could not be read")
            read.whole = False
        if read.found:
            _log.warning("%s messages were found that had not been delivered", read.found)
        return read

    def _read(self, read: CaughtUp) -> None:
        with closing(connect(self._store)) as db:
            for channel in self._channels:
                self._channel(db, channel, read)
            for place in self._open_threads(db):
                self._thread(db, *place, read)

    def _channel(self, db: Database, channel: str, read: CaughtUp) -> None:
        # Not the newest ticket: one may be delivered after a gap that is still to be read.
        since_us = read_cursor(db, _cursor(channel))
        if since_us is None:
            self._begin(channel, read)
            return
        newest_us = since_us
        oldest = _ts(max(0, since_us - OVERLAP_S * SECOND_US))
        args = {"channel": channel, "oldest": oldest, "include_all_metadata": True}
        for message in self._pages("conversations.history", args, read):
            if message is None:
                return
            read.found += self._take(db, channel, message)
            newest_us = max(newest_us, _us(message["ts"]))
        self._writer.run(lambda w: move_cursor(w, _cursor(channel), newest_us))

    def _begin(self, channel: str, read: CaughtUp) -> None:
        """Begin behind the newest message that is there, by Slack's clock and not by ours."""
        if read.stopped:
            return
        answer = self._calls.read("conversations.history", channel=channel, limit=1)
        if not isinstance(answer, Took):
            self._fail("conversations.history", channel, answer, read)
            return
        self._troubles.over(unread(channel))
        found = self._sound(channel, answer)
        newest_us = _us(found[0]["ts"]) + 1 + OVERLAP_S * SECOND_US if found else 0
        self._writer.run(lambda w: move_cursor(w, _cursor(channel), newest_us))

    def _thread(self, db: Database, channel: str, ts: str, read: CaughtUp) -> None:
        """Take in the replies of a thread, and an edit or the removal of its ticket."""
        args = {"channel": channel, "ts": ts, "include_all_metadata": True}
        for message in self._pages("conversations.replies", args, read):
            if message is None:
                return
            if message.get("error") in _GONE or _is_tombstone(message):
                read.found += self._take_removal(channel, ts)
                return
            read.found += self._take(db, channel, message)
            if message["ts"] == ts and message.get("edited"):
                read.found += self._take_edit(channel, message)

    def _pages(
        self, method: str, args: Mapping[str, Any], read: CaughtUp
    ) -> Iterator[Mapping[str, Any] | None]:
        """Yield the messages; an answer that a thread is gone as one; None where it failed."""
        cursor: dict[str, str] = {}
        for _ in range(MOST_PAGES):
            if read.stopped:
                yield None
                return
            answer = self._calls.read(method, **args, limit=PAGE, **cursor)
            if isinstance(answer, Refused) and answer.code in _GONE:
                yield {"error": answer.code}
                return
            if not isinstance(answer, Took):
                self._fail(method, args["channel"], answer, read)
                yield None
                return
            self._troubles.over(unread(args["channel"]))
            yield from self._sound(args["channel"], answer)
            following = (answer.data.get("response_metadata") or {}).get("next_cursor")
            if not following:
                return
            cursor = {"cursor": following}
        _log.error("%s of %s holds more than was read", method, args["channel"])

    def _sound(self, channel: str, answer: Took) -> list[Mapping[str, Any]]:
        """Return the messages that are as Slack documents them; of the others the log is told."""
        sound: list[Mapping[str, Any]] = []
        for message in answer.data["messages"]:
            try:
                check(Message, message, "message")
            except WrongShape as error:
                self._troubles.tell(
                    f"{channel}: {error}", "a message in %s is not read: %s", channel, error
                )
            else:
                sound.append(message)
        return sound

    def _fail(self, method: str, channel: str, answer: Answer, read: CaughtUp) -> None:
        """Note that something was left out. What concerns more than this channel ends it all."""
        read.whole = False
        match answer:
            case Refused(code=code, needed=needed):
                read.stopped = course_of(code) in (Course.AWAIT_APP, Course.AWAIT_METHOD)
                told, to_do = code, remedy(code, needed)
            case _:
                read.stopped = True
                told, to_do = str(answer), "nothing: it is tried again"
        self._troubles.tell(
            unread(channel), "%s of %s came to %s. To do: %s", method, channel, told, to_do
        )

    def _take(self, db: Database, channel: str, message: Mapping[str, Any]) -> int:
        ts = message["ts"]
        if has_subject(db, message_subject(channel, ts)):
            return 0  # most are known, and looking costs far less than a commit
        event = {**message, "type": "message", "channel": channel}
        return self._took(event, f"history:{channel}:{ts}")

    def _take_edit(self, channel: str, message: Mapping[str, Any]) -> int:
        at = message["edited"]["ts"]
        event = {
            "type": "message",
            "subtype": "message_changed",
            "channel": channel,
            "message": message,
            "event_ts": at,
        }
        return self._took(event, f"history:{channel}:{message['ts']}:{at}")

    def _take_removal(self, channel: str, ts: str) -> int:
        event = {
            "type": "message",
            "subtype": "message_deleted",
            "channel": channel,
            "deleted_ts": ts,
        }
        return self._took(event, f"history:{channel}:{ts}:removed")

    def _took(self, event: Mapping[str, Any], key: str) -> int:
        return int(self._gate.take_message(event, key=key) is Taken.STORED)

    def _open_threads(self, db: Database) -> list[tuple[str, str]]:
        return open_tickets_since(db, self._now_us() - THREADS_US, limit=MOST_THREADS)


def _is_tombstone(message: Mapping[str, Any]) -> bool:
    """Whether this stands for a deleted message that has replies."""
    return message.get("subtype") == "tombstone"


def _cursor(channel: str) -> str:
    return f"history:{channel}"


def _ts(us: int) -> str:
    return f"{us // SECOND_US}.{us % SECOND_US:06d}"


def _us(ts: str) -> int:
    seconds, _, fraction = ts.partition(".")
    return int(seconds) * SECOND_US + int(fraction[:6].ljust(6, "0"))

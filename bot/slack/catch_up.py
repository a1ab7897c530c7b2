"""Catching up: what was said in the channels while nothing was delivered to us.

Everything that is found goes the way of a delivery, so what was delivered is not taken twice. A
press that got lost cannot be found again: whoever pressed saw a warning, and presses again.

Which threads have something new is seen from their roots: Slack names the latest reply there, and
the last edit. Those are read, however many; and of the others a few: those whose root is gone, and
the newest, for what a root does not tell: an edit of an earlier reply.

A gap may hold more than is read at a time, and so may a week of a busy channel. Both are read over
some rounds, each of which goes on where the last one stopped: first all of the gap, from its newest
message on, then what is older. Only when all was read is it noted how far. Where there was another
gap meanwhile, the parts that were read before it are read again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sqlite_utils import Database

from approvals.store import Writer, connect
from bot.slack.calls import Calls
from bot.slack.errors import LeftOut, ThreadGone
from bot.slack.gate import Gate, Taken
from bot.slack.incoming import edit_subject, message_subject
from bot.slack.pages import CaughtUp, Pages
from bot.slack.plain import text_ts
from bot.slack.roots import HISTORY, Roots, missing_of, older_roots
from bot.slack.store.cursors import move_cursor, read_cursor
from bot.slack.store.inbox import has_later_subject, has_subject
from bot.slack.store.tickets import lively_tickets
from bot.slack.troubles import Troubles

__all__ = ["CatchUp", "CaughtUp"]

OVERLAP_US: Final = 600 * 1_000_000
"""How far back of the last that we know: Slack promises no order."""
MOST_QUIET: Final = 30
"""Threads that are read although their root tells of nothing new; Slack takes about 50 such calls
a minute, and those that are left when it takes no more are read a minute later."""
LIVELY_US: Final = 7 * 24 * 3_600 * 1_000_000
"""How long ago a thread may have been heard of to be looked at."""
SECOND_US: Final = 1_000_000
_log: Final = logging.getLogger("handrail.slack")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Left:
    """What rounds left of a gap: all before ``until``. Its newest message they have taken in."""

    until: str
    newest: str


class CatchUp:
    """Reads the channels' history and the threads of tickets.

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
        self._pages = Pages(calls, troubles)
        self._gate = gate
        self._channels = sorted(channels)
        self._store = store
        self._writer = writer
        self._now_us = now_us
        self._open: list[str] = []  # channels that are still to be read, in this order
        self._again: set[str] = set()  # those of them that begin anew once they are read to the end
        self._left: dict[str, _Left] = {}  # by channel, what is still to be read of a gap
        self._heard: dict[str, dict[str, int]] = {}  # by channel and thread, what was read of it
        self._rest: dict[str, str] = {}  # by channel, up to where older roots are still to be read
        self._newest: dict[str, int] = {}  # by channel, what was newest when that reading began

    def run(self, *, afresh: bool) -> CaughtUp:
        """Take in what is new. Never raises: what went wrong is logged, and is no whole reading.

        A channel that cannot be read is said in the log, once, and read the next time; one that
        was never read before begins now: what was posted before the bot came is not its business.

        Args:
            afresh: read every channel, as something may have been missed until now; else only
                those that the last reading did not read to the end.
        """
        if afresh:
            self._again |= self._left.keys() | self._rest.keys()
            # The others come last: Slack may take too few calls for all of them.
            self._open += [each for each in self._channels if each not in self._open]
        read = CaughtUp()
        for channel in tuple(self._open):
            try:
                with closing(connect(self._store)) as db:
                    whole = self._channel(db, channel, read)
            except LeftOut:
                continue  # another one may well be read
            except Exception:  # noqa: BLE001 - whatever it is, the bot goes on and reads again
                _log.exception("the channel %s could not be read", channel)
                continue
            if whole and channel not in self._again:
                self._open.remove(channel)
            elif whole:
                self._again.remove(channel)
        read.whole = not self._open
        if read.found:
            _log.warning("%s messages were found that had not been delivered", read.found)
        return read

    def _channel(self, db: Database, channel: str, read: CaughtUp) -> bool:
        """Read a channel on; return whether it was read to the end."""
        # Not the newest ticket: one may be delivered after a gap that is still to be read.
        since_us = read_cursor(db, _cursor(channel))
        if since_us is None:
            self._begin(channel, read)
            return True
        lively = set(lively_tickets(db, channel, self._now_us() - LIVELY_US))
        begin = _ts(since_us - OVERLAP_US)
        gap, newest = self._gap(db, channel, lively, begin, read)
        if gap.rest is None:
            self._left.pop(channel, None)
            self._writer.run(lambda w: move_cursor(w, _cursor(channel), _us(newest)))
            until = self._rest.get(channel, begin)
            wanted = lively - gap.found.keys()
            older = older_roots(self._pages, channel, wanted, until=until, read=read)
        else:
            older = Roots(found={}, missing=frozenset(), rest=None)
        roots = Roots(
            found={**gap.found, **older.found},
            missing=(gap.missing | older.missing) - older.found.keys(),
            rest=older.rest,
        )
        self._threads(db, channel, roots, since_us=since_us, read=read)
        known = lively | roots.found.keys()
        self._heard[channel] = {ts: us for ts, us in self._heard[channel].items() if ts in known}
        if gap.rest is not None:
            self._left[channel] = _Left(until=gap.rest, newest=newest)
            return False
        self._go_on_from(channel, roots.rest)
        return roots.rest is None

    def _begin(self, channel: str, read: CaughtUp) -> None:
        """Begin behind the newest message that is there, by Slack's clock and not by ours."""
        newest = self._pages.newest(channel, read)
        begin_us = 0 if newest is None else _us(newest) + 1 + OVERLAP_US

        def begin(db: Database) -> None:
            for name in (_cursor(channel), _thread_cursor(channel)):
                move_cursor(db, name, begin_us)

        self._writer.run(begin)

    def _gap(
        self, db: Database, channel: str, lively: Collection[str], begin: str, read: CaughtUp
    ) -> tuple[Roots, str]:
        """Take in what was posted since ``begin``, as far as it is read at a time.

        Return the roots of threads among it, and the newest message of the whole gap.

        Raises:
            LeftOut: Slack did not give the rest, or only pages without a message.
        """
        left = self._left.get(channel)
        place = {"channel": channel, "oldest": begin}
        if left is not None:
            place["latest"] = left.until
            lively = [ts for ts in lively if ts < left.until]
        newest = begin if left is None else left.newest
        roots: dict[str, Mapping[str, Any]] = {}
        reached, more = None, False
        for page in self._pages.pages(HISTORY, place, read):
            for message in page.messages:
                read.found += self._take(db, channel, message)
                reached, newest = message["ts"], max(newest, message["ts"])
                if message["ts"] in lively or _has_replies_for_us(db, channel, message):
                    roots[message["ts"]] = message
            more = page.more
        if not more:
            missing = missing_of(lively, roots, since=begin)
            return Roots(found=roots, missing=missing, rest=None), newest
        if reached is None:
            raise LeftOut(channel)
        missing = missing_of(lively, roots, since=reached)
        return Roots(found=roots, missing=missing, rest=reached), newest

    def _threads(
        self, db: Database, channel: str, roots: Roots, *, since_us: int, read: CaughtUp
    ) -> None:
        """Read the threads with something new, the oldest first; then some of the others."""
        found = roots.found
        news = {ts: _news_us(root) for ts, root in found.items() if not _is_tombstone(root)}
        for ts in found.keys() - news.keys():
            read.found += self._take_removal(channel, ts)
        known_us = read_cursor(db, _thread_cursor(channel))
        begin_us = (since_us if known_us is None else known_us) - OVERLAP_US
        heard = self._heard.setdefault(channel, {})
        changed = [ts for ts in news if begin_us < news[ts] != heard.get(ts)]
        for ts in sorted(changed, key=news.__getitem__):
            self._thread(db, channel, ts, read)
            heard[ts] = news[ts]  # so that a reading that is cut short goes on from here
        self._others(db, channel, roots.missing, news.keys() - set(changed), len(changed), read)
        self._newest.setdefault(channel, max(news.values(), default=since_us))

    def _others(
        self,
        db: Database,
        channel: str,
        missing: Collection[str],
        quiet: Collection[str],
        already: int,
        read: CaughtUp,
    ) -> None:
        """Read threads that may have lost their ticket, then the newest of the quiet ones.

        A root that is missing was deleted, or could not be read: its thread says which.
        """
        room = max(0, MOST_QUIET - already)
        if len(missing) > room:
            self._again.add(channel)
        others = [*sorted(missing, reverse=True), *sorted(quiet, reverse=True)]
        for ts in others[:room]:
            self._thread(db, channel, ts, read)

    def _go_on_from(self, channel: str, rest: str | None) -> None:
        """Note where the next round goes on; or where all was read, what was the newest then.

        That is of when the reading began: what was said since may be in a part that was read.
        """
        if rest is not None:
            self._rest[channel] = rest
            return
        self._rest.pop(channel, None)
        newest_us = self._newest.pop(channel)
        self._writer.run(lambda w: move_cursor(w, _thread_cursor(channel), newest_us))

    def _thread(self, db: Database, channel: str, ts: str, read: CaughtUp) -> None:
        """Take in the replies of a thread, edits in it, and the removal of its ticket."""
        place = {"channel": channel, "ts": ts}
        try:
            messages = list(self._pages.read("conversations.replies", place, read))
        except ThreadGone:
            read.found += self._take_removal(channel, ts)
            return
        if any(map(_is_tombstone, messages)):
            read.found += self._take_removal(channel, ts)
            return
        for message in messages:
            read.found += self._take(db, channel, message)
            if message.get("edited"):
                read.found += self._take_edit(db, channel, message)

    def _take(self, db: Database, channel: str, message: Mapping[str, Any]) -> int:
        ts = message["ts"]
        if has_subject(db, message_subject(channel, ts)):
            return 0  # most are known, and looking costs far less than a commit
        event = {**message, "type": "message", "channel": channel}
        return self._took(event, f"history:{channel}:{ts}")

    def _take_edit(self, db: Database, channel: str, message: Mapping[str, Any]) -> int:
        at = text_ts(message)
        subject = edit_subject(channel, message["ts"], at)
        if has_subject(db, subject) or has_later_subject(db, subject):
            return 0  # an event has a stamp of its own, no earlier than that of the edit
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


def _has_replies_for_us(db: Database, channel: str, message: Mapping[str, Any]) -> bool:
    """Whether a message that was just found is one of ours, and was replied to within the gap."""
    if not message.get("latest_reply"):
        return False
    return has_subject(db, message_subject(channel, message["ts"]))


def _news_us(root: Mapping[str, Any]) -> int:
    """Return when something was last said in a thread, as far as its root tells."""
    return max(_us(text_ts(root)), _us(root.get("latest_reply") or "0.0"))


def _is_tombstone(message: Mapping[str, Any]) -> bool:
    """Whether this stands for a deleted message that has replies."""
    return message.get("subtype") == "tombstone"


def _cursor(channel: str) -> str:
    return f"history:{channel}"


def _thread_cursor(channel: str) -> str:
    return f"threads:{channel}"


def _ts(us: int) -> str:
    us = max(0, us)
    return f"{us // SECOND_US}.{us % SECOND_US:06d}"


def _us(ts: str) -> int:
    seconds, _, fraction = ts.partition(".")
    return int(seconds) * SECOND_US + int(fraction[:6].ljust(6, "0"))

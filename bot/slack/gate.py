"""The gate: the one global Bolt middleware, before every listener.

What is ours is committed here and acknowledged here, and a failed commit is an answer of 500, so
that Slack sends it again. Listeners could do neither: Bolt acknowledges an event before its
listener runs, and runs only the first listener that matches.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Final, Protocol

from slack_bolt import BoltResponse
from sqlite_utils import Database

from approvals.store import Writer
from bot.slack.errors import WrongShape
from bot.slack.incoming import message_subject, read_incoming
from bot.slack.intake import Edit, Intake, Removal, Reply, Sorted, TicketMessage, Unread
from bot.slack.refs import is_ours
from bot.slack.store.cursors import LEFT_OUT, move_cursor
from bot.slack.store.inbox import Incoming, has_subject, store_delivery
from bot.slack.store.tickets import is_thread

__all__ = ["Forms", "Gate", "Taken"]

_LOG: Final = logging.getLogger(__name__)


class Forms(Protocol):
    """What has to be answered while the person waits: forms opened, and inputs refused."""

    def open(self, body: Mapping[str, Any]) -> bool:
        """Open the form that a press asks for; False where it asks for none. Never raises."""
        ...

    def faults(self, body: Mapping[str, Any]) -> Mapping[str, str]:
        """Return what is wrong with a submitted form, by block id. Pure; empty: it is stored."""
        ...


class Taken(StrEnum):
    """What became of something that was delivered or found."""

    STORED = "stored"
    KNOWN = "known"
    """It was stored before."""
    NOT_OURS = "not_ours"


class Gate:
    """Stores what is ours and acknowledges it.

    Args:
        intake: sorts messages.
        forms: opens and checks forms.
        writer: commits.
        now_us: microseconds since 1970.
        whole_app: the app is ours alone; in a team's app its Home and lifecycle are the team's.
    """

    def __init__(
        self,
        *,
        intake: Intake,
        forms: Forms,
        writer: Writer,
        now_us: Callable[[], int],
        whole_app: bool,
    ) -> None:
        self._intake = intake
        self._forms = forms
        self._writer = writer
        self._now_us = now_us
        self._whole_app = whole_app

    def answer(self, body: Mapping[str, Any]) -> BoltResponse | None:
        """Return what to answer; None where the request is not ours."""
        if _is_closing(body):
            return BoltResponse(status=200)
        if body.get("type") == "app_rate_limited":
            return self._note_left_out()
        try:
            found = read_incoming(body, self._intake, whole_app=self._whole_app)
        except WrongShape as error:
            _LOG.warning("a delivery was refused: %s", error)
            return BoltResponse(status=400)
        if found is None:
            return None
        if _asks_for_answer(body):
            if self._forms.open(body):
                return BoltResponse(status=200)
            faults = self._forms.faults(body)
            if faults:
                return _refused(faults)
        try:
            taken = self._store(*found)
        except Exception:  # noqa: BLE001 - whatever it was, nothing is stored: it must come again
            _LOG.exception("a %s could not be stored and was not acknowledged", found[0].kind)
            return BoltResponse(status=500)
        return None if taken is Taken.NOT_OURS else BoltResponse(status=200)

    def take_message(self, event: Mapping[str, Any], *, key: str) -> Taken:
        """Store a message that was found and not delivered; ``key`` names it for ever.

        Raises:
            StoreError: it could not be stored.
            WrongShape: it is not as Slack documents it.
        """
        body = {"type": "event_callback", "event_id": key, "event": event}
        found = read_incoming(body, self._intake, whole_app=self._whole_app)
        return Taken.NOT_OURS if found is None else self._store(*found)

    def _note_left_out(self) -> BoltResponse | None:
        """Note that Slack leaves events out, so that what it left out is read; say it in the log.

        In a team's app the notice is handed on: it tells of their events too.
        """
        _LOG.warning("Slack leaves events out: the app was sent more than 30,000 within an hour")
        now_us = self._now_us()
        try:
            self._writer.run(lambda db: move_cursor(db, LEFT_OUT, now_us))
        except Exception:  # noqa: BLE001 - the regular reading finds it all the same, only later
            _LOG.exception("it could not be noted that events were left out")
        return BoltResponse(status=200) if self._whole_app else None

    def _store(self, incoming: Incoming, message: Sorted | None) -> Taken:
        now_us = self._now_us()

        def store(db: Database) -> Taken:
            if message is not None and not _concerns_us(db, message):
                return Taken.NOT_OURS
            stored = store_delivery(db, incoming, now_us=now_us)
            return Taken.STORED if stored else Taken.KNOWN

        return self._writer.run(store)


def _concerns_us(db: Database, message: Sorted) -> bool:
    """Whether a message is or may be a ticket, or is about one that we know or are about to."""
    match message:
        case TicketMessage() | Unread() | Edit(now=TicketMessage()):
            return True
        case Reply() as reply:
            return _knows(db, reply.channel, reply.thread_ts)
        case Edit(now=Reply() as reply):
            return _knows(db, reply.channel, reply.thread_ts)
        case Edit() | Removal():
            return _knows(db, message.channel, message.ts)
        case _:
            return False


def _knows(db: Database, channel: str, ts: str) -> bool:
    return is_thread(db, channel, ts) or has_subject(db, message_subject(channel, ts))


def _asks_for_answer(body: Mapping[str, Any]) -> bool:
    return "event" not in body


def _is_closing(body: Mapping[str, Any]) -> bool:
    """Whether a form of ours was closed: nothing follows from that."""
    match body:
        case {"type": "view_closed", "view": {"callback_id": str(name)}}:
            return is_ours(name)
        case _:
            return False


def _refused(faults: Mapping[str, str]) -> BoltResponse:
    return BoltResponse(status=200, body={"response_action": "errors", "errors": dict(faults)})

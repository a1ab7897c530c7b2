"""Sorting of messages: what an event asks of us, from the event alone. Pure.

Whether its author is a full member, and whether a thread is known, is for the reader of the
result: that takes a look-up. ``docs/slack.md`` holds the same as a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from bot.slack.headers import (
    Header,
    lacks_metadata,
    means_a_ticket,
    read_any,
    read_header,
)
from bot.slack.kept import kept_event, kept_form
from bot.slack.lifecycle import MEMBER_LEFT
from bot.slack.plain import attachment_names, mentions, message_text, plain_text, text_ts
from loop import Redactor
from tools import IdForms

__all__ = [
    "Edit",
    "Ignored",
    "Intake",
    "Removal",
    "Reply",
    "Sorted",
    "TicketMessage",
    "Unread",
    "Us",
]

_NOT_TYPED: Final = frozenset({"card"})
"""What is taken out of forms. What else staff write in an answer is theirs to say."""
_PLAIN: Final = frozenset({None, "file_share", "thread_broadcast", "me_message", "bot_message"})
"""The subtypes of messages that somebody wrote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Us:
    """Who we are in the workspace, to know our own messages."""

    user_id: str
    bot_id: str
    app_id: str | None = None
    team_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketMessage:
    """A message that is a ticket. ``user_id`` wrote it; None for a form's or an app's.

    ``text_ts`` is Slack's time stamp of the text: of the message, or of its last edit.
    """

    channel: str
    ts: str
    header: Header
    attachments: tuple[str, ...]
    text_ts: str
    user_id: str | None
    author: str
    """The user, else the bot or workflow. For a form that does not say who filled it in, the word
    for a requester who is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A person's message in a thread. ``to_us``: it mentions the bot."""

    channel: str
    ts: str
    thread_ts: str
    user_id: str
    text: str
    to_us: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """A message of an app whose metadata are still to be read: the event does not carry them."""

    channel: str
    ts: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Misfit:
    """An app's message that is to be a ticket, without a ticket id of the shop's form."""

    channel: str
    ts: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A message is another one now. ``now`` is what it would be if it were new.

    ``text`` and ``attachments`` are its own, whatever it is. ``at``: Slack's time stamp of the
    change.
    """

    channel: str
    ts: str
    at: str
    text: str
    attachments: tuple[str, ...]
    now: TicketMessage | Reply | Unread | Misfit | Ignored


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """A message is gone."""

    channel: str
    ts: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignored:
    """Nothing of ours; ``why`` is for the log."""

    why: str


Sorted = TicketMessage | Reply | Unread | Misfit | Edit | Removal | Ignored


class Intake:
    """Sorts message events, for one bot and its settings.

    Args:
        us: whose own messages are not read.
        channels: those that are read.
        apps: ids of the apps, bots and workflows whose messages count.
        forms: of ticket and customer ids.
    """

    def __init__(
        self, us: Us, *, channels: frozenset[str], apps: frozenset[str], forms: IdForms
    ) -> None:
        self._us = us
        self._channels = channels
        self._apps = apps
        self._forms = forms
        self._redactor = Redactor(forms)
        self._of_forms = Redactor(forms, only=_NOT_TYPED)

    def is_elsewhere(self, event: Mapping[str, Any]) -> bool:
        """Whether an event is about a channel that is not ours: nobody here looks further at it."""
        channel = event.get("channel")
        return isinstance(channel, str) and channel not in self._channels

    def is_hit_by(self, event: Mapping[str, Any]) -> bool:
        """Whether what befell a channel is about one of ours, and who left it is the bot."""
        somebody = event.get("type") == MEMBER_LEFT and event.get("user") != self._us.user_id
        return not (somebody or self.is_elsewhere(event))

    def sort(self, event: Mapping[str, Any]) -> Sorted:
        """Return what a ``message`` or ``app_mention`` event asks of us."""
        channel = event.get("channel")
        if not isinstance(channel, str) or channel not in self._channels:
            return Ignored(why="another channel")
        match event.get("subtype"):
            case "message_changed":
                return self._changed(channel, event)
            case "message_deleted":
                return self._deleted(channel, event)
            case _:
                return self._written(channel, event)

    def reread(
        self, channel: str, message: Mapping[str, Any]
    ) -> TicketMessage | Reply | Misfit | Ignored:
        """Return what a message is that was read with its metadata, redacted like an event."""
        kept = self.kept(message, self._written(channel, message, whole=True))
        found = self._written(channel, kept, whole=True)
        return Ignored(why="no header") if isinstance(found, Unread) else found

    def kept(self, event: Mapping[str, Any], found: Sorted) -> dict[str, Any]:
        """Return what is kept of an event that was sorted: it sorts the same, without secrets."""
        return kept_event(event, _header_ids(found), self._redactor)

    def kept_form(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return what is kept of a submitted form: no card number that was typed into it."""
        return kept_form(body, self._of_forms)

    def _written(
        self, channel: str, message: Mapping[str, Any], *, whole: bool = False
    ) -> TicketMessage | Reply | Unread | Misfit | Ignored:
        """Sort a new message; ``whole``: it was read with its metadata."""
        subtype, ts = message.get("subtype"), message.get("ts")
        if subtype not in _PLAIN or not isinstance(ts, str):
            return Ignored(why="not a message of a person or an app")
        if self._is_ours(message):
            return Ignored(why="our own")
        if message.get("hidden"):
            return Ignored(why="hidden")
        from_bot = subtype == "bot_message" or message.get("bot_id") is not None
        if from_bot and not self._ids(message) & self._apps:
            return Ignored(why="a bot that is not on the list")
        thread_ts = message.get("thread_ts")
        if isinstance(thread_ts, str) and thread_ts != ts:
            return self._reply(channel, ts, thread_ts, message, from_bot=from_bot)
        header = self._header(message, from_bot=from_bot)
        if from_bot and not whole and lacks_metadata(message, header):
            return Unread(channel=channel, ts=ts)
        if header is None and from_bot and means_a_ticket(message, self._text(message)):
            return Misfit(channel=channel, ts=ts)
        if header is None:
            return Ignored(why="no header")
        return self._ticket(channel, ts, header, message, from_bot=from_bot)

    def _reply(
        self, channel: str, ts: str, thread_ts: str, message: Mapping[str, Any], *, from_bot: bool
    ) -> Reply | Ignored:
        user = message.get("user")
        if from_bot or not isinstance(user, str):
            return Ignored(why="a bot's reply")  # words of a bot decide nothing and ask nothing
        text = message_text(message)
        return Reply(
            channel=channel,
            ts=ts,
            thread_ts=thread_ts,
            user_id=user,
            text=self._without_us(text),
            to_us=mentions(text, self._us.user_id),
        )

    def _header(self, message: Mapping[str, Any], *, from_bot: bool) -> Header | None:
        text = self._text(message)
        if from_bot:
            return read_any(message, text, self._forms)
        return read_header(text, self._forms)

    def _text(self, message: Mapping[str, Any]) -> str:
        return self._without_us(message_text(message))

    def _ticket(
        self, channel: str, ts: str, header: Header, message: Mapping[str, Any], *, from_bot: bool
    ) -> TicketMessage | Ignored:
        user = None if from_bot else message.get("user")
        if not from_bot and not isinstance(user, str):
            return Ignored(why="nobody's")
        author = user or header.asked_by or message.get("bot_id") or message.get("workflow_id")
        return TicketMessage(
            channel=channel,
            ts=ts,
            header=header,
            attachments=attachment_names(message),
            text_ts=text_ts(message),
            user_id=user,
            author=str(author),
        )

    def _changed(self, channel: str, event: Mapping[str, Any]) -> Sorted:
        message, before = event.get("message"), event.get("previous_message")
        if not isinstance(message, Mapping) or not isinstance(message.get("ts"), str):
            return Ignored(why="a change of nothing")
        if self._is_ours(message):
            return Ignored(why="our own")
        if message.get("subtype") == "tombstone":  # a deleted message that has replies
            return Removal(channel=channel, ts=message["ts"])
        if isinstance(before, Mapping) and _content(before) == _content(message):
            return Ignored(why="the text did not change")
        at = event.get("event_ts")
        if not isinstance(at, str):
            return Ignored(why="a change of no moment")
        now = self._written(channel, {**message, "hidden": False})
        return Edit(
            channel=channel,
            ts=message["ts"],
            at=at,
            text=self._without_us(message_text(message)),
            attachments=attachment_names(message),
            now=now,
        )

    def _deleted(self, channel: str, event: Mapping[str, Any]) -> Removal | Ignored:
        before, ts = event.get("previous_message"), event.get("deleted_ts")
        if isinstance(before, Mapping) and self._is_ours(before):
            return Ignored(why="our own")
        if not isinstance(ts, str):
            return Ignored(why="a deletion of nothing")
        return Removal(channel=channel, ts=ts)

    def _is_ours(self, message: Mapping[str, Any]) -> bool:
        us = self._us
        same_app = us.app_id is not None and message.get("app_id") == us.app_id
        return (
            message.get("user") == us.user_id
            or message.get("bot_id") == us.bot_id
            or (same_app and message.get("bot_id") is not None)
        )

    def _ids(self, message: Mapping[str, Any]) -> set[str]:
        """Return the ids that a bot's message bears; a look-up of a foreign bot would fail."""
        profile = message.get("bot_profile")
        found = [message.get(name) for name in ("app_id", "bot_id", "workflow_id")]
        if isinstance(profile, Mapping):
            found += [profile.get("app_id"), profile.get("id")]
        return {each for each in found if isinstance(each, str)}

    def _without_us(self, text: str) -> str:
        """Return the text as typed, without the mention of the bot that it may begin with."""
        shown = plain_text(text).strip()
        return shown.removeprefix(f"@{self._us.user_id}").strip()


def _header_ids(found: Sorted) -> tuple[str, ...]:
    match found:
        case TicketMessage(header=header) | Edit(now=TicketMessage(header=header)):
            ids = (header.ticket_id, header.customer_id)
            return tuple(each for each in ids if each is not None)
        case _:
            return ()


def _content(message: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    """Return what of a message is a person's: not reply counts, reactions or unfurls."""
    return message_text(message).strip(), attachment_names(message)

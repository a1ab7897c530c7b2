"""Recordings for others to see: an export with more redaction, marked as such.

A live run is redacted once, at the border to the model, and replays to the byte. An export that is
redacted again holds other texts than the model saw, so its digests are made anew, and a replay of
it says what it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final, assert_never

from loop import (
    Asked,
    Called,
    Cancelled,
    Checked,
    Closed,
    Entry,
    Failed,
    LostAttempt,
    Message,
    Opened,
    Record,
    Redactor,
    Replied,
    Reply,
    Stopped,
    WireCall,
    first_digest,
    next_digest,
)
from recordings.origin import REDACTED_AGAIN
from recordings.recording import Recording
from tools import JsonRefused, parse_json

__all__ = ["Level", "redacted_entries", "redacted_text"]

_MENTION: Final = re.compile(
    r"<@(?P<marked>[UW][A-Z0-9]+)(?:\|[^<>]*)?>|(?<!\w)@(?P<bare>[UW][A-Z0-9]{8,})\b"
)
"""A person in Slack, in Slack's form and in the form that a ticket's text is kept in."""
_KEPT: Final = 12
"""Hex digits of a text's digest that stand for it."""


class Level(StrEnum):
    """How much an export leaves out."""

    PERSONAL = "personal"
    """Keys, cards, addresses, phone numbers and mentions of people in Slack, numbered within a
    run, in every text."""
    TEXTS = "texts"
    """Every text and every argument: what is left is the shape of the run. Equal texts of one run
    stay equal, so that repeated calls are still repeated."""


def redacted_entries(recording: Recording, level: Level, salt: bytes) -> Iterator[Entry]:
    """Yield a recording's entries, redacted, with new digests and the mark.

    ``salt`` is random and thrown away, so that nobody can try out what a text may have been.
    """
    writer = _Writer(level, sha256(salt + recording.name.encode()).digest())
    for entry in recording.entries:
        yield replace(entry, record=writer.record(entry.record))


def redacted_text(text: str) -> str:
    """Return one text by itself as the level ``personal`` leaves it."""
    return _Writer(Level.PERSONAL, b"").text(text)


class _Writer:
    def __init__(self, level: Level, salt: bytes) -> None:
        self._level = level
        self._salt = salt
        self._redactor = Redactor(numbered=True)
        self._people: dict[str, int] = {}
        self._digest = ""

    def record(self, record: Record) -> Record:
        """Return a record redacted, its digest made anew."""
        match record:
            case Opened():
                return self._opened(record)
            case Asked():
                appended = tuple(self._message(message) for message in record.appended)
                self._digest = next_digest(self._digest, appended)
                return replace(record, appended=appended, digest=self._digest)
            case Replied():
                return replace(record, reply=self._reply(record.reply))
            case Called():
                return self._called(record)
            case Closed():
                return self._closed(record)
            case _:
                return self._short(record)

    def _short(self, record: Failed | Checked | Cancelled | Stopped | LostAttempt) -> Record:
        match record:
            case Failed():
                return replace(record, message=self.text(record.message))
            case Checked():
                return replace(record, subject=self.text(record.subject))
            case Cancelled():
                return replace(record, cause=self.text(record.cause))
            case Stopped():
                stop = record.stop
                return replace(record, stop=replace(stop, cause=self._optional(stop.cause)))
            case LostAttempt():
                return record
            case _:
                assert_never(record)

    def _opened(self, opened: Opened) -> Opened:
        self._digest = first_digest(opened.head)
        return replace(
            opened,
            customer_id=self.text(opened.customer_id),
            text=self.text(opened.text),
            attachments=tuple(map(self.text, opened.attachments)),
            marks={**opened.marks, REDACTED_AGAIN: self._level.value},
        )

    def _called(self, called: Called) -> Called:
        action = None if called.action is None else self._object(called.action)
        orders = () if self._level is Level.TEXTS else called.orders
        return replace(called, text=self.text(called.text), action=action, orders=orders)

    def _closed(self, closed: Closed) -> Closed:
        resolution = None if closed.resolution is None else self._object(closed.resolution)
        problems = tuple(
            {"code": problem["code"], "message": self.text(problem["message"])}
            for problem in closed.problems
        )
        return replace(closed, resolution=resolution, problems=problems)

    def _message(self, message: Message) -> Message:
        calls = tuple(map(self._call, message.calls))
        return replace(message, text=self._optional(message.text), calls=calls)

    def _reply(self, reply: Reply) -> Reply:
        return replace(
            reply,
            text=self._optional(reply.text),
            refusal=self._optional(reply.refusal),
            note=self._optional(reply.note),
            calls=tuple(map(self._call, reply.calls)),
        )

    def _call(self, call: WireCall) -> WireCall:
        """Return the call with its arguments redacted as values, so that they stay JSON."""
        try:
            value = parse_json(call.arguments)
        except JsonRefused:
            return replace(call, arguments=self.text(call.arguments))
        clean = self._value(value)
        same = clean is value
        return call if same else replace(call, arguments=json.dumps(clean, default=str))

    def _object(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._value(value)
        return found

    def _value(self, value: Any) -> Any:
        if self._level is Level.PERSONAL:
            clean = self._redactor.value(value)
            # Most values mention nobody, and stay the very same object.
            return self._unmentioned(clean) if _MENTION.search(_as_text(clean)) else clean
        match value:
            case Mapping():
                return {key: self._value(item) for key, item in value.items()}
            case list() | tuple():
                return [self._value(item) for item in value]
            case str():
                return self.text(value)
            case _ if value is None or isinstance(value, bool):
                return value
            case _:
                return self.text(str(value))

    def _unmentioned(self, value: Any) -> Any:
        match value:
            case Mapping():
                return {self._named(key): self._unmentioned(item) for key, item in value.items()}
            case list() | tuple():
                return [self._unmentioned(item) for item in value]
            case str():
                return self._named(value)
            case _:
                return value

    def _named(self, text: str) -> str:
        """Return the text with a number in place of each person's id in Slack."""
        return _MENTION.sub(self._placeholder, text)

    def _placeholder(self, found: re.Match[str]) -> str:
        person = found["marked"] or found["bare"]
        return f"[person {self._people.setdefault(person, len(self._people) + 1)}]"

    def _optional(self, text: str | None) -> str | None:
        return None if text is None else self.text(text)

    def text(self, text: str) -> str:
        """Return a text redacted."""
        match self._level:
            case Level.PERSONAL:
                return self._named(self._redactor.text(text))
            case Level.TEXTS:
                if not text:
                    return text
                known = sha256(self._salt + text.encode("utf-8", "surrogatepass")).hexdigest()
                return f"[{len(text)} characters, {known[:_KEPT]}]"
            case _:
                assert_never(self._level)


def _as_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)

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
    RequestHead,
    Stop,
    Stopped,
    WireCall,
    first_digest,
    next_digest,
)
from recordings.origin import REDACTED_AGAIN
from recordings.own_words import field_names, is_mark_word, is_ours, is_word, tool_names
from recordings.recording import Recording
from tools import JsonRefused, OrderFact, ToolSpec, parse_json

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
    """Every text and every argument, its keys too where they are not those of a schema of ours:
    what is left is the shape of the run. Equal texts of one run stay equal, so that repeated calls
    are still repeated."""


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
        self._tools: frozenset[str] = frozenset()
        self._fields: frozenset[str] = frozenset()
        self._model = ""

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
                question = self._word(record.question)
                return replace(record, question=question, subject=self.text(record.subject))
            case Cancelled():
                return replace(record, cause=self.text(record.cause))
            case Stopped():
                return replace(record, stop=self._stop(record.stop))
            case LostAttempt():
                return record
            case _:
                assert_never(record)

    def _stop(self, stop: Stop) -> Stop:
        return replace(
            stop,
            limit=self._word_or_none(stop.limit),
            limit_value=self._word_or_none(stop.limit_value),
            observed=self._word_or_none(stop.observed),
            also=tuple(map(self._word, stop.also)),
            cause=self._optional(stop.cause),
        )

    def _opened(self, opened: Opened) -> Opened:
        self._tools, self._fields = tool_names(opened), field_names(opened)
        self._model = opened.head.model
        head = self._head(opened.head, ours=is_ours(opened))
        self._digest = first_digest(head)
        ticket = opened.ticket_id
        kept = self._level is Level.TEXTS and is_ours(opened)
        return replace(
            opened,
            ticket_id=ticket if kept else self.text(ticket),
            customer_id=self.text(opened.customer_id),
            text=self.text(opened.text),
            attachments=tuple(map(self.text, opened.attachments)),
            profile=self._word(opened.profile),
            today=self._word(opened.today),
            head=head,
            limits=self._marks(opened.limits),
            marks={**self._marks(opened.marks), REDACTED_AGAIN: self._level.value},
        )

    def _head(self, head: RequestHead, *, ours: bool) -> RequestHead:
        """Return the head; without texts, that of a run of ours as it is: we wrote all of it."""
        if self._level is Level.TEXTS and ours:
            return head
        return replace(
            head,
            model=head.model if self._level is Level.TEXTS else self.text(head.model),
            tools=tuple(map(self._tool, head.tools)),
            tool_choice=self._word_or_none(head.tool_choice),
            response_format=self._schema(head.response_format),
        )

    def _tool(self, tool: ToolSpec) -> ToolSpec:
        return ToolSpec(
            name=self._name(tool.name),
            description=self.text(tool.description),
            parameters=self._schema(tool.parameters) or {},
        )

    def _schema(self, schema: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        return None if schema is None or self._level is Level.TEXTS else self._object(schema)

    def _marks(self, value: Any) -> Any:
        """Return marks, or limits: without texts, figures and words of ours are what is left."""
        if self._level is Level.PERSONAL:
            return self._value(value)
        match value:
            case Mapping():
                return {self._mark(key): self._marks(item) for key, item in value.items()}
            case list() | tuple():
                return [self._marks(item) for item in value]
            case str():
                return self._mark(value)
            case _:
                return value

    def _mark(self, text: str) -> str:
        return text if is_mark_word(text) else self.text(text)

    def _called(self, called: Called) -> Called:
        action = None if called.action is None else self._object(called.action)
        texts = self._level is Level.TEXTS
        return replace(
            called,
            call_id=self.text(called.call_id),
            name=self._name(called.name),
            code=self._word(called.code),
            text=self.text(called.text),
            action=action,
            orders=() if texts else tuple(map(self._order, called.orders)),
        )

    def _order(self, order: OrderFact) -> OrderFact:
        return OrderFact(
            order_id=self.text(order.order_id),
            status=self._optional(order.status),
            currency=self._optional(order.currency),
        )

    def _closed(self, closed: Closed) -> Closed:
        resolution = None if closed.resolution is None else self._object(closed.resolution)
        problems = tuple(
            {"code": self._word(problem["code"]), "message": self.text(problem["message"])}
            for problem in closed.problems
        )
        result = self._word(closed.result)
        return replace(closed, result=result, resolution=resolution, problems=problems)

    def _message(self, message: Message) -> Message:
        calls = tuple(map(self._call, message.calls))
        call_id = self._optional(message.call_id)
        return replace(message, text=self._optional(message.text), calls=calls, call_id=call_id)

    def _reply(self, reply: Reply) -> Reply:
        return replace(
            reply,
            text=self._optional(reply.text),
            refusal=self._optional(reply.refusal),
            note=self._optional(reply.note),
            finish_reason=self._word_or_none(reply.finish_reason),
            model=self._named_model(reply.model),
            calls=tuple(map(self._call, reply.calls)),
        )

    def _call(self, call: WireCall) -> WireCall:
        """Return the call with its arguments redacted as values, so that they stay JSON."""
        call = replace(call, call_id=self.text(call.call_id), name=self._name(call.name))
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
                return {self._key(key): self._value(item) for key, item in value.items()}
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

    def _key(self, key: str) -> str:
        return key if key in self._fields else self.text(key)

    def _name(self, name: str) -> str:
        """Return a tool's name; without texts, only what a run of ours offered is left."""
        kept = self._level is Level.TEXTS and name in self._tools
        return name if kept else self.text(name)

    def _named_model(self, model: str | None) -> str | None:
        kept = self._level is Level.TEXTS and model == self._model
        return model if kept else self._optional(model)

    def _word(self, text: str) -> str:
        """Return what is a word of ours, where it has the form of one."""
        return text if is_word(text) else self.text(text)

    def _word_or_none(self, text: str | None) -> str | None:
        return None if text is None else self._word(text)

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

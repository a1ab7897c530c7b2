"""An imported run without secrets and personal data: the same placeholders in the whole run."""

from __future__ import annotations

from dataclasses import replace

from loop import Message, Redactor, Reply, WireCall
from recordings.importers.fields import json_text
from recordings.importers.runs import Answered, Heard, ImportedRun, Item, NoReply, Spoke
from tools import JsonRefused, parse_json

__all__ = ["redacted"]


def redacted(run: ImportedRun) -> ImportedRun:
    """Return the run with every text of it redacted.

    Values of one kind are numbered within the run, so that two calls with different addresses
    stay two different calls, and the same call stays the same.
    """
    redactor = Redactor(numbered=True)
    return replace(run, items=tuple(_item(item, redactor) for item in run.items))


def _item(item: Item, redactor: Redactor) -> Item:
    match item:
        case Heard():
            return Heard(message=_message(item.message, redactor))
        case Spoke():
            return Spoke(reply=_reply(item.reply, redactor))
        case Answered():
            return replace(item, text=redactor.text(item.text))
        case NoReply():
            return replace(item, message=redactor.text(item.message))


def _message(message: Message, redactor: Redactor) -> Message:
    calls = tuple(_call(call, redactor) for call in message.calls)
    return replace(message, text=_text(message.text, redactor), calls=calls)


def _reply(reply: Reply, redactor: Redactor) -> Reply:
    calls = tuple(_call(call, redactor) for call in reply.calls)
    text, refusal = _text(reply.text, redactor), _text(reply.refusal, redactor)
    return replace(reply, text=text, calls=calls, refusal=refusal)


def _call(call: WireCall, redactor: Redactor) -> WireCall:
    """Return the call with its arguments redacted as values, so that they stay JSON."""
    try:
        value = parse_json(call.arguments)
    except JsonRefused:
        return replace(call, arguments=redactor.text(call.arguments))
    clean = redactor.value(value)
    return call if clean is value else replace(call, arguments=json_text(clean))


def _text(text: str | None, redactor: Redactor) -> str | None:
    return None if text is None else redactor.text(text)

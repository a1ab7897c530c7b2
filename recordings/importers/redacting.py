"""An imported run without secrets and personal data: the same placeholders in the whole run."""

from __future__ import annotations

from dataclasses import replace

from loop import Message, Redactor, Reply, WireCall
from recordings.importers.fields import json_text
from recordings.importers.runs import Answered, Heard, ImportedRun, Item, NoReply, Spoke
from recordings.origin import Label, Score, Source
from tools import JsonRefused, ToolSpec, parse_json

__all__ = ["redacted"]


def redacted(run: ImportedRun) -> ImportedRun:
    """Return the run with every text of it redacted.

    Values of one kind are numbered within the run, so that two calls with different addresses
    stay two different calls, and the same call stays the same.
    """
    redactor = Redactor(numbered=True)
    return replace(
        run,
        source=_source(run.source, redactor),
        label=None if run.label is None else _label(run.label, redactor),
        model=redactor.text(run.model),
        tools=tuple(_tool(tool, redactor) for tool in run.tools),
        items=tuple(_item(item, redactor) for item in run.items),
    )


def _source(source: Source, redactor: Redactor) -> Source:
    """Return where the run came from; its file has the name that the report calls it by."""
    return replace(
        source,
        place=redactor.text(source.place),
        task=_text(source.task, redactor),
        trial=_text(source.trial, redactor),
        ended=_text(source.ended, redactor),
        recorded_at=_text(source.recorded_at, redactor),
    )


def _label(label: Label, redactor: Redactor) -> Label:
    scores = redactor.value({key: _score(score, redactor) for key, score in label.scores.items()})
    return replace(label, by=redactor.text(label.by), scores=scores)


def _score(score: Score, redactor: Redactor) -> Score:
    """Return a figure; one that is a list or an object stands as JSON text."""
    return redactor.text(score) if isinstance(score, str) else score


def _tool(tool: ToolSpec, redactor: Redactor) -> ToolSpec:
    return ToolSpec(
        name=redactor.text(tool.name),
        description=redactor.text(tool.description),
        parameters=redactor.value(tool.parameters),
    )


def _item(item: Item, redactor: Redactor) -> Item:
    match item:
        case Heard():
            return Heard(message=_message(item.message, redactor))
        case Spoke():
            return Spoke(reply=_reply(item.reply, redactor))
        case Answered():
            call_id, name = redactor.text(item.call_id), redactor.text(item.name)
            return replace(item, call_id=call_id, name=name, text=redactor.text(item.text))
        case NoReply():
            return replace(item, message=redactor.text(item.message))


def _message(message: Message, redactor: Redactor) -> Message:
    calls = tuple(_call(call, redactor) for call in message.calls)
    call_id = _text(message.call_id, redactor)
    return replace(message, text=_text(message.text, redactor), calls=calls, call_id=call_id)


def _reply(reply: Reply, redactor: Redactor) -> Reply:
    calls = tuple(_call(call, redactor) for call in reply.calls)
    text, refusal = _text(reply.text, redactor), _text(reply.refusal, redactor)
    return replace(
        reply,
        text=text,
        calls=calls,
        refusal=refusal,
        finish_reason=_text(reply.finish_reason, redactor),
        model=_text(reply.model, redactor),
    )


def _call(call: WireCall, redactor: Redactor) -> WireCall:
    """Return the call with its arguments redacted as values, so that they stay JSON."""
    call = replace(call, call_id=redactor.text(call.call_id), name=redactor.text(call.name))
    try:
        value = parse_json(call.arguments)
    except JsonRefused:
        return replace(call, arguments=redactor.text(call.arguments))
    clean = redactor.value(value)
    return call if clean is value else replace(call, arguments=json_text(clean))


def _text(text: str | None, redactor: Redactor) -> str | None:
    return None if text is None else redactor.text(text)

"""Logs of messages in the form of Chat Completions, the format of fine-tuning included.

A file of JSON Lines or one JSON list, each object with ``messages`` (and ``tools``, ``model``,
and a ``response`` or ``choices`` with the last reply, where a log holds them), or one list of
messages: then the file is one run. ``conversations`` with ``from`` and ``value`` are read too.
Sources: the OpenAI API reference, Create chat completion, and its guide to fine-tuning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from recordings.importers.chat import items_of
from recordings.importers.fields import (
    Malformed,
    list_of,
    mapping_of,
    name_of,
    text_of,
    tools_of,
)
from recordings.importers.protocol import Fit
from recordings.importers.runs import ImportedRun, Spoke
from recordings.importers.source import SourceFile
from recordings.importers.streams import Peek
from recordings.origin import Source, Unknown

__all__ = ["fits", "name", "runs"]

name: Final = "openai-messages"
_LISTS: Final = ("messages", "conversations")


def fits(peek: Peek) -> Fit:
    """Whether the file holds messages; many formats do, so a narrower importer goes first."""
    single = peek.is_list and peek.has("role", "content")
    logged = any(peek.has(each) for each in (*_LISTS, "request.messages", "body.messages"))
    return Fit.LOOSELY if single or logged else Fit.NO


def runs(file: SourceFile) -> Iterator[ImportedRun]:
    """Yield one run an object with messages, or one of the whole file."""
    first = file.first("*")
    if isinstance(first, Mapping) and "role" in first:
        messages = [value for _, value in file.values()]
        run = file.read("the file", _run, {"messages": messages}, "the file", file)
        if run is not None:
            yield run
        return
    yield from file.each(lambda value, place: _run(value, place, file))


def _run(value: object, place: str, file: SourceFile) -> ImportedRun:
    found = mapping_of(value)
    asked = mapping_of(found.get("request") or found.get("body")) or found
    messages = next((each for name in _LISTS if (each := list_of(asked.get(name)))), None)
    if messages is None:
        raise Malformed("has no list of messages")
    answered = _answered(found)
    last = _last_reply(answered)
    items = items_of([*messages, *([] if last is None else [last])])
    model = name_of(asked.get("model"))
    tools = tools_of(asked.get("tools") or asked.get("functions"))
    return ImportedRun(
        source=Source(
            format=name,
            file=file.name,
            place=place,
            task=name_of(found.get("custom_id") or found.get("id")) or None,
            ended=items[-1].reply.finish_reason if isinstance(items[-1], Spoke) else None,
            recorded_at=text_of(found.get("timestamp") or found.get("created_at")),
        ),
        label=None,
        model=model or name_of(answered.get("model")),
        items=items,
        tools=tools,
        # The tools may be in the log of another request, or nowhere: nothing says that none were.
        unknown=frozenset() if tools else frozenset({Unknown.REQUESTS}),
    )


def _answered(found: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the completion that a log keeps beside the request, where it does."""
    response = mapping_of(found.get("response"))
    return mapping_of(response.get("body")) or response or found


def _last_reply(answered: Mapping[str, Any]) -> Mapping[str, Any] | None:
    choices = list_of(answered.get("choices"))
    choice = mapping_of(choices[0]) if choices else {}
    message = mapping_of(choice.get("message"))
    if not message:
        return None
    return {
        **message,
        "role": "assistant",
        "model": answered.get("model"),
        "finish_reason": choice.get("finish_reason"),
        "usage": answered.get("usage"),
    }

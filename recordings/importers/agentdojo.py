"""Run files of AgentDojo: one JSON object a run, in a tree of folders.

Source: the package agentdojo 0.1.35, ``logging.py`` (TraceLogger.save), ``types.py`` and
``benchmark.py`` (TaskResults). ``utility`` says whether the user's task was done, ``security``
whether the injection's goal was reached; ``success`` is ``utility``. A file has the duration of
the whole run, no times of single replies, no tokens and no costs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from recordings.importers.chat import items_of
from recordings.importers.fields import list_of, mapping_of, name_of, score_of, text_of
from recordings.importers.protocol import Fit
from recordings.importers.runs import ImportedRun
from recordings.importers.source import SourceFile
from recordings.importers.streams import Peek
from recordings.origin import Label, Source, Unknown
from tools import Kind

__all__ = ["fits", "name", "runs"]

name: Final = "agentdojo"
_SCORES: Final = ("utility", "security", "duration")


def fits(peek: Peek) -> Fit:
    """Whether the file holds a run of AgentDojo."""
    return Fit.SURELY if peek.has("suite_name", "user_task_id") else Fit.NO


def runs(file: SourceFile) -> Iterator[ImportedRun]:
    """Yield the run of the file."""
    yield from file.each(lambda value, place: _run(mapping_of(value), place, file))


def _run(value: Mapping[str, Any], place: str, file: SourceFile) -> ImportedRun:
    parts = ("suite_name", "user_task_id", "injection_task_id")
    task = "/".join(part for each in parts if (part := name_of(value.get(each))))
    utility = value.get("utility")
    return ImportedRun(
        source=Source(
            format=name,
            file=file.name,
            place=place,
            task=task or None,
            trial=name_of(value.get("attack_type")) or None,
            ended="error" if text_of(value.get("error")) is not None else None,
            recorded_at=name_of(value.get("evaluation_timestamp")) or None,
        ),
        label=Label(
            success=utility if isinstance(utility, bool) else None,
            by="utility",
            scores={each: score_of(value[each]) for each in _SCORES if each in value},
        ),
        model=name_of(value.get("pipeline_name")),
        items=items_of(_named(value.get("messages")), outcome=_outcome),
        unknown=frozenset({Unknown.REQUESTS}),
    )


def _named(messages: object) -> list[Any]:
    """Return the messages, each answer with the name of its tool, and with what was told."""
    named = []
    for item in list_of(messages) or []:
        message = mapping_of(item)
        call = mapping_of(message.get("tool_call"))
        told = message.get("error") or message.get("content")  # a fault is told in place of words
        named.append(
            {**message, "name": call.get("function"), "content": told} if call else message
        )
    return named


def _outcome(message: Mapping[str, Any], text: str) -> Kind:
    del text
    return Kind.OK if message.get("error") is None else Kind.FAILED

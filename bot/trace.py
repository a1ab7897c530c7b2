"""The trace of a run: one row an event, of step, kind and text (reference facts B15)."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, assert_never

from bot.plan import LIVE
from bot.story import Story, calls_of
from bot.texts import action_text, seconds_text, shortened, stop_text, tokens_text
from loop import (
    Asked,
    Attempt,
    Called,
    Cancelled,
    Checked,
    Closed,
    Failed,
    LostAttempt,
    Opened,
    Record,
    Replied,
    Stopped,
    StopReason,
    WireCall,
)
from tools import JsonRefused, Kind, action_from_dict, parse_json

__all__ = ["Row", "header", "lines", "rows"]

WIDTH: Final = 80
FINISH: Final = "finish"
MAX_VALUE: Final = 90
"""Longest value in a row, in characters; a longer one ends in an ellipsis."""

MAX_ERROR: Final = 200
"""Longest error in a row, in characters."""


@dataclass(frozen=True, slots=True)
class Row:
    """One event: its step (None before the first), its kind in a word, its text."""

    step: int | None
    kind: str
    text: str


def header(story: Story) -> Iterator[str]:
    """Yield what stands above the rows: the run, its figures, and of a live one who was asked."""
    result = story.result or "running"
    yield f"run {story.run_id}: {result}"
    yield story.summary()
    live = story.marks.get(LIVE)
    if isinstance(live, Mapping):
        model, on, prices = (
            shortened(str(live.get(name, "unknown")), 200) for name in ("model", "on", "prices")
        )
        yield f"asked live on {on} as {model}; prices: {prices}"


def rows(story: Story) -> Iterator[Row]:
    """Yield the rows of a run, in order."""
    for entry in story.entries:
        yield from _rows(story, entry.record)


def lines(story: Story) -> Iterator[str]:
    """Yield the rows as lines of at most 80 characters."""
    for row in rows(story):
        step = "" if row.step is None else str(row.step)
        head = f"{step:>4}  {row.kind:<9}  "
        yield from textwrap.wrap(
            row.text,
            WIDTH,
            initial_indent=head,
            subsequent_indent=" " * len(head),
            break_on_hyphens=False,
        ) or [head.rstrip()]


def _rows(story: Story, record: Record) -> Iterator[Row]:
    match record:
        case Opened():
            yield from _opened(record)
        case Asked() | Closed():
            return  # the reply tells of the request, the header of the end
        case LostAttempt():
            text = "the process died while a request was in flight; what it cost is unknown"
            yield Row(record.step, "note", text)
        case Replied():
            yield from _attempts(record.step, record.reply.attempts)
            yield Row(record.step, "model", _reply_text(story, record))
        case Failed():
            yield from _attempts(record.step, record.attempts)
            status = "" if record.status is None else f" (status {record.status})"
            cause = record.cause.replace("_", " ")
            text = f"{cause}{status}: {shortened(record.message, 400)}"
            yield Row(record.step, "error", text)
        case Called():
            yield _call_row(record)
        case Checked():
            answer = "yes" if record.answer else "no"
            text = f"asked the shop {record.question} {shortened(record.subject, 40)}: {answer}"
            yield Row(None, "check", text)
        case Cancelled():
            yield Row(record.step, "note", f"cancelled: {shortened(record.cause, 200)}")
        case Stopped():
            yield from _end(story, record)
        case _:
            assert_never(record)


def _opened(opened: Opened) -> Iterator[Row]:
    marks: dict[str, Any] = dict(opened.marks)
    if marks.get("constructed"):
        yield Row(None, "note", "replayed from replies that were written by hand")
    if marks.get("match") == "sequence":
        yield Row(None, "note", "replies are matched by ticket and step, not by request")
    for fault in marks.get("faults", ()):
        yield Row(None, "note", f"simulated fault {shortened(str(fault), 60)}")


def _attempts(step: int, attempts: Iterable[Attempt]) -> Iterator[Row]:
    """Yield the tries that gave no reply, and what was waited for."""
    for attempt in attempts:
        status = "" if attempt.status is None else f" (status {attempt.status})"
        parts = [
            f"{attempt.fault.replace('_', ' ')}{status} after {seconds_text(attempt.latency_us)}"
        ]
        if attempt.asked_wait_us is not None:
            parts.append(f"asked to wait {seconds_text(attempt.asked_wait_us)}")
        if attempt.waited_us:
            parts.append(f"waited {seconds_text(attempt.waited_us)} and tried again")
        yield Row(step, "try", "; ".join(parts))


def _reply_text(story: Story, replied: Replied) -> str:
    reply = replied.reply
    calls = calls_of(story.opened, replied)
    said = ", ".join(map(_call_text, calls))
    if not calls:
        said = f"answered: {shortened(reply.text or reply.refusal or '(nothing)', MAX_VALUE)}"
    used = tokens_text(reply.usage.tokens_in, reply.usage.tokens_out)
    parts = [said, used, _took(reply.latency_us)]
    if reply.cost.by_asked:
        answered = shortened(reply.model or "a model without a name", 60)
        parts.append(f"{answered} answered, priced as {shortened(story.opened.head.model, 60)}")
    if reply.note is not None:
        parts.append(shortened(reply.note, 200))
    return "; ".join(parts)


def _took(us: int | None) -> str:
    return "time unknown" if us is None else seconds_text(us)


def _call_text(call: WireCall) -> str:
    name = shortened(call.name, 40)
    if name == FINISH:
        return name  # what it holds is the decision, shown below the rows
    return f"{name} {shortened(call.arguments, MAX_VALUE)}"


def _call_row(called: Called) -> Row:
    name = shortened(called.name, 40)
    if called.code == StopReason.REPEATED_CALL:
        return Row(called.step, "stop", f"{name} was not run: the same call was made before")
    if called.code in ("finish_accepted", "finish_refused"):
        text = "accepted" if called.result is Kind.OK else f"refused: {_error(called)}"
        return Row(called.step, "finish", text)
    if called.action is not None:
        action = action_text(action_from_dict(called.action))
        return Row(called.step, "proposal", f"{action}; staged, nothing has changed")
    notes = ["cut to the limit"] if called.cut else []
    if called.copy_of is not None:
        notes.append(f"same as call {called.copy_of + 1} of this reply")
    text = f"{name} {called.result or 'outcome unknown'}"
    if called.result is not None and called.result is not Kind.OK:
        text = f"{text}: {called.code}: {_error(called)}"
    return Row(called.step, "tool", "; ".join((text, *notes)))


def _error(called: Called) -> str:
    """Return what the model was told: the error of the result, or its text as it stands."""
    try:
        told = parse_json(called.text)
    except JsonRefused:
        told = called.text
    error = told.get("error") if isinstance(told, dict) else None
    return shortened(error if isinstance(error, str) else called.text, MAX_ERROR)


def _end(story: Story, stopped: Stopped) -> Iterator[Row]:
    kind = "end" if stopped.stop.reason is StopReason.FINISHED else "stop"
    yield Row(stopped.stop.step, kind, stop_text(stopped.stop, cause=False))
    for problem in () if story.closed is None else story.closed.problems:
        code, message = shortened(problem["code"], 40), shortened(problem["message"], 200)
        yield Row(stopped.stop.step, "gate", f"{code}: {message}")

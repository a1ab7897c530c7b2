"""Recording lines of the reference systems (reference facts A7, B10).

A line holds ``label`` (model, step, ticket_id …), ``latency_s`` and a Chat Completions
``response`` or an ``error``. It does not hold the request, only a key over texts of its own
system, so such a recording can be replayed by ticket and step alone: ``read`` reads it for that,
as it is. ``runs`` brings it in as journals, one for each model, design, ticket and repeat.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from loop import (
    Cost,
    CostState,
    Failed,
    Price,
    Replied,
    Reply,
    WireCall,
    cleaned,
    price_of,
    whole,
)
from recordings.errors import RecordingUnreadable
from recordings.importers.chat import usage_of
from recordings.importers.constants import loads
from recordings.importers.fields import (
    Malformed,
    arguments_of,
    json_text,
    mapping_of,
    name_of,
    us_of,
)
from recordings.importers.protocol import Fit
from recordings.importers.runs import ImportedRun, Item, NoReply, Spoke
from recordings.importers.source import UNFORESEEN, SourceFile, unforeseen
from recordings.importers.spill import Spill
from recordings.importers.streams import Peek
from recordings.origin import Source, Unknown
from recordings.recording import Exchange, Recording

__all__ = ["fits", "name", "read", "recognises", "runs"]

name: Final = "reference"
_GROUPED_BY: Final = ("model", "variant", "prompt", "repeat", "tools")
"""Of a label: what tells runs of one ticket apart, beside the ticket."""


def recognises(first: Mapping[str, Any]) -> bool:
    """Whether a file begins with a recording line of the reference systems."""
    return isinstance(first.get("label"), dict) and ("response" in first or "error" in first)


def fits(peek: Peek) -> Fit:
    """Whether the file holds recording lines of the reference systems."""
    whole = peek.has("label", "latency_s") and (peek.has("response") or peek.has("error"))
    return Fit.SURELY if whole else Fit.NO


def runs(file: SourceFile) -> Iterator[ImportedRun]:
    """Yield one run for each ticket, model, design and repeat, its steps in order."""
    with Spill() as spill:
        for place, value in file.values():
            file.read(place, _put_aside, spill, place, mapping_of(value))
        for _, kept in spill.groups():
            run = file.read(name_of(kept[0]["place"]), _run, kept, file.name)
            if run is not None:
                yield run


def _put_aside(spill: Spill, place: str, line: Mapping[str, Any]) -> None:
    group, _ = _group(line)
    _exchange_of(line, {})
    spill.put(group, {"place": place, "line": line})


def _group(line: Mapping[str, Any]) -> tuple[str, int]:
    """Return what all lines of one run have in common, and the step."""
    ticket_id, step = _place(line)
    label = _get(line, "label", dict)
    return json_text([ticket_id, *(label.get(part) for part in _GROUPED_BY)]), step


def _run(kept: list[Mapping[str, Any]], file: str) -> ImportedRun:
    lines = sorted(kept, key=lambda each: _group(each["line"])[1])
    read_lines = [_exchange_of(each["line"], {}) for each in lines]
    label = _get(lines[0]["line"], "label", dict)
    asked, at = label.get("model"), lines[0]["line"].get("at")
    repeat = label.get("repeat")
    return ImportedRun(
        source=Source(
            format=name,
            file=file,
            place=lines[0]["place"],
            task=read_lines[0][0],
            trial=None if repeat is None else str(repeat),
            recorded_at=_text(at),
        ),
        label=None,
        model=_text(asked) or "",
        items=tuple(_item(exchange.answer) for _, exchange in read_lines),
        unknown=frozenset({Unknown.REQUESTS}),
    )


def _item(answer: Replied | Failed) -> Item:
    if isinstance(answer, Failed):
        return NoReply(message=answer.message, status=answer.status, latency_us=answer.latency_us)
    reply = answer.reply
    known = reply.cost.state is CostState.KNOWN
    cost = reply.cost if known else Cost(state=CostState.NOT_RECORDED)
    return Spoke(reply=cleaned(replace(reply, cost=cost)))


def read(
    lines: Iterable[str],
    file: str,
    prices: Mapping[str, Price],
    faults: list[RecordingUnreadable],
) -> Iterator[Recording]:
    """Yield one recording a ticket, its exchanges in the order of steps."""
    tickets: dict[str, dict[int, Exchange]] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            ticket_id, exchange = _exchange(line, prices)
        except _Unreadable as fault:
            faults.append(RecordingUnreadable(file, fault.problem, line=number, field=fault.field))
        else:
            # The first recording of a step wins: number 1 is the reference's default.
            tickets.setdefault(ticket_id, {}).setdefault(exchange.step, exchange)
    for ticket_id, steps in tickets.items():
        ordered = tuple(steps[step] for step in sorted(steps))
        yield Recording(name=f"{file}: {ticket_id}", ticket_id=ticket_id, exchanges=ordered)


class _Unreadable(Malformed):
    def __init__(self, field: str | None, problem: str) -> None:
        super().__init__(problem if field is None else f"field {field}: {problem}")
        self.field = field
        self.problem = problem


def _exchange(line: str, prices: Mapping[str, Price]) -> tuple[str, Exchange]:
    try:
        value = loads(line)
    except (ValueError, RecursionError):
        raise _Unreadable(None, "is not a line of JSON") from None
    if not isinstance(value, dict):
        raise _Unreadable(None, "is not a JSON object")
    try:
        return _exchange_of(value, prices)
    except UNFORESEEN as error:
        raise _Unreadable(None, unforeseen(error)) from None


def _place(value: Mapping[str, Any]) -> tuple[str, int]:
    label = _get(value, "label", dict)
    ticket_id = _text(label.get("ticket_id") or label.get("task_id"))
    step = label.get("step", 1)
    if ticket_id is None:
        raise _Unreadable("label.ticket_id", "must name the ticket")
    if type(step) is not int or step < 1:
        raise _Unreadable("label.step", "must be a whole number of at least 1")
    return ticket_id, step


def _exchange_of(value: Mapping[str, Any], prices: Mapping[str, Price]) -> tuple[str, Exchange]:
    ticket_id, step = _place(value)
    label = _get(value, "label", dict)
    latency_us = _microseconds(value.get("latency_s"))
    answer: Replied | Failed
    if "error" in value:
        answer = _failed(_get(value, "error", dict), step, latency_us)
    else:
        asked = label.get("model")
        response = _get(value, "response", dict)
        reply = _reply(response, asked if isinstance(asked, str) else "", latency_us, prices)
        answer = Replied(step=step, reply=reply)
    return ticket_id, Exchange(
        step=step, digest=None, appended=None, answer=answer, answer_us=latency_us
    )


def _failed(error: Mapping[str, Any], step: int, latency_us: int) -> Failed:
    status = error.get("status")
    return Failed(
        step=step,
        cause="provider_error",
        message=str(error.get("message") or "the recorded call failed"),
        status=status if type(status) is int else None,
        wait_s=None,
        latency_us=latency_us,
    )


def _reply(
    response: Mapping[str, Any], asked: str, latency_us: int, prices: Mapping[str, Price]
) -> Reply:
    choices = _get(response, "choices", list)
    if not choices or not isinstance(choices[0], dict):
        raise _Unreadable("response.choices", "must hold a choice")
    message = _get(choices[0], "message", dict)
    usage = usage_of(response.get("usage"))
    answered = _text(response.get("model"))
    return Reply(
        text=_text(message.get("content")),
        calls=tuple(_call(item) for item in _calls(message)),
        finish_reason=_text(choices[0].get("finish_reason")),
        refusal=_text(message.get("refusal")),
        model=answered,
        usage=usage,
        latency_us=latency_us,
        cost=price_of(answered, asked, usage, prices),
    )


def _calls(message: Mapping[str, Any]) -> list[Any]:
    found = message.get("tool_calls")
    if found is None:
        return []
    if not isinstance(found, list):
        raise _Unreadable("response.choices.0.message.tool_calls", "must be a list")
    return found


def _call(item: object) -> WireCall:
    function = item.get("function") if isinstance(item, dict) else None
    if not isinstance(item, dict) or not isinstance(function, dict):
        raise _Unreadable("response.choices.0.message.tool_calls", "holds no function call")
    return WireCall(
        call_id=_text(item.get("id")) or "",
        name=_text(function.get("name")) or "",
        arguments=arguments_of(function.get("arguments")),
    )


def _microseconds(seconds: object) -> int:
    found = us_of(seconds)
    if found is None:
        raise _Unreadable("latency_s", "must be a number of seconds of at least 0")
    return found


def _get(value: Mapping[str, Any], field: str, kind: type[Any]) -> Any:
    found = value.get(field)
    if not isinstance(found, kind):
        raise _Unreadable(field, f"must be a JSON {'object' if kind is dict else 'list'}")
    return found


def _text(value: object) -> str | None:
    return whole(value) if isinstance(value, str) else None

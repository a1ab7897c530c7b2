"""Logs of Inspect: the ``.eval`` archive, one entry a sample, and the ``.json`` form.

Source: the package inspect-ai 0.3.285, ``log/_log.py`` (EvalSample), ``model/_chat_message.py``,
``event/_model.py``, ``event/_tool.py`` and ``log/_recorders/eval.py``. The messages of a sample
make the run; its events, where they were logged, give tokens and times. Long texts stand in the
sample's attachments. ``success`` is what the scores agree on: C or 1 is success, I, N or 0 none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final

from loop import Usage
from recordings.importers.archives import Archive
from recordings.importers.chat import Facts, items_of
from recordings.importers.constants import loads
from recordings.importers.fields import (
    Malformed,
    cost_of,
    count_of,
    list_of,
    mapping_of,
    name_of,
    score_of,
    span_us,
    tools_of,
    us_of,
)
from recordings.importers.protocol import Fit
from recordings.importers.runs import Answered, ImportedRun, Item
from recordings.importers.source import SourceFile
from recordings.importers.streams import EACH, Peek
from recordings.nesting import MAX_DEPTH, is_deeper
from recordings.origin import Label, Source, Unknown
from tools import Kind

__all__ = ["fits", "name", "runs"]

name: Final = "inspect"
_ZIP: Final = b"PK\x03\x04"
_SAMPLES: Final = "samples/"
_HEADERS: Final = ("header.json", "_journal/start.json")
_ATTACHMENT: Final = "attachment://"
_KINDS: Final = {
    "parsing": Kind.INVALID,
    "permission": Kind.REFUSED,
    "approval": Kind.REFUSED,
    "file_not_found": Kind.NOT_FOUND,
}
"""What came of a call by the type of its error; every other error is a failure."""


def fits(peek: Peek) -> Fit:
    """Whether this is a log of Inspect."""
    if peek.head.startswith(_ZIP):
        return Fit.SURELY if _is_archive(peek) else Fit.NO
    return Fit.SURELY if peek.has("eval.task", "status") else Fit.NO


def runs(file: SourceFile) -> Iterator[ImportedRun]:
    """Yield one run a sample."""
    with file.path.open("rb") as stream:
        archived = stream.read(len(_ZIP)) == _ZIP
    if archived:
        yield from _archived(file)
        return
    model = name_of(mapping_of(file.first("eval")).get("model"))
    yield from file.each(
        lambda value, place: _run(mapping_of(value), place, file.name, model), "samples", EACH
    )


def _is_archive(peek: Peek) -> bool:
    try:
        with closing(Archive(peek.path)) as archive:
            names = archive.names()
    except Malformed:
        return peek.path.suffix == ".eval"  # its reader says what is wrong
    return any(each in _HEADERS or each.startswith(_SAMPLES) for each in names)


def _archived(file: SourceFile) -> Iterator[ImportedRun]:
    try:
        archive = Archive(file.path)
    except Malformed as fault:
        file.failed("the archive", str(fault))
        return
    with closing(archive):
        for each in archive.doubled():
            file.failed(f"entry {each}", "stands more than once; the last one is read")
        model = _model(file, archive)
        for each in archive.names():
            if not each.startswith(_SAMPLES) or not each.endswith(".json"):
                continue
            run = file.read(f"entry {each}", _archived_run, archive, each, file.name, model)
            if run is not None:
                yield run


def _archived_run(archive: Archive, entry: str, file: str, model: str) -> ImportedRun:
    return _run(_entry(archive, entry), f"entry {entry}", file, model)


def _model(file: SourceFile, archive: Archive) -> str:
    """Return the model that was asked, from the header, or from the beginning of a cut log."""
    header = next((each for each in _HEADERS if each in archive.names()), None)
    if header is None:
        return ""
    start = file.read(f"entry {header}", _entry, archive, header) or {}
    return name_of(mapping_of(start.get("eval")).get("model"))


def _entry(archive: Archive, entry: str) -> Mapping[str, Any]:
    try:
        value = loads(archive.read(entry))
    except ValueError:
        raise Malformed("is not JSON") from None
    if is_deeper(value):
        raise Malformed(f"is nested deeper than {MAX_DEPTH} levels")
    return mapping_of(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Events:
    """What the events of a sample say: of replies by message id, of calls by call id."""

    replies: Mapping[str, Mapping[str, Any]]
    calls: Mapping[str, Mapping[str, Any]]
    tools: object

    @classmethod
    def of(cls, sample: Mapping[str, Any]) -> _Events:
        replies: dict[str, Mapping[str, Any]] = {}
        calls: dict[str, Mapping[str, Any]] = {}
        tools: object = None
        for item in list_of(sample.get("events")) or []:
            event = mapping_of(item)
            if event.get("event") == "model":
                tools = tools or event.get("tools")
                for choice in list_of(mapping_of(event.get("output")).get("choices")) or []:
                    said = mapping_of(mapping_of(choice).get("message"))
                    replies[name_of(said.get("id"))] = event
            elif event.get("event") == "tool":
                calls[name_of(event.get("id"))] = event
        replies.pop("", None)
        calls.pop("", None)
        return cls(replies=replies, calls=calls, tools=tools)

    def facts(self, message: Mapping[str, Any]) -> Facts:
        event = self.replies.get(name_of(message.get("id")), {})
        output = mapping_of(event.get("output"))
        usage = mapping_of(output.get("usage"))
        choices = list_of(output.get("choices")) or [{}]
        took = us_of(output.get("time"))
        if took is None:
            took = us_of(event.get("working_time"))
        return Facts(
            model=name_of(message.get("model") or output.get("model")) or None,
            finish_reason=name_of(mapping_of(choices[0]).get("stop_reason")) or None,
            usage=_usage(usage),
            latency_us=took,
            cost=cost_of(usage.get("total_cost")),
        )

    def timed(self, item: Item) -> Item:
        """Return an answer with the time that its call took, where an event says it."""
        if not isinstance(item, Answered) or item.call_id not in self.calls:
            return item
        event = self.calls[item.call_id]
        took = us_of(event.get("working_time"))
        if took is None:
            took = span_us(event.get("timestamp"), event.get("completed"))
        return Answered(
            call_id=item.call_id,
            name=item.name,
            text=item.text,
            outcome=item.outcome,
            took_us=took,
        )


def _run(sample: Mapping[str, Any], place: str, file: str, model: str) -> ImportedRun:
    whole = mapping_of(_attached(sample, mapping_of(sample.get("attachments"))))
    events = _Events.of(whole)
    tools = tools_of(events.tools)
    messages = [_named(mapping_of(item)) for item in list_of(whole.get("messages")) or []]
    items = items_of(messages, outcome=_outcome, facts=events.facts)
    return ImportedRun(
        source=Source(
            format=name,
            file=file,
            place=place,
            task=name_of(whole.get("id")) or None,
            trial=name_of(whole.get("epoch")) or None,
            ended=_ended(whole),
            recorded_at=name_of(whole.get("started_at")) or None,
        ),
        label=_label(mapping_of(whole.get("scores"))),
        model=model,
        items=tuple(map(events.timed, items)),
        tools=tools,
        unknown=frozenset() if tools else frozenset({Unknown.REQUESTS}),
    )


def _attached(value: Any, attachments: Mapping[str, Any]) -> Any:
    """Return a value with the texts that stand in the attachments put back in their places."""
    if not attachments:
        return value
    match value:
        case str() if value.startswith(_ATTACHMENT):
            return attachments.get(value.removeprefix(_ATTACHMENT), value)
        case Mapping():
            return {
                key: item if key == "attachments" else _attached(item, attachments)
                for key, item in value.items()
            }
        case list():
            return [_attached(item, attachments) for item in value]
        case _:
            return value


def _named(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a message; an answer with the name of its tool, and with what was told."""
    if message.get("role") != "tool":
        return message
    error = mapping_of(message.get("error"))
    told = message.get("content") or error.get("message")
    return {**message, "name": message.get("function"), "content": told}


def _outcome(message: Mapping[str, Any], text: str) -> Kind:
    del text
    error = mapping_of(message.get("error"))
    return _KINDS.get(name_of(error.get("type")), Kind.FAILED) if error else Kind.OK


def _usage(found: Mapping[str, Any]) -> Usage:
    """Return the tokens; Inspect counts those of a cache apart from the others that came in."""
    fresh, cached = (
        count_of(found.get(each)) for each in ("input_tokens", "input_tokens_cache_read")
    )
    stored = count_of(found.get("input_tokens_cache_write")) or 0
    return Usage(
        tokens_in=None if fresh is None else fresh + (cached or 0) + stored,
        tokens_out=count_of(found.get("output_tokens")),
        cached_in=cached,
        reasoning_out=count_of(found.get("reasoning_tokens")),
    )


def _ended(sample: Mapping[str, Any]) -> str | None:
    limit = mapping_of(sample.get("limit"))
    if limit:
        return f"limit: {name_of(limit.get('type'))}"
    return "error" if mapping_of(sample.get("error")) else None


def _label(scores: Mapping[str, Any]) -> Label | None:
    if not scores:
        return None
    values = {each: mapping_of(score).get("value") for each, score in scores.items()}
    said = {_success(value) for value in values.values()}
    return Label(
        success=said.pop() if len(said) == 1 else None,
        by=", ".join(values),
        scores={each: score_of(value) for each, value in values.items()},
    )


def _success(value: object) -> bool | None:
    figure = score_of(value)
    match figure:
        case "C" | True | 1:
            return True
        case "I" | "N" | False | 0:
            return False
        case _:
            return None

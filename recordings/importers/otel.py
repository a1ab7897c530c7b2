"""Spans of OpenTelemetry's conventions for generative AI, exported as OTLP/JSON.

One request object, or a file of them, one a line, as the file exporter of the collector writes.
Sources: open-telemetry/semantic-conventions, ``docs/gen-ai/gen-ai-spans.md`` and
``non-normative/examples-llm-calls.md`` (messages in attributes), the same at v1.36.0,
``gen-ai-events.md`` (messages in events); opentelemetry-proto, ``trace.proto`` and the JSON
encoding of the OTLP specification. A conversation, else a trace, is one run. Spans whose content
was not captured still have times and tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from recordings.importers.fields import Malformed, mapping_of, name_of
from recordings.importers.otel_spans import read_span
from recordings.importers.otel_talk import talk_of
from recordings.importers.protocol import Fit
from recordings.importers.runs import ImportedRun, NoReply, Spoke
from recordings.importers.source import SourceFile
from recordings.importers.spill import Spill
from recordings.importers.streams import EACH, Peek
from recordings.origin import Source, Unknown

__all__ = ["fits", "name", "runs"]

name: Final = "otel"
_PATH: Final = ("resourceSpans", EACH, "scopeSpans", EACH, "spans", EACH)


def fits(peek: Peek) -> Fit:
    """Whether the file holds OTLP spans."""
    return Fit.SURELY if peek.has("resourceSpans") else Fit.NO


def runs(file: SourceFile) -> Iterator[ImportedRun]:
    """Yield one run a conversation or trace that holds a model's reply."""
    with Spill() as spill:
        for place, value in _spans(file):
            file.read(place, _put_aside, spill, place, mapping_of(value))
        for group, values in spill.groups():
            run = file.read(f"trace {group[:40]}", _run, group, values, file.name)
            if run is not None:
                yield run


def _put_aside(spill: Spill, place: str, value: Mapping[str, Any]) -> None:
    span = read_span(value)
    if span is None:
        return  # a span of something else than a model or a tool
    if not span.group:
        raise Malformed("is a span without a trace id")
    spill.put(span.group, {**value, "place": place})


def _spans(file: SourceFile) -> Iterator[tuple[str, Any]]:
    """Yield every span, from a file of lines or from one document."""
    if not file.is_lines():
        yield from file.values(*_PATH)
        return
    for place, value in file.values():
        for resource in _list(value, "resourceSpans"):
            for scope in _list(resource, "scopeSpans"):
                for span in _list(scope, "spans"):
                    yield place, span


def _list(value: object, field: str) -> Sequence[Any]:
    found = mapping_of(value).get(field)
    return found if isinstance(found, list) else ()


def _run(group: str, values: Sequence[Mapping[str, Any]], file: str) -> ImportedRun:
    spans = [span for value in values if (span := read_span(value)) is not None]
    talk = talk_of(sorted(spans, key=lambda span: (span.begun_ns, span.ended_ns)))
    if not any(isinstance(item, Spoke | NoReply) for item in talk.items):
        raise Malformed("holds no call of a model")
    hidden = frozenset() if talk.captured and talk.tools else frozenset({Unknown.REQUESTS})
    return ImportedRun(
        source=Source(
            format=name,
            file=file,
            place=name_of(spans[0].place),
            task=group,
            ended=talk.ended,
        ),
        label=None,
        model=talk.model,
        items=talk.items,
        tools=talk.tools,
        unknown=hidden,
    )

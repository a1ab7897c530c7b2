"""One span of OTLP/JSON: its attributes as plain values, its time, and the messages it holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from recordings.importers.constants import loads
from recordings.importers.fields import list_of, mapping_of, name_of

__all__ = ["Span", "read_span"]

MODEL_CALLS: Final = frozenset({"chat", "text_completion", "generate_content"})
TOOL_CALL: Final = "execute_tool"
_ERROR: Final = ("STATUS_CODE_ERROR", 2)
_DETAILS: Final = "gen_ai.client.inference.operation.details"
_CHOICE: Final = "gen_ai.choice"
_MESSAGE: Final = ".message"
MOST_WHOLE: Final = 2**63 - 1
"""Largest whole number of 64 bits."""
MAX_DIGITS: Final = 20
"""Longest whole number of 64 bits, with its sign."""
MAX_DEPTH: Final = 50
"""Deepest nesting of an attribute that is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A span of a model's or a tool's call."""

    group: str
    """The conversation, else the trace; empty where the span names neither."""
    place: str
    is_model: bool
    begun_ns: int
    ended_ns: int
    failed: bool
    attributes: Mapping[str, Any]
    heard: tuple[Mapping[str, Any], ...] | None
    """The messages to the model; None where they were not captured."""
    said: Mapping[str, Any] | None
    """The first message of the model; None where it was not captured."""

    @property
    def took_us(self) -> int | None:
        """How long it took, in microseconds; None where its times do not tell."""
        if not 0 < self.begun_ns <= self.ended_ns:
            return None
        return (self.ended_ns - self.begun_ns) // 1000

    def text(self, attribute: str) -> str:
        """Return an attribute that is a text or a number, else the empty text."""
        return name_of(self.attributes.get(attribute))


def read_span(value: Mapping[str, Any]) -> Span | None:
    """Return a span of a model's or a tool's call; None for any other."""
    attributes = _attributes(value.get("attributes"))
    operation = name_of(attributes.get("gen_ai.operation.name"))
    is_model = operation in MODEL_CALLS or (not operation and "gen_ai.request.model" in attributes)
    if not is_model and operation != TOOL_CALL:
        return None
    events = [mapping_of(item) for item in list_of(value.get("events")) or []]
    for event in events:
        if event.get("name") == _DETAILS:
            attributes = {**attributes, **_attributes(event.get("attributes"))}
    heard, said = _messages(attributes, events)
    status = mapping_of(value.get("status")).get("code")
    return Span(
        group=name_of(attributes.get("gen_ai.conversation.id")) or name_of(value.get("traceId")),
        place=name_of(value.get("place")) or name_of(value.get("spanId")),
        is_model=is_model,
        begun_ns=_nanoseconds(value.get("startTimeUnixNano")),
        ended_ns=_nanoseconds(value.get("endTimeUnixNano")),
        failed=status in _ERROR or "error.type" in attributes,
        attributes=attributes,
        heard=heard,
        said=said,
    )


def _messages(
    attributes: Mapping[str, Any], events: Sequence[Mapping[str, Any]]
) -> tuple[tuple[Mapping[str, Any], ...] | None, Mapping[str, Any] | None]:
    """Return what was heard and said, from the attributes, else from the events of old spans."""
    given = list_of(attributes.get("gen_ai.input.messages"))
    answers = list_of(attributes.get("gen_ai.output.messages"))
    if given is None and answers is None:
        return _from_events(events)
    orders = list_of(attributes.get("gen_ai.system_instructions"))
    system = [] if orders is None else [{"role": "system", "parts": orders}]
    heard = None if given is None else tuple(map(mapping_of, [*system, *given]))
    return heard, mapping_of(answers[0]) if answers else None


def _from_events(
    events: Sequence[Mapping[str, Any]],
) -> tuple[tuple[Mapping[str, Any], ...] | None, Mapping[str, Any] | None]:
    heard: list[Mapping[str, Any]] = []
    said: Mapping[str, Any] | None = None
    for event in events:
        kind = name_of(event.get("name"))
        body = _attributes(event.get("attributes"))
        if kind == _CHOICE and said is None:
            said = {**mapping_of(body.get("message")), **_without_message(body)}
        elif kind.startswith("gen_ai.") and kind.endswith(_MESSAGE):
            role = kind.removeprefix("gen_ai.").removesuffix(_MESSAGE)
            heard.append({"role": role, **body})
    return tuple(heard) or None, said


def _without_message(body: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name != "message"}


def _attributes(value: object) -> dict[str, Any]:
    found = (mapping_of(item) for item in list_of(value) or [])
    return {name_of(item.get("key")): _plain(item.get("value"), 0) for item in found}


def _plain(value: object, depth: int) -> Any:
    """Return an AnyValue of OTLP/JSON as the value it stands for."""
    found = mapping_of(value)
    if depth > MAX_DEPTH or not found:
        return None
    kind, inner = next(iter(found.items()))
    match kind:
        case "arrayValue":
            items = list_of(mapping_of(inner).get("values")) or []
            return [_plain(item, depth + 1) for item in items]
        case "kvlistValue":
            pairs = (mapping_of(item) for item in list_of(mapping_of(inner).get("values")) or [])
            return {
                name_of(pair.get("key")): _plain(pair.get("value"), depth + 1) for pair in pairs
            }
        case "intValue":
            return _whole(inner)  # 64 bits stand as a text
        case "stringValue":
            return _structured(inner)
        case _:
            return inner


def _structured(text: object) -> object:
    """Return the list or object of messages that a text holds, as spans may have to write them."""
    if not isinstance(text, str) or text[:1] not in ("[", "{"):
        return text
    try:
        found = loads(text)
    except (ValueError, RecursionError):
        return text
    return found if _holds_messages(found) else text


def _holds_messages(value: object) -> bool:
    items = value if isinstance(value, list) else [value]
    names = {"role", "parts", "content", "tool_calls", "type"}
    return bool(items) and all(isinstance(item, dict) and names & item.keys() for item in items)


def _whole(value: object) -> int | None:
    """Return a whole number of 64 bits, as a text or a number; None for anything else."""
    if isinstance(value, str):
        return _digits(value) if len(value) <= MAX_DIGITS else None
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    return int(value) if -MOST_WHOLE <= value <= MOST_WHOLE else None


def _digits(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None


def _nanoseconds(value: object) -> int:
    return _whole(value) or 0

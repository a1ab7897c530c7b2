"""Reading fields of files that others wrote: what is there and has a known form, else unknown."""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from loop import MOST_LATENCY_US, MOST_TOKENS, MOST_USD, Cost, CostState, whole
from recordings.importers.constants import loads
from tools import ToolSpec

__all__ = [
    "Malformed",
    "arguments_of",
    "cost_of",
    "count_of",
    "json_number",
    "json_text",
    "list_of",
    "mapping_of",
    "name_of",
    "score_of",
    "span_us",
    "text_of",
    "tools_of",
    "us_of",
]

MAX_LITERAL_CHARS: Final = 1_000_000
"""Longest text that is read as a list or an object, in characters."""
MOST_EXACT: Final = 10**15
"""Largest whole Decimal that is written as a whole number."""
_MAX_SECONDS: Final = MOST_LATENCY_US // 1_000_000
_PART_TEXTS: Final = ("text", "content", "refusal")


class Malformed(Exception):
    """A run of a file cannot be read; the text says why, and quotes nothing of it."""


def list_of(value: object) -> list[Any] | None:
    """Return a list, also one that stands in a text as JSON or as Python writes it."""
    found = _literal(value) if isinstance(value, str) else value
    return list(found) if isinstance(found, list | tuple) else None


def mapping_of(value: object) -> Mapping[str, Any]:
    """Return an object, also one that stands in a text; an empty one where there is none."""
    found = _literal(value) if isinstance(value, str) else value
    return found if isinstance(found, Mapping) else {}


def _literal(text: str) -> object:
    if len(text) > MAX_LITERAL_CHARS or text.lstrip()[:1] not in ("[", "{", "("):
        return None
    try:
        return loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None


def text_of(content: object) -> str | None:
    """Return what a message says: its text, or its parts' texts, one a line.

    A part that is no text stands as its type in brackets, such as ``[image_url]``.
    """
    match content:
        case None:
            return None
        case str():
            return whole(content)
        case list() | tuple():
            parts = [part for item in content if (part := _part(item)) is not None]
            return "\n".join(parts) if parts or not content else ""
        case Mapping():
            return _part(content) if "type" in content else json_text(content)
        case _:
            return json_text(content)


def _part(item: object) -> str | None:
    if not isinstance(item, Mapping):
        return text_of(item)
    kind = item.get("type")
    if kind in ("reasoning", "thinking", "redacted_thinking"):
        return None  # what the model thought is no part of what it said
    for name in _PART_TEXTS:
        if isinstance(item.get(name), str):
            return whole(item[name])
    return f"[{whole(kind)}]" if isinstance(kind, str) else json_text(item)


def json_text(value: object) -> str:
    """Return a value as JSON text, numbers as they were written."""
    return whole(json.dumps(value, ensure_ascii=False, default=json_number))


def json_number(value: object) -> object:
    """Return what stands for a value that JSON text has no form for: a Decimal as its number.

    One that no double can hold is None.
    """
    if not isinstance(value, Decimal):
        return str(value)
    if abs(value) < MOST_EXACT and value == value.to_integral_value():
        return int(value)
    return _finite(float(value))


def arguments_of(value: object) -> str:
    """Return a call's arguments as text: as they stand, or the object that some files hold."""
    if isinstance(value, str):
        return whole(value)
    return "" if value is None else json_text(value)


def name_of(value: object) -> str:
    """Return a name or an id; the empty text where there is none."""
    if isinstance(value, str):
        return whole(value)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def count_of(value: object) -> int | None:
    """Return a number of tokens; None where it is no whole one of at least 0, or no plausible."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    if not 0 <= value <= MOST_TOKENS or value != int(value):
        return None
    return int(value)


def us_of(seconds: object) -> int | None:
    """Return seconds as microseconds; None where they are no plausible number."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float | Decimal):
        return None
    if not 0 <= seconds <= _MAX_SECONDS:
        return None
    return round(seconds * 1_000_000)


def span_us(begun: object, ended: object) -> int | None:
    """Return the microseconds between two ISO time stamps; None where they do not tell."""
    if not isinstance(begun, str) or not isinstance(ended, str):
        return None
    try:
        passed = datetime.fromisoformat(ended) - datetime.fromisoformat(begun)
    except (ValueError, TypeError):  # one with, one without a time zone
        return None
    return us_of(passed.total_seconds())


def cost_of(usd: object) -> Cost:
    """Return a cost in US dollars as known; one that is missing or no amount as not recorded."""
    if isinstance(usd, int | float | Decimal | str) and not isinstance(usd, bool):
        try:
            amount = Decimal(str(usd))
        except InvalidOperation:
            return Cost(state=CostState.NOT_RECORDED)
        if amount.is_finite() and 0 <= amount <= MOST_USD:
            return Cost(state=CostState.KNOWN, usd=amount)
    return Cost(state=CostState.NOT_RECORDED)


def score_of(value: object) -> bool | int | float | str | None:
    """Return a figure as it stands; a Decimal as the number it is, any other value as JSON.

    A number that no double can hold is unknown.
    """
    if isinstance(value, float | Decimal):
        return _finite(float(value))
    if isinstance(value, str):
        return whole(value)
    if value is None or isinstance(value, bool | int):
        return value
    return json_text(value)


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def tools_of(value: object) -> tuple[ToolSpec, ...]:
    """Return the tools that were offered, in the forms of OpenAI, OpenTelemetry and Inspect."""
    found = (_tool(item) for item in _each(list_of(value)))
    return tuple(tool for tool in found if tool is not None)


def _each(value: list[Any] | None) -> Iterable[Any]:
    return () if value is None else value


def _tool(item: object) -> ToolSpec | None:
    if not isinstance(item, Mapping):
        return None
    inner = item.get("function")
    spec = inner if isinstance(inner, Mapping) else item
    name = name_of(spec.get("name"))
    if not name:
        return None
    parameters = spec.get("parameters") or spec.get("input_schema") or {}
    return ToolSpec(
        name=name,
        description=text_of(spec.get("description")) or "",
        parameters=_plain(parameters) if isinstance(parameters, Mapping) else {},
    )


def _plain(value: Any) -> Any:
    """Return a schema with its fractions as texts: our digests and journals have no floats."""
    match value:
        case float() | Decimal():
            return str(value)
        case str():
            return whole(value)
        case Mapping():
            return {whole(str(key)): _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case _:
            return value

"""The structural cut: a result too long for the model stays valid JSON and says it was cut.

Whole list items and fields are left out, never a part of a text or a number: half an amount or
half an id would be another amount or another id.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from loop.model import whole

__all__ = ["cut_result", "to_text"]

_MARK: Final = "cut"
_LONGEST_MARK: Final = 100
"""Room for the mark with both counts at nine digits, in characters."""


def to_text(value: Any) -> str:
    """Return the JSON text that a model is shown: compact, letters as they are, no half pairs."""
    return whole(json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str))


def cut_result(content: Mapping[str, Any], max_chars: int | None) -> tuple[str, bool]:
    """Return the JSON text of a result within ``max_chars`` characters, and whether it was cut.

    At the boundary: a text of exactly ``max_chars`` is not cut. None is no limit. A cut result
    has a field ``cut`` that says how many parts were left out and how long the whole was.
    """
    text = to_text(content)
    if max_chars is None or len(text) <= max_chars:
        return text, False
    kept, left_out = _fit_object(content, max_chars - _LONGEST_MARK)
    kept[_MARK] = f"{left_out} parts left out, {len(text)} characters in all; ask for less"
    return to_text(kept), True


def _fit_object(value: Mapping[str, Any], room: int) -> tuple[dict[str, Any], int]:
    kept: dict[str, Any] = {}
    left_out = 0
    room -= len("{}")
    for key, item in value.items():
        frame = len(to_text(key)) + len(":,")
        part, missing = _fit(item, room - frame)
        left_out += missing
        if part is _NOTHING:
            continue
        kept[key] = part
        room -= frame + len(to_text(part))
    return kept, left_out


def _fit_list(value: Sequence[Any], room: int) -> tuple[list[Any], int]:
    """Keep the items up to the first that is cut: a list with holes would read as whole."""
    kept: list[Any] = []
    missing = 0
    room -= len("[]")
    items = iter(value)
    while not missing:  # the whole does not fit, so an item is missing before they end
        part, missing = _fit(next(items), room - len(","))
        if part is not _NOTHING:
            kept.append(part)
            room -= len(to_text(part)) + len(",")
    return kept, missing + len(list(items))


def _fit(value: Any, room: int) -> tuple[Any, int]:
    """Return what of the value fits, or ``_NOTHING``, and how many parts were left out."""
    if len(to_text(value)) <= room:
        return value, 0
    if isinstance(value, Mapping) and room >= len("{}"):
        return _fit_object(value, room)
    if isinstance(value, list | tuple) and room >= len("[]"):
        return _fit_list(value, room)
    return _NOTHING, 1


class _Nothing:
    """Stands for a part that does not fit at all (None is a value)."""


_NOTHING: Final = _Nothing()

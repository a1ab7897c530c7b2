"""How deep a JSON value is nested: what is deeper than a limit is refused before it is walked."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["MAX_DEPTH", "is_deeper"]

MAX_DEPTH: Final = 200
"""Deepest nesting of lists and objects that is read; a hostile file nests without end."""


def is_deeper(value: Any, most: int = MAX_DEPTH) -> bool:
    """Whether lists and objects are nested deeper than ``most``. It needs no stack to tell."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(most):
        level = [
            item
            for each in level
            for item in (each.values() if isinstance(each, dict) else each)
            if isinstance(item, dict | list)
        ]
    return bool(level)

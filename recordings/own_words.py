"""Words that an export without texts may keep, because no model and no person wrote them.

They are the names of tools and fields that a run of ours offered, and the words of a journal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import cache
from typing import Any, Final

from loop import LIMIT_NAMES, Opened, Resolution
from recordings.importers import importers
from recordings.origin import IMPORTED, Label, Source, Unknown
from tools import ACTION_FIELDS

__all__ = ["field_names", "is_mark_word", "is_ours", "is_word", "tool_names"]

_WORD: Final = re.compile(r"[a-z][a-z_]{0,39}|[0-9][0-9.,: -]{0,20}[a-z$]{0,8}")
"""A word of ours, such as ``too_many_errors``, or a figure or a day."""
_OF_ACTIONS: Final = ACTION_FIELDS.union(field.name for field in fields(Resolution))
_MARKS: Final = frozenset(
    {
        *("source", "label", "unknown", "redacted", "constructed", "match", "recordings"),
        *("strict", "sequence", "faults", "live", "named_limits", "model", "day"),
        *(field.name for field in fields(Source)),
        *(field.name for field in fields(Label)),
        *(name.value for name in Unknown),
        *LIMIT_NAMES,
    }
)


def is_ours(opened: Opened) -> bool:
    """Whether a run is our own: what it offered was written by us, not found in a file."""
    return opened.profile != IMPORTED and "source" not in opened.marks


def tool_names(opened: Opened) -> frozenset[str]:
    """Return the names of the tools that a run of ours offered; none of another's."""
    return frozenset(tool.name for tool in opened.head.tools) if is_ours(opened) else frozenset()


def field_names(opened: Opened) -> frozenset[str]:
    """Return the names of fields that a run of ours asked for, in calls and in its answer."""
    if not is_ours(opened):
        return _OF_ACTIONS
    schemas = [tool.parameters for tool in opened.head.tools]
    return _OF_ACTIONS.union(*map(_properties, [*schemas, opened.head.response_format]))


def is_word(text: str) -> bool:
    """Whether a text has the form of a word of ours, a figure or a day."""
    return _WORD.fullmatch(text) is not None


def is_mark_word(text: str) -> bool:
    """Whether a text is a key or a word of the marks that we write ourselves."""
    return text in _MARKS or text in _forms()


@cache
def _forms() -> frozenset[str]:
    """Return the names of the importers, those of installed packages too."""
    return frozenset(each.name for each in importers())


def _properties(schema: Any) -> Iterator[str]:
    match schema:
        case Mapping():
            named = schema.get("properties")
            yield from named if isinstance(named, Mapping) else ()
            for item in schema.values():
                yield from _properties(item)
        case list() | tuple():
            for item in schema:
                yield from _properties(item)
        case _:
            return

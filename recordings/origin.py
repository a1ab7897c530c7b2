"""Where a run that was made elsewhere came from, what was said of its worth, what is unknown of it.

All three stand in the marks of the opening record, so that a reader of the first line knows them.
A run of ours has none of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from loop import Opened

__all__ = [
    "IMPORTED",
    "RECORDED",
    "REDACTED_AGAIN",
    "Label",
    "Score",
    "Source",
    "Unknown",
    "label_marks",
    "label_of",
    "origin_marks",
    "source_of",
    "unknown_of",
]

IMPORTED: Final = "imported"
"""The profile of a run that was made elsewhere, by limits that are not ours."""

RECORDED: Final = "recorded"
"""The result in the closing record of such a run: our gates never judged it."""
REDACTED_AGAIN: Final = "redacted_again"
"""The mark of an export that holds less than the model saw; its value is the level."""

Score = bool | int | float | str | None
"""One figure that the source gives, as it stands there."""


class Unknown(StrEnum):
    """What a run made elsewhere may leave unknown, of at least one of its replies or calls."""

    TIME = "time"
    """How long replies took."""
    TOOL_TIME = "tool_time"
    """How long tools took: the journal's times are those of the model alone."""
    TOKENS = "tokens"
    COST = "cost"
    OUTCOMES = "outcomes"
    """Whether calls went well: their ``called`` records have the result null."""
    RESULTS = "results"
    """What calls returned: they have no ``called`` record."""
    REQUESTS = "requests"
    """What the model was asked: its messages or its tools are not all in the source."""
    MODEL = "model"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a run came from. ``task`` and ``trial`` tell runs of one task apart."""

    format: str
    """The importer's name, such as ``tau-bench``."""
    file: str
    """The file's name, with the folders below the one that was given."""
    place: str
    """Where in the file: a line, an item, a row, an entry."""
    task: str | None = None
    trial: str | None = None
    ended: str | None = None
    """How the source says that it ended, in its own word. None: it does not say."""
    recorded_at: str | None = None
    """When, as the source writes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What the source says of the run's worth. ``success`` None: it says nothing that decides."""

    success: bool | None
    by: str
    """Which of the source's figures ``success`` was read from, such as ``reward``."""
    scores: Mapping[str, Score]
    """The source's figures by name, as they stand there."""


def origin_marks(source: Source, label: Label | None, unknown: Iterable[Unknown]) -> dict[str, Any]:
    """Return the marks of an opening record that say all this."""
    marks: dict[str, Any] = {
        "source": {name: getattr(source, name) for name in Source.__dataclass_fields__},
        "unknown": sorted(unknown),
    }
    if label is not None:
        marks |= label_marks(label)
    return marks


def label_marks(label: Label) -> dict[str, Any]:
    """Return the marks of an opening record that say what a run is worth."""
    return {"label": {"success": label.success, "by": label.by, "scores": dict(label.scores)}}


def source_of(opened: Opened) -> Source | None:
    """Return where the run came from; None for a run of ours."""
    found = _mapping(opened, "source")
    if found is None:
        return None
    return Source(
        format=_text(found.get("format")) or "",
        file=_text(found.get("file")) or "",
        place=_text(found.get("place")) or "",
        task=_text(found.get("task")),
        trial=_text(found.get("trial")),
        ended=_text(found.get("ended")),
        recorded_at=_text(found.get("recorded_at")),
    )


def label_of(opened: Opened) -> Label | None:
    """Return what the source says of the run's worth; None where it says nothing."""
    found = _mapping(opened, "label")
    if found is None:
        return None
    success, scores = found.get("success"), found.get("scores")
    return Label(
        success=success if isinstance(success, bool) else None,
        by=_text(found.get("by")) or "",
        scores=scores if isinstance(scores, Mapping) else {},
    )


def unknown_of(opened: Opened) -> frozenset[Unknown]:
    """Return what is unknown of the run, of at least one reply or call."""
    found = opened.marks.get("unknown")
    names = found if isinstance(found, list | tuple) else ()
    return frozenset(each for each in Unknown if each in names)


def _mapping(opened: Opened, name: str) -> Mapping[str, Any] | None:
    found = opened.marks.get(name)
    return found if isinstance(found, Mapping) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None

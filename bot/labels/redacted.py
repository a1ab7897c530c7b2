"""Judged runs as others may see them: redacted, and marked with what they are worth."""

from __future__ import annotations

from dataclasses import replace

from bot.labels.judged import JudgedRun
from bot.labels.signs import bearing_signs
from loop import Entry, Opened
from recordings import (
    Label,
    Level,
    Recording,
    Score,
    label_marks,
    redacted_entries,
    redacted_text,
)

__all__ = ["redacted_run"]

_NO_SALT = b""
"""Of this level: it takes no digest of any text."""


def redacted_run(run: JudgedRun) -> JudgedRun:
    """Return a run whose recording is redacted and carries its label.

    Who judged it is no part of it, and the reasons of rejections are redacted as all texts are.
    """
    label = Label(success=run.worth.success, by=_by(run), scores=_scores(run))
    entries = (
        _marked(entry, label) for entry in redacted_entries(run.recording, Level.PERSONAL, _NO_SALT)
    )
    recording = Recording.of(run.recording.name, entries)
    if recording is None:
        raise ValueError("redacting a recording leaves its opening record where it is")
    return replace(run, recording=recording)


def _marked(entry: Entry, label: Label) -> Entry:
    record = entry.record
    if not isinstance(record, Opened):
        return entry
    return replace(entry, record=replace(record, marks={**record.marks, **label_marks(label)}))


def _by(run: JudgedRun) -> str:
    bearing = bearing_signs(run.signs, answered=run.answered)
    return f"people: {', '.join(bearing) or 'nothing that decides'}"


def _scores(run: JudgedRun) -> dict[str, Score]:
    scores: dict[str, Score] = {sign.value: count for sign, count in run.signs.items() if count}
    if run.text_kept is not None:
        scores["text_kept"] = run.text_kept
    if run.reasons:
        scores["reasons"] = redacted_text("; ".join(run.reasons))
    return scores

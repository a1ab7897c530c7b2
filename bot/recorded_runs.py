"""Recorded runs of files and folders, profiled for what-ifs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from loop import Price
from recordings import Recording, RecordingUnreadable, read_recordings
from recordings.explore import RunProfile, SuccessRule, facts_of, profiled, turns_of

__all__ = ["RecordedRuns", "read_runs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRuns:
    """The profiles, and every line that could not be read; the rest was."""

    profiles: tuple[RunProfile, ...]
    damaged: tuple[RecordingUnreadable, ...]


def read_runs(
    paths: Iterable[Path], prices: Mapping[str, Price], rule: SuccessRule, *, turns: bool
) -> RecordedRuns:
    """Read recordings and profile each run, or with ``turns`` each user turn of each.

    Raises:
        RecordingUnreadable: a path holds no recording at all.
    """
    profiles: list[RunProfile] = []
    damaged: list[RecordingUnreadable] = []
    for path in paths:
        read = read_recordings(path, prices)
        damaged += read.faults
        for recording in read.recordings:
            profiles += _profiled(recording, rule, path.name, turns=turns)
    return RecordedRuns(profiles=tuple(profiles), damaged=tuple(damaged))


def _profiled(
    recording: Recording, rule: SuccessRule, source: str, *, turns: bool
) -> Iterator[RunProfile]:
    facts = facts_of(recording, rule.of(recording), source=source)
    if not facts.steps:
        return  # nothing was asked of a model: no limit says anything of it
    yield from map(profiled, turns_of(facts) if turns else (facts,))

"""Recorded runs of files, folders and stores, profiled for what-ifs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bot.keeper import existing_runs
from loop import Duplicates, Entry, Price
from recordings import Recording, RecordingUnreadable, Runs, decode, read_recordings
from recordings.explore import RunFacts, RunProfile, SuccessRule, facts_of, profiled, turns_of

__all__ = ["RecordedRuns", "read_runs", "readable_entries"]

_SQLITE: Final = b"SQLite format 3\0"
"""How every SQLite file begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRuns:
    """The profiles, and every line that could not be read; the rest was."""

    profiles: tuple[RunProfile, ...]
    damaged: tuple[RecordingUnreadable, ...]


def read_runs(
    paths: Iterable[Path],
    prices: Mapping[str, Price],
    rule: SuccessRule,
    *,
    turns: bool,
    duplicates: Duplicates = Duplicates.COLLAPSE,
) -> RecordedRuns:
    """Read recordings and profile each run, or with ``turns`` each user turn of each.

    A path is a file of recordings, a folder of them, or a store. ``duplicates`` says how the same
    call twice in one reply counts in runs that were made elsewhere.

    Raises:
        RecordingUnreadable: a path holds no recording at all.
    """
    profiles: list[RunProfile] = []
    damaged: list[RecordingUnreadable] = []
    for path in paths:
        for recording in _recordings(path, prices, damaged):
            found = _facts(recording, rule, path.name, turns=turns)
            profiles.extend(profiled(facts, duplicates) for facts in found)
    return RecordedRuns(profiles=tuple(profiles), damaged=tuple(damaged))


def readable_entries(runs: Runs, run_id: str) -> tuple[list[Entry], list[RecordingUnreadable]]:
    """Return the entries of a stored run that can be read, and the faults of those that cannot."""
    entries: list[Entry] = []
    damaged: list[RecordingUnreadable] = []
    for number, line in enumerate(runs.lines(run_id), start=1):
        try:
            entries.append(decode(line, file=f"journal of run {run_id}", number=number)[1])
        except RecordingUnreadable as fault:
            damaged.append(fault)
    return entries, damaged


def _facts(
    recording: Recording, rule: SuccessRule, source: str, *, turns: bool
) -> Iterator[RunFacts]:
    facts = facts_of(recording, rule.of(recording), source=source)
    if not facts.steps:
        return  # nothing was asked of a model: no limit says anything of it
    yield from turns_of(facts) if turns else (facts,)


def _recordings(
    path: Path, prices: Mapping[str, Price], damaged: list[RecordingUnreadable]
) -> Iterator[Recording]:
    if _is_store(path):
        yield from _stored(path, damaged)
        return
    read = read_recordings(path, prices)
    damaged += read.faults
    yield from read.recordings


def _is_store(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def _stored(path: Path, damaged: list[RecordingUnreadable]) -> Iterator[Recording]:
    with existing_runs(path) as runs:
        for run_id in runs.ids():
            entries, faults = readable_entries(runs, run_id)
            damaged += faults
            recording = Recording.of(run_id, entries)
            if recording is not None:
                yield recording

"""Whether recordings are whole: readable lines, entries in order, digests, an end that agrees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from loop import Asked, Called, Closed, Entry, Price, Replied, first_digest, next_digest
from recordings.errors import RecordingUnreadable
from recordings.files import each_recording
from recordings.recording import Recording

__all__ = ["CheckedFile", "check_recordings", "faults_of"]

_PRIVATE = 0o077
"""The bits of a file's mode that are to be 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFile:
    """What was found in one file or folder."""

    runs: int
    whole: int
    """Runs that are complete and agree with themselves."""
    faults: tuple[str, ...]
    """What is damaged, missing or changed; an empty tuple says that nothing is."""
    notes: tuple[str, ...]
    """What is no fault and worth knowing."""


def check_recordings(path: Path, prices: Mapping[str, Price]) -> CheckedFile:
    """Check every recording of a file or folder.

    Raises:
        RecordingUnreadable: the path holds no recordings at all.
    """
    damaged: list[RecordingUnreadable] = []
    runs = whole = 0
    faults: list[str] = []
    for recording in each_recording(path, prices, damaged):
        found = list(faults_of(recording))
        runs += 1
        whole += not found and (recording.complete or recording.opened is None)
        faults += (f"run {recording.name}: {fault}" for fault in found)
    return CheckedFile(
        runs=runs, whole=whole, faults=(*map(str, damaged), *faults), notes=tuple(_notes(path))
    )


def faults_of(recording: Recording) -> Iterator[str]:
    """Yield what does not agree in a recording; an import that was read as it is holds no more."""
    if recording.opened is None:
        return
    yield from _digest_faults(recording)
    yield from _answer_faults(recording.entries)
    if recording.closed is not None:
        yield from _closing_faults(recording, recording.closed)


def _digest_faults(recording: Recording) -> Iterator[str]:
    """Compute the digest of each request again: a change of any message changes all behind it."""
    assert recording.opened is not None
    try:
        digest = first_digest(recording.opened.head)
    except TypeError:
        yield "its head holds a value that has no digest"
        return
    for entry in recording.entries:
        if isinstance(entry.record, Asked):
            digest = next_digest(digest, entry.record.appended)
            if digest != entry.record.digest:
                yield (
                    f"the request of step {entry.record.step} does not have its digest: a text of "
                    "it, or of one before, was changed"
                )
                return


def _answer_faults(entries: tuple[Entry, ...]) -> Iterator[str]:
    step = 0
    for entry in entries:
        record = entry.record
        if isinstance(record, Asked):
            if record.step != step + 1:
                yield f"step {record.step} comes behind step {step}"
            step = record.step
        elif isinstance(record, Replied | Called) and record.step > step:
            yield f"entry {entry.seq} answers step {record.step}, which was not asked"
    times = [entry.at_us for entry in entries]
    if times != sorted(times):
        yield "its times go back"


def _closing_faults(recording: Recording, closed: Closed) -> Iterator[str]:
    records = [entry.record for entry in recording.entries]
    if records[-1] is not closed:
        yield "something comes behind its closing record"
    asked = sum(isinstance(record, Asked) for record in records)
    if closed.steps != asked:
        yield f"it closes with {closed.steps} steps and holds {asked}"
    replies = [record.reply for record in records if isinstance(record, Replied)]
    counts = [reply.usage.tokens_out for reply in replies]
    known = [count for count in counts if count is not None]
    if closed.tokens_out is not None and len(known) == len(counts):
        held = sum(known)
        if held != closed.tokens_out:
            yield f"it closes with {closed.tokens_out} tokens out and holds {held}"


def _notes(path: Path) -> Iterator[str]:
    for file in sorted(path.glob("*.jsonl")) if path.is_dir() else [path]:
        if file.stat().st_mode & _PRIVATE:
            yield f"{file} can be read by others: chmod 600 {file}"

"""Recordings as files of JSON Lines: read them, whatever state they are in, and write them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from loop import Entry, Price
from recordings.codec import decode, encode
from recordings.errors import RecordingUnreadable
from recordings.importers import reference
from recordings.importers.streams import behind_mark, lines
from recordings.recording import Recording
from recordings.run_lines import RunLines

__all__ = [
    "SHIPPED_RECORDINGS",
    "SMALL_RECORDINGS",
    "ReadRecordings",
    "each_recording",
    "read_recordings",
    "write_recording",
]

SHIPPED_RECORDINGS: Final = Path(__file__).parent / "shipped"
"""The folder of recordings that comes with the package."""
SMALL_RECORDINGS: Final = SHIPPED_RECORDINGS / "small"
"""Real runs of a small model. They are not among those that answer when none are named."""
_SUFFIX: Final = ".jsonl"
_NOT_UTF8: Final = re.compile("[\udc80-\udcff]")
"""What an undecodable byte becomes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRecordings:
    """What was read, and every line that could not be: a corrupt line costs that line only."""

    recordings: tuple[Recording, ...]
    faults: tuple[RecordingUnreadable, ...]


def read_recordings(path: Path, prices: Mapping[str, Price]) -> ReadRecordings:
    """Read one file, or every ``.jsonl`` file of a folder in the order of names, into memory.

    ``prices`` price the replies of files that do not say what a reply cost.

    Raises:
        RecordingUnreadable: the path holds no recordings at all.
    """
    faults: list[RecordingUnreadable] = []
    recordings = tuple(each_recording(path, prices, faults))
    return ReadRecordings(recordings=recordings, faults=tuple(faults))


def each_recording(
    path: Path, prices: Mapping[str, Price], faults: list[RecordingUnreadable]
) -> Iterator[Recording]:
    """Yield the same recordings one by one; memory stays at the size of one run.

    ``faults`` takes what could not be read, as it is met. Files of the reference systems, whose
    lines come in any order, are read whole.

    Raises:
        RecordingUnreadable: the path holds no recordings at all.
    """
    if not path.exists():
        raise RecordingUnreadable(str(path), "does not exist; give a file or a folder of them")
    files = sorted(path.glob(f"*{_SUFFIX}")) if path.is_dir() else [path]
    if not files:
        raise RecordingUnreadable(str(path), f"holds no {_SUFFIX} files")
    any_read = False
    for file in files:
        for found in _read_file(file, prices, faults):
            any_read = True
            yield found
    if not any_read:
        raise faults[0] if faults else RecordingUnreadable(str(path), "holds no recording")


def write_recording(path: Path, run_id: str, entries: Iterable[Entry]) -> None:
    """Append a run's entries to a file, one line each, unchanged; a new file is private (0600)."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{encode(run_id, entry)}\n" for entry in entries)


def _read_file(
    file: Path, prices: Mapping[str, Price], faults: list[RecordingUnreadable]
) -> Iterator[Recording]:
    if not file.is_file():  # a pipe or a device may never end
        faults.append(RecordingUnreadable(str(file), "is not a file"))
        return
    try:
        with file.open("rb") as stream:
            first = _first_object(stream)
            if first is not None and "v" not in first and reference.recognises(first):
                yield from _read_reference(file, prices, faults)
            else:
                yield from _read_journals(file, stream, faults)
    except OSError as error:
        faults.append(RecordingUnreadable(str(file), f"cannot be read: {error.strerror}"))


def _read_reference(
    file: Path, prices: Mapping[str, Price], faults: list[RecordingUnreadable]
) -> Iterator[Recording]:
    # Bytes that are no UTF-8 become lone surrogates, so that they cost their own line only.
    with file.open(encoding="utf-8-sig", errors="surrogateescape") as text:
        yield from reference.read(_whole_lines(text, file, faults), str(file), prices, faults)


def _read_journals(
    file: Path, stream: IO[bytes], faults: list[RecordingUnreadable]
) -> Iterator[Recording]:
    runs = RunLines(stream, lambda number, line: faults.append(_fault_of(file, number, line)))
    for run_id in runs:
        entries: list[Entry] = []
        for number, line in runs.of(run_id):
            try:
                named, entry = decode(line, file=str(file), number=number)
            except RecordingUnreadable as fault:
                faults.append(fault)
                continue
            if named == run_id:
                entries.append(entry)
            else:  # the same key twice: of which run it is, nobody can say
                faults.append(_names_two(file, number))
        if entries:
            yield from _recording(file, run_id, entries, faults)


def _fault_of(file: Path, number: int, line: bytes | None) -> RecordingUnreadable:
    """Return what is wrong with a line that names no run, or an empty one beside another."""
    if line is None:
        return RecordingUnreadable(str(file), "is too long to be read", line=number)
    try:
        decode(line.decode("utf-8"), file=str(file), number=number)
    except UnicodeDecodeError:
        return RecordingUnreadable(str(file), "is not UTF-8 text", line=number)
    except RecordingUnreadable as fault:
        return fault
    return _names_two(file, number)


def _names_two(file: Path, number: int) -> RecordingUnreadable:
    return RecordingUnreadable(str(file), "must name one run", line=number, field="run")


def _recording(
    file: Path, run_id: str, entries: list[Entry], faults: list[RecordingUnreadable]
) -> Iterator[Recording]:
    """Yield the recording of one run, and name what is not whole about it."""
    entries.sort(key=lambda entry: entry.seq)
    recording = Recording.of(run_id, entries)
    if recording is None:
        faults.append(RecordingUnreadable(str(file), f"run {run_id} has no opening record"))
        return
    if [entry.seq for entry in entries] != list(range(len(entries))):
        faults.append(RecordingUnreadable(str(file), f"run {run_id} misses or doubles entries"))
    elif not recording.complete:
        problem = f"run {run_id} has no closing record: it was cut off, or lives still"
        faults.append(RecordingUnreadable(str(file), problem))
    yield recording


def _whole_lines(
    text: Iterable[str], file: Path, faults: list[RecordingUnreadable]
) -> Iterator[str]:
    """Yield every line, one that is not UTF-8 as an empty one, so that the numbers stay."""
    for number, line in enumerate(text, start=1):
        if not line.isascii() and _NOT_UTF8.search(line):
            faults.append(RecordingUnreadable(str(file), "is not UTF-8 text", line=number))
            yield "\n"
        else:
            yield line


def _first_object(stream: IO[bytes]) -> dict[str, object] | None:
    """Return the first line that is a JSON object: it tells what kind of file this is."""
    behind_mark(stream)
    for _, line in lines(stream):
        try:
            value = None if line is None else json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return value
    return None

"""Recordings as files of JSON Lines: read them, whatever state they are in, and write them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from loop import Entry, Price
from recordings.codec import decode, encode
from recordings.errors import RecordingUnreadable
from recordings.importers import reference
from recordings.recording import Recording

__all__ = [
    "SHIPPED_RECORDINGS",
    "SMALL_RECORDINGS",
    "ReadRecordings",
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
    """Read one file, or every ``.jsonl`` file of a folder in the order of names.

    ``prices`` price the replies of files that do not say what a reply cost.

    Raises:
        RecordingUnreadable: the path holds no recordings at all.
    """
    if not path.exists():
        raise RecordingUnreadable(str(path), "does not exist; give a file or a folder of them")
    files = sorted(path.glob(f"*{_SUFFIX}")) if path.is_dir() else [path]
    if not files:
        raise RecordingUnreadable(str(path), f"holds no {_SUFFIX} files")
    faults: list[RecordingUnreadable] = []
    recordings = [found for file in files for found in _read_file(file, prices, faults)]
    if not recordings:
        raise faults[0] if faults else RecordingUnreadable(str(path), "holds no recording")
    return ReadRecordings(recordings=tuple(recordings), faults=tuple(faults))


def write_recording(path: Path, run_id: str, entries: Iterable[Entry]) -> None:
    """Append a run's entries to a file, one line each, unchanged; a new file is private (0600)."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{encode(run_id, entry)}\n" for entry in entries)


def _read_file(
    file: Path, prices: Mapping[str, Price], faults: list[RecordingUnreadable]
) -> Iterator[Recording]:
    runs: dict[str, list[Entry]] = {}
    if not file.is_file():  # a pipe or a device may never end
        faults.append(RecordingUnreadable(str(file), "is not a file"))
        return
    try:
        # Bytes that are no UTF-8 become lone surrogates, so that they cost their own line only.
        with file.open(encoding="utf-8-sig", errors="surrogateescape") as lines:
            first = _first_object(lines)
            lines.seek(0)
            whole = _whole_lines(lines, file, faults)
            if first is not None and "v" not in first and reference.recognises(first):
                yield from reference.read(whole, str(file), prices, faults)
                return
            for number, line in enumerate(whole, start=1):
                if line.strip():
                    _read_line(line, file, number, runs, faults)
    except OSError as error:
        faults.append(RecordingUnreadable(str(file), f"cannot be read: {error.strerror}"))
    for run_id, entries in runs.items():
        yield from _recording(file, run_id, entries, faults)


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
    lines: Iterable[str], file: Path, faults: list[RecordingUnreadable]
) -> Iterator[str]:
    """Yield every line, one that is not UTF-8 as an empty one, so that the numbers stay."""
    for number, line in enumerate(lines, start=1):
        if not line.isascii() and _NOT_UTF8.search(line):
            faults.append(RecordingUnreadable(str(file), "is not UTF-8 text", line=number))
            yield "\n"
        else:
            yield line


def _read_line(
    line: str,
    file: Path,
    number: int,
    runs: dict[str, list[Entry]],
    faults: list[RecordingUnreadable],
) -> None:
    try:
        run_id, entry = decode(line, file=str(file), number=number)
    except RecordingUnreadable as fault:
        faults.append(fault)
    else:
        runs.setdefault(run_id, []).append(entry)


def _first_object(lines: Iterable[str]) -> dict[str, object] | None:
    """Return the first line that is a JSON object: it tells what kind of file this is."""
    for line in lines:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return value
    return None

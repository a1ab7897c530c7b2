"""Deleting old recordings, and the oldest of too many. Only files of ours are ever deleted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from recordings.codec import decode
from recordings.errors import RecordingUnreadable
from recordings.importers.streams import lines

__all__ = ["Old", "to_prune"]

_LOOKED_AT: Final = 5
"""Lines of which one must be ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Old:
    """A file that may go, and why."""

    file: Path
    bytes: int
    modified_s: float
    """When it was last changed, in seconds since 1970."""
    reason: str


def to_prune(
    paths: Sequence[Path], *, now_s: float, older_than_days: int | None, keep_bytes: int | None
) -> list[Old]:
    """Return the recordings that are to go, the oldest first; nothing is deleted.

    Args:
        paths: files, and folders whose ``.jsonl`` files are looked at.
        now_s: seconds since 1970.
        older_than_days: files last changed longer ago than this go; None for no limit of age.
        keep_bytes: of the others, the oldest go until no more than this is left; None for no limit.

    Raises:
        OSError: a file cannot be read.
    """
    files = sorted((_found(file) for file in _recordings(paths)), key=lambda each: each.modified_s)
    old = [each for each in files if _is_old(each, now_s, older_than_days)]
    rest = [each for each in files if each not in old]
    left = sum(each.bytes for each in rest)
    for each in rest:
        if keep_bytes is None or left <= keep_bytes:
            break
        left -= each.bytes
        old.append(Old(file=each.file, bytes=each.bytes, modified_s=each.modified_s, reason="size"))
    return old


def _is_old(file: Old, now_s: float, days: int | None) -> bool:
    return days is not None and now_s - file.modified_s > days * 86_400


def _found(file: Path) -> Old:
    status = file.stat()
    return Old(file=file, bytes=status.st_size, modified_s=status.st_mtime, reason="age")


def _recordings(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        found = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
        yield from (file for file in found if not file.is_symlink() and _is_ours(file))


def _is_ours(file: Path) -> bool:
    with file.open("rb") as stream:
        for number, line in islice(lines(stream), _LOOKED_AT):
            try:
                text = "" if line is None else line.decode("utf-8", "surrogateescape")
                decode(text, file=str(file), number=number)
            except RecordingUnreadable:
                continue
            return True
    return False

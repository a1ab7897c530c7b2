"""Where the lines of each run stand in a file of recordings, so that one run at a time is read.

The lines of a run mostly stand together; where they do not, each part of them is found. Memory
holds a few numbers a run, and the lines of one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import IO, Final

from recordings.importers.streams import behind_mark, lines

__all__ = ["RunLines"]

_RUN: Final = re.compile(rb'\{"v":[0-9]+,"run":("(?:[^"\\\x00-\x1f]|\\.)*"),')
"""How a line of ours begins, as the one writer writes it."""


class RunLines:
    """The lines of one open file, by run.

    Args:
        stream: the file, open for reading bytes; it is read to its end.
        damaged: is told each line that names no run, by number (from 1), as bytes; None for one
            that is too long to be read.
    """

    def __init__(self, stream: IO[bytes], damaged: Callable[[int, bytes | None], None]) -> None:
        self._stream = stream
        self._parts: dict[str, list[tuple[int, int, int]]] = {}
        """Of each run: where a part of its lines begins and ends, and the number of its first."""
        last: str | None = None
        behind_mark(stream)
        for number, line in lines(stream):
            run_id = None if line is None else _run_of(line)
            if line is None or run_id is None:
                damaged(number, line)
                last = None
                continue
            end = stream.tell()
            parts = self._parts.setdefault(run_id, [])
            if run_id == last:
                parts[-1] = (parts[-1][0], end, parts[-1][2])
            else:
                parts.append((end - len(line), end, number))
            last = run_id

    def __iter__(self) -> Iterator[str]:
        """Yield the runs in the order of their first lines."""
        return iter(self._parts)

    def of(self, run_id: str) -> Iterator[tuple[int, str]]:
        """Yield number and text of each line of a run, blank ones left out."""
        for begin, end, first in self._parts[run_id]:
            self._stream.seek(begin)
            number = first
            while self._stream.tell() < end:
                line = self._stream.readline()
                if line.strip():
                    yield number, line.decode("utf-8")
                number += 1


def _run_of(line: bytes) -> str | None:
    """Return the run that a line is of; None where it says none, or is not text."""
    try:
        line.decode("utf-8")
        begun = _RUN.match(line)
        run = json.loads(line).get("run") if begun is None else json.loads(begun[1])
    except (ValueError, RecursionError, AttributeError):
        return None
    return run if isinstance(run, str) and run else None

"""A file that is brought in: its runs one by one, and what of it could not be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from recordings.importers.fields import Malformed
from recordings.importers.runs import ImportedRun
from recordings.importers.streams import (
    CANNOT_UNPACK,
    EACH,
    Damaged,
    json_values,
    lines,
    open_plain,
    parsed,
    peek_at,
)

__all__ = ["UNFORESEEN", "NotRead", "SourceFile", "unforeseen"]

Read = TypeVar("Read")
UNFORESEEN: Final = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What an importer, ours or an installed one, raises of a value that it did not foresee.

They are caught around the reading of outside data alone, and what was not read is always named.
"""

MAX_KEPT: Final = 200
"""Parts that could not be read which are named one by one; all are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotRead:
    """A part of a file that could not be read: where, and why. It quotes nothing of the file."""

    file: str
    place: str
    problem: str

    def __str__(self) -> str:
        return f"{self.file}, {self.place}: {self.problem}"


@dataclass(slots=True, kw_only=True)
class SourceFile:
    """One file that is read by an importer, which says here what it could not read."""

    path: Path
    name: str
    """The file's name, with the folders below the one that was given."""
    shown: str = ""
    """What messages call it, where that is not its path: it is a copy of what was given."""
    not_read: list[NotRead] = field(default_factory=list)
    """The first ones."""
    not_read_count: int = 0

    @property
    def title(self) -> str:
        """What messages call it."""
        return self.shown or str(self.path)

    def failed(self, place: str, problem: str) -> None:
        """Note a part that could not be read."""
        self.not_read_count += 1
        if len(self.not_read) < MAX_KEPT:
            self.not_read.append(NotRead(file=self.title, place=place, problem=problem))

    def read(self, place: str, reading: Callable[..., Read], *given: Any) -> Read | None:
        """Return what ``reading`` makes of what is given; None, and a note, where it cannot.

        Files hold what no importer foresees: that costs the part that holds it, and no more.
        """
        try:
            return reading(*given)
        except (Malformed, Damaged) as fault:
            self.failed(place, str(fault))
        except UNFORESEEN as error:
            self.failed(place, unforeseen(error))
        return None

    def each(self, convert: Callable[[Any, str], ImportedRun], *path: str) -> Iterator[ImportedRun]:
        """Yield the run of each value, as ``convert`` reads it with its place; note the others."""
        for place, value in self.values(*path):
            run = self.read(place, convert, value, place)
            if run is not None:
                yield run

    def values(self, *path: str) -> Iterator[tuple[str, Any]]:
        """Yield each value with its place: the lines, the items of a list, or the one document.

        With a ``path``, the values there in a document of many lines.
        """
        peek = peek_at(self.path)
        if not path and peek.is_lines:
            yield from self._lines()
        else:
            yield from self._items(path or ((EACH,) if peek.is_list else ()))

    def is_lines(self) -> bool:
        """Whether it holds one JSON object a line."""
        return peek_at(self.path).is_lines

    def first(self, *path: str) -> Any:
        """Return the first value at a path; None where there is none, or the file is damaged."""
        with closing(open_plain(self.path)) as stream:
            try:
                return next(json_values(stream, *path), None)
            except Damaged:
                return None

    def _lines(self) -> Iterator[tuple[str, Any]]:
        with closing(open_plain(self.path)) as stream:
            try:
                for number, line in lines(stream):
                    place = f"line {number}"
                    value = self.read(place, _value_of, line)
                    if value is not None:
                        yield place, value
            except CANNOT_UNPACK as error:
                problem = f"the file cannot be unpacked further: {type(error).__name__}"
                self.failed("the end", problem)

    def _items(self, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
        number = 0
        with closing(open_plain(self.path)) as stream:
            try:
                for number, value in enumerate(json_values(stream, *path), start=1):
                    yield f"item {number}", value
            except Damaged as fault:
                self.failed(f"after item {number}", f"{fault}; what is behind it is not read")


def unforeseen(error: Exception) -> str:
    """Return what is said of a part whose reading raised one of ``UNFORESEEN``; it quotes nothing.

    An error's own words may hold a value of the file.
    """
    if isinstance(error, RecursionError):
        return "is nested too deep to be read"
    return f"holds a value that cannot be read ({type(error).__name__})"


def _value_of(line: bytes | None) -> Any:
    if line is None:
        raise Malformed("is too long to be one run")
    value = parsed(line)
    if value is None:
        raise Malformed("is not a line of JSON")
    return value

"""What an importer is."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Protocol

from recordings.importers.runs import ImportedRun
from recordings.importers.source import SourceFile
from recordings.importers.streams import Peek

__all__ = ["Fit", "Importer"]


class Fit(IntEnum):
    """How sure an importer is that a file is its own; the surest reads it."""

    NO = 0
    LOOSELY = 1
    """It could be read, and a narrower importer would know more of it."""
    SURELY = 2


class Importer(Protocol):
    """Reads the files of one kind. What a file does not say is unknown, never zero."""

    @property
    def name(self) -> str:
        """The format's name, such as ``tau-bench``."""
        ...

    def fits(self, peek: Peek) -> Fit:
        """How sure it is that this is a file of its kind, by the beginning."""
        ...

    def runs(self, file: SourceFile) -> Iterator[ImportedRun]:
        """Yield the runs one by one; what cannot be read is noted with ``file.failed``.

        Nothing is raised for what a file holds: a damaged part costs itself only.
        """
        ...

"""Errors of the recordings floor.

RecordingsError
  RecordingUnreadable   a recording or a line of one cannot be read (file, line, field)
  ImportUnclear         no importer, or more than one, can read a file
  RecordingUnused       a replay ended with recorded replies left over
  EvaluationUnreadable  a saved evaluation cannot be read
  RunTaken              another process owns this run: its journal has this entry already
  RunUnknown            no run of that id is stored
  RunEnded              the run has ended; it cannot be resumed or written to
"""

from __future__ import annotations

__all__ = [
    "EvaluationUnreadable",
    "ImportUnclear",
    "RecordingUnreadable",
    "RecordingUnused",
    "RecordingsError",
    "RunEnded",
    "RunTaken",
    "RunUnknown",
]


class RecordingsError(Exception):
    """Any error of this package."""


class RecordingUnreadable(RecordingsError):
    """A recording or a line of one cannot be read; the message names file, line and field."""

    def __init__(
        self, file: str, problem: str, *, line: int | None = None, field: str | None = None
    ) -> None:
        place = file
        if line is not None:
            place += f", line {line}"
        if field:
            place += f", field {field}"
        super().__init__(f"{place}: {problem}")
        self.file = file
        self.line = line
        self.field = field
        self.problem = problem


class ImportUnclear(RecordingsError):
    """No importer, or more than one, can read a file; the message names them."""


class RecordingUnused(RecordingsError):
    """A replay ended with recorded replies left over: it is not the run that was recorded."""


class EvaluationUnreadable(RecordingsError):
    """A saved evaluation cannot be read; the message names the file."""

    def __init__(self, file: str, problem: str) -> None:
        super().__init__(f"{file}: {problem}")


class RunTaken(RecordingsError):
    """Another process owns this run: its journal holds this entry already. Stop working on it."""


class RunUnknown(RecordingsError):
    """No run of that id is stored."""


class RunEnded(RecordingsError):
    """The run has ended; it cannot be resumed or written to."""

"""Bringing in runs that were made elsewhere: many files, one new file of journals, one report."""

from __future__ import annotations

import errno
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from loop import Price, whole
from recordings.codec import encode
from recordings.errors import ImportUnclear, RecordingUnreadable
from recordings.importers import open_importer
from recordings.importers.journal import journal_of
from recordings.importers.pricing import with_cost
from recordings.importers.protocol import Importer
from recordings.importers.redacting import redacted
from recordings.importers.runs import ImportedRun
from recordings.importers.source import UNFORESEEN, NotRead, SourceFile, unforeseen
from recordings.whole_file import new_private_file

__all__ = ["FileReport", "ImportReport", "import_runs"]

STANDARD_INPUT: Final = Path("-")
_SUFFIXES: Final = frozenset({".json", ".jsonl", ".ndjson", ".eval", ".db", ".sqlite", ".gz"})
"""Of a folder, the files that are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReport:
    """What came of one file."""

    file: str
    format: str | None
    """The importer that read it; None where none knows it."""
    runs: int
    labelled: int
    """Runs of which the source says whether they succeeded."""
    not_read: tuple[NotRead, ...]
    """The first parts that could not be read."""
    not_read_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What was brought in, and what was not."""

    files: tuple[FileReport, ...]

    @property
    def runs(self) -> int:
        """All runs that were brought in."""
        return sum(each.runs for each in self.files)

    @property
    def not_read_count(self) -> int:
        """All parts that could not be read."""
        return sum(each.not_read_count for each in self.files)


def import_runs(
    paths: Sequence[Path],
    to: Path,
    *,
    prices: Mapping[str, Price],
    format_name: str | None = None,
    keep_texts: bool = False,
    progress: Callable[[int], None] = lambda _runs: None,
) -> ImportReport:
    """Read files, or folders of them, into a new file of journals, which is private (0600).

    Runs that can be read are kept, whatever else is damaged; the file appears when all are
    written, or not at all. Memory stays at the size of one run.

    Args:
        paths: files, pipes, folders, and ``-`` for the standard input. Of a folder, all files of a
            known suffix are read, also below. A pipe is copied to the temporary folder first.
        to: the new file.
        prices: for replies whose source gives tokens and no cost.
        format_name: the importer for all files; None finds one for each.
        keep_texts: leave texts as they are; else secrets and personal data are redacted.
        progress: is told the number of runs so far.

    Raises:
        ImportUnclear: a file that was named alone is in no known form, or in more than one.
        RecordingUnreadable: a path does not exist, or nothing at all could be read.
        FileExistsError: ``to`` exists.
        OSError: it cannot be written.
    """
    work = _Import(prices, format_name, keep_texts=keep_texts, progress=progress)
    with new_private_file(to) as out:
        for path in paths:
            out.writelines(work.lines_of(path, alone=len(paths) == 1))
        report = work.report()
        if report.runs == 0:
            raise _nothing(report, paths)
    return report


class _Import:
    def __init__(
        self,
        prices: Mapping[str, Price],
        format_name: str | None,
        *,
        keep_texts: bool,
        progress: Callable[[int], None],
    ) -> None:
        self._prices = prices
        self._format_name = format_name
        self._keep_texts = keep_texts
        self._progress = progress
        self._reports: list[FileReport] = []
        self._runs = 0
        self._names: dict[str, int] = {}

    def lines_of(self, path: Path, *, alone: bool) -> Iterator[str]:
        """Yield the lines of every run of a file or folder.

        Of a file that was named ``alone`` an error is raised where it cannot be read at all; one
        of several costs itself only.
        """
        if path.is_dir():
            for found in sorted(path.rglob("*")):
                if found.is_file() and found.suffix in _SUFFIXES:
                    name = self._free_name(str(found.relative_to(path)))
                    yield from self._file(SourceFile(path=found, name=name), named=False)
        elif path.is_file():
            file = SourceFile(path=path, name=self._free_name(path.name))
            yield from self._file(file, named=alone)
        elif path == STANDARD_INPUT or path.exists():
            yield from self._piped(path, alone=alone)
        else:
            raise RecordingUnreadable(str(path), "does not exist; give a file or a folder of them")

    def _piped(self, path: Path, *, alone: bool) -> Iterator[str]:
        """Yield the lines of a pipe's runs. It is read twice, so it is copied to the disk first."""
        name, shown = path.name, str(path)
        if path == STANDARD_INPUT:
            name = shown = "standard input"
        file = SourceFile(path=path, name=self._free_name(name), shown=shown)
        with ExitStack() as stack:
            try:
                folder = stack.enter_context(TemporaryDirectory(prefix="handrail-"))
                file.path = Path(folder) / "copy"
                _copy(path, file.path)
            except OSError as error:
                problem = f"cannot be copied to the temporary folder: {error.strerror}"
                self._unreadable(file, problem, named=alone)
            else:
                yield from self._file(file, named=alone)

    def report(self) -> ImportReport:
        """Return what came of all files so far."""
        return ImportReport(files=tuple(self._reports))

    def _file(self, file: SourceFile, *, named: bool) -> Iterator[str]:
        try:
            importer = open_importer(file.path, self._format_name)
        except ImportUnclear as error:
            if named:
                raise ImportUnclear(f"{file.title}: {error}") from None
            self._unreadable(file, str(error), named=False)
            return
        except OSError as error:
            self._unreadable(file, f"cannot be read: {error.strerror}", named=named)
            return
        runs = labelled = 0
        for run in _runs_of(importer, file):
            # A run is whole before its first line is written.
            yield from self._lines(run, f"{file.name}#{runs + 1}", file.name)
            runs += 1
            labelled += run.label is not None and run.label.success is not None
            self._runs += 1
            self._progress(self._runs)
        if runs == 0 and file.not_read_count == 0:
            file.failed("the file", "holds no run")
        self._done(file, importer.name, runs, labelled)

    def _lines(self, run: ImportedRun, run_id: str, name: str) -> list[str]:
        priced = with_cost(run, self._prices)
        kept = priced if self._keep_texts else redacted(priced)
        kept = replace(kept, source=replace(kept.source, file=name))
        entries = journal_of(kept, run_id, redacted=not self._keep_texts)
        return [f"{encode(run_id, entry)}\n" for entry in entries]

    def _unreadable(self, file: SourceFile, problem: str, *, named: bool) -> None:
        """Note a file of which nothing can be read.

        Raises:
            RecordingUnreadable: it was ``named`` alone.
        """
        if named:
            raise RecordingUnreadable(file.title, problem) from None
        file.failed("the file", problem)
        self._done(file, None, 0, 0)

    def _done(self, file: SourceFile, format_name: str | None, runs: int, labelled: int) -> None:
        self._reports.append(
            FileReport(
                file=file.title,
                format=format_name,
                runs=runs,
                labelled=labelled,
                not_read=tuple(file.not_read),
                not_read_count=file.not_read_count,
            )
        )

    def _free_name(self, name: str) -> str:
        """Return the name, numbered where an earlier file has it: run ids are made of it.

        A byte of it that is no UTF-8 becomes U+FFFD.
        """
        name = whole(name)
        count = self._names[name] = self._names.get(name, 0) + 1
        return name if count == 1 else f"{name} ({count})"


def _runs_of(importer: Importer, file: SourceFile) -> Iterator[ImportedRun]:
    """Yield the runs; what stops the importer itself costs what is behind it, and no other file."""
    try:
        yield from importer.runs(file)
    except UNFORESEEN as error:
        file.failed("the rest of the file", unforeseen(error))
    except OSError as error:
        file.failed("the rest of the file", f"cannot be read: {error.strerror}")


def _copy(path: Path, to: Path) -> None:
    if path != STANDARD_INPUT:
        with path.open("rb") as piped, to.open("wb") as out:
            shutil.copyfileobj(piped, out)
    elif sys.stdin is None:  # how Python says that it was started with a closed one
        raise OSError(errno.EBADF, "it is closed")
    else:
        with to.open("wb") as out:
            shutil.copyfileobj(sys.stdin.buffer, out)


def _nothing(report: ImportReport, paths: Sequence[Path]) -> RecordingUnreadable:
    first = next((fault for each in report.files for fault in each.not_read), None)
    if first is None:
        return RecordingUnreadable(str(paths[0]), "holds no file of a known suffix")
    return RecordingUnreadable(first.file, f"nothing could be read: {first.place}: {first.problem}")

"""Keeping live runs as recordings: files of JSON Lines, one a run, private to their owner."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain, count
from pathlib import Path

from sqlite_utils import Database

from bot.errors import BotError
from bot.keeper import Keeper
from loop import Entry, Stop
from recordings import write_recording

__all__ = ["FileKeeper", "Recorder", "file_of"]


def file_of(folder: Path, run_id: str) -> Path:
    """Return the file of a run; what its id holds that could name another place is replaced."""
    plain = "".join(char if char.isalnum() or char in "-_." else "-" for char in run_id)
    return folder / f"{plain}.jsonl"


class Recorder:
    """Keeps runs that have ended in a folder.

    Raises:
        BotError: the folder cannot be made.
    """

    def __init__(self, folder: Path) -> None:
        _make(folder)
        self.folder = folder

    def keep(self, run_id: str, entries: Iterable[Entry]) -> Path:
        """Write a run, whole or not at all; return its file.

        Ids are unique within one store. A file of this name that holds other lines is a run of
        another store, or of ``record``: it stays, and this run gets a numbered one. What a process
        that was killed left of it is cleared.

        Raises:
            OSError: the file cannot be written.
        """
        path = file_of(self.folder, run_id)
        passing = path.with_suffix(".part")
        with _alone_in(self.folder):
            try:
                passing.unlink(missing_ok=True)
                write_recording(passing, run_id, entries)
                with passing.open("rb") as written:
                    os.fsync(written.fileno())
                return passing.replace(_own_place(path, passing.read_bytes()))
            except OSError:
                with suppress(OSError):
                    passing.unlink(missing_ok=True)
                raise


def _own_place(path: Path, content: bytes) -> Path:
    """Return the first place that is free, or holds this already."""
    numbered = (path.with_name(f"{path.stem}.{number}{path.suffix}") for number in count(2))
    places = chain([path], numbered)
    return next(each for each in places if not each.exists() or _holds(each, content))


def _holds(file: Path, content: bytes) -> bool:
    """Whether a file holds just this; one that cannot be read is another's."""
    try:
        return file.read_bytes() == content
    except OSError:
        return False


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Wait until no other recorder writes there: one of another store may have a run of this id.

    Raises:
        OSError: the folder is not there.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)  # which lets go of it


class FileKeeper(Keeper):
    """Keeps one run in a file of its own, each entry as it comes, and in no store.

    A run that is cut off lacks its closing record, and whoever reads the file is told so.
    """

    def __init__(self, run_id: str, path: Path) -> None:
        super().__init__(run_id, None)
        self.path = path

    @classmethod
    def begin(cls, folder: Path, run_ids: Iterator[str]) -> FileKeeper:
        """Return the keeper of a new run, under the first id that has no file yet.

        Raises:
            BotError: the folder cannot be made, or takes no files.
        """
        _make(folder)
        run_id = next(each for each in run_ids if _claimed(file_of(folder, each)))
        return cls(run_id, file_of(folder, run_id))

    def append(self, entry: Entry) -> None:
        """Write one entry, and keep it.

        Raises:
            OSError: the file cannot be written.
        """
        write_recording(self.path, self.run_id, [entry])
        super().append(entry)

    def end(
        self, entry: Entry, stop: Stop, within: Callable[[Database], None] | None = None
    ) -> None:
        """Write the closing entry.

        Raises:
            OSError: the file cannot be written.
        """
        write_recording(self.path, self.run_id, [entry])
        super().end(entry, stop, within)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise BotError(
            f"{folder} cannot hold recordings: {error.strerror}", hint="name another folder"
        ) from None


def _claimed(file: Path) -> bool:
    """Make a file of ours, empty and private; False where it is there: another run's, or process's.

    Raises:
        BotError: it cannot be made.
    """
    try:
        file.touch(mode=0o600, exist_ok=False)
    except FileExistsError:
        return False
    except OSError as error:
        raise BotError(
            f"{file} cannot be written: {error.strerror}", hint="name another folder"
        ) from None
    return True

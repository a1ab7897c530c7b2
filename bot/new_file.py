"""Writing a file or a folder of ours that was not there: whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bot.errors import BotError
from recordings import new_private_file

__all__ = ["STDOUT", "check_new", "new_private_folder", "write_new"]

STDOUT: Final = Path("-")
"""The name that stands for the standard output, as everywhere."""


def check_new(file: Path) -> None:
    """Refuse, before long work, a file that could not be written after it.

    Raises:
        BotError: there is one of this name, or no folder for it.
    """
    if file == STDOUT:
        return
    if os.path.lexists(file):
        raise BotError(f"{file} exists, and nothing is overwritten", hint="name a new file")
    if not os.access(file.parent, os.W_OK | os.X_OK):
        raise BotError(
            f"{file} cannot be written: no folder {file.parent} that takes files",
            hint="name a new file in a folder of yours",
        )


def write_new(file: Path, text: str) -> None:
    """Write a file that did not exist, private to its owner (mode 0600).

    It has its name once all of it is on the disk. A byte that was no UTF-8 where the text was
    read, and came as a lone surrogate, is written as it was.

    Raises:
        BotError: it exists, or cannot be written; nothing is left of it.
    """
    try:
        with new_private_file(file) as out:
            out.write(text)
    except OSError as error:
        raise BotError(
            f"{file} cannot be written: {error.strerror or type(error).__name__}",
            hint="name a new file in a folder of yours",
        ) from None


@contextmanager
def new_private_folder(folder: Path) -> Iterator[Path]:
    """Give a folder to fill; it has its name once all of it is there. Private (mode 0700).

    Nothing is left of it where the body raises.

    Raises:
        BotError: there is a file or a folder of this name, or it cannot be made.
    """
    if os.path.lexists(folder):
        raise BotError(f"{folder} exists, and nothing is overwritten", hint="name a new folder")
    try:
        part = Path(tempfile.mkdtemp(prefix=".handrail-", dir=folder.parent))
    except OSError as error:
        raise BotError(
            f"{folder} cannot be made: {error.strerror}", hint="name a folder in one of yours"
        ) from None
    try:
        yield part
        part.rename(folder)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise

"""Writing a file of ours that was not there: whole or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from bot.errors import BotError

__all__ = ["STDOUT", "write_new"]

STDOUT: Final = Path("-")
"""The name that stands for the standard output, as everywhere."""


def write_new(file: Path, text: str) -> None:
    """Write a file that did not exist, private to its owner (mode 0600).

    It has its name once all of it is on the disk. A byte that was no UTF-8 where the text was
    read, and came as a lone surrogate, is written as it was.

    Raises:
        BotError: it exists, or cannot be written; nothing is left of it.
    """
    if os.path.lexists(file):
        raise _refused(file, "it exists, and nothing is overwritten")
    try:
        descriptor, name = tempfile.mkstemp(prefix=".handrail-", dir=file.parent)
        try:
            with os.fdopen(
                descriptor, "w", encoding="utf-8", errors="surrogateescape", newline="\n"
            ) as out:
                out.write(text)
                out.flush()
                os.fsync(out.fileno())
            os.link(name, file)  # unlike a renaming, it never replaces
        finally:
            with suppress(OSError):
                Path(name).unlink()
    except OSError as error:
        raise _refused(file, error.strerror or type(error).__name__) from None


def _refused(file: Path, problem: str) -> BotError:
    return BotError(
        f"{file} cannot be written: {problem}", hint="name a new file in a folder of yours"
    )

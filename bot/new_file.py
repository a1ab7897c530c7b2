"""Writing a file of ours that was not there: whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from bot.errors import BotError
from recordings import new_private_file

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
    try:
        with new_private_file(file) as out:
            out.write(text)
    except OSError as error:
        raise BotError(
            f"{file} cannot be written: {error.strerror or type(error).__name__}",
            hint="name a new file in a folder of yours",
        ) from None

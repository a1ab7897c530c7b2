"""A new file that appears whole or not at all, private to its owner (mode 0600)."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

__all__ = ["new_private_file"]


@contextmanager
def new_private_file(file: Path) -> Iterator[TextIO]:
    """Give a stream of text; the file has its name once all of it is on the disk.

    A byte that was no UTF-8 where the text was read, and came as a lone surrogate, is written as
    it was. Nothing is left of it where the body raises.

    Raises:
        FileExistsError: there is a file of this name; nothing is overwritten.
        OSError: it cannot be written.
    """
    if os.path.lexists(file):
        raise FileExistsError(errno.EEXIST, "it exists, and nothing is overwritten", str(file))
    try:
        descriptor, name = tempfile.mkstemp(prefix=".handrail-", dir=file.parent)
    except OSError as error:  # which would name a file that nobody knows
        raise OSError(error.errno, error.strerror, str(file.parent)) from None
    try:
        with os.fdopen(
            descriptor, "w", encoding="utf-8", errors="surrogateescape", newline="\n"
        ) as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        os.link(name, file)  # unlike a renaming, it never replaces
    finally:
        with suppress(OSError):
            Path(name).unlink()

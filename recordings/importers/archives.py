"""ZIP archives, those packed with Zstandard too: newer logs of Inspect are.

Python reads them from 3.14 on; before, the library ``backports.zstd`` does (extra ``inspect``).
"""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from collections import Counter
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from recordings.importers.fields import Malformed

__all__ = ["Archive"]

MAX_ENTRY_BYTES: Final = 256 * 1024 * 1024
"""Largest entry that is unpacked; a hostile archive unpacks without end."""
_BACKPORT: Final = "backports.zstd"


def _has_backport() -> bool:
    return find_spec("backports") is not None and find_spec(_BACKPORT) is not None


_ZIP: Final[Any] = import_module(f"{_BACKPORT}.zipfile") if _has_backport() else zipfile
_DAMAGED: Final[tuple[type[Exception], ...]] = (
    _ZIP.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    lzma.LZMAError,
    struct.error,
    ValueError,  # such as a name that says that it is UTF-8
    LookupError,
    *((import_module(_BACKPORT).ZstdError,) if _has_backport() else ()),
)
"""What reading a damaged archive raises."""


class Archive:
    """An open archive. Close it, or use it as a context."""

    def __init__(self, path: Path) -> None:
        """Open it.

        Raises:
            Malformed: it is cut off or damaged.
        """
        try:
            self._zip = _ZIP.ZipFile(path)
        except NotImplementedError:  # zipfile's word for a version that it does not know
            raise Malformed("is of a newer form of ZIP archive, or damaged") from None
        except _DAMAGED:
            raise Malformed("is cut off or damaged: its list of entries cannot be read") from None

    def close(self) -> None:
        """Close the file."""
        self._zip.close()

    def names(self) -> list[str]:
        """Return the names of the entries once each, in the order in which they were added."""
        return list(dict.fromkeys(self._zip.namelist()))

    def doubled(self) -> list[str]:
        """Return the names that more than one entry has: of those the last one is read."""
        return [name for name, count in Counter(self._zip.namelist()).items() if count > 1]

    def read(self, name: str) -> bytes:
        """Return an entry.

        Raises:
            Malformed: it is damaged, too large, or packed in a way that is not known here.
        """
        if self._zip.getinfo(name).file_size > MAX_ENTRY_BYTES:
            raise Malformed(f"unpacks to more than {MAX_ENTRY_BYTES // 1024 // 1024} MB")
        try:
            return bytes(self._zip.read(name))
        except NotImplementedError:  # zipfile's word for a packing that it does not know
            raise Malformed(
                "is packed in a way that needs Python 3.14, or handrail with its extra inspect"
            ) from None
        except RuntimeError:  # zipfile's word for an entry with a password
            raise Malformed("is locked with a password") from None
        except _DAMAGED:
            raise Malformed("is damaged: it cannot be unpacked") from None

"""Importers: recordings made elsewhere, brought into our own form.

Ours come first; a team's own are found by the entry point group ``handrail.importers``: an object
with ``recognises(first)``, which looks at the first JSON object of a file, and ``read(...)``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import entry_points
from typing import Any, Final, Protocol

from loop import Price
from recordings.errors import RecordingUnreadable
from recordings.importers import reference
from recordings.recording import Recording

__all__ = ["GROUP", "Importer", "Read", "importer_for"]

GROUP: Final = "handrail.importers"
Read = Callable[
    [Iterable[str], str, Mapping[str, Price], list[RecordingUnreadable]], Iterator[Recording]
]


class Importer(Protocol):
    """Reads the files of one kind. What a file does not say is unknown, never zero."""

    def recognises(self, first: Mapping[str, Any]) -> bool:
        """Whether a file whose first JSON object this is, is of this kind."""
        ...

    def read(
        self,
        lines: Iterable[str],
        file: str,
        prices: Mapping[str, Price],
        faults: list[RecordingUnreadable],
    ) -> Iterator[Recording]:
        """Yield the recordings; a line that cannot be read is added to ``faults``."""
        ...


def importer_for(first: Mapping[str, Any]) -> Read | None:
    """Return the reader of the first importer that knows the file; None if none does.

    Ours are asked first, then the installed ones by name.
    """
    for importer in _importers():
        if importer.recognises(first):
            return importer.read
    return None


_BUILT_IN: Final[tuple[Importer, ...]] = (reference,)
"""Our own, which a checkout that is not installed has too."""


def _importers() -> Iterator[Importer]:
    yield from _BUILT_IN
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        yield point.load()

"""Importers: runs that were made elsewhere, brought into our own form.

Ours come first; a team's own are found by the entry point group ``handrail.importers``: an object
with ``name``, ``fits`` and ``runs``, as :class:`Importer` has them. A module can be one.
"""

from __future__ import annotations

import json
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

from recordings.errors import ImportUnclear
from recordings.importers import (
    agentdojo,
    inspect_logs,
    llm_logs,
    openai_messages,
    otel,
    reference,
    tau2_bench,
    tau_bench,
)
from recordings.importers.protocol import Fit, Importer
from recordings.importers.source import UNFORESEEN
from recordings.importers.streams import Peek, peek_at

__all__ = ["GROUP", "importer_for", "importer_named", "importers", "open_importer"]

GROUP: Final = "handrail.importers"
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff", b"{\0", b"[\0", b"\0{", b"\0[")
"""How text in UTF-16 begins, with and without its mark."""
_BUILT_IN: Final[tuple[Importer, ...]] = (
    reference,
    openai_messages,
    tau_bench,
    tau2_bench,
    agentdojo,
    inspect_logs,
    llm_logs,
    otel,
)
"""Our own, which a checkout that is not installed has too."""


def importers() -> tuple[Importer, ...]:
    """Return all importers: ours, then the installed ones by name."""
    points = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    return (*_BUILT_IN, *(point.load() for point in points))


def open_importer(path: Path, format_name: str | None) -> Importer:
    """Return the importer of a file: the one that is named, else the one that knows the file.

    Raises:
        ImportUnclear: there is none of that name; or none, or more than one, knows the file.
        OSError: the file cannot be read.
    """
    if format_name is not None:
        return importer_named(format_name)
    return importer_for(peek_at(path), importers())


def importer_named(format_name: str) -> Importer:
    """Return the importer of this name.

    Raises:
        ImportUnclear: there is none.
    """
    found = {each.name: each for each in importers()}
    if format_name not in found:
        raise ImportUnclear(f"there is no importer {format_name}; there are {', '.join(found)}")
    return found[format_name]


def importer_for(peek: Peek, known: tuple[Importer, ...]) -> Importer:
    """Return the importer that is surest of a file.

    Raises:
        ImportUnclear: none knows it, two are as sure, or one fails at it.
    """
    fits = {each.name: (_fit(each, peek), each) for each in known}
    best = max(fit for fit, _ in fits.values())
    found = [each for fit, each in fits.values() if fit == best and fit is not Fit.NO]
    if len(found) == 1:
        return found[0]
    if not found:
        problem = _formless(peek)
        if problem is not None:
            raise ImportUnclear(problem)
        problem = f"is in none of the forms that are known: {', '.join(fits)}"
    else:
        problem = f"may be {' or '.join(each.name for each in found)}"
    raise ImportUnclear(f"{problem}; --format says which")


def _fit(importer: Importer, peek: Peek) -> Fit:
    try:
        return importer.fits(peek)
    except UNFORESEEN as error:
        problem = f"the importer {importer.name} cannot tell whether it is its own"
        raise ImportUnclear(
            f"{problem} ({type(error).__name__}); --format says which reads it"
        ) from error


def _formless(peek: Peek) -> str | None:
    """Return why a file can be of no form at all, None where it may be."""
    head = peek.head.strip()
    if not head:
        return "is empty" if peek.path.stat().st_size == 0 else "holds nothing that can be read"
    if head.startswith(_UTF_16):
        return "is text in UTF-16; write it anew in UTF-8"
    try:
        json.loads(head)
    except (ValueError, RecursionError):
        return None
    return None if head[:1] in b"[{" else "is JSON and holds neither an object nor a list"

"""The data of many profiled runs in little room, as the page carries them.

The same as form 1 (``docs/explore.md``), written otherwise: objects of one kind are rows of values,
their names are said once under ``columns``; what many runs have in common is said once under
``shared``, and a run holds its place there; ``firing`` is a list in the order of ``series``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

__all__ = ["packed"]

_SHARED: Final = ("limits", "known", "named_limits", "end")
_Row = list[Any]


def packed(runs: Iterable[Mapping[str, Any]], series: Sequence[str]) -> dict[str, Any]:
    """Return ``runs``, ``columns`` and ``shared``. ``series`` are the names of all firings."""
    packer = _Packer(series)
    rows = [packer.run(run) for run in runs]
    shared = {name: [value for _, value in known.values()] for name, known in packer.shared.items()}
    return {"runs": rows, "columns": packer.columns, "shared": shared}


class _Packer:
    def __init__(self, series: Sequence[str]) -> None:
        self._series = series
        self.columns: dict[str, list[str]] = {}
        self.shared: dict[str, dict[str, tuple[int, Any]]] = {name: {} for name in _SHARED}

    def run(self, run: Mapping[str, Any]) -> _Row:
        """Return a run as a row."""
        places = {name: self._place(name, run[name]) for name in _SHARED}
        return self._row(
            "runs",
            {
                **run,
                **places,
                "steps": [self._step(step) for step in run["steps"]],
                "points": [self._point(point) for point in run["points"]],
                "at_end": self._row("used", run["at_end"]),
                "firing": [run["firing"].get(name, []) for name in self._series],
            },
        )

    def _step(self, step: Mapping[str, Any]) -> _Row:
        calls = [self._row("calls", call) for call in step["calls"]]
        return self._row("steps", {**step, "calls": calls})

    def _point(self, point: Mapping[str, Any]) -> _Row:
        return self._row("points", {**point, "used": self._row("used", point["used"])})

    def _row(self, kind: str, value: Mapping[str, Any]) -> _Row:
        names = self.columns.setdefault(kind, list(value))
        return [value[name] for name in names]

    def _place(self, name: str, value: Any) -> int:
        known = self.shared[name]
        return known.setdefault(repr(value), (len(known), value))[0]

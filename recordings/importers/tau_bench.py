"""Result files of τ-bench: a JSON list of runs with ``task_id``, ``reward``, ``info``, ``traj``.

Source: sierra-research/tau-bench, ``tau_bench/types.py`` (EnvRunResult), ``run.py`` and
``historical_trajectories/``. A tool of its environments answers a fault with a text that begins
with "Error"; a reward of 1 is success (``run.py``). The files hold no times, tokens or costs of
the agent, and not the tools that were offered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from recordings.importers.chat import items_of
from recordings.importers.fields import mapping_of, name_of, score_of, text_of
from recordings.importers.protocol import Fit
from recordings.importers.runs import ImportedRun
from recordings.importers.source import SourceFile
from recordings.importers.streams import Peek
from recordings.origin import Label, Source, Unknown
from tools import Kind

__all__ = ["fits", "name", "outcome", "rewarded", "runs"]

name: Final = "tau-bench"
_FAULT: Final = "Error"
_ALMOST: Final = 1e-6
"""How far from 1 a reward may be and still be success, as ``run.py`` has it."""


def fits(peek: Peek) -> Fit:
    """Whether the file holds runs of τ-bench."""
    return Fit.SURELY if peek.has("task_id", "reward", "info") else Fit.NO


def runs(file: SourceFile) -> Iterator[ImportedRun]:
    """Yield one run an item."""
    yield from file.each(lambda value, place: _run(mapping_of(value), place, file))


def outcome(message: Mapping[str, Any], text: str) -> Kind:
    """Return what came of a call, by the words of its answer."""
    del message
    return Kind.FAILED if text.startswith(_FAULT) else Kind.OK


def rewarded(reward: object) -> bool | None:
    """Return whether a reward means success; None where it is no number."""
    figure = score_of(reward)
    if isinstance(figure, bool) or not isinstance(figure, int | float):
        return None
    return abs(figure - 1) <= _ALMOST


def _run(value: Mapping[str, Any], place: str, file: SourceFile) -> ImportedRun:
    info = mapping_of(value.get("info"))
    reward = value.get("reward")
    success = rewarded(reward)
    scores = {"reward": score_of(reward)}
    # A run that broke off has a reward of 0 that nobody gave.
    broke = text_of(info.get("error")) is not None
    return ImportedRun(
        source=Source(
            format=name,
            file=file.name,
            place=place,
            task=name_of(value.get("task_id")) or None,
            trial=name_of(value.get("trial")) or None,
            ended="error" if broke else None,
        ),
        label=Label(success=None if broke else success, by="reward", scores=scores),
        model="",
        items=items_of(value.get("traj"), outcome=outcome),
        unknown=frozenset({Unknown.REQUESTS}),
    )

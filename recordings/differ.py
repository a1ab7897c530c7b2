"""The first difference between two recordings, named as a miss names it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from loop import Entry
from recordings.codec import encode
from recordings.miss import narrow
from recordings.recording import Recording

__all__ = ["RecordingDifference", "first_difference", "pairs_of"]

_TIMES: Final = frozenset({"at_us", "latency_us", "seconds_us"})
"""What differs between any two live runs."""
_ENVELOPE: Final = frozenset({"v", "run", "seq"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingDifference:
    """Where two recordings part: the entry, the field, and both sides."""

    entry: int
    """The entry's number, from 0, in both."""
    path: str
    left: str
    right: str


def first_difference(
    left: Recording, right: Recording, *, times: bool = False
) -> RecordingDifference | None:
    """Return where two recordings part; None where they tell the same.

    ``times``: latencies and run times count too.
    """
    for number in range(max(len(left.entries), len(right.entries))):
        sides = (_value(left.entries, number, times), _value(right.entries, number, times))
        if sides[0] != sides[1]:
            kind = (sides[0] or sides[1] or {}).get("kind", "")
            path, one, other = narrow(str(kind), *sides)
            return RecordingDifference(entry=number, path=path, left=one, right=other)
    return None


def pairs_of(
    left: Sequence[Recording], right: Sequence[Recording]
) -> tuple[list[tuple[Recording, Recording]], list[str], list[str]]:
    """Return the recordings that belong together, and the names of those that are alone.

    Two files of one recording each are compared whatever their names; others by the run's name.
    """
    if len(left) == len(right) == 1:
        return [(left[0], right[0])], [], []
    others = {found.name: found for found in right}
    names = {found.name for found in left}
    together = [(found, others[found.name]) for found in left if found.name in others]
    return (
        together,
        [found.name for found in left if found.name not in others],
        [found.name for found in right if found.name not in names],
    )


def _value(entries: Sequence[Entry], number: int, times: bool) -> dict[str, Any] | None:  # noqa: FBT001 (one of three of a private helper)
    if number >= len(entries):
        return None
    value = json.loads(encode("", entries[number]))
    left_out = _ENVELOPE if times else _ENVELOPE | _TIMES
    return {key: _without(item, left_out) for key, item in value.items() if key not in left_out}


def _without(value: Any, names: frozenset[str]) -> Any:
    match value:
        case Mapping():
            return {key: _without(item, names) for key, item in value.items() if key not in names}
        case list():
            return [_without(item, names) for item in value]
        case _:
            return value

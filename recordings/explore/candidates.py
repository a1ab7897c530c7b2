"""The values of each limit that a calibration tries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import product
from typing import Any, Final

from loop import Limits, Repeat
from recordings.explore.facts import COMPARED
from recordings.explore.profile import RunProfile

__all__ = ["Change", "alone", "candidates", "without_limits"]

Change = Mapping[str, Any]
"""Values of limits by name: one limit with the choices that belong to it."""
MOST_STEPS: Final = 50
_SECONDS: Final = (5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 300, 600, 900, 1800)
_DOLLARS: Final = tuple(
    Decimal(f"{digit}e{power}") for power, digit in product(range(-4, 2), (1, 2, 5))
)
_ERRORS: Final = range(1, 7)
_REPEATS: Final = range(4)


def without_limits(base: Limits) -> Limits:
    """Return the limits with nothing that stops a run; the choices (clock, check) are kept."""
    return base.changed(**dict.fromkeys(COMPARED))


def candidates(profiles: Sequence[RunProfile], base: Limits) -> dict[str, list[Change]]:
    """Return the values to try of each limit, from tight to loose, the base's own among them.

    A ladder of round numbers up to the first that no recorded run reaches.
    """
    longest = max((len(profile.facts.steps) for profile in profiles), default=0)
    slowest = max((profile.at_end.model_us for profile in profiles), default=0)
    slowest = max(slowest, *(profile.at_end.wall_us for profile in profiles), 0)
    dearest = max((profile.at_end.cost_usd for profile in profiles), default=Decimal(0))
    ladders: dict[str, Sequence[Any]] = {
        "max_steps": range(1, min(longest, MOST_STEPS) + 1),
        "max_seconds": _up_to(_SECONDS, Decimal(slowest) / 1_000_000),
        "max_cost_usd": _up_to(_DOLLARS, dearest),
        "max_errors": _ERRORS,
    }
    found: dict[str, list[Change]] = {}
    for name, ladder in ladders.items():
        own = getattr(base, name)
        values = sorted({*ladder, *([] if own is None else [own])})
        found[name] = [{name: value} for value in values]
    found["allowed_repeats"] = list(_repeats(base))
    return found


def alone(base: Limits, change: Change) -> Limits:
    """Return limits of which this one alone stops a run."""
    return without_limits(base).changed(**change)


def _repeats(base: Limits) -> Iterator[Change]:
    own = (base.allowed_repeats, base.repeat)
    values = [
        (count, repeat) for count in _REPEATS for repeat in (Repeat.ANY, Repeat.AFTER_SUCCESS)
    ]
    if own[0] is not None and own not in values:
        values.append((own[0], own[1]))
    for count, repeat in values:
        yield {"repeat": repeat, "allowed_repeats": count}


def _up_to(ladder: Sequence[Any], most: Decimal) -> list[Any]:
    """Return the rungs up to the first that nothing recorded passes."""
    return [*(rung for rung in ladder if rung < most), *[r for r in ladder if r >= most][:1]]

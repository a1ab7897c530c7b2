"""A run, profiled once: the first point at which each rule fires, for every threshold.

The walk is done without limits, and what each bound has counted is noted wherever it is checked.
From then on any set of limits is a minimum over the bounds: the first point at which one of them
fires. Whether an amount fires at a limit, and what the stop says, the loop's own rules decide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from loop import (
    BOUNDS,
    LARGEST,
    REPEATS,
    TIME,
    Amount,
    Bound,
    Duplicates,
    Limits,
    Repeat,
    RunClock,
    Stop,
    StopReason,
    Tally,
    TimeCheck,
    check_after_step,
    check_before_call,
    checked_after_step,
    checked_before_call,
    repeat_stop,
    stopped,
)
from recordings.explore.facts import RunFacts
from recordings.explore.walk import (
    Fate,
    Place,
    Point,
    Walk,
    WhatIf,
    as_recorded,
    ended_by,
    unstopped,
)

__all__ = [
    "ALL_BOUNDS",
    "ALL_SERIES",
    "Firing",
    "RunProfile",
    "Series",
    "profiled",
    "repeats_under",
    "series_of",
]

Series = str
"""What is counted, and where it is checked: ``max_steps``, ``max_seconds/model/before_call``,
``allowed_repeats/any`` … What a limit counts hangs on the choices beside it."""
ALL_BOUNDS: Final = (*BOUNDS, REPEATS)
"""Every bound, in the order that decides where two fire at one point."""


def series_of(bound: Bound, limits: Limits) -> Series:
    """Return the series that a bound is read from, under the choices of these limits."""
    if bound is TIME:
        return f"{bound.limit}/{limits.clock}/{limits.time_check}"
    if bound is REPEATS:
        return repeats_under(limits.repeat)
    return bound.limit


def repeats_under(repeat: Repeat) -> Series:
    """Return the series of the repeats that this rule knows."""
    return f"{REPEATS.limit}/{repeat}"


@dataclass(slots=True)
class Firing:
    """Where one rule fires: ascending amounts, each with the first point that it was seen at."""

    amounts: list[Amount] = field(default_factory=list)
    points: list[int] = field(default_factory=list)

    def note(self, amount: Amount, point: int) -> None:
        """Note an amount that was seen at a point; only one above all before fires earlier."""
        if not self.amounts or amount > self.amounts[-1]:
            self.amounts.append(amount)
            self.points.append(point)

    def first(self, bound: Bound, most: Amount) -> int | None:
        """Return the first point at which the bound stops at this limit; None is never."""
        for amount, point in zip(self.amounts, self.points, strict=True):
            if bound.reached(amount, most):
                return point
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProfile:
    """One profiled run. The limits that shape replies and results are as they were recorded."""

    facts: RunFacts
    points: tuple[Point, ...]
    """The checks of the walk at which a rule may fire, in order."""
    used: tuple[Tally, ...]
    """What was used at each point; repeats apart, which hang on the rule of repeats."""
    firing: Mapping[Series, Firing]
    ended: bool
    """Whether the recorded end is the end where no limit fires; else the end is unknown."""
    at_end: Tally
    """What was used at the end of the walk."""

    def what_if(self, limits: Limits) -> WhatIf:
        """Return what these limits make of the run.

        As :func:`recordings.explore.walk.what_if` says it, with the recorded limits of what
        shapes replies and results.
        """
        why = self.facts.not_comparable(limits)
        if why is not None:
            return WhatIf(fate=Fate.NOT_COMPARABLE, step=0, why=why)
        point = self.first(limits)
        if point is not None:
            return ended_by(self.facts, self._stop_at(point, limits))
        return unstopped(limits, self.at_end, ended=self.ended)

    def first(self, limits: Limits) -> int | None:
        """Return the first point at which one of these limits stops the run; None is never."""
        found = []
        for bound in ALL_BOUNDS:
            most = bound.most(limits)
            if most is not None:
                found.append(self.firing[series_of(bound, limits)].first(bound, most))
        return min((point for point in found if point is not None), default=None)

    def _stop_at(self, point: int, limits: Limits) -> Stop:
        used, stop = self.used[point], None
        match self.points[point].place:
            case Place.BEFORE_CALL:
                stop = check_before_call(limits, used)
            case Place.DURING_CALL:
                stop = stopped(limits, used, StopReason.TIME, self.facts.end.words)
            case Place.CALL:
                # The first repeat beyond those allowed: they all ran.
                stop = repeat_stop(limits, replace(used, repeats=limits.allowed_repeats or 0))
            case Place.AFTER_STEP:
                stop = check_after_step(limits, used)
        if stop is None:
            raise AssertionError("a rule fired in the profile and does not at its point")
        return stop


def profiled(facts: RunFacts, duplicates: Duplicates = Duplicates.COLLAPSE) -> RunProfile:
    """Return the profile of a run.

    ``duplicates`` is for a run that was made elsewhere: how the same call twice in one reply is
    to count. A run of ours keeps its own rule.
    """
    noted = _Noted(facts)
    any_repeat = _walk(facts, duplicates, Repeat.ANY, noted)
    _walk(facts, duplicates, Repeat.AFTER_SUCCESS, noted)
    return RunProfile(
        facts=facts,
        points=tuple(noted.points),
        used=tuple(noted.used),
        firing=noted.firing,
        ended=any_repeat.ended,
        at_end=any_repeat.tally,
    )


def _walk(facts: RunFacts, duplicates: Duplicates, repeat: Repeat, noted: _Noted) -> Walk:
    """Walk to the end with limits that never stop, and note what each bound counts."""
    limits = _OPEN.changed(duplicates_in_reply=duplicates, repeat=repeat)
    walk = Walk(facts, as_recorded(facts, limits))
    repeats = 0
    for point, _ in walk.points():
        if point.place is Place.CALL:
            if walk.tally.repeats > repeats:
                noted.repeat(point, walk.tally, repeat)
            repeats = walk.tally.repeats
        elif point.place is Place.DURING_CALL:
            noted.cut(point, walk.tally)
        elif repeat is Repeat.ANY:
            noted.check(point, walk.tally)
    return walk


class _Noted:
    """What the walks over one run found."""

    def __init__(self, facts: RunFacts) -> None:
        self.points: list[Point] = []
        self.used: list[Tally] = []
        self.firing: dict[Series, Firing] = {key: Firing() for key in ALL_SERIES}
        self._facts = facts
        self._index: dict[Point, int] = {}

    def check(self, point: Point, tally: Tally) -> None:
        """Note what the bounds that are checked here have counted."""
        index = self._add(point, tally)
        for key, bound, limits in _CHECKED[point.place]:
            self.firing[key].note(bound.used(limits, tally), index)

    def repeat(self, point: Point, tally: Tally, repeat: Repeat) -> None:
        """Note a repeat, by the number of those before it."""
        self.firing[repeats_under(repeat)].note(tally.repeats - 1, self._add(point, tally))

    def cut(self, point: Point, tally: Tally) -> None:
        """Note a call that the time budget cut: every budget up to that one cuts it."""
        past = self._facts.limits
        most = None if past is None else TIME.most(past)
        if past is None or most is None:
            return
        index = self._add(point, tally)
        for check in TimeCheck:
            self.firing[series_of(TIME, past.changed(time_check=check))].note(most + 1, index)

    def _add(self, point: Point, tally: Tally) -> int:
        """Return the index of a point, which the other walk may have passed already."""
        if point not in self._index:
            self._index[point] = len(self.points)
            self.points.append(point)
            self.used.append(replace(tally, seen={}))
        return self._index[point]


_OPEN: Final = Limits(
    max_steps=None,
    max_seconds=None,
    clock=RunClock.MODEL,
    time_check=TimeCheck.BEFORE_CALL,
    max_cost_usd=None,
    repeat=Repeat.ANY,
    allowed_repeats=LARGEST,  # allowed, but counted
    duplicates_in_reply=Duplicates.COLLAPSE,
    max_errors=None,
    max_result_chars=None,
    max_calls_per_step=None,
)
_CHOICES: Final = tuple(
    _OPEN.changed(clock=clock, time_check=check, repeat=repeat)
    for clock in RunClock
    for check in TimeCheck
    for repeat in Repeat
)
ALL_SERIES: Final = tuple(
    dict.fromkeys(series_of(bound, limits) for bound in ALL_BOUNDS for limits in _CHOICES)
)


def _checked(
    checked: Callable[[Limits], tuple[Bound, ...]],
) -> tuple[tuple[Series, Bound, Limits], ...]:
    """Return each series that is checked at a place, with its bound and its choices."""
    found = {
        series_of(bound, limits): (bound, limits)
        for limits in _CHOICES
        for bound in checked(limits)
    }
    return tuple((key, bound, limits) for key, (bound, limits) in found.items())


_CHECKED: Final = {
    Place.BEFORE_CALL: _checked(checked_before_call),
    Place.AFTER_STEP: _checked(checked_after_step),
}

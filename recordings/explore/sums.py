"""Many runs under many limits: what each set of limits cuts, by a minimum over the profiles.

Each run becomes a row: for every value that a limit takes in the asked settings, the place in the
run where it fires. A setting stops the run at the smallest of its values' places, and what that
comes to (the stop, what is saved) is worked out once for each place. Runs whose rows are equal
can't be told apart by any of the settings, so they are added up first: memory and time grow with
the number of different rows, not of runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from operator import add, getitem
from typing import Final, NamedTuple

from loop import Amount, Bound, Limits, Stop, StopReason
from recordings.explore.facts import EndKind, RunFacts, Success
from recordings.explore.profile import ALL_BOUNDS, RunProfile, Series, series_of
from recordings.explore.walk import Fate, WhatIf, ended_by

__all__ = ["Outcome", "Sums", "cuts", "sum_up"]

Outcome = StopReason | Fate
"""What became of a run: the reason where it stops, else its fate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """What one set of limits makes of all runs."""

    outcomes: Mapping[Success, Mapping[Outcome, int]]
    """Runs, by their worth and what becomes of them; each key is there."""
    cut: Mapping[Success, int]
    """Runs that end earlier than they did."""
    steps_saved: int
    """Model calls that are not made."""
    us_saved: int
    """Their model time in microseconds, as far as it is recorded; of one run at most 115 days."""
    usd_saved: Decimal
    """Their cost, as far as it is known."""


def cuts(facts: RunFacts, answer: WhatIf) -> bool:
    """Whether the run ends earlier: another limit at the step where one stopped it cuts nothing."""
    past = facts.end.stop
    at_its_end = facts.end.kind is EndKind.STOPPED and past is not None and past.step == answer.step
    return answer.fate is Fate.STOPS and not at_its_end


def sum_up(profiles: Iterable[RunProfile], settings: Sequence[Limits]) -> list[Sums]:
    """Return what each set of limits makes of the runs, in the order of the settings.

    As if :meth:`RunProfile.what_if` were asked for each run and each setting.
    """
    table = _Table(settings)
    for profile in profiles:
        table.add(profile)
    return table.sums()


Column = tuple[Series, object]
"""A limit's value: the series that it is read from, and how much it allows."""


class _Table:
    def __init__(self, settings: Sequence[Limits]) -> None:
        self._settings = settings
        self._columns: dict[Column, int] = {}
        self._by_series: dict[Series, list[_Value]] = {}
        for limits in settings:
            for bound in ALL_BOUNDS:
                self._add_column(bound, limits)
        for values in self._by_series.values():
            values.sort(key=lambda value: value.most)
        self._rows: dict[tuple[int, ...], list[int]] = {}
        """For each different row of places: what they come to, added up over its runs."""

    def add(self, profile: RunProfile) -> None:
        """Add one run to the runs of its row."""
        codes = self._codes(profile)
        places = sorted({*codes, _END})
        rank = {code: index for index, code in enumerate(places)}
        row = tuple(rank[code] for code in codes)
        cells = [_cell(profile, code) for code in places]
        known = self._rows.get(row)
        if known is not None:
            cells = list(map(add, known, cells))
        self._rows[row] = cells

    def sums(self) -> list[Sums]:
        """Return what each setting comes to."""
        columns = list(zip(*self._rows, strict=True)) or [()] * len(self._columns)
        cells = list(self._rows.values())
        found = []
        for limits in self._settings:
            own = (columns[self._columns[_column(bound, limits)]] for bound in ALL_BOUNDS)
            found.append(_unpacked(sum(map(getitem, cells, map(min, *own)))))
        return found

    def _add_column(self, bound: Bound, limits: Limits) -> None:
        column = _column(bound, limits)
        if column in self._columns:
            return
        index = self._columns[column] = len(self._columns)
        most = bound.most(limits)
        # No limit at all is an amount that is never reached.
        value = _Value(index, bound, limits, _NEVER if most is None else most)
        self._by_series.setdefault(series_of(bound, limits), []).append(value)

    def _codes(self, profile: RunProfile) -> list[int]:
        """Return, for each column, the code of the place in the run where its value fires."""
        codes = [_END] * len(self._columns)
        facts = profile.facts
        doubtful = not facts.all_known
        for series, values in self._by_series.items():
            firing = profile.firing[series]
            index, count = 0, len(firing.amounts)
            for value in values:  # ascending, so that each fires where the one before, or later
                if doubtful and facts.objection_to(value.bound.limit, value.limits) is not None:
                    codes[value.column] = _NOT_COMPARABLE
                    continue
                if value.most == _NEVER:
                    continue
                while index < count and not value.bound.reached(firing.amounts[index], value.most):
                    index += 1
                if index < count:
                    codes[value.column] = _code(firing.points[index], value.bound)
        return codes


class _Value(NamedTuple):
    """One value of a limit, and the column of the table that it has."""

    column: int
    bound: Bound
    limits: Limits
    most: Amount


_NEVER: Final = Decimal("Infinity")
_NOT_COMPARABLE: Final = 0
"""Below every place: where one value can't be tried on a run, no setting with it can."""
_END: Final = 1 << 60
"""Above every place: the run comes to its end."""


def _column(bound: Bound, limits: Limits) -> Column:
    return series_of(bound, limits), bound.most(limits)


def _code(point: int, bound: Bound) -> int:
    """Return the code of a place: by the point, then by the order that decides there."""
    return 1 + point * len(ALL_BOUNDS) + ALL_BOUNDS.index(bound)


def _cell(profile: RunProfile, code: int) -> int:
    """Return what a run comes to that ends at a place, as one packed number."""
    facts, total = profile.facts, profile.at_end
    if code == _NOT_COMPARABLE:
        return _packed(facts.success, Fate.NOT_COMPARABLE)
    if code == _END:
        return _packed(facts.success, Fate.SAME if profile.ended else Fate.UNKNOWN)
    index, rank = divmod(code - 1, len(ALL_BOUNDS))
    point, used = profile.points[index], profile.used[index]
    answer = ended_by(facts, Stop(reason=ALL_BOUNDS[rank].reason, step=point.step))
    outcome = ALL_BOUNDS[rank].reason if answer.fate is Fate.STOPS else answer.fate
    return _packed(
        facts.success,
        outcome,
        cut=cuts(facts, answer),
        steps=len(facts.steps) - point.step,
        us=total.model_us - used.model_us,
        usd=total.cost_usd - used.cost_usd,
    )


_OUTCOMES: Final[tuple[Outcome, ...]] = (
    *(bound.reason for bound in ALL_BOUNDS),
    Fate.SAME,
    Fate.UNKNOWN,
    Fate.NOT_COMPARABLE,
)
_PICO: Final = 10**12
"""Parts of a dollar that costs are added up in; what is finer is left out."""
_FIELD: Final = 64
"""Bits of one field of a packed number: one addition adds up all fields."""
_MOST_US: Final = 10**13
"""Most time that one run saves, 115 days: a recorded nonsense must not run into the next field."""
_FIELDS: Final[Mapping[object, int]] = {
    name: index * _FIELD
    for index, name in enumerate(
        [
            *((success, outcome) for success in Success for outcome in _OUTCOMES),
            *((success, "cut") for success in Success),
            "steps",
            "us",
            "usd",
        ]
    )
}


def _packed(
    success: Success,
    outcome: Outcome,
    *,
    cut: bool = False,
    steps: int = 0,
    us: int = 0,
    usd: Decimal = Decimal(0),
) -> int:
    return (
        (1 << _FIELDS[success, outcome])
        + (cut << _FIELDS[success, "cut"])
        + (steps << _FIELDS["steps"])
        + (min(us, _MOST_US) << _FIELDS["us"])
        + (int(usd * _PICO) << _FIELDS["usd"])
    )


def _unpacked(packed: int) -> Sums:
    def value(name: object) -> int:
        return packed >> _FIELDS[name] & ((1 << _FIELD) - 1)

    return Sums(
        outcomes={
            success: {outcome: value((success, outcome)) for outcome in _OUTCOMES}
            for success in Success
        },
        cut={success: value((success, "cut")) for success in Success},
        steps_saved=value("steps"),
        us_saved=value("us"),
        usd_saved=Decimal(value("usd")) / _PICO,
    )

"""Dates are computed here, never by a model: business days with holidays from data.

A business day is Monday to Friday and no holiday. An order is expected on the fifth business day
after it was shipped, and late by the business days after that one (reference facts B1 and B2).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

__all__ = ["EXPECTED_AFTER", "BusinessCalendar"]

EXPECTED_AFTER: Final = 5
"""An order is expected on this business day after the day it was shipped."""
_SATURDAY: Final = 5
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class BusinessCalendar:
    """Which days count. ``holidays`` are sorted and fall on weekdays; :meth:`of` sees to it."""

    holidays: tuple[date, ...] = ()

    @classmethod
    def of(cls, holidays: Iterable[date]) -> BusinessCalendar:
        """Return a calendar from holidays in any order; those on weekends change nothing."""
        return cls(tuple(sorted({day for day in holidays if day.weekday() < _SATURDAY})))

    def is_business_day(self, day: date) -> bool:
        """Whether the day is Monday to Friday and no holiday."""
        return day.weekday() < _SATURDAY and day not in self.holidays

    def after(self, day: date, count: int) -> date:
        """Return the ``count``-th business day after the day (0 is the day itself)."""
        while count > 0:
            day += _DAY
            if self.is_business_day(day):
                count -= 1
        return day

    def between(self, start: date, end: date) -> int:
        """Count the business days after ``start`` up to and with ``end``; 0 if ``end`` is before.

        The day after a Friday that is a Monday counts 1, the same day counts 0.
        """
        if end <= start:
            return 0
        weekdays = _weekdays_to(end) - _weekdays_to(start)
        return weekdays - bisect_right(self.holidays, end) + bisect_right(self.holidays, start)

    def expected_by(self, shipped_on: date) -> date:
        """Return the day by which an order shipped on that day is expected."""
        return self.after(shipped_on, EXPECTED_AFTER)


def _weekdays_to(day: date) -> int:
    """Count the weekdays from the first day of the calendar, a Monday, to the day."""
    weeks, days = divmod(day.toordinal(), 7)
    return weeks * 5 + min(days, 5)

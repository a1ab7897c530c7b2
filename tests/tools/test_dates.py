"""Business days with holidays."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools import BusinessCalendar

LABOUR_DAY = date(2026, 9, 7)
THANKSGIVING = date(2026, 10, 12)
CALENDAR = BusinessCalendar.of([THANKSGIVING, LABOUR_DAY, date(2026, 10, 11), LABOUR_DAY])
FRIDAY = date(2026, 10, 9)
days = st.dates(date(2026, 8, 1), date(2026, 11, 30))


def test_holidays_are_sorted_once_each_and_weekends_dropped() -> None:
    assert CALENDAR.holidays == (LABOUR_DAY, THANKSGIVING)


@pytest.mark.parametrize(
    ("day", "counts"),
    [(FRIDAY, True), (FRIDAY + timedelta(1), False), (THANKSGIVING, False)],
)
def test_a_business_day_is_a_weekday_and_no_holiday(day: date, counts: bool) -> None:
    assert CALENDAR.is_business_day(day) is counts


def test_the_fifth_business_day_passes_over_a_holiday() -> None:
    assert CALENDAR.expected_by(date(2026, 10, 5)) == date(2026, 10, 13)
    assert BusinessCalendar().expected_by(date(2026, 10, 5)) == THANKSGIVING


@pytest.mark.parametrize(
    ("on", "late"),
    [(date(2026, 10, 12), 0), (date(2026, 10, 13), 0), (date(2026, 10, 14), 1)],
)
def test_late_begins_on_the_business_day_after_the_expected_one(on: date, late: int) -> None:
    assert CALENDAR.between(CALENDAR.expected_by(date(2026, 10, 5)), on) == late


@pytest.mark.parametrize(
    ("start", "end", "count"),
    [
        (FRIDAY, FRIDAY, 0),
        (FRIDAY, date(2026, 10, 1), 0),
        (FRIDAY, THANKSGIVING, 0),
        (FRIDAY, date(2026, 10, 13), 1),
        (date(2026, 10, 8), FRIDAY, 1),
    ],
)
def test_days_between_leave_out_the_first_and_count_the_last(
    start: date, end: date, count: int
) -> None:
    assert CALENDAR.between(start, end) == count


@given(days, days)
def test_days_between_are_those_that_count_one_by_one(start: date, end: date) -> None:
    step = timedelta(1)
    one_by_one = [start + step * n for n in range(1, (end - start).days + 1)]

    assert CALENDAR.between(start, end) == sum(map(CALENDAR.is_business_day, one_by_one))


@given(days, st.integers(0, 30))
def test_after_and_between_undo_each_other(day: date, count: int) -> None:
    assert CALENDAR.between(day, CALENDAR.after(day, count)) == count

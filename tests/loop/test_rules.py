"""The pure core: each limit at n - 1, n and n + 1, both clocks, and the order pair by pair."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from itertools import combinations
from typing import Any

import pytest

from loop import (
    Duplicates,
    Limits,
    Repeat,
    RunClock,
    Stop,
    StopReason,
    Tally,
    TimeCheck,
    get_profile,
)
from loop.rules import (
    check_after_step,
    check_before_call,
    check_repeat,
    stopped,
    time_left_us,
)
from tools import Kind

SECOND = 1_000_000


def limits(**given: Any) -> Limits:
    """No limits but those given."""
    open_ = dict.fromkeys(
        ("max_steps", "max_seconds", "max_cost_usd", "max_errors", "allowed_repeats")
    )
    return get_profile("resolver").limits.changed(**(open_ | given))


def reason(stop: Stop | None) -> str | None:
    """The reason of a stop."""
    return None if stop is None else stop.reason.value


@pytest.mark.parametrize(("used", "stops"), [(3, False), (4, True), (5, True)])
def test_steps_used_equal_to_the_limit_stop(used: int, stops: bool) -> None:
    stop = check_before_call(limits(max_steps=4), Tally(steps=used))
    assert (stop is not None) is stops
    if stop is not None:
        assert (stop.reason, stop.limit, stop.limit_value, stop.observed, stop.step) == (
            StopReason.MAX_STEPS,
            "max_steps",
            "4",
            str(used),
            used,
        )


def test_a_limit_of_zero_steps_stops_before_the_first_call() -> None:
    assert reason(check_before_call(limits(max_steps=0), Tally())) == "max_steps"


@pytest.mark.parametrize("clock", RunClock)
@pytest.mark.parametrize("where", TimeCheck)
@pytest.mark.parametrize(
    ("used_us", "stops"),
    [(60 * SECOND - 1, False), (60 * SECOND, False), (60 * SECOND + 1, True)],
)
def test_time_used_above_the_limit_stops_by_either_clock_where_it_is_checked(
    clock: RunClock, where: TimeCheck, used_us: int, stops: bool
) -> None:
    """B52, A28: exactly the limit goes on."""
    bounds = limits(max_seconds=60, clock=clock, time_check=where)
    model = clock is RunClock.MODEL
    tally = Tally(model_us=used_us if model else 0, wall_us=0 if model else used_us)
    before, after = check_before_call(bounds, tally), check_after_step(bounds, tally)
    here, elsewhere = (before, after) if where is TimeCheck.BEFORE_CALL else (after, before)
    assert elsewhere is None
    assert reason(here) == ("time" if stops else None)
    if here is not None:
        assert (here.limit, here.limit_value, here.observed) == ("max_seconds", "60", "60.000001")


@pytest.mark.parametrize("clock", RunClock)
def test_the_other_clock_does_not_count(clock: RunClock) -> None:
    tally = Tally(wall_us=10**9) if clock is RunClock.MODEL else Tally(model_us=10**9)
    assert check_before_call(limits(max_seconds=1, clock=clock), tally) is None


def test_zero_seconds_and_zero_cost_stop_only_when_anything_was_used() -> None:
    nothing = limits(max_seconds=0, max_cost_usd=0)
    assert check_before_call(nothing, Tally()) is None
    assert reason(check_before_call(nothing, Tally(model_us=1))) == "time"
    assert reason(check_before_call(nothing, Tally(cost_usd=Decimal("1e-9")))) == "cost"


def test_a_limit_finer_than_a_microsecond_is_never_passed_unseen() -> None:
    fine = limits(max_seconds=Decimal("0.0000005"))
    assert check_before_call(fine, Tally(model_us=0)) is None
    assert reason(check_before_call(fine, Tally(model_us=1))) == "time"


@pytest.mark.parametrize(
    ("used", "stops"), [("0.049999", False), ("0.05", False), ("0.050001", True)]
)
def test_cost_used_above_the_limit_stops(used: str, stops: bool) -> None:
    stop = check_before_call(limits(max_cost_usd=Decimal("0.05")), Tally(cost_usd=Decimal(used)))
    assert reason(stop) == ("cost" if stops else None)
    if stop is not None:
        assert (stop.limit, stop.limit_value, stop.observed) == ("max_cost_usd", "0.05", used)


def test_an_unknown_cost_stops_where_there_is_a_limit_and_says_what_is_known() -> None:
    tally = Tally()
    tally.count_cost(Decimal("0.01"))
    tally.count_cost(None)
    tally.count_cost(Decimal("0.02"))
    stop = check_before_call(limits(max_cost_usd=1), tally)
    assert stop is not None
    assert (stop.reason, stop.observed) == (StopReason.COST, "at least 0.03, unknown")
    assert check_before_call(limits(), tally) is None


def test_steps_and_cost_are_not_looked_at_after_a_step_and_errors_not_before_a_call() -> None:
    bounds = limits(max_steps=1, max_cost_usd=0, max_errors=1)
    assert check_after_step(bounds, Tally(steps=5, cost_usd=Decimal(1))) is None
    assert check_before_call(bounds, Tally(errors=5)) is None


@pytest.mark.parametrize(("errors", "stops"), [(2, False), (3, True), (4, True)])
def test_errors_in_a_row_equal_to_the_limit_stop(errors: int, stops: bool) -> None:
    stop = check_after_step(limits(max_errors=3), Tally(errors=errors))
    assert reason(stop) == ("too_many_errors" if stops else None)
    if stop is not None:
        assert (stop.limit, stop.limit_value, stop.observed) == ("max_errors", "3", str(errors))


REACHED: dict[str, Callable[[Tally], None]] = {
    "max_steps": lambda tally: tally.count_step(),
    "max_seconds": lambda tally: tally.count_model_time(2 * SECOND),
    "max_cost_usd": lambda tally: tally.count_cost(Decimal(2)),
}
FULL = {"max_steps": 1, "max_seconds": 1, "max_cost_usd": 1}


@pytest.mark.parametrize(("first", "second"), list(combinations(REACHED, 2)))
def test_the_order_before_a_call_is_steps_time_cost_and_the_stop_names_the_other(
    first: str, second: str
) -> None:
    tally = Tally()
    for name in (second, first):
        REACHED[name](tally)
    stop = check_before_call(limits(**FULL), tally)
    assert stop is not None
    assert (stop.limit, stop.also) == (first, (second,))


def test_all_three_at_once() -> None:
    tally = Tally()
    for use in REACHED.values():
        use(tally)
    stop = check_before_call(limits(**FULL), tally)
    assert stop is not None
    assert (stop.limit, stop.also) == ("max_steps", ("max_seconds", "max_cost_usd"))


@pytest.mark.parametrize("other", REACHED)
def test_errors_after_a_step_name_what_else_was_reached(other: str) -> None:
    tally = Tally(errors=3)
    REACHED[other](tally)
    stop = check_after_step(limits(max_errors=3, **FULL), tally)
    assert stop is not None
    assert (stop.reason, stop.also) == (StopReason.TOO_MANY_ERRORS, (other,))


def test_time_comes_before_errors_at_the_end_of_a_step() -> None:
    tally = Tally(errors=3, model_us=2 * SECOND)
    stop = check_after_step(
        limits(max_errors=3, max_seconds=1, time_check=TimeCheck.AFTER_STEP), tally
    )
    assert stop is not None
    assert (stop.reason, stop.also) == (StopReason.TIME, ("max_errors",))


@pytest.mark.parametrize("other", REACHED)
def test_a_repeat_names_what_else_was_reached(other: str) -> None:
    tally = Tally()
    tally.count_call("a", Kind.OK)
    REACHED[other](tally)
    stop = check_repeat(limits(allowed_repeats=0, **FULL), tally, "a", copy=False)
    assert stop is not None
    assert (stop.reason, stop.also) == (StopReason.REPEATED_CALL, (other,))


GOOD = (Kind.OK, Kind.PROPOSED)
BAD = (Kind.NOT_FOUND, Kind.REFUSED, Kind.INVALID, Kind.FAILED)


@pytest.mark.parametrize("kind", [*GOOD, *BAD])
def test_any_matches_whatever_the_earlier_outcome_and_after_success_only_a_good_one(
    kind: Kind,
) -> None:
    tally = Tally()
    tally.count_call("a", kind)
    either = limits(allowed_repeats=0, repeat=Repeat.ANY)
    success = limits(allowed_repeats=0, repeat=Repeat.AFTER_SUCCESS)
    assert reason(check_repeat(either, tally, "a", copy=False)) == "repeated_call"
    assert (check_repeat(success, tally, "a", copy=False) is not None) is (kind in GOOD)
    assert check_repeat(either, tally, "b", copy=False) is None


def test_one_good_outcome_among_failures_is_remembered() -> None:
    tally = Tally()
    for kind in (Kind.FAILED, Kind.OK, Kind.FAILED):
        tally.count_call("a", kind)
    bounds = limits(allowed_repeats=0, repeat=Repeat.AFTER_SUCCESS)
    assert reason(check_repeat(bounds, tally, "a", copy=False)) == "repeated_call"


@pytest.mark.parametrize("allowed", [0, 1, 2])
def test_allowed_repeats_run_and_the_next_one_stops(allowed: int) -> None:
    bounds = limits(allowed_repeats=allowed)
    tally = Tally()
    for name in ("a", "b"):
        tally.count_call(name, Kind.OK)
    for number in range(allowed):
        name = "ab"[number % 2]
        assert check_repeat(bounds, tally, name, copy=False) is None
        tally.count_call(name, Kind.OK)
    stop = check_repeat(bounds, tally, "b", copy=False)
    assert stop is not None
    assert (stop.limit, stop.limit_value, stop.observed) == (
        "allowed_repeats",
        str(allowed),
        str(allowed + 1),
    )


def test_no_limit_of_repeats_switches_the_rule_off() -> None:
    tally = Tally()
    tally.count_call("a", Kind.OK)
    assert all(check_repeat(limits(), tally, "a", copy=copy) is None for copy in (True, False))
    assert tally.repeats == 0


def test_a_copy_in_one_reply_is_a_repeat_whatever_the_first_came_to() -> None:
    tally = Tally()
    tally.count_call("a", Kind.FAILED)
    stop_copies = limits(
        allowed_repeats=0, repeat=Repeat.AFTER_SUCCESS, duplicates_in_reply=Duplicates.STOP
    )
    assert reason(check_repeat(stop_copies, tally, "a", copy=True)) == "repeated_call"
    assert check_repeat(stop_copies, tally, "a", copy=False) is None


@pytest.mark.parametrize("kind", Kind)
def test_each_kind_resets_the_streak_extends_it_or_touches_nothing(kind: Kind) -> None:
    tally = Tally(errors=2)
    tally.count_kind(kind)
    expected = 0 if kind in GOOD else 3 if kind in BAD else 2
    assert tally.errors == expected


def test_time_left() -> None:
    bounds = limits(max_seconds=2)
    assert time_left_us(bounds, Tally(model_us=SECOND // 2)) == 1_500_000
    assert time_left_us(bounds, Tally(model_us=2 * SECOND)) == 0
    assert time_left_us(bounds, Tally(model_us=3 * SECOND)) == 0
    assert time_left_us(limits(), Tally(model_us=SECOND)) is None


def test_a_finish_names_no_limit_even_where_one_is_reached() -> None:
    tally = Tally(steps=9, errors=9)
    stop = stopped(limits(max_steps=1, max_errors=1), tally, StopReason.FINISHED)
    assert stop == Stop(reason=StopReason.FINISHED, step=9)


def test_an_end_that_no_limit_brought_names_the_limits_that_were_reached_too() -> None:
    stop = stopped(limits(max_steps=1), Tally(steps=1), StopReason.CANCELLED, "ticket deleted")
    assert stop == Stop(
        reason=StopReason.CANCELLED, step=1, also=("max_steps",), cause="ticket deleted"
    )


@pytest.mark.parametrize("given", [None, 2])
def test_a_call_that_the_budget_cut_names_the_time_limit(given: int | None) -> None:
    stop = stopped(limits(max_seconds=given), Tally(model_us=SECOND), StopReason.TIME, "cut")
    assert (stop.limit, stop.limit_value, stop.cause) == (
        "max_seconds",
        None if given is None else "2",
        "cut",
    )
    assert stop.observed is not None
    assert stop.observed.startswith("1, ")

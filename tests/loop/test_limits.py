"""Limits are validated values: not given, given, None and 0 are four things."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loop import (
    LIMIT_NAMES,
    NOT_GIVEN,
    PROFILES,
    Duplicates,
    LimitRefused,
    Limits,
    Repeat,
    RunClock,
    TimeCheck,
    get_profile,
    limits_from_text,
)
from loop.limits import LARGEST

BASE = get_profile("resolver").limits
WHOLE = {
    "max_steps": 0,
    "allowed_repeats": 0,
    "max_errors": 1,
    "max_result_chars": 200,
    "max_calls_per_step": 1,
}
NUMBERS = ("max_seconds", "max_cost_usd")
CHOICES = ("clock", "time_check", "repeat", "duplicates_in_reply")


def test_the_resolvers_limits_are_those_of_the_design() -> None:
    assert BASE.as_dict() == {
        "max_steps": 8,
        "max_seconds": "120",
        "clock": "model",
        "time_check": "before_call",
        "max_cost_usd": "0.05",
        "repeat": "after_success",
        "allowed_repeats": 0,
        "duplicates_in_reply": "collapse",
        "max_errors": 3,
        "max_result_chars": 4000,
        "max_calls_per_step": 8,
    }


@pytest.mark.parametrize("name", ["assistant", "desk"])
def test_the_assistants_limits_are_those_of_the_design_and_the_desk_has_the_same(name: str) -> None:
    assert get_profile(name).limits.as_dict() == {
        "max_steps": 4,
        "max_seconds": "60",
        "clock": "wall",
        "time_check": "after_step",
        "max_cost_usd": None,
        "repeat": "any",
        "allowed_repeats": 0,
        "duplicates_in_reply": "stop",
        "max_errors": None,
        "max_result_chars": 2000,
        "max_calls_per_step": 8,
    }


@pytest.mark.parametrize("name", LIMIT_NAMES)
def test_a_limit_that_is_not_given_keeps_the_profiles_value(name: str) -> None:
    assert BASE.changed(**{name: NOT_GIVEN}) == BASE


@pytest.mark.parametrize("name", [*WHOLE, *NUMBERS])
def test_none_is_no_limit_and_not_the_profiles_value(name: str) -> None:
    assert getattr(BASE.changed(**{name: None}), name) is None


@pytest.mark.parametrize("name", ["max_steps", "allowed_repeats", *NUMBERS])
def test_zero_is_a_limit_of_zero(name: str) -> None:
    assert getattr(BASE.changed(**{name: 0}), name) == 0


@pytest.mark.parametrize(("name", "least"), WHOLE.items())
def test_a_whole_limit_at_below_and_above_its_least(name: str, least: int) -> None:
    with pytest.raises(LimitRefused, match=f"limit {name}"):
        BASE.changed(**{name: least - 1})
    assert getattr(BASE.changed(**{name: least}), name) == least
    assert getattr(BASE.changed(**{name: least + 1}), name) == least + 1


@pytest.mark.parametrize("name", [*WHOLE, *NUMBERS])
def test_the_largest_limit(name: str) -> None:
    assert getattr(BASE.changed(**{name: LARGEST}), name) == LARGEST
    with pytest.raises(LimitRefused):
        BASE.changed(**{name: LARGEST + 1})


@pytest.mark.parametrize("name", [*WHOLE, *NUMBERS])
@pytest.mark.parametrize(
    "value",
    [
        True,
        False,
        -1,
        "4",
        "",
        float("nan"),
        float("inf"),
        float("-inf"),
        Decimal("NaN"),
        Decimal("sNaN"),
        Decimal("Infinity"),
        10**400,
        [],
        NotImplemented,
    ],
)
def test_what_cannot_be_a_limit_is_refused_when_limits_are_built(name: str, value: Any) -> None:
    with pytest.raises(LimitRefused) as refused:
        BASE.changed(**{name: value})
    assert refused.value.limit == name


@pytest.mark.parametrize("value", [1.5, Decimal("1.5"), 4.0])
@pytest.mark.parametrize("name", WHOLE)
def test_a_fraction_is_no_whole_limit(name: str, value: Any) -> None:
    with pytest.raises(LimitRefused):
        BASE.changed(**{name: value})


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_kept_as_exact_decimals(name: str) -> None:
    assert getattr(BASE.changed(**{name: 0.1}), name) == Decimal("0.1")
    assert getattr(BASE.changed(**{name: 3}), name) == Decimal(3)
    assert getattr(BASE.changed(**{name: Decimal("0.0000001")}), name) == Decimal("0.0000001")
    with pytest.raises(LimitRefused):
        BASE.changed(**{name: Decimal("-0.0000001")})


@pytest.mark.parametrize("name", CHOICES)
@pytest.mark.parametrize("value", [None, 0, "any", "model", "after_step", "stop", "nonsense"])
def test_a_choice_takes_its_own_words_only_and_never_none(name: str, value: Any) -> None:
    with pytest.raises(LimitRefused, match="is one of"):
        BASE.changed(**{name: value})


def test_an_unknown_name_is_refused_with_the_names_that_there_are() -> None:
    with pytest.raises(LimitRefused, match="limit steps: no such limit; there are max_steps"):
        BASE.changed(steps=4)
    with pytest.raises(LimitRefused, match="no such limit"):
        limits_from_text({"steps": "4"})


def test_changing_leaves_the_profiles_own_limits_alone() -> None:
    BASE.changed(max_steps=1)
    assert PROFILES["resolver"].limits.max_steps == 8


def test_limits_as_text() -> None:
    given = {
        "max_steps": " 4 ",
        "max_seconds": "1.5",
        "max_cost_usd": "none",
        "allowed_repeats": "Unlimited",
        "max_errors": "off",
        "repeat": "any",
        "clock": "wall",
        "time_check": "after_step",
        "duplicates_in_reply": "stop",
    }
    assert limits_from_text(given) == {
        "max_steps": 4,
        "max_seconds": Decimal("1.5"),
        "max_cost_usd": None,
        "allowed_repeats": None,
        "max_errors": None,
        "repeat": Repeat.ANY,
        "clock": RunClock.WALL,
        "time_check": TimeCheck.AFTER_STEP,
        "duplicates_in_reply": Duplicates.STOP,
    }


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("max_steps", "four"),
        ("max_steps", "1.5"),
        ("max_steps", ""),
        ("max_steps", "9" * 5000),
        ("max_seconds", "soon"),
        ("max_cost_usd", ""),
        ("repeat", "none"),
        ("clock", "sundial"),
    ],
)
def test_a_text_that_is_no_limit_is_refused(name: str, text: str) -> None:
    with pytest.raises(LimitRefused, match=f"limit {name}"):
        limits_from_text({name: text})


@pytest.mark.parametrize(
    "text",
    ["nan", "sNaN", "inf", "-1", "1e999999", "1e10", "1e-99999999", "0e-99999999", f"0.{'1' * 21}"],
)
def test_a_text_that_is_a_number_and_no_limit_is_refused_where_limits_are_built(text: str) -> None:
    with pytest.raises(LimitRefused):
        BASE.changed(**limits_from_text({"max_seconds": text}))


_NUMBER = st.none() | st.decimals(0, LARGEST, places=6)


@given(
    steps=st.none() | st.integers(0, LARGEST),
    seconds=_NUMBER,
    cost=_NUMBER,
    errors=st.none() | st.integers(1, LARGEST),
)
def test_limits_come_back_from_their_stored_form(
    steps: int | None, seconds: Decimal | None, cost: Decimal | None, errors: int | None
) -> None:
    limits = BASE.changed(
        max_steps=steps, max_seconds=seconds, max_cost_usd=cost, max_errors=errors
    )
    assert Limits.from_dict(limits.as_dict()) == limits


@pytest.mark.parametrize(
    "change", [{"max_steps": True}, {"max_seconds": "x"}, {"repeat": None}, {"more": 1}]
)
def test_a_stored_form_that_is_wrong_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(LimitRefused):
        Limits.from_dict(BASE.as_dict() | change)


def test_a_stored_form_without_a_limit_is_refused() -> None:
    stored = BASE.as_dict()
    del stored["max_errors"]
    with pytest.raises(LimitRefused, match="max_errors"):
        Limits.from_dict(stored)

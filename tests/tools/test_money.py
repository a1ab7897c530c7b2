"""Money: minor units with a currency."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools import Money, MoneyError, currency_digits
from tools.money import MAX_MINOR

amounts = st.integers(-MAX_MINOR, MAX_MINOR)


@pytest.mark.parametrize(
    ("amount", "currency", "minor", "text"),
    [
        ("9.949", "CAD", 995, "9.95 CAD"),
        ("9.945", "CAD", 995, "9.95 CAD"),
        ("9.9449", "CAD", 994, "9.94 CAD"),
        ("0.00499999999999999999999999999999999", "CAD", 0, "0.00 CAD"),
        ("0.5", "JPY", 1, "1 JPY"),
        ("1.2345", "KWD", 1235, "1.235 KWD"),
        (5, "CAD", 500, "5.00 CAD"),
        (Decimal("-0.005"), "CAD", -1, "-0.01 CAD"),
    ],
)
def test_an_amount_is_rounded_once_half_up(
    amount: Decimal | int | str, currency: str, minor: int, text: str
) -> None:
    money = Money.of(amount, currency)

    assert money.minor == minor
    assert str(money) == text


@given(amounts, st.sampled_from(["JPY", "CAD", "KWD"]))
def test_an_amount_survives_its_own_text(minor: int, currency: str) -> None:
    money = Money(minor, currency)

    assert Money.of(money.amount_text, currency) == money


@pytest.mark.parametrize("amount", [1.5, True, "ten", "NaN", "Infinity", "1e16", 10**14])
def test_what_is_no_amount_is_refused(amount: Any) -> None:
    with pytest.raises(MoneyError):
        Money.of(amount, "CAD")


@pytest.mark.parametrize(
    ("typed", "currency", "minor"),
    [
        ("12.50", "CAD", 1_250),
        ("12,50", "CAD", 1_250),
        (" 12,5 ", "CAD", 1_250),
        ("1000", "CAD", 100_000),
        ("0", "CAD", 0),
        ("1250", "JPY", 1_250),
        ("100.00", "JPY", 100),
        ("1.0", "JPY", 1),
        ("1.2500", "KWD", 1_250),
        ("1.250", "KWD", 1_250),
        ("12,5", "KWD", 12_500),
    ],
)
def test_what_a_person_typed_is_read_with_a_point_or_a_comma(
    typed: str, currency: str, minor: int
) -> None:
    assert Money.typed(typed, currency) == Money(minor, currency)


@pytest.mark.parametrize(
    ("typed", "currency"),
    [
        *((typed, "CAD") for typed in ("1,000", "1.000", "9.444", "9.955", "1,000.00", "1.000,00")),
        *(
            (typed, "CAD")
            for typed in ("1 000", "1'000", "12.", ".5", "", "-5", "+5", "1e3", "1_0")
        ),
        *((typed, "CAD") for typed in ("NaN", "\u0661\u0662", "12.50 CAD", "$12.50", "9" * 13)),
        *((typed, "JPY") for typed in ("1,000", "1.000", "1.5", "1.")),
        *((typed, "KWD") for typed in ("1,250", "1.2501", "1,2501")),
    ],
)
def test_what_a_person_typed_is_never_rounded_or_guessed(typed: str, currency: str) -> None:
    with pytest.raises(MoneyError, match=f"^an amount in {currency} "):
        Money.typed(typed, currency)


@given(st.integers(0, 10**12), st.sampled_from(["JPY", "CAD", "KWD"]))
def test_an_amount_as_we_write_it_is_read_as_it_is(minor: int, currency: str) -> None:
    money = Money(minor, currency)

    assert Money.typed(money.amount_text, currency) == money


@pytest.mark.parametrize("minor", [1.0, True, "1", MAX_MINOR + 1, -MAX_MINOR - 1])
def test_minor_units_are_bounded_whole_numbers(minor: Any) -> None:
    with pytest.raises(MoneyError):
        Money(minor, "CAD")


@pytest.mark.parametrize("currency", ["", "cad", "CADX", "C1D", "CAD\n"])
def test_a_currency_is_three_capital_letters(currency: str) -> None:
    with pytest.raises(MoneyError, match="three capital letters"):
        currency_digits(currency)


def test_sums_and_comparisons() -> None:
    one, two = Money(100, "CAD"), Money(200, "CAD")

    assert one + one == two
    assert two - one == one
    assert one * 2 == two
    assert one < two
    assert one <= one  # noqa: PLR0124 (the boundary of "not above")
    assert not two <= one


def test_currencies_do_not_mix() -> None:
    for mixed in (
        lambda: Money(1, "CAD") + Money(1, "USD"),
        lambda: Money(1, "CAD") - Money(1, "USD"),
        lambda: Money(1, "CAD") < Money(1, "USD"),
        lambda: Money(1, "CAD") <= Money(1, "USD"),
    ):
        with pytest.raises(MoneyError, match="CAD and USD"):
            mixed()


def test_equal_numbers_of_two_currencies_differ() -> None:
    assert Money(1, "CAD") != Money(1, "USD")

"""Amounts of money as English and French write them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from loop.gates.amounts import amounts_in, readings
from loop.gates.words import plain


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("119.00", "119"),
        ("119,00 $", "119"),
        ("$119", "119"),
        ("119 dollars", "119"),
        ("C$ 9.95", "9.95"),
        ("37,45 CAD", "37.45"),
        ("CAD 37.45", "37.45"),
        ("1,234.50 dollars", "1234.50"),
        ("1 234,50 $", "1234.50"),
        ("1\u202f234,50\u00a0$", "1234.50"),
        ("12 € de frais", "12"),
        ("50 cents", "0.5"),
        ("about 83.95, I think", "83.95"),
    ],
)
def test_an_amount_is_read(text: str, amount: str) -> None:
    assert [frozenset({Decimal(amount)})] == list(amounts_in(plain(text)))


@pytest.mark.parametrize(
    "text",
    [
        "LK-581106",
        "2026-10-09",
        "09.10.2026",
        "3 to 5 business days",
        "2.50 m of hose",
        "20.00 %",
        "version 1.2",
        "at 10.30 am",
    ],
)
def test_what_is_no_amount_is_not_read(text: str) -> None:
    assert list(amounts_in(plain(text))) == []


def test_every_amount_of_a_text_is_read() -> None:
    text = plain("129.00 dollars less 12.95 $ and $4")

    assert [{Decimal(129)}, {Decimal("12.95")}, {Decimal(4)}] == list(amounts_in(text))


def test_three_digits_after_one_mark_can_mean_two_things() -> None:
    assert {Decimal(1234), Decimal("1.234")} == readings("1.234")
    assert {Decimal(1234567)} == readings("1.234.567")
    assert {Decimal("1234.567")} == readings("1,234.567")

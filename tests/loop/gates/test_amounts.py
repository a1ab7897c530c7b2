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
        ("250.00 in full", "250"),
        ("250,00 l'unité", "250"),
        ("1,234.51", "1234.51"),
        ("1.234,51 en tout", "1234.51"),
        ("50 CA$", "50"),
        ("50Can$", "50"),
        ("CAD$50", "50"),
        ("$.50", "0.5"),
        ("50.-", "50"),
        ("50,\u2013 seulement", "50"),
        ("at 12.30 dollars", "12.3"),
        ("sold at 19.95", "19.95"),
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
        "at 12.30",
        "open 9.00-17.00",
        "from 9.00 to 17.00",
        "version 3.14",
        "a 2.50 cm screw",
    ],
)
def test_what_is_no_amount_is_not_read(text: str) -> None:
    assert list(amounts_in(plain(text))) == []


@pytest.mark.parametrize("text", ["250.00 m. Tremblay", "250.00 at 12.30", "12.30", "2.50 m"])
def test_what_is_read_closely_counts_a_bare_number_whatever_stands_beside_it(text: str) -> None:
    assert len(list(amounts_in(plain(text), loose=False))) >= 1
    assert len(list(amounts_in(plain(text), loose=False))) >= len(list(amounts_in(plain(text))))


@pytest.mark.parametrize("text", ["20.00 %", "20.00 cm", "09.10.2026"])
def test_what_cannot_be_money_is_not_read_even_closely(text: str) -> None:
    assert list(amounts_in(plain(text), loose=False)) == []


def test_every_amount_of_a_text_is_read() -> None:
    text = plain("129.00 dollars less 12.95 $ and $4")

    assert [{Decimal(129)}, {Decimal("12.95")}, {Decimal(4)}] == list(amounts_in(text))


def test_three_digits_after_one_mark_can_mean_two_things() -> None:
    assert {Decimal(1234), Decimal("1.234")} == readings("1.234")
    assert {Decimal(1234567)} == readings("1.234.567")
    assert {Decimal("1234.567")} == readings("1,234.567")

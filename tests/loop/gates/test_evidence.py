"""What the gate takes from the results that the model saw."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from loop.gates.claims import Deed
from loop.gates.evidence import Evidence, ids_in
from tools import IdForm, IdForms

FORMS = IdForms()


def seen(content: Any) -> Evidence:
    """Return the evidence of one result."""
    return Evidence([json.dumps(content)], FORMS)


def test_ids_are_found_wherever_they_stand() -> None:
    evidence = seen({"order": {"order_id": "LK-581106"}, "note": ["see PAY-118342-1, C-81265"]})

    assert {"LK-581106", "PAY-118342-1", "C-81265"} == evidence.ids


def test_ids_are_one_in_small_letters_and_with_another_hyphen() -> None:
    assert {"LK-581106"} == ids_in("lk-581106 and LK\u2011581106", FORMS)


@pytest.mark.parametrize(
    "typed",
    ["LK 581106", "LK581106", "lk581106", "LK\u2014581106", "LK_581106", "LK #581106",
     "orderLK-581106", "\u2116LK-581106"],
)  # fmt: skip
def test_an_id_is_found_however_it_is_typed(typed: str) -> None:
    assert {"LK-581106"} == ids_in(f"about {typed}.", FORMS)


@pytest.mark.parametrize(
    "text",
    ["XLK-581106", "LK-5811067", "LK 5811067", "SILK 581106", "ALK581106", "LK, or 581106",
     "vitamin C 12345", "order 581106"],
)  # fmt: skip
def test_what_only_looks_like_an_id_is_none(text: str) -> None:
    assert set() == ids_in(text, FORMS)


def test_a_form_of_another_shape_is_found_as_it_is_alone() -> None:
    forms = IdForms(order=IdForm("(?:LK|MK)-[0-9]{6}", "LK- or MK- and 6 digits"))

    assert {"MK-581106"} == ids_in("MK-581106 and LK 581106", forms)


def test_the_pieces_of_a_line_cost_their_price_times_their_quantity() -> None:
    evidence = seen({"items": [{"price": "36.00", "quantity": 2}, {"price": "5.00"}]})

    assert {Decimal(72)} == evidence.line_totals
    assert Decimal(72) not in evidence.amounts
    assert set() == seen({"price": "36.00", "quantity": True}).line_totals


def test_the_form_of_ids_is_the_shops() -> None:
    forms = IdForms(order=IdForm("[0-9]{8}", "8 digits"))

    assert {"20261009"} == ids_in("order 20261009, not LK-581106", forms)


def test_amounts_are_numbers_under_a_key_for_money_and_amounts_in_texts() -> None:
    evidence = seen(
        {
            "total": "899",
            "shipping_fee": 9.95,
            "items": [{"price": "64.00", "quantity": 3}],
            "days": 10,
            "text": "12.95 dollars is taken from the refund of 2 items.",
            "is_paid": True,
        }
    )

    assert {Decimal(899), Decimal("9.95"), Decimal(64), Decimal("12.95")} == evidence.amounts


@pytest.mark.parametrize(
    ("content", "deeds"),
    [
        ({"refunds": [{"amount": "9.95"}]}, {Deed.REFUND}),
        ({"refunds": [], "return_labels": [], "reshipments": []}, set()),
        (
            {"return_labels": [{"sku": "RUG-W"}], "reshipments": [{}]},
            {Deed.LABEL, Deed.REPLACEMENT},
        ),
        ({"order": {"status": "cancelled"}}, {Deed.CANCELLATION}),
        ({"payments": [{"status": "refunded"}]}, {Deed.REFUND}),
        ({"order": {"status": "shipped"}, "note": "cancelled"}, set()),
    ],
)
def test_deeds_are_what_the_shop_lists_as_done(content: Any, deeds: set[Deed]) -> None:
    assert deeds == seen(content).deeds


def test_a_result_that_is_no_json_is_read_as_text() -> None:
    evidence = Evidence(["LK-581106 costs 9.95 dollars"], FORMS)

    assert evidence.ids == {"LK-581106"}
    assert evidence.amounts == {Decimal("9.95")}

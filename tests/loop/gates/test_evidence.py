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

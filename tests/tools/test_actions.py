"""Actions are values: whole in their stored form, and strict."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from tools import (
    Action,
    CreateReturnLabel,
    LabelReason,
    Money,
    RefundReason,
    RefundTarget,
    RequestRefund,
    ReshipItem,
    action_from_dict,
    action_to_dict,
)

REFUND: dict[str, Any] = {
    "order_id": "LK-1",
    "amount_minor": 995,
    "currency": "CAD",
    "reason_code": RefundReason.LATE,
}


@pytest.mark.parametrize(
    "action",
    [
        CreateReturnLabel(order_id="LK-1", sku="RUG-W", reason=LabelReason.DAMAGED),
        ReshipItem(order_id="LK-1", sku="RUG-W", quantity=2),
        RequestRefund(**REFUND),
        RequestRefund(**REFUND | {"sku": "RUG-W", "quantity": 1}),
    ],
)
def test_an_action_survives_its_stored_form(action: Action) -> None:
    stored = action_to_dict(action)

    assert action_from_dict(stored) == action
    assert stored["tool"] == action.tool
    assert set(stored) == set(type(action).model_fields)


@pytest.mark.parametrize(
    ("changes", "target"),
    [
        ({}, RefundTarget.FEE),
        ({"payment_id": "PAY-1"}, RefundTarget.PAYMENT),
        ({"sku": "RUG-W", "quantity": 1}, RefundTarget.ITEM),
    ],
)
def test_a_refund_says_what_it_is_for(changes: dict[str, Any], target: RefundTarget) -> None:
    refund = RequestRefund(**REFUND | changes)

    assert refund.target is target
    assert refund.money == Money(995, "CAD")


@pytest.mark.parametrize(
    "changes",
    [
        {"amount_minor": 0},
        {"amount_minor": 9.95},
        {"sku": "RUG-W"},
        {"quantity": 1},
        {"reason_code": RefundReason.DAMAGE},
        {"reason_code": RefundReason.DOUBLE},
        {"reason_code": "RFD-X"},
        {"extra": 1},
    ],
)
def test_a_refund_that_breaks_a_rule_cannot_be_made(changes: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        RequestRefund(**REFUND | changes)


@pytest.mark.parametrize("value", [None, {}, {"tool": "delete_order"}, {"tool": "reship_item"}])
def test_nothing_else_is_read_as_an_action(value: object) -> None:
    with pytest.raises(ValidationError):
        action_from_dict(value)

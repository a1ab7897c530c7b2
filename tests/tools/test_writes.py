"""The write tools check and stage; they change nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.tools.conftest import ALL_TOOLS, Box
from tools import (
    PRACTICE_TODAY,
    CallResult,
    CreateReturnLabel,
    Kind,
    LabelReason,
    PracticeShop,
    RefundReason,
    RequestRefund,
    ReshipItem,
    ShopInvalid,
    ShopView,
    Toolbox,
    ToolContext,
    build_toolbox,
    check_action,
    open_view,
)
from tools.check import check_possible

REFUND: dict[str, Any] = {
    "order_id": "LK-100001",
    "amount": 9.95,
    "reason_code": "RFD-LATE",
    "sku": None,
    "quantity": None,
    "payment_id": None,
}
TROWEL = {"order_id": "LK-100002", "sku": "TROWEL"}
RUG = {"order_id": "LK-100002", "sku": "RUG-W"}


def refund(box: Toolbox, **changes: Any) -> CallResult:
    """Call request_refund with some of the arguments replaced."""
    return box.call("request_refund", json.dumps(REFUND | changes))


def test_a_refund_is_staged_with_the_currency_of_its_order(box: Box) -> None:
    result = refund(box())

    assert (result.kind, result.code) == (Kind.PROPOSED, "proposed")
    assert result.action == RequestRefund(
        order_id="LK-100001",
        amount_minor=995,
        currency="CAD",
        reason_code=RefundReason.LATE,
    )
    assert result.content["ok"] is True
    assert "Nothing has changed" in result.content["message"]


def test_a_label_and_a_reshipment_are_staged(box: Box) -> None:
    label = box().call("create_return_label", json.dumps(RUG | {"reason": "damaged"}))
    again = box().call("reship_item", json.dumps(TROWEL | {"quantity": 1}))

    assert label.action == CreateReturnLabel(
        order_id="LK-100002", sku="RUG-W", reason=LabelReason.DAMAGED
    )
    assert again.action == ReshipItem(order_id="LK-100002", sku="TROWEL", quantity=1)
    assert label.kind is again.kind is Kind.PROPOSED


def test_staging_changes_nothing_in_the_shop(box: Box, shop: PracticeShop) -> None:
    before = shop.path.read_bytes()

    refund(box())
    box().call("create_return_label", json.dumps(RUG | {"reason": "damaged"}))
    box().call("reship_item", json.dumps(TROWEL | {"quantity": 1}))

    assert shop.path.read_bytes() == before


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"amount": 0}, "amount"),
        ({"amount": 5000.01}, "amount"),
        ({"amount": "9.95"}, "amount"),
        ({"amount": 0.001}, "amount"),
        ({"reason_code": "RFD-GIFT"}, "reason_code"),
        ({"reason_code": "RFD-DAMAGE"}, "names sku and quantity"),
        ({"reason_code": "RFD-DOUBLE"}, "names the payment"),
        ({"sku": "COMPOST"}, "both sku and quantity"),
        ({"quantity": 1}, "both sku and quantity"),
        ({"sku": "X", "quantity": 1}, "sku"),
        ({"sku": "COMPOST", "quantity": 11}, "quantity"),
        ({"payment_id": "PAY-1"}, "payment_id"),
        ({"order_id": "LK-1"}, "order_id"),
        ({"customer_id": "C-10001"}, "exactly these keys"),
    ],
)
def test_a_refund_out_of_form_is_invalid(box: Box, changes: dict[str, Any], fault: str) -> None:
    result = refund(box(), **changes)

    assert (result.kind, result.code) == (Kind.INVALID, "invalid_arguments")
    assert fault in result.content["error"]
    assert result.action is None


def test_the_form_is_checked_before_existence(box: Box) -> None:
    result = refund(box(), order_id="LK-999999", reason_code="RFD-DAMAGE")

    assert result.code == "invalid_arguments"


@pytest.mark.parametrize(
    ("changes", "code"),
    [({"order_id": "LK-100003"}, "other_customer"), ({"order_id": "LK-999999"}, "not_found")],
)
def test_a_write_on_an_order_that_is_not_yours_is_refused(
    box: Box, changes: dict[str, Any], code: str
) -> None:
    label = box().call("create_return_label", json.dumps(RUG | changes | {"reason": "damaged"}))

    assert refund(box(), **changes).code == code
    assert label.code == code
    assert "is not available to this customer" in label.content["error"]


@pytest.mark.parametrize(
    ("changes", "possible"),
    [
        # Without item and payment it is of the delivery fee.
        ({"amount": 9.95}, True),
        ({"amount": 9.96}, False),
        ({"amount": 73.96, "payment_id": "PAY-100001-1"}, False),
        ({"amount": 73.95, "payment_id": "PAY-100001-1"}, True),
        ({"amount": 1, "payment_id": "PAY-100001-A"}, False),
        ({"amount": 1, "payment_id": "PAY-100002-1"}, False),
        ({"amount": 64, "sku": "COMPOST", "quantity": 1}, True),
        ({"amount": 64.01, "sku": "COMPOST", "quantity": 1}, False),
        ({"amount": 64, "sku": "COMPOST", "quantity": 2}, False),
        ({"amount": 64, "sku": "RUG-W", "quantity": 1}, False),
        # What was paid twice and went back once counts for nothing; 8.50 went back since.
        ({"order_id": "LK-100002", "amount": 0.01}, False),
        ({"order_id": "LK-100002", "amount": 140.50, "payment_id": "PAY-100002-1"}, True),
        ({"order_id": "LK-100002", "amount": 140.51, "payment_id": "PAY-100002-1"}, False),
        ({"order_id": "LK-100002", "amount": 1, "payment_id": "PAY-100002-2"}, False),
    ],
)
def test_a_refund_is_at_most_what_is_left(
    box: Box, changes: dict[str, Any], possible: bool
) -> None:
    result = refund(box(), **changes)

    assert result.kind is (Kind.PROPOSED if possible else Kind.REFUSED)
    assert result.code == ("proposed" if possible else "service_invalid")


@pytest.mark.parametrize(
    ("sku", "quantity", "kind"),
    [
        ("RUG-W", 1, Kind.PROPOSED),
        ("RUG-W", 2, Kind.REFUSED),
        ("TROWEL", 1, Kind.PROPOSED),
        ("TROWEL", 2, Kind.REFUSED),
        ("COMPOST", 1, Kind.REFUSED),
    ],
)
def test_a_reshipment_needs_the_item_in_the_order_and_in_stock(
    box: Box, sku: str, quantity: int, kind: Kind
) -> None:
    arguments = {"order_id": "LK-100002", "sku": sku, "quantity": quantity}

    assert box().call("reship_item", json.dumps(arguments)).kind is kind


@pytest.mark.parametrize(
    ("customer_id", "order_id", "sku", "reason", "kind"),
    [
        ("C-10001", "LK-100002", "RUG-W", "change_of_mind", Kind.PROPOSED),
        ("C-10001", "LK-100001", "COMPOST", "damaged", Kind.REFUSED),
        ("C-10002", "LK-100003", "BENCH", "damaged", Kind.PROPOSED),
        ("C-10002", "LK-100003", "BENCH", "change_of_mind", Kind.REFUSED),
        ("C-10002", "LK-100003", "CUSH", "damaged", Kind.REFUSED),
        ("C-10002", "LK-100004", "FEEDER", "damaged", Kind.REFUSED),
    ],
)
def test_a_label_needs_a_delivered_item_that_may_come_back(
    box: Box, customer_id: str, order_id: str, sku: str, reason: str, kind: Kind
) -> None:
    arguments = {"order_id": order_id, "sku": sku, "reason": reason}

    assert box(customer_id).call("create_return_label", json.dumps(arguments)).kind is kind


def test_what_the_shop_does_not_know_is_refused_and_not_guessed(folder: Path) -> None:
    (folder / "products.csv").unlink()
    (folder / "payments.csv").unlink()
    calls = (
        ("reship_item", TROWEL | {"quantity": 1}, "stock of the item is not known"),
        ("create_return_label", RUG | {"reason": "change_of_mind"}, "is not known to be one"),
        ("request_refund", REFUND, "payments are not known"),
    )

    with PracticeShop.from_folder(folder) as shop:
        context = ToolContext.of(shop, customer_id="C-10001", today=PRACTICE_TODAY)
        box = build_toolbox(ALL_TOOLS, context)
        for name, arguments, reason in calls:
            result = box.call(name, json.dumps(arguments))
            assert result.code == "service_invalid"
            assert reason in result.content["error"]
        label = box.call("create_return_label", json.dumps(RUG | {"reason": "wrong_item"}))

    assert label.kind is Kind.PROPOSED


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (
            RequestRefund(
                order_id="LK-100001", amount_minor=1, currency="USD", reason_code=RefundReason.LATE
            ),
            "currency is CAD",
        ),
        (
            RequestRefund(
                order_id="LK-100001",
                amount_minor=500_001,
                currency="CAD",
                reason_code=RefundReason.LATE,
            ),
            "at most 5000",
        ),
    ],
)
def test_an_action_from_elsewhere_meets_the_same_check(
    shop: PracticeShop, action: RequestRefund, reason: str
) -> None:
    view: ShopView = open_view(shop, "C-10001")

    with pytest.raises(ShopInvalid, match=reason):
        check_action(view, action)


def test_a_refund_without_knowing_the_payments_is_not_possible(shop: PracticeShop) -> None:
    order = open_view(shop, "C-10001").order("LK-100001")
    refund = RequestRefund(
        order_id="LK-100001", amount_minor=1, currency="CAD", reason_code=RefundReason.LATE
    )

    with pytest.raises(ShopInvalid, match="payments are not known"):
        check_possible(refund, order, None)

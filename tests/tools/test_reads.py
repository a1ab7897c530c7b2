"""The read tools over the small shop."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.tools.conftest import FILES, Box
from tools import (
    PRACTICE_TODAY,
    Kind,
    OrderFact,
    PracticeShop,
    ToolContext,
    build_toolbox,
)

CUSTOMERS = ("C-10001", "C-10002")


def test_get_order_tells_all_that_hangs_on_an_order(box: Box) -> None:
    result = box().call("get_order", '{"order_id": "LK-100002"}')

    assert result.kind is Kind.OK
    assert result.orders == (OrderFact(order_id="LK-100002", status="delivered", currency="CAD"),)
    assert result.content == {
        "ok": True,
        "order": {
            "order_id": "LK-100002",
            "status": "delivered",
            "ordered_on": "2026-09-20",
            "shipped_on": "2026-09-22",
            "delivered_on": "2026-09-25",
            "days_since_delivery": 14,
            "currency": "CAD",
            "shipping_fee": "0.00",
            "total": "149.00",
            "gift_message": "Happy, birthday",
            "items": [
                {
                    "sku": "RUG-W",
                    "product": "rug",
                    "quantity": 1,
                    "price": "132.00",
                    "box": 1,
                    "in_stock": True,
                    "returnable": True,
                },
                {
                    "sku": "TROWEL",
                    "product": "trowel",
                    "quantity": 2,
                    "price": "8.50",
                    "box": 1,
                    "in_stock": True,
                    "returnable": True,
                },
            ],
            "boxes": [
                {
                    "box": 1,
                    "status": "delivered",
                    "shipped_on": "2026-09-22",
                    "delivered_on": "2026-09-25",
                    "days_since_delivery": 14,
                    "business_days_since_delivery": 10,
                    "last_scan_on": "2026-09-25",
                    "courier_note": None,
                }
            ],
            "refunds": [
                {
                    "amount": "149.00",
                    "currency": "CAD",
                    "reason_code": "RFD-DOUBLE",
                    "payment_id": "PAY-100002-2",
                    "sku": None,
                    "quantity": None,
                    "created_on": "2026-09-30",
                },
                {
                    "amount": "8.50",
                    "currency": "CAD",
                    "reason_code": "RFD-DAMAGE",
                    "payment_id": "PAY-100002-1",
                    "sku": "TROWEL",
                    "quantity": 1,
                    "created_on": "2026-10-01",
                },
            ],
            "return_labels": [
                {
                    "sku": "RUG-W",
                    "reason": "change_of_mind",
                    "fee": "12.95",
                    "created_on": "2026-10-02",
                }
            ],
            "reshipments": [{"sku": "TROWEL", "quantity": 1, "created_on": "2026-10-03"}],
        },
    }


def test_an_order_on_its_way_says_when_it_is_expected_and_how_late_it_is(box: Box) -> None:
    order = box().call("get_order", '{"order_id": "LK-100001"}').content["order"]

    assert (order["expected_by"], order["business_days_late"]) == ("2026-09-18", 15)
    assert order["delivered_on"] is None
    assert order["boxes"][0]["courier_note"] == "Left at the depot"
    assert order["boxes"][0]["business_days_late"] == 15
    assert "days_since_delivery" not in order


@pytest.mark.parametrize("order_id", ["LK-100004", "LK-100005"])
def test_an_order_that_is_not_on_its_way_is_not_late(box: Box, order_id: str) -> None:
    order = box("C-10002").call("get_order", json.dumps({"order_id": order_id})).content["order"]

    assert "business_days_late" not in order
    assert "expected_by" not in order


def test_each_box_has_its_own_dates(box: Box) -> None:
    order = box("C-10002").call("get_order", '{"order_id": "LK-100003"}').content["order"]

    assert [item.get("business_days_since_delivery") for item in order["boxes"]] == [8, None]
    assert [item.get("business_days_late") for item in order["boxes"]] == [None, 6]
    assert [item["returnable"] for item in order["items"]] == [False, True]


def test_amounts_have_the_digits_of_their_currency(box: Box) -> None:
    order = box("C-10002").call("get_order", '{"order_id": "LK-100004"}').content["order"]

    assert (order["total"], order["currency"]) == ("5000", "JPY")
    assert order["items"][0]["in_stock"] is False


def test_the_list_of_orders_is_newest_first_and_marks_all_of_them(box: Box) -> None:
    result = box("C-10002").call("get_customer_orders", "{}")

    assert [order["order_id"] for order in result.content["orders"]] == [
        "LK-100004",
        "LK-100003",
        "LK-100005",
    ]
    assert [fact.order_id for fact in result.orders] == ["LK-100004", "LK-100003", "LK-100005"]
    assert result.orders[0] == OrderFact(order_id="LK-100004", status="processing", currency="JPY")
    assert result.content["orders"][1]["products"] == ["bench", "cushions"]


def test_a_customer_without_orders_has_an_empty_list(box: Box) -> None:
    result = box("C-99999").call("get_customer_orders", "{}")

    assert (result.kind, result.content) == (Kind.OK, {"ok": True, "orders": []})


def test_payments_mark_their_order_without_its_status(box: Box) -> None:
    result = box().call("get_payments", '{"order_id": "LK-100001"}')

    assert result.orders == (OrderFact(order_id="LK-100001", status=None, currency="CAD"),)
    assert result.content == {
        "ok": True,
        "order_id": "LK-100001",
        "currency": "CAD",
        "payments": [
            {
                "payment_id": "PAY-100001-A",
                "kind": "authorisation",
                "amount": "73.95",
                "status": "released",
                "created_on": "2026-09-10",
            },
            {
                "payment_id": "PAY-100001-1",
                "kind": "charge",
                "amount": "73.95",
                "status": "captured",
                "created_on": "2026-09-11",
            },
        ],
        "refunds": [],
    }


def test_payments_that_the_shop_does_not_know_are_not_an_empty_list(folder: Path) -> None:
    (folder / "payments.csv").unlink()

    with PracticeShop.from_folder(folder) as shop:
        context = ToolContext.of(shop, customer_id="C-10001", today=PRACTICE_TODAY)
        result = build_toolbox(["get_payments"], context).call(
            "get_payments", '{"order_id": "LK-100002"}'
        )

    assert result.kind is Kind.OK
    assert result.content["payments"] is None
    assert "not known here" in result.content["note"]
    assert len(result.content["refunds"]) == 2


def test_an_earlier_ticket_is_shown_to_its_own_customer_only(box: Box) -> None:
    own = box().call("get_ticket", '{"ticket_id": "T-50001"}')
    foreign = box().call("get_ticket", '{"ticket_id": "T-50002"}')
    missing = box().call("get_ticket", '{"ticket_id": "T-50009"}')

    assert own.content["ticket"] == {
        "ticket_id": "T-50001",
        "status": "closed",
        "opened_on": "2026-06-18",
        "subject": "A question",
    }
    assert (foreign.code, missing.code) == ("other_customer", "not_found")
    assert foreign.content["error"].replace("T-50002", "?") == missing.content["error"].replace(
        "T-50009", "?"
    )


def test_search_finds_public_passages_in_force_today_and_no_others(box: Box) -> None:
    result = box().call("search_policy", '{"query": "return"}')

    assert result.content["passages"] == [
        {
            "passage_id": "P1",
            "document": "Returns",
            "version": 3,
            "effective_from": "2025-01-01",
            "effective_to": "2026-10-09",
            "section": "Window",
            "text": "Return within 30 days.",
        }
    ]


@pytest.mark.parametrize(
    ("query", "kind"),
    [("ab", Kind.INVALID), ("abc", Kind.OK), ("x" * 200, Kind.OK), ("x" * 201, Kind.INVALID)],
)
def test_a_query_has_3_to_200_characters(box: Box, query: str, kind: Kind) -> None:
    assert box().call("search_policy", json.dumps({"query": query})).kind is kind


def test_no_result_of_any_tool_holds_a_customer_id(box: Box) -> None:
    orders = [line.split(",")[0] for line in FILES["orders.csv"].splitlines()[1:]]
    calls = [("get_customer_orders", "{}"), ("search_policy", '{"query": "return window"}')]
    calls += [("get_ticket", json.dumps({"ticket_id": f"T-5000{n}"})) for n in (1, 2, 3)]
    calls += [
        (tool, json.dumps({"order_id": order_id}))
        for tool in ("get_order", "get_payments")
        for order_id in [*orders, "LK-999999"]
    ]

    for customer_id in CUSTOMERS:
        for name, arguments in calls:
            shown = json.dumps(dict(box(customer_id).call(name, arguments).content))
            assert "C-1000" not in shown
            assert "customer_id" not in shown


def test_a_foreign_order_and_a_missing_one_cannot_be_told_apart(box: Box) -> None:
    for tool in ("get_order", "get_payments"):
        foreign = box().call(tool, '{"order_id": "LK-100003"}')
        missing = box().call(tool, '{"order_id": "LK-999999"}')

        assert (foreign.code, missing.code) == ("other_customer", "not_found")
        assert (
            foreign.content["error"].replace("LK-100003", "LK-999999") == (missing.content["error"])
        )
        assert foreign.orders == missing.orders == ()

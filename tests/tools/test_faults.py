"""Simulated faults before the reads of any shop."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.tools.conftest import ALL_TOOLS
from tools import (
    PRACTICE_TODAY,
    Fault,
    FaultMode,
    FaultPlan,
    FaultRefused,
    FaultyShop,
    Kind,
    PracticeShop,
    Shop,
    ToolContext,
    build_toolbox,
)

CALLS = {
    "get_order": '{"order_id": "LK-100001"}',
    "get_customer_orders": "{}",
    "get_payments": '{"order_id": "LK-100001"}',
    "search_policy": '{"query": "return"}',
    "get_ticket": '{"ticket_id": "T-50001"}',
}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("get_order:timeout", Fault("get_order", FaultMode.TIMEOUT)),
        ("get_payments:unavailable:99", Fault("get_payments", FaultMode.UNAVAILABLE, 99)),
        (
            "request_refund:timeout_after_write:2",
            Fault("request_refund", FaultMode.TIMEOUT_AFTER_WRITE, 2),
        ),
    ],
)
def test_a_fault_is_written_tool_mode_times(text: str, fault: Fault) -> None:
    assert Fault.parse(text) == fault


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "tool:mode"),
        ("get_order", "mode of: timeout, unavailable"),
        ("get_order:explode", "mode of: timeout, unavailable"),
        ("explode:timeout", "one of these tools: get_order"),
        ("get_order:timeout:", "whole number"),
        ("get_order:timeout:x", "whole number"),
        ("get_order:timeout:-1", "whole number"),
        ("get_order:timeout:0", "1 to 1000000 times"),
        ("get_order:timeout:1000001", "1 to 1000000 times"),
        ("get_order:timeout:1:1", "whole number"),
        ("get_order:timeout_after_write", "only reads"),
    ],
)
def test_a_fault_that_cannot_be_is_refused_in_words(text: str, reason: str) -> None:
    with pytest.raises(FaultRefused, match=reason):
        Fault.parse(text)


@pytest.mark.parametrize("tool", list(CALLS))
@pytest.mark.parametrize(
    ("mode", "kind", "code"),
    [
        (FaultMode.TIMEOUT, Kind.FAILED, "service_timeout"),
        (FaultMode.UNAVAILABLE, Kind.FAILED, "service_unavailable"),
        (FaultMode.DENIED, Kind.REFUSED, "service_denied"),
    ],
)
def test_each_read_fails_as_often_as_it_is_told_and_then_works(
    shop: PracticeShop, tool: str, mode: FaultMode, kind: Kind, code: str
) -> None:
    faulty: Shop = FaultyShop(shop, [Fault(tool, mode, 2)])
    context = ToolContext.of(faulty, customer_id="C-10001", today=PRACTICE_TODAY)
    box = build_toolbox(ALL_TOOLS, context)

    first, second, third = (box.call(tool, CALLS[tool]) for _ in range(3))

    assert (first.kind, first.code) == (second.kind, second.code) == (kind, code)
    assert third.kind is Kind.OK
    assert all(box.call(other, CALLS[other]).kind is Kind.OK for other in CALLS if other != tool)


def test_faults_of_one_tool_come_one_after_the_other() -> None:
    plan = FaultPlan([Fault.parse("get_order:timeout"), Fault.parse("get_order:denied:2")])

    taken = [plan.take("get_order") for _ in range(4)]

    assert taken == [FaultMode.TIMEOUT, FaultMode.DENIED, FaultMode.DENIED, None]
    assert plan.take("get_ticket") is None


def test_a_plan_counts_right_for_many_threads_and_all_views(shop: PracticeShop) -> None:
    faulty = FaultyShop(shop, [Fault.parse("get_order:timeout:50")])

    def read(_: int) -> Any:
        context = ToolContext.of(faulty, customer_id="C-10001", today=PRACTICE_TODAY)
        return build_toolbox(["get_order"], context).call("get_order", CALLS["get_order"]).code

    with ThreadPoolExecutor(8) as pool:
        codes = list(pool.map(read, range(80)))

    assert codes.count("service_timeout") == 50
    assert codes.count("ok") == 30


def test_ownership_is_known_without_a_fault_and_closing_closes_the_shop(
    shop: PracticeShop,
) -> None:
    faulty = FaultyShop(shop, [Fault.parse("get_order:timeout:9")])

    assert faulty.for_customer("C-10001").owns_order("LK-100001")
    faulty.close()
    assert not shop.path.exists()

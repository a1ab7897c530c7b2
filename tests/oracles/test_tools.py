"""The read side of the oracles: A01 to A16, B02 to B19, and the facts behind B92 to B97.

Kept, but for these, which the design changes:

- A05 to A09: one spelling of the code, ``invalid_arguments``, for all profiles.
- A01: amounts are decimal text (``899.00``), never a float.
- B15: only public passages in force on the day are found; its three hits and their order stay.
- B94, B97: what the reference's services refuse, our check refuses before anything is proposed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tools import (
    PRACTICE_TODAY,
    SHIPPED_DATA,
    CreateReturnLabel,
    Fault,
    FaultyShop,
    Kind,
    LabelReason,
    PracticeShop,
    RefundReason,
    RequestRefund,
    Shop,
    ShopInvalid,
    Toolbox,
    ToolContext,
    build_toolbox,
    check_action,
    load_tickets,
    open_view,
)
from tools.practice.database import connect

READS = ("get_order", "get_customer_orders", "get_payments", "search_policy")
ASSISTANT = ("get_order", "get_ticket")


def toolbox(shop: Shop, customer_id: str, *names: str) -> Toolbox:
    """Return tools for one customer on the day of all cases."""
    context = ToolContext.of(shop, customer_id=customer_id, today=PRACTICE_TODAY)
    return build_toolbox(names or READS, context)


def order_call(order_id: str) -> str:
    """Return the arguments that name an order."""
    return json.dumps({"order_id": order_id})


@pytest.fixture(scope="module")
def assistant_shop(larkfield: Path) -> Iterator[PracticeShop]:
    """The assistant's data."""
    with PracticeShop.from_folder(larkfield / "c08") as shop:
        yield shop


@pytest.fixture(scope="module")
def resolver_shop(larkfield: Path) -> Iterator[PracticeShop]:
    """The resolver's data."""
    with PracticeShop.from_folder(larkfield / "c10") as shop:
        yield shop


@pytest.fixture(scope="module")
def own_shop() -> Iterator[PracticeShop]:
    """The data that the package ships."""
    with PracticeShop.from_folder(SHIPPED_DATA) as shop:
        yield shop


SHOPS = ("own_shop", "assistant_shop", "resolver_shop")


@pytest.fixture(params=SHOPS)
def shop(request: pytest.FixtureRequest) -> PracticeShop:
    """Each of the three data folders in turn."""
    found: PracticeShop = request.getfixturevalue(request.param)
    return found


@pytest.fixture(params=["own_shop", "resolver_shop"])
def full_shop(request: pytest.FixtureRequest) -> PracticeShop:
    """The two data folders that have every file."""
    found: PracticeShop = request.getfixturevalue(request.param)
    return found


def test_a01_get_order_shows_the_order_without_its_customer(shop: PracticeShop) -> None:
    result = toolbox(shop, "C-81265").call("get_order", order_call("LK-581106"))
    order = result.content["order"]

    assert (result.kind, result.code) == (Kind.OK, "ok")
    assert (order["status"], order["total"], order["currency"]) == ("shipped", "899.00", "CAD")
    assert [(i["product"], i["quantity"], i["price"]) for i in order["items"]] == [
        ("garden shed", 1, "899.00")
    ]
    assert order["delivered_on"] is None
    assert "C-81265" not in json.dumps(dict(result.content))


def test_a02_a04_a_foreign_order_reads_like_a_missing_one(shop: PracticeShop) -> None:
    box = toolbox(shop, "C-20417")
    foreign = box.call("get_order", order_call("LK-615204"))
    missing = box.call("get_order", order_call("LK-999999"))

    assert (foreign.kind, foreign.code) == (Kind.REFUSED, "other_customer")
    assert (missing.kind, missing.code) == (Kind.NOT_FOUND, "not_found")
    assert foreign.content["error"].replace("LK-615204", "?") == missing.content["error"].replace(
        "LK-999999", "?"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param('{"order_id": "LK-55190"}', id="A05"),
        pytest.param('{"order_id": "1 OR 1=1"}', id="A06"),
        pytest.param('{"order_id": "LK-581106", "customer_id": "C-81265"}', id="A08"),
        pytest.param("{}", id="A09-empty"),
        pytest.param('["LK-581106"]', id="A09-list"),
        pytest.param('{"order_id": "LK-581106", "limit": 1}', id="B11-extra"),
        pytest.param("not json", id="B11-text"),
    ],
)
def test_a05_a06_a08_a09_b11_arguments_out_of_form_never_reach_the_shop(
    own_shop: PracticeShop, arguments: str
) -> None:
    always_down = FaultyShop(own_shop, [Fault.parse("get_order:unavailable:99")])

    result = toolbox(always_down, "C-81265").call("get_order", arguments)

    assert (result.kind, result.code) == (Kind.INVALID, "invalid_arguments")


def test_a10_b10_an_unknown_tool_is_named(shop: PracticeShop) -> None:
    box = toolbox(shop, "C-44702", "get_order")

    assert box.call("refund_order", order_call("LK-428830")).code == "unknown_tool"
    assert box.call("delete_order", "{}").code == "unknown_tool"
    assert "refund_order" in box.call("refund_order", "{}").content["error"]


def test_a12_b11_items_are_sorted_by_product(shop: PracticeShop) -> None:
    result = toolbox(shop, "C-88930").call("get_order", order_call("LK-551906"))

    assert result.code == "ok"
    assert [item["product"] for item in result.content["order"]["items"]] == [
        "potting soil (40 L)",
        "trowel",
    ]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("refund_order", "{}"),
        ("get_order", "["),
        ("get_order", order_call("LK-615204")),
        ("get_order", order_call("LK-999999")),
    ],
)
def test_a13_a_refusal_is_not_ok_and_one_sentence_without_its_code(
    own_shop: PracticeShop, name: str, arguments: str
) -> None:
    result = toolbox(own_shop, "C-20417").call(name, arguments)

    assert result.content.keys() == {"ok", "error"}
    assert result.content["ok"] is False
    assert result.code not in json.dumps(dict(result.content))


def test_a14_get_ticket_shows_an_earlier_ticket_of_its_customer(own_shop: PracticeShop) -> None:
    own = toolbox(own_shop, "C-81265", *ASSISTANT).call("get_ticket", '{"ticket_id": "T-50001"}')
    foreign = toolbox(own_shop, "C-81265", *ASSISTANT).call(
        "get_ticket", '{"ticket_id": "T-50003"}'
    )

    assert own.code == "ok"
    assert own.content["ticket"]["status"] == "closed"
    assert "C-81265" not in json.dumps(dict(own.content))
    assert foreign.code == "other_customer"


@pytest.mark.parametrize(
    "arguments",
    ['{"ticket_id": "T-5001"}', '{"ticket_id": "T-50001", "customer_id": "C-81265"}', "T-50001"],
)
def test_a16_get_ticket_refuses_what_is_out_of_form(own_shop: PracticeShop, arguments: str) -> None:
    result = toolbox(own_shop, "C-81265", *ASSISTANT).call("get_ticket", arguments)

    assert result.code == "invalid_arguments"


@pytest.mark.parametrize(
    ("order_id", "expected_by", "late"),
    [
        pytest.param("LK-643556", "2026-10-02", 5, id="B02"),
        pytest.param("LK-347101", "2026-09-18", 15, id="B03"),
        pytest.param("LK-643667", None, 17, id="B04-1"),
        pytest.param("LK-793996", None, 12, id="B04-2"),
        pytest.param("LK-644001", None, 11, id="B04-3"),
        pytest.param("LK-640763", None, 13, id="B04-4"),
        pytest.param("LK-646334", None, 10, id="B04-5"),
        pytest.param("LK-266415", None, 4, id="B04-6"),
        pytest.param("LK-551906", None, 3, id="B04-7"),
        pytest.param("LK-371548", None, 1, id="B04-8"),
    ],
)
def test_b02_b03_b04_business_days_late(
    full_shop: PracticeShop, order_id: str, expected_by: str | None, late: int
) -> None:
    order = shown(full_shop, order_id)

    assert order["business_days_late"] == late
    assert expected_by in (None, order["expected_by"])


@pytest.mark.parametrize(
    ("order_id", "since_first", "second_late"), [("LK-640981", 1, 0), ("LK-641090", 8, 6)]
)
def test_b06_each_box_counts_for_itself(
    full_shop: PracticeShop, order_id: str, since_first: int, second_late: int
) -> None:
    first, second = shown(full_shop, order_id)["boxes"]

    assert first["business_days_since_delivery"] == since_first
    assert second["business_days_late"] == second_late


def test_b13_a_time_out_is_cured_by_a_second_try(full_shop: PracticeShop) -> None:
    faulty = FaultyShop(full_shop, [Fault.parse("get_order:timeout")])
    box = toolbox(faulty, "C-81265")
    first, second = (box.call("get_order", order_call("LK-581106")) for _ in range(2))

    assert (first.kind, first.code) == (Kind.FAILED, "service_timeout")
    assert "One more try" in first.content["error"]
    assert second.code == "ok"


def test_b14_the_order_of_another_customer(full_shop: PracticeShop) -> None:
    result = toolbox(full_shop, "C-54223").call("get_order", order_call("LK-644334"))

    assert result.code == "other_customer"


def test_b15_the_suppliers_passage_comes_first_and_all_hits_have_a_version(
    resolver_shop: PracticeShop,
) -> None:
    hits = found(resolver_shop, "hose reel warranty")

    assert [hit["passage_id"] for hit in hits] == ["P24", "P23", "P03"]
    assert [hit["version"] for hit in hits] == [1, 5, 3]


def test_b15_on_our_own_passages(own_shop: PracticeShop) -> None:
    hits = found(own_shop, "hose reel warranty")

    assert hits[0]["passage_id"] == "P24"
    assert all(isinstance(hit["version"], int) for hit in hits)


@pytest.mark.parametrize("query", ["approval limits for manual refunds", "return window 45 days"])
def test_b15_changed_staff_passages_and_those_not_in_force_are_never_found(
    resolver_shop: PracticeShop, query: str
) -> None:
    assert {hit["passage_id"] for hit in found(resolver_shop, query)}.isdisjoint(
        {"P07", "P08", "P21", "P22"}
    )


def test_b17_a_query_of_short_words_finds_nothing_and_is_ok(full_shop: PracticeShop) -> None:
    result = toolbox(full_shop, "C-81265").call("search_policy", '{"query": "of a"}')

    assert (result.code, result.content["passages"]) == ("ok", [])


def test_b18_a_query_of_two_characters_is_invalid(full_shop: PracticeShop) -> None:
    result = toolbox(full_shop, "C-81265").call("search_policy", '{"query": "of"}')

    assert result.code == "invalid_arguments"


def test_b19_the_reads_are_offered_in_order_strict_and_without_a_customer(
    own_shop: PracticeShop,
) -> None:
    specs = toolbox(own_shop, "C-81265").specs

    assert tuple(spec.name for spec in specs) == READS
    for spec in specs:
        assert spec.parameters["additionalProperties"] is False
        assert spec.parameters["required"] == list(spec.parameters["properties"])
        assert "customer_id" not in json.dumps(dict(spec.parameters))
    assert "customer" not in json.dumps(dict(specs[0].parameters))


@pytest.mark.parametrize(
    ("order_id", "minor", "reason", "payment_id"),
    [
        ("LK-793996", 50_000, RefundReason.LATE, None),
        ("LK-641876", 7_395, RefundReason.DOUBLE, "PAY-641876-2"),
    ],
)
def test_b94_a_refund_beyond_what_is_left_is_invalid(
    full_shop: PracticeShop,
    order_id: str,
    minor: int,
    reason: RefundReason,
    payment_id: str | None,
) -> None:
    refund = RequestRefund(
        order_id=order_id,
        amount_minor=minor,
        currency="CAD",
        reason_code=reason,
        payment_id=payment_id,
    )

    with pytest.raises(ShopInvalid):
        check_action(open_view(full_shop, owner_of(full_shop, order_id)), refund)


def test_b97_a_label_needs_a_delivered_order(full_shop: PracticeShop) -> None:
    view = open_view(full_shop, "C-81265")
    label = CreateReturnLabel(order_id="LK-581106", sku="SHED-6X8", reason=LabelReason.DAMAGED)

    with pytest.raises(ShopInvalid, match="not been delivered"):
        check_action(view, label)


def test_every_expected_action_of_the_reference_that_says_what_it_is_for_passes_our_check(
    larkfield: Path, resolver_shop: PracticeShop
) -> None:
    """The write tools accept the 33 expected actions but two, which do not say what they are for.

    A damage refund must name its item, and the refund of a lost parcel its payment: without one
    it is of the delivery fee, and worth no more.
    """
    kinds = []
    for case in load_tickets(larkfield / "c10"):
        box = toolbox(
            resolver_shop,
            case.ticket.customer_id,
            "request_refund",
            "reship_item",
            "create_return_label",
        )
        for action in case.expected.actions:
            given = {key: item for key, item in action.items() if key != "tool"}
            blank = {"sku": None, "quantity": None, "payment_id": None}
            wanted = (blank | given) if action["tool"] == "request_refund" else given
            kinds.append(box.call(action["tool"], json.dumps(wanted, default=float)).kind)

    assert len(kinds) == 33
    assert kinds.count(Kind.PROPOSED) == 31
    assert kinds.count(Kind.INVALID) == 1
    assert kinds.count(Kind.REFUSED) == 1


def test_the_reference_tickets_load(larkfield: Path) -> None:
    tasks, tickets = load_tickets(larkfield / "c10"), load_tickets(larkfield / "c08")

    assert (len(tasks), len(tickets)) == (70, 69)
    assert sum(1 for case in tasks if case.faults) == 8
    assert sum(1 for case in tickets if case.expected.needs_human) == 9


def shown(shop: PracticeShop, order_id: str) -> Any:
    """Return an order as its own customer's tools show it."""
    box = toolbox(shop, owner_of(shop, order_id))
    return box.call("get_order", order_call(order_id)).content["order"]


def found(shop: PracticeShop, query: str) -> list[dict[str, object]]:
    """Return the hits of a policy search."""
    result = toolbox(shop, "C-81265").call("search_policy", json.dumps({"query": query}))
    hits: list[dict[str, object]] = result.content["passages"]
    return hits


def owner_of(shop: PracticeShop, order_id: str) -> str:
    """Return whose order it is; only a test may look past the scope."""
    db = connect(shop.path, read_only=True)
    try:
        row = db.execute("SELECT customer_id FROM orders WHERE order_id = ?", (order_id,))
        return str(row.fetchone()[0])
    finally:
        db.close()

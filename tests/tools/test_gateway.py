"""The practice shop's writes: once under their key, by the shop's rules."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from tools import (
    PRACTICE_TODAY,
    Action,
    CreateReturnLabel,
    GatewayTraits,
    LabelReason,
    NotFound,
    PracticeGateway,
    PracticeShop,
    RefundReason,
    RequestRefund,
    ReshipItem,
    ShopInvalid,
    ShopMismatch,
    ShopUnavailable,
    open_view,
)

FEE = RequestRefund(
    order_id="LK-100001", amount_minor=995, currency="CAD", reason_code=RefundReason.LATE
)


@pytest.fixture
def gateway(shop: PracticeShop) -> Iterator[PracticeGateway]:
    with PracticeGateway(shop.path, today=lambda: PRACTICE_TODAY) as opened:
        yield opened


def send(gateway: PracticeGateway, action: Action, name: str = "op-1", ticket: str = "T-1") -> str:
    """Send an action under ids made from a name; return the reference."""
    key = f"key-{name}"
    request = gateway.prepare(action, ticket_id=ticket, operation_id=name, key=key)
    return gateway.send(action.tool, request, key, timeout_s=1).reference


def part(minor: int) -> RequestRefund:
    """Return a refund of a part of one payment."""
    return RequestRefund(
        order_id="LK-100003",
        amount_minor=minor,
        currency="CAD",
        reason_code=RefundReason.DOUBLE,
        payment_id="PAY-100003-1",
    )


def test_a_write_is_carried_out_once_and_its_repeat_is_told_as_one(
    gateway: PracticeGateway,
) -> None:
    request = gateway.prepare(FEE, ticket_id="T-1", operation_id="op", key="key")

    first = gateway.send(FEE.tool, request, "key", timeout_s=1)
    second = gateway.send(FEE.tool, request, "key", timeout_s=1)

    assert (first.repeated, second.repeated) == (False, True)
    assert first.reference == second.reference
    assert first.summary == {"amount": "9.95", "currency": "CAD"}
    assert len(gateway.changes()) == 1


def test_the_body_is_canonical_and_equal_for_equal_arguments(gateway: PracticeGateway) -> None:
    body = gateway.prepare(FEE, ticket_id="T-1", operation_id="op", key="key")

    assert body == gateway.prepare(FEE, ticket_id="T-1", operation_id="op", key="key")
    assert body.startswith(b'{"action":{"amount_minor":995,"currency":"CAD","order_id":"LK-100001"')


@pytest.mark.parametrize(
    ("key", "operation", "ticket"), [("key", "op", "T-2"), ("key", "op-2", "T-1")]
)
def test_the_same_key_with_another_body_is_refused(
    gateway: PracticeGateway, key: str, operation: str, ticket: str
) -> None:
    request = gateway.prepare(FEE, ticket_id="T-1", operation_id="op", key="key")
    gateway.send(FEE.tool, request, "key", timeout_s=1)
    other = gateway.prepare(FEE, ticket_id=ticket, operation_id=operation, key=key)

    with pytest.raises(ShopMismatch, match="belongs to another write"):
        gateway.send(FEE.tool, other, key, timeout_s=1)

    assert len(gateway.changes()) == 1


def test_the_same_operation_under_another_key_is_refused(gateway: PracticeGateway) -> None:
    send(gateway, FEE)
    other = gateway.prepare(FEE, ticket_id="T-1", operation_id="op-1", key="new")

    with pytest.raises(ShopMismatch):
        gateway.send(FEE.tool, other, "new", timeout_s=1)


def test_a_call_whose_key_or_tool_is_not_the_body_s_is_refused(gateway: PracticeGateway) -> None:
    request = gateway.prepare(FEE, ticket_id="T-1", operation_id="op", key="key")

    for tool, key in ((FEE.tool, "other"), ("reship_item", "key")):
        with pytest.raises(ShopMismatch, match="not the one in its body"):
            gateway.send(tool, request, key, timeout_s=1)

    assert gateway.changes() == ()


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"\xff", b'{"key": "k"}', b"x" * 20_001],
)
def test_a_body_that_is_no_write_is_refused(gateway: PracticeGateway, body: bytes) -> None:
    with pytest.raises(ShopInvalid) as refused:
        gateway.send(FEE.tool, body, "key", timeout_s=1)

    assert refused.value.code == "invalid_body"


def test_an_operation_that_looks_like_the_shop_s_own_history_is_refused(
    gateway: PracticeGateway,
) -> None:
    with pytest.raises(ShopInvalid, match="never begins with seed-"):
        send(gateway, FEE, "seed-9")


def test_readers_see_a_refund_at_once(shop: PracticeShop, gateway: PracticeGateway) -> None:
    send(gateway, FEE)
    (refund,) = open_view(shop, "C-10001").order("LK-100001").refunds

    assert (refund.amount.amount_text, refund.reason_code) == ("9.95", "RFD-LATE")
    assert refund.created_on == PRACTICE_TODAY


def test_two_partial_refunds_of_one_payment_go_through_and_a_third_finds_nothing_left(
    shop: PracticeShop, gateway: PracticeGateway
) -> None:
    send(gateway, part(10_000), "a")
    send(gateway, part(18_500), "b")

    with pytest.raises(ShopInvalid):
        send(gateway, part(1), "c")

    (payment,) = open_view(shop, "C-10002").payments("LK-100003").payments or ()
    assert payment.status == "refunded"


def test_a_payment_of_which_something_is_left_stays_captured(
    shop: PracticeShop, gateway: PracticeGateway
) -> None:
    send(gateway, part(28_499))

    (payment,) = open_view(shop, "C-10002").payments("LK-100003").payments or ()
    assert payment.status == "captured"


@pytest.mark.parametrize(("payment", "minor"), [("PAY-100001-A", 100), ("PAY-100002-1", 100)])
def test_a_refund_of_what_is_no_captured_charge_of_the_order_is_refused(
    gateway: PracticeGateway, payment: str, minor: int
) -> None:
    action = RequestRefund(
        order_id="LK-100001",
        amount_minor=minor,
        currency="CAD",
        reason_code=RefundReason.DOUBLE,
        payment_id=payment,
    )

    with pytest.raises(ShopInvalid, match="not a captured charge"):
        send(gateway, action)


def test_a_refund_in_another_currency_is_refused(gateway: PracticeGateway) -> None:
    with pytest.raises(ShopInvalid, match="currency"):
        send(gateway, FEE.model_copy(update={"currency": "USD"}))


def test_an_order_that_does_not_exist_is_refused(gateway: PracticeGateway) -> None:
    with pytest.raises(ShopInvalid) as refused:
        send(gateway, FEE.model_copy(update={"order_id": "LK-999999"}))

    assert refused.value.code == "no_order"


def test_a_reshipment_takes_its_items_out_of_the_stock(
    shop: PracticeShop, gateway: PracticeGateway
) -> None:
    action = ReshipItem(order_id="LK-100002", sku="TROWEL", quantity=1)
    send(gateway, action, "a")

    lines = {line.sku: line for line in open_view(shop, "C-10001").order("LK-100002").lines}
    assert lines["TROWEL"].stock == 0
    with pytest.raises(ShopInvalid, match="stock"):
        send(gateway, action, "b")


@pytest.mark.parametrize(
    ("reason", "fee"),
    [
        (LabelReason.CHANGE_OF_MIND, "12.95"),
        (LabelReason.DAMAGED, "0.00"),
        (LabelReason.WRONG_ITEM, "0.00"),
    ],
)
def test_a_label_costs_only_who_changed_their_mind(
    shop: PracticeShop, gateway: PracticeGateway, reason: LabelReason, fee: str
) -> None:
    send(gateway, CreateReturnLabel(order_id="LK-100002", sku="TROWEL", reason=reason))

    labels = open_view(shop, "C-10001").order("LK-100002").labels
    assert [label.fee.amount_text for label in labels if label.sku == "TROWEL"] == [fee]


def test_references_carry_the_kind_of_the_change(gateway: PracticeGateway) -> None:
    label = CreateReturnLabel(order_id="LK-100002", sku="RUG-W", reason=LabelReason.DAMAGED)
    reship = ReshipItem(order_id="LK-100002", sku="RUG-W", quantity=1)
    actions: tuple[Action, ...] = (FEE, label, reship)
    names = [send(gateway, action, str(n)) for n, action in enumerate(actions)]

    assert [name[:3] for name in names] == ["RF-", "RL-", "RS-"]
    assert [change.reference for change in gateway.changes()] == names


def test_a_look_up_finds_by_the_key_alone(gateway: PracticeGateway) -> None:
    """Under an equal id of an operation stands what another store before this shop had done."""
    reference = send(gateway, FEE, "op-1")

    found = gateway.look_up("key-op-1", "other", FEE)
    assert found is not None
    assert (found.reference, found.repeated) == (reference, True)
    assert gateway.look_up("other", "op-1", FEE) is None


def test_a_poll_answers_by_reference(gateway: PracticeGateway) -> None:
    reference = send(gateway, FEE)

    assert gateway.poll(reference, FEE).reference == reference
    with pytest.raises(NotFound):
        gateway.poll("RF-00000000", FEE)


def test_of_many_writers_for_the_last_item_one_gets_it(gateway: PracticeGateway) -> None:
    action = ReshipItem(order_id="LK-100002", sku="TROWEL", quantity=1)
    refused: list[str] = []

    def attempt(number: int) -> None:
        try:
            send(gateway, action, f"op-{number}")
        except ShopInvalid as error:
            refused.append(str(error))

    threads = [threading.Thread(target=attempt, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(gateway.changes()) == 1
    assert len(refused) == 7


def test_of_many_equal_calls_one_is_carried_out(gateway: PracticeGateway) -> None:
    request = gateway.prepare(FEE, ticket_id="T-1", operation_id="op", key="key")
    repeats: list[bool] = []

    def attempt() -> None:
        repeats.append(gateway.send(FEE.tool, request, "key", timeout_s=1).repeated)

    threads = [threading.Thread(target=attempt) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(repeats) == [False] + [True] * 7


def test_two_gateways_on_one_file_know_each_other_s_writes(
    shop: PracticeShop, gateway: PracticeGateway
) -> None:
    send(gateway, FEE)
    with PracticeGateway(shop.path, today=lambda: date(2026, 10, 10)) as other:
        assert other.look_up("key-op-1", "op-1", FEE) is not None
        with pytest.raises(ShopInvalid, match="stock"):
            send(other, ReshipItem(order_id="LK-100004", sku="FEEDER", quantity=1), "op-2")


def test_a_file_that_is_no_practice_shop_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ShopUnavailable, match="cannot be written"):
        PracticeGateway(tmp_path / "empty.db", today=lambda: PRACTICE_TODAY)


def test_a_closed_gateway_says_that_it_cannot_write(shop: PracticeShop) -> None:
    gateway = PracticeGateway(shop.path, today=lambda: PRACTICE_TODAY)
    gateway.close()

    with pytest.raises(ShopUnavailable):
        send(gateway, FEE)


def test_a_gateway_that_says_nothing_of_itself_counts_as_the_worst_one() -> None:
    traits = GatewayTraits(name="other")

    assert (traits.honours_keys, traits.absence_provable, traits.retries_failed) == (False,) * 3
    assert traits.stores_failures
    assert traits.key_lifetime_s == 0


@pytest.mark.parametrize("wrong", [{"name": ""}, {"settle_s": -1}, {"key_lifetime_s": -1}])
def test_traits_that_cannot_be_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="traits"):
        GatewayTraits(**{"name": "other", **wrong})  # type: ignore[arg-type] # that is the test

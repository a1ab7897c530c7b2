"""A gateway with simulated faults for some tickets: theirs meet them, the others' do not."""

from __future__ import annotations

import pytest

from tools import (
    PRACTICE_TODAY,
    Fault,
    PracticeGateway,
    PracticeShop,
    RefundReason,
    RequestRefund,
    ShopTimeout,
    TicketFaultsGateway,
)

FEE = RequestRefund(
    order_id="LK-100001", amount_minor=995, currency="CAD", reason_code=RefundReason.LATE
)
FAULTS = {"T-1": (Fault.parse("request_refund:timeout_after_write"),), "T-2": ()}


@pytest.mark.parametrize("ticket_id", ["T-2", "T-3"])
def test_another_tickets_write_passes(shop: PracticeShop, ticket_id: str) -> None:
    with PracticeGateway(shop.path, today=lambda: PRACTICE_TODAY) as plain:
        gateway = TicketFaultsGateway(plain, FAULTS)
        request = gateway.prepare(FEE, ticket_id=ticket_id, operation_id="P-1-1", key="key-1")

        receipt = gateway.send(FEE.tool, request, "key-1", timeout_s=1)

        assert [change.reference for change in plain.changes()] == [receipt.reference]


def test_a_tickets_write_meets_its_fault_once_and_is_found(shop: PracticeShop) -> None:
    with PracticeGateway(shop.path, today=lambda: PRACTICE_TODAY) as plain:
        gateway = TicketFaultsGateway(plain, FAULTS)
        request = gateway.prepare(FEE, ticket_id="T-1", operation_id="P-1-1", key="key-1")
        with pytest.raises(ShopTimeout, match="simulated"):
            gateway.send(FEE.tool, request, "key-1", timeout_s=1)

        found = gateway.look_up("key-1", "P-1-1", FEE)
        again = gateway.send(FEE.tool, request, "key-1", timeout_s=1)

        assert found is not None
        assert gateway.poll(found.reference, FEE).reference == again.reference == found.reference
        assert len(plain.changes()) == 1
        assert gateway.traits is plain.traits

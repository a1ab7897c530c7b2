"""Ownership is checked again on what a backend returns."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from tools import (
    BusinessCalendar,
    IdForms,
    Label,
    Money,
    NotYours,
    Order,
    Passage,
    PastTicket,
    Payment,
    PaymentHistory,
    Refund,
    Reshipment,
    ShopView,
    open_view,
)

DAY = date(2026, 10, 9)
CAD = Money(100, "CAD")
ORDER = Order(
    order_id="LK-1",
    customer_id="C-1",
    status="shipped",
    ordered_on=DAY,
    shipping_fee=CAD,
    total=CAD,
)
HISTORY = PaymentHistory(order_id="LK-1", customer_id="C-1", currency="CAD", payments=None)
REFUND = Refund(
    operation_id="o", order_id="LK-2", amount=CAD, reason_code="RFD-LATE", created_on=DAY
)
LABEL = Label(operation_id="o", order_id="LK-2", sku="X", reason="damaged", fee=CAD, created_on=DAY)
RESHIPMENT = Reshipment(operation_id="o", order_id="LK-2", sku="X", quantity=1, created_on=DAY)
PAYMENT = Payment(
    payment_id="P", order_id="LK-2", kind="charge", amount=CAD, status="captured", created_on=DAY
)
TICKET = PastTicket(ticket_id="T-1", customer_id="C-1", status="open", opened_on=DAY, subject="s")
PASSAGE = Passage(
    passage_id="P1",
    doc_id="d",
    title="t",
    version=1,
    section="s",
    text="x",
    effective_from=DAY,
)


class Backend:
    """A backend that answers everybody with the same records."""

    ids = IdForms()
    calendar = BusinessCalendar()

    def __init__(
        self,
        order: Order = ORDER,
        history: PaymentHistory = HISTORY,
        ticket: PastTicket = TICKET,
    ) -> None:
        self._answers = (order, history, ticket)

    def for_customer(self, customer_id: str) -> Backend:  # noqa: ARG002 (that is the fault)
        """Ignore who asks."""
        return self

    def close(self) -> None:
        """Hold nothing."""

    def order(self, order_id: str) -> Order:  # noqa: ARG002
        """Answer with the order."""
        return self._answers[0]

    def orders(self) -> tuple[Order, ...]:
        """Answer with an order of each of two customers."""
        return (ORDER, self._answers[0])

    def payments(self, order_id: str) -> PaymentHistory:  # noqa: ARG002
        """Answer with the history."""
        return self._answers[1]

    def search_policy(self, query: str, on: date) -> tuple[Passage, ...]:  # noqa: ARG002
        """Answer with the passage."""
        return (PASSAGE,)

    def past_ticket(self, ticket_id: str) -> PastTicket:  # noqa: ARG002
        """Answer with the ticket."""
        return self._answers[2]

    def owns_order(self, order_id: str) -> bool:
        """Know one order."""
        return order_id == "LK-1"


def test_ones_own_records_come_through() -> None:
    view: ShopView = open_view(Backend(), "C-1")

    assert view.order("LK-1") is ORDER
    assert view.payments("LK-1") is HISTORY
    assert view.past_ticket("T-1") is TICKET
    assert view.search_policy("x", DAY) == (PASSAGE,)
    assert view.owns_order("LK-1")
    assert not view.owns_order("LK-2")


@pytest.mark.parametrize(
    "order",
    [
        replace(ORDER, customer_id="C-2"),
        replace(ORDER, order_id="LK-2"),
        replace(ORDER, refunds=(REFUND,)),
        replace(ORDER, labels=(LABEL,)),
        replace(ORDER, reshipments=(RESHIPMENT,)),
    ],
)
def test_a_foreign_order_or_row_is_refused(order: Order) -> None:
    with pytest.raises(NotYours):
        open_view(Backend(order=order), "C-1").order("LK-1")


@pytest.mark.parametrize(
    "history",
    [
        replace(HISTORY, customer_id="C-2"),
        replace(HISTORY, order_id="LK-2"),
        replace(HISTORY, payments=(PAYMENT,)),
        replace(HISTORY, refunds=(REFUND,)),
    ],
)
def test_a_foreign_payment_is_refused(history: PaymentHistory) -> None:
    with pytest.raises(NotYours):
        open_view(Backend(history=history), "C-1").payments("LK-1")


@pytest.mark.parametrize(
    "ticket", [replace(TICKET, customer_id="C-2"), replace(TICKET, ticket_id="T-2")]
)
def test_a_foreign_ticket_is_refused(ticket: PastTicket) -> None:
    with pytest.raises(NotYours):
        open_view(Backend(ticket=ticket), "C-1").past_ticket("T-1")


def test_foreign_orders_are_dropped_from_a_list_and_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    view = open_view(Backend(order=replace(ORDER, customer_id="C-2", order_id="LK-9")), "C-1")

    assert view.orders() == (ORDER,)
    assert [record.message for record in caplog.records] == ["foreign_rows_dropped"]
    assert "LK-9" not in caplog.text

"""How records look to a model: plain JSON values, amounts and dates as text, no customer id."""

from __future__ import annotations

from datetime import date
from typing import Any

from tools.dates import BusinessCalendar
from tools.records import (
    Box,
    Label,
    Order,
    OrderLine,
    Passage,
    PastTicket,
    Payment,
    PaymentHistory,
    Refund,
    Reshipment,
)

__all__ = [
    "history_content",
    "order_content",
    "passage_content",
    "summary_content",
    "ticket_content",
]

_CLOSED = frozenset({"cancelled", "refunded"})
"""An order in one of these states is not on its way, so it is never late."""


def order_content(order: Order, calendar: BusinessCalendar, today: date) -> dict[str, Any]:
    """Return one order. Dates that it lacks and facts that the shop does not know are null."""
    return {
        "order_id": order.order_id,
        "status": order.status,
        "ordered_on": order.ordered_on.isoformat(),
        **_progress(order, calendar, today),
        "currency": order.currency,
        "shipping_fee": order.shipping_fee.amount_text,
        "total": order.total.amount_text,
        "gift_message": order.note,
        "items": [_line(line) for line in order.lines],
        "boxes": [_box(box, calendar, today) for box in order.boxes],
        "refunds": [_refund(refund) for refund in order.refunds],
        "return_labels": [_label(label) for label in order.labels],
        "reshipments": [_reshipment(item) for item in order.reshipments],
    }


def summary_content(order: Order) -> dict[str, Any]:
    """Return one order as a line of a list."""
    return {
        "order_id": order.order_id,
        "status": order.status,
        "ordered_on": order.ordered_on.isoformat(),
        "shipped_on": _day(order.shipped_on),
        "delivered_on": _day(order.delivered_on),
        "products": [line.product for line in order.lines],
    }


def history_content(history: PaymentHistory) -> dict[str, Any]:
    """Return the payments of an order; ``payments`` is null where the shop knows none at all."""
    content: dict[str, Any] = {"order_id": history.order_id, "currency": history.currency}
    if history.payments is None:
        content |= {"payments": None, "note": "Payments are not known here. A person can look."}
    else:
        content["payments"] = [_payment(payment) for payment in history.payments]
    return content | {"refunds": [_refund(refund) for refund in history.refunds]}


def passage_content(passage: Passage) -> dict[str, Any]:
    """Return one passage with its version and dates."""
    return {
        "passage_id": passage.passage_id,
        "document": passage.title,
        "version": passage.version,
        "effective_from": passage.effective_from.isoformat(),
        "effective_to": _day(passage.effective_to),
        "section": passage.section,
        "text": passage.text,
    }


def ticket_content(ticket: PastTicket) -> dict[str, Any]:
    """Return one earlier ticket."""
    return {
        "ticket_id": ticket.ticket_id,
        "status": ticket.status,
        "opened_on": ticket.opened_on.isoformat(),
        "subject": ticket.subject,
    }


def _progress(order: Order | Box, calendar: BusinessCalendar, today: date) -> dict[str, Any]:
    """Return the dates of an order or a box, and what follows from them today."""
    facts: dict[str, Any] = {
        "shipped_on": _day(order.shipped_on),
        "delivered_on": _day(order.delivered_on),
    }
    if order.delivered_on is not None:
        days = max((today - order.delivered_on).days, 0)
        return facts | {"days_since_delivery": days}
    if order.shipped_on is None or order.status in _CLOSED:
        return facts
    expected_by = calendar.expected_by(order.shipped_on)
    return facts | {
        "expected_by": expected_by.isoformat(),
        "business_days_late": calendar.between(expected_by, today),
    }


def _line(line: OrderLine) -> dict[str, Any]:
    return {
        "sku": line.sku,
        "product": line.product,
        "quantity": line.quantity,
        "price": line.unit_price.amount_text,
        "box": line.box,
        "in_stock": None if line.stock is None else line.stock > 0,
        "returnable": line.returnable,
    }


def _box(box: Box, calendar: BusinessCalendar, today: date) -> dict[str, Any]:
    facts = {"box": box.number, "status": box.status, **_progress(box, calendar, today)}
    if box.delivered_on is not None:
        facts["business_days_since_delivery"] = calendar.between(box.delivered_on, today)
    return facts | {"last_scan_on": _day(box.last_scan_on), "courier_note": box.courier_note}


def _payment(payment: Payment) -> dict[str, Any]:
    return {
        "payment_id": payment.payment_id,
        "kind": payment.kind,
        "amount": payment.amount.amount_text,
        "status": payment.status,
        "created_on": payment.created_on.isoformat(),
    }


def _refund(refund: Refund) -> dict[str, Any]:
    return {
        "amount": refund.amount.amount_text,
        "currency": refund.amount.currency,
        "reason_code": refund.reason_code,
        "payment_id": refund.payment_id,
        "sku": refund.sku,
        "quantity": refund.quantity,
        "created_on": refund.created_on.isoformat(),
    }


def _label(label: Label) -> dict[str, Any]:
    return {
        "sku": label.sku,
        "reason": label.reason,
        "fee": label.fee.amount_text,
        "created_on": label.created_on.isoformat(),
    }


def _reshipment(reshipment: Reshipment) -> dict[str, Any]:
    return {
        "sku": reshipment.sku,
        "quantity": reshipment.quantity,
        "created_on": reshipment.created_on.isoformat(),
    }


def _day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()

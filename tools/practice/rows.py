"""From rows of the practice shop's tables to records."""

from __future__ import annotations

import sqlite3
from datetime import date
from typing import Any, Final

from tools.money import Money
from tools.records import (
    Box,
    Label,
    Order,
    OrderLine,
    Payment,
    Refund,
    Reshipment,
)

__all__ = ["OrderRow", "order_of", "order_row", "own_orders", "payments_of", "refunds_of"]

OrderRow = tuple[Any, ...]

# Most orders have no history: three small look-ups inside one statement save three statements.
_ORDER: Final = """
SELECT order_id, customer_id, status, ordered_on, shipped_on, delivered_on, shipping_fee, total,
       currency, note,
       EXISTS (SELECT 1 FROM refunds AS r WHERE r.order_id = o.order_id)
    OR EXISTS (SELECT 1 FROM labels AS l WHERE l.order_id = o.order_id)
    OR EXISTS (SELECT 1 FROM reshipments AS s WHERE s.order_id = o.order_id)
FROM orders AS o WHERE order_id = ?
"""
_OWN_ORDERS: Final = """
SELECT order_id, customer_id, status, ordered_on, shipped_on, delivered_on, shipping_fee, total,
       currency, note
FROM orders WHERE customer_id = ? ORDER BY ordered_on DESC, order_id DESC
"""
_LINES: Final = """
SELECT l.product, l.quantity, l.unit_price, l.sku, l.box, p.stock, p.returnable
FROM order_lines AS l LEFT JOIN products AS p ON p.sku = l.sku
WHERE l.order_id = ? ORDER BY l.product, l.rowid
"""
_BOXES: Final = """
SELECT box, status, shipped_on, delivered_on, last_scan_on, courier_note
FROM boxes WHERE order_id = ? ORDER BY box
"""
_PAYMENTS: Final = """
SELECT payment_id, order_id, kind, amount, status, created_on
FROM payments WHERE order_id = ? ORDER BY created_on, payment_id
"""
_REFUNDS: Final = """
SELECT operation_id, order_id, payment_id, sku, quantity, amount, reason_code, created_on
FROM refunds WHERE order_id = ? ORDER BY created_on, operation_id
"""
_LABELS: Final = """
SELECT operation_id, order_id, sku, reason, fee, created_on
FROM labels WHERE order_id = ? ORDER BY created_on, operation_id
"""
_RESHIPMENTS: Final = """
SELECT operation_id, order_id, sku, quantity, created_on
FROM reshipments WHERE order_id = ? ORDER BY created_on, operation_id
"""


def order_row(db: sqlite3.Connection, order_id: str) -> OrderRow | None:
    """Return the order's own row, whosever it is; the caller checks the owner."""
    row: OrderRow | None = db.execute(_ORDER, (order_id,)).fetchone()
    return row


def own_orders(db: sqlite3.Connection, customer_id: str) -> tuple[Order, ...]:
    """Return the customer's orders with their lines, newest first."""
    rows = db.execute(_OWN_ORDERS, (customer_id,)).fetchall()
    return tuple(_order(row, lines=lines_of(db, row[0], row[8])) for row in rows)


def order_of(db: sqlite3.Connection, row: OrderRow) -> Order:
    """Return the order with all that hangs on it."""
    order_id, currency, has_history = row[0], row[8], row[10]
    history = _history(db, order_id, currency) if has_history else {}
    lines = lines_of(db, order_id, currency)
    boxes = tuple(map(_box, db.execute(_BOXES, (order_id,))))
    return _order(row, lines=lines, boxes=boxes, **history)


def _history(db: sqlite3.Connection, order_id: str, currency: str) -> dict[str, Any]:
    return {
        "refunds": refunds_of(db, order_id, currency),
        "labels": tuple(_label(found, currency) for found in db.execute(_LABELS, (order_id,))),
        "reshipments": tuple(map(_reshipment, db.execute(_RESHIPMENTS, (order_id,)))),
    }


def lines_of(db: sqlite3.Connection, order_id: str, currency: str) -> tuple[OrderLine, ...]:
    """Return the order's lines, sorted by product."""
    return tuple(
        OrderLine(
            product=product,
            quantity=quantity,
            unit_price=Money(unit_price, currency),
            sku=sku,
            box=box,
            stock=stock,
            returnable=None if returnable is None else bool(returnable),
        )
        for product, quantity, unit_price, sku, box, stock, returnable in db.execute(
            _LINES, (order_id,)
        )
    )


def payments_of(db: sqlite3.Connection, order_id: str, currency: str) -> tuple[Payment, ...]:
    """Return the order's charges and authorisations, oldest first."""
    return tuple(
        Payment(
            payment_id=payment_id,
            order_id=of_order,
            kind=kind,
            amount=Money(amount, currency),
            status=status,
            created_on=date.fromisoformat(created_on),
        )
        for payment_id, of_order, kind, amount, status, created_on in db.execute(
            _PAYMENTS, (order_id,)
        )
    )


def refunds_of(db: sqlite3.Connection, order_id: str, currency: str) -> tuple[Refund, ...]:
    """Return the order's refunds, oldest first."""
    return tuple(
        Refund(
            operation_id=operation_id,
            order_id=of_order,
            payment_id=payment_id,
            sku=sku,
            quantity=quantity,
            amount=Money(amount, currency),
            reason_code=reason_code,
            created_on=date.fromisoformat(created_on),
        )
        for operation_id, of_order, payment_id, sku, quantity, amount, reason_code, created_on in (
            db.execute(_REFUNDS, (order_id,))
        )
    )


def _order(row: OrderRow, **parts: Any) -> Order:
    order_id, customer_id, status, ordered_on, shipped_on, delivered_on, fee, total = row[:8]
    currency, note = row[8:10]
    return Order(
        order_id=order_id,
        customer_id=customer_id,
        status=status,
        ordered_on=date.fromisoformat(ordered_on),
        shipped_on=_day(shipped_on),
        delivered_on=_day(delivered_on),
        shipping_fee=Money(fee, currency),
        total=Money(total, currency),
        note=note,
        **parts,
    )


def _box(row: tuple[Any, ...]) -> Box:
    number, status, shipped_on, delivered_on, last_scan_on, courier_note = row
    return Box(
        number=number,
        status=status,
        shipped_on=_day(shipped_on),
        delivered_on=_day(delivered_on),
        last_scan_on=_day(last_scan_on),
        courier_note=courier_note,
    )


def _label(row: tuple[Any, ...], currency: str) -> Label:
    operation_id, order_id, sku, reason, fee, created_on = row
    return Label(
        operation_id=operation_id,
        order_id=order_id,
        sku=sku,
        reason=reason,
        fee=Money(fee, currency),
        created_on=date.fromisoformat(created_on),
    )


def _reshipment(row: tuple[Any, ...]) -> Reshipment:
    operation_id, order_id, sku, quantity, created_on = row
    return Reshipment(
        operation_id=operation_id,
        order_id=order_id,
        sku=sku,
        quantity=quantity,
        created_on=date.fromisoformat(created_on),
    )


def _day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)

"""A shop with as many equal orders as are asked for, each one customer's own.

One order for each proposal, so that what one does never changes what is left for another, and a
write too many shows.
"""

from __future__ import annotations

from pathlib import Path

from tools import (
    Action,
    CreateReturnLabel,
    LabelReason,
    RefundReason,
    RequestRefund,
)

ORDERS = (
    "order_id,customer_id,status,ordered_on,shipped_on,delivered_on,shipping_fee,total,currency\n"
)
ITEMS = "order_id,sku,product,quantity,unit_price,box\n"
PAYMENTS = "payment_id,order_id,kind,amount,status,created_on\n"


def write_stock(folder: Path, count: int) -> None:
    """Write the shop's files: orders 0 to ``count`` - 1."""
    folder.mkdir()
    numbers = range(count)
    orders = (
        f"{order(n)},{customer(n)},delivered,2026-09-20,2026-09-22,2026-09-25,9.95,73.95,CAD\n"
        for n in numbers
    )
    items = (f"{order(n)},COMPOST,compost bin,1,64.00,1\n" for n in numbers)
    paid = (
        f"PAY-{order(n).removeprefix('LK-')}-1,{order(n)},charge,73.95,captured,2026-09-22\n"
        for n in numbers
    )
    (folder / "orders.csv").write_text(ORDERS + "".join(orders), "utf-8")
    (folder / "order_items.csv").write_text(ITEMS + "".join(items), "utf-8")
    (folder / "payments.csv").write_text(PAYMENTS + "".join(paid), "utf-8")


def order(number: int) -> str:
    """Return the id of an order."""
    return f"LK-{100_000 + number}"


def customer(number: int) -> str:
    """Return the id of the order's customer."""
    return f"C-{10_000 + number}"


def fee(number: int) -> RequestRefund:
    """Return the refund of the order's delivery fee."""
    return RequestRefund(
        order_id=order(number), amount_minor=995, currency="CAD", reason_code=RefundReason.LATE
    )


def label(number: int) -> CreateReturnLabel:
    """Return a label for the order's item."""
    return CreateReturnLabel(order_id=order(number), sku="COMPOST", reason=LabelReason.DAMAGED)


def actions(number: int, count: int) -> tuple[Action, ...]:
    """Return the first one or two writes of an order."""
    return (fee(number), label(number))[:count]

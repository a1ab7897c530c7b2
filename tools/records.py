"""What a shop answers: frozen facts, money with its currency, dates as dates.

A record that says whose it is carries ``customer_id``, so that ownership can be checked on what
came back (``tools.shop``). No tool shows it to a model.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from tools.money import Money

__all__ = [
    "Box",
    "Label",
    "Order",
    "OrderLine",
    "Passage",
    "PastTicket",
    "Payment",
    "PaymentHistory",
    "Refund",
    "Reshipment",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderLine:
    """One product of an order. ``None`` means that the shop's data do not say."""

    product: str
    quantity: int
    unit_price: Money
    sku: str | None = None
    box: int | None = None
    stock: int | None = None
    """How many could be sent today."""
    returnable: bool | None = None
    """Whether it may come back because the customer changed their mind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """One box of an order. The courier's note is text from outside."""

    number: int
    status: str
    shipped_on: date | None = None
    delivered_on: date | None = None
    last_scan_on: date | None = None
    courier_note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Payment:
    """One charge or authorisation of an order."""

    payment_id: str
    order_id: str
    kind: str
    """``charge`` or ``authorisation``."""
    amount: Money
    status: str
    """``captured``, ``authorised``, ``released`` or ``refunded``."""
    created_on: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Refund:
    """Money that went back. ``operation_id`` is the key of the write that made it."""

    operation_id: str
    order_id: str
    amount: Money
    reason_code: str
    created_on: date
    payment_id: str | None = None
    sku: str | None = None
    quantity: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A return label. ``fee`` is deducted from the refund that follows; 0 when it is free."""

    operation_id: str
    order_id: str
    sku: str
    reason: str
    fee: Money
    created_on: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Reshipment:
    """An item that was sent again."""

    operation_id: str
    order_id: str
    sku: str
    quantity: int
    created_on: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One order with all that hangs on it. ``note`` is the buyer's gift message."""

    order_id: str
    customer_id: str
    status: str
    ordered_on: date
    shipping_fee: Money
    total: Money
    shipped_on: date | None = None
    delivered_on: date | None = None
    note: str | None = None
    lines: tuple[OrderLine, ...] = ()
    """Sorted by product."""
    boxes: tuple[Box, ...] = ()
    """Sorted by number; empty where the shop's data do not know boxes."""
    refunds: tuple[Refund, ...] = ()
    labels: tuple[Label, ...] = ()
    reshipments: tuple[Reshipment, ...] = ()

    @property
    def currency(self) -> str:
        """The one currency of the order."""
        return self.total.currency


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentHistory:
    """The payments and refunds of one order.

    ``payments`` is ``None`` where the shop does not know payments at all, and empty where the
    order has none.
    """

    order_id: str
    customer_id: str
    currency: str
    payments: tuple[Payment, ...] | None
    refunds: tuple[Refund, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One passage of a policy. ``effective_to`` is its last day; ``None`` is open."""

    passage_id: str
    doc_id: str
    title: str
    version: int
    section: str
    text: str
    effective_from: date
    effective_to: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PastTicket:
    """An earlier ticket of a customer."""

    ticket_id: str
    customer_id: str
    status: str
    opened_on: date
    subject: str

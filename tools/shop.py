"""The shop: order, payment and policy systems behind the tools. Foreign systems to us.

A shop hands out views. A view belongs to one customer and only reads: a look-up that could meet
another customer's data does not exist, and nothing here can write.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import date
from typing import Final, Protocol

from tools.dates import BusinessCalendar
from tools.errors import NotYours
from tools.forms import IdForms
from tools.records import (
    Label,
    Order,
    Passage,
    PastTicket,
    Payment,
    PaymentHistory,
    Refund,
    Reshipment,
)

__all__ = ["Shop", "ShopView", "open_view"]

_log: Final = logging.getLogger("handrail.tools")


class ShopView(Protocol):
    """What one customer's tools may read.

    Every method may raise ``ShopTimeout``, ``ShopUnavailable`` and ``ShopDenied``. Look-ups by id
    raise ``NotFound`` where nothing has that id, and ``NotYours`` where it is another customer's;
    the two must take the same time.
    """

    def order(self, order_id: str) -> Order:
        """Return one order of this customer."""
        ...

    def orders(self) -> tuple[Order, ...]:
        """Return this customer's orders, newest first; refunds, labels and boxes may be left out.

        The lines carry at least product and quantity.
        """
        ...

    def payments(self, order_id: str) -> PaymentHistory:
        """Return the payments and refunds of one order of this customer."""
        ...

    def search_policy(self, query: str, on: date) -> tuple[Passage, ...]:
        """Return at most three public passages in force on the day, best first."""
        ...

    def past_ticket(self, ticket_id: str) -> PastTicket:
        """Return one earlier ticket of this customer."""
        ...

    def owns_order(self, order_id: str) -> bool:
        """Whether an order with that id exists and is this customer's."""
        ...


class Shop(Protocol):
    """One backend. Safe to use from several threads."""

    @property
    def ids(self) -> IdForms:
        """The forms of its ids."""
        ...

    @property
    def calendar(self) -> BusinessCalendar:
        """Its business days."""
        ...

    def for_customer(self, customer_id: str) -> ShopView:
        """Return a read-only view of this customer's data. An unknown customer has none."""
        ...

    def close(self) -> None:
        """Let go of connections. Closing twice is allowed."""
        ...


def open_view(shop: Shop, customer_id: str) -> ShopView:
    """Return the customer's view with ownership checked again on everything that it returns."""
    return _OwnOnly(shop.for_customer(customer_id), customer_id)


class _OwnOnly:
    """Fails closed where a backend returns what belongs to somebody else."""

    def __init__(self, view: ShopView, customer_id: str) -> None:
        self._view = view
        self._customer_id = customer_id

    def order(self, order_id: str) -> Order:
        order = self._view.order(order_id)
        self._same(order.customer_id, order.order_id, order_id)
        self._all_of(order_id, order.refunds)
        self._all_of(order_id, order.labels)
        self._all_of(order_id, order.reshipments)
        return order

    def orders(self) -> tuple[Order, ...]:
        orders = self._view.orders()
        own = tuple(order for order in orders if order.customer_id == self._customer_id)
        if len(own) != len(orders):
            _log.error("foreign_rows_dropped", extra={"count": len(orders) - len(own)})
        return own

    def payments(self, order_id: str) -> PaymentHistory:
        history = self._view.payments(order_id)
        self._same(history.customer_id, history.order_id, order_id)
        self._all_of(order_id, history.payments or ())
        self._all_of(order_id, history.refunds)
        return history

    def search_policy(self, query: str, on: date) -> tuple[Passage, ...]:
        return self._view.search_policy(query, on)

    def past_ticket(self, ticket_id: str) -> PastTicket:
        ticket = self._view.past_ticket(ticket_id)
        self._same(ticket.customer_id, ticket.ticket_id, ticket_id)
        return ticket

    def owns_order(self, order_id: str) -> bool:
        return self._view.owns_order(order_id)

    def _same(self, customer_id: str, found: str, asked: str) -> None:
        if customer_id != self._customer_id or found != asked:
            _log.error("foreign_record_refused")
            raise NotYours("the shop returned a record that is another customer's")

    @staticmethod
    def _all_of(order_id: str, found: Iterable[Payment | Refund | Label | Reshipment]) -> None:
        if any(row.order_id != order_id for row in found):
            _log.error("foreign_record_refused")
            raise NotYours("the shop returned rows of another order")

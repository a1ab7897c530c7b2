"""The read tools. They answer with facts of one customer and show no customer id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel

from tools.context import ToolContext
from tools.contract import CallResult, Kind, OrderFact
from tools.records import Order
from tools.schemas import NoArguments, PolicyQuery, order_arguments, ticket_arguments
from tools.show import (
    history_content,
    order_content,
    passage_content,
    summary_content,
    ticket_content,
)

__all__ = ["GetCustomerOrders", "GetOrder", "GetPayments", "GetTicket", "SearchPolicy"]

MAX_PASSAGES: Final = 3


class GetOrder:
    """One order with everything that hangs on it."""

    name = "get_order"
    description = (
        "Look up one order of this customer: status, dates, items, boxes, refunds, return labels "
        "and reshipments."
    )

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self.arguments = order_arguments(context.ids)

    def run(self, arguments: Any) -> CallResult:
        """Return the order."""
        order = self._context.view.order(arguments.order_id)
        shown = order_content(order, self._context.calendar, self._context.today)
        return _ok({"order": shown}, _fact(order))


class GetCustomerOrders:
    """All orders of the customer, newest first."""

    name = "get_customer_orders"
    description = "List this customer's orders, newest first, when the ticket names no order."
    arguments: type[BaseModel] = NoArguments

    def __init__(self, context: ToolContext) -> None:
        self._context = context

    def run(self, arguments: Any) -> CallResult:  # noqa: ARG002 (there are none)
        """Return the list."""
        orders = self._context.view.orders()
        return _ok({"orders": [summary_content(order) for order in orders]}, *map(_fact, orders))


class GetPayments:
    """The payments and refunds of one order."""

    name = "get_payments"
    description = "List the charges, authorisations and refunds of one order of this customer."

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self.arguments = order_arguments(context.ids)

    def run(self, arguments: Any) -> CallResult:
        """Return the payments, or that payments are not known here."""
        history = self._context.view.payments(arguments.order_id)
        fact = OrderFact(order_id=history.order_id, status=None, currency=history.currency)
        return _ok(history_content(history), fact)


class SearchPolicy:
    """The shop's policy, full text.

    Only public passages in force on the day (design section 4). The reference searched staff
    passages and versions not yet in force as well (B3).
    """

    name = "search_policy"
    description = "Search the shop's policy. Returns up to three passages, best first."
    arguments: type[BaseModel] = PolicyQuery

    def __init__(self, context: ToolContext) -> None:
        self._context = context

    def run(self, arguments: Any) -> CallResult:
        """Return the passages; none is still an answer."""
        found = self._context.view.search_policy(arguments.query, self._context.today)
        return _ok({"passages": [passage_content(passage) for passage in found[:MAX_PASSAGES]]})


class GetTicket:
    """One earlier ticket of the customer."""

    name = "get_ticket"
    description = "Look up one earlier ticket of this customer."

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self.arguments = ticket_arguments(context.ids)

    def run(self, arguments: Any) -> CallResult:
        """Return the ticket."""
        ticket = self._context.view.past_ticket(arguments.ticket_id)
        return _ok({"ticket": ticket_content(ticket)})


def _ok(content: Mapping[str, Any], *orders: OrderFact) -> CallResult:
    return CallResult(kind=Kind.OK, code="ok", content={"ok": True, **content}, orders=orders)


def _fact(order: Order) -> OrderFact:
    return OrderFact(order_id=order.order_id, status=order.status, currency=order.currency)

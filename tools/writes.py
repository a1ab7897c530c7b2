"""The write tools. They check and stage one action; nothing here can write to a shop."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from tools.actions import Action, CreateReturnLabel, RequestRefund, ReshipItem
from tools.arguments import problems_of
from tools.check import check_action
from tools.context import ToolContext
from tools.contract import CallResult, Kind
from tools.errors import ArgumentsRefused
from tools.money import Money
from tools.schemas import label_arguments, refund_arguments, reship_arguments

__all__ = ["CreateReturnLabelTool", "RequestRefundTool", "ReshipItemTool"]


class RequestRefundTool:
    """Money back, once a person approves."""

    name = "request_refund"
    description = (
        "Ask for a refund on an order of this customer. Nothing is refunded before a person "
        "approves it."
    )

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self.arguments = refund_arguments(context.ids)

    def run(self, arguments: Any) -> CallResult:
        """Check and stage the refund; the currency is the order's."""
        currency = self._context.view.order(arguments.order_id).currency
        try:
            action = RequestRefund(
                order_id=arguments.order_id,
                amount_minor=Money.of(arguments.amount, currency).minor,
                currency=currency,
                reason_code=arguments.reason_code,
                sku=arguments.sku,
                quantity=arguments.quantity,
                payment_id=arguments.payment_id,
            )
        except ValidationError as error:  # an amount that rounds to nothing in this currency
            raise ArgumentsRefused(f"The refund is refused: {problems_of(error)}.") from None
        return _stage(self._context, action)


class ReshipItemTool:
    """An item sent again, once a person approves."""

    name = "reship_item"
    description = (
        "Ask that an item of an order be sent again at no cost. Nothing is sent before a person "
        "approves it."
    )

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self.arguments = reship_arguments(context.ids)

    def run(self, arguments: Any) -> CallResult:
        """Check and stage the reshipment."""
        action = ReshipItem(
            order_id=arguments.order_id, sku=arguments.sku, quantity=arguments.quantity
        )
        return _stage(self._context, action)


class CreateReturnLabelTool:
    """A return label, once a person approves."""

    name = "create_return_label"
    description = (
        "Ask for a prepaid return label for one item of a delivered order. No label is made before "
        "a person approves it."
    )

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self.arguments = label_arguments(context.ids)

    def run(self, arguments: Any) -> CallResult:
        """Check and stage the label."""
        action = CreateReturnLabel(
            order_id=arguments.order_id, sku=arguments.sku, reason=arguments.reason
        )
        return _stage(self._context, action)


def _stage(context: ToolContext, action: Action) -> CallResult:
    check_action(context.view, action)
    content = {
        "ok": True,
        "status": "waiting_for_a_person",
        "message": "The request waits for a person to approve it. Nothing has changed yet, and "
        "the customer must not be told that it has.",
    }
    return CallResult(kind=Kind.PROPOSED, code="proposed", content=content, action=action)

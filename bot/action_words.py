"""The words for what an action is of and why, the same in the terminal and in Slack."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from tools import LabelReason, RefundReason, RefundTarget, RequestRefund

__all__ = ["label_reason", "refund_reason", "refund_target"]


def refund_target(refund: RequestRefund, shown: Callable[[str], str]) -> str:
    """What a refund is for; ``shown`` makes a foreign text safe for the place it is shown in."""
    match refund.target:
        case RefundTarget.ITEM:
            return f"for {refund.quantity} of {shown(refund.sku or '')}"
        case RefundTarget.PAYMENT:
            return f"of payment {shown(refund.payment_id or '')}"
        case RefundTarget.FEE:
            return "of the delivery fee"
        case _:
            assert_never(refund.target)


def refund_reason(reason: RefundReason) -> str:
    """Why money goes back."""
    match reason:
        case RefundReason.LATE:
            return "late or lost"
        case RefundReason.DAMAGE:
            return "damaged"
        case RefundReason.DOUBLE:
            return "charged twice"
        case _:
            assert_never(reason)


def label_reason(reason: LabelReason) -> str:
    """What a return label costs the customer."""
    match reason:
        case LabelReason.CHANGE_OF_MIND:
            return "a return fee is deducted"
        case LabelReason.DAMAGED | LabelReason.WRONG_ITEM:
            return "free"
        case _:
            assert_never(reason)

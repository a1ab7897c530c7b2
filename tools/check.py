"""The check of one action against a shop: it reads and never writes.

The write tools, the loop's check and the executor's look before it sends all use this one
function. It enforces what the practice shop's services do (reference facts B9) and what the
policy says of labels (B2, W6); the shop's own refusal stays the last guard.
"""

from __future__ import annotations

from typing import Final, assert_never

from tools.actions import (
    MAX_REFUND,
    Action,
    CreateReturnLabel,
    LabelReason,
    RefundTarget,
    RequestRefund,
    ReshipItem,
)
from tools.errors import ShopInvalid
from tools.money import Money
from tools.records import Order, OrderLine, PaymentHistory
from tools.shop import ShopView

__all__ = ["check_action", "check_possible", "left_to_refund"]

_PAYMENTS_UNKNOWN: Final = "payments are not known here, so nothing can be refunded"


def check_action(view: ShopView, action: Action) -> None:
    """Return when the action is possible now.

    Raises:
        NotFound, NotYours: the order is not this customer's.
        ShopInvalid: the action cannot be done; the text states the rule.
        ShopTimeout, ShopUnavailable, ShopDenied: the shop could not be asked.
    """
    order = view.order(action.order_id)
    refund = isinstance(action, RequestRefund)
    check_possible(action, order, view.payments(action.order_id) if refund else None)


def check_possible(action: Action, order: Order, history: PaymentHistory | None) -> None:
    """Return when the action is possible on what the shop holds of its order.

    ``history`` is looked at for refunds only; ``None`` means that payments are not known.

    Raises:
        ShopInvalid: the action cannot be done; the text states the rule.
    """
    match action:
        case CreateReturnLabel():
            _check_label(order, action)
        case ReshipItem():
            _check_reshipment(order, action)
        case RequestRefund():
            if history is None:
                raise ShopInvalid(_PAYMENTS_UNKNOWN)
            _check_refund(order, history, action)
        case _:
            assert_never(action)


def left_to_refund(history: PaymentHistory, payment_id: str | None = None) -> Money:
    """Return what can still go back on the order, or on one payment of it; never below nothing.

    The captured charges less the refunds made. A charge that was refunded as a whole counts for
    nothing, and so do the refunds of it. The reference counts both and comes to the same, unless
    the refund of such a charge is not on record (B9).

    Raises:
        ShopInvalid: payments are not known here, or the payment is no captured charge of the order.
    """
    if history.payments is None:
        raise ShopInvalid(_PAYMENTS_UNKNOWN)
    charges = [payment for payment in history.payments if payment.kind == "charge"]
    captured = {p.payment_id: p.amount for p in charges if p.status == "captured"}
    settled = {p.payment_id for p in charges if p.status == "refunded"}
    nothing = Money(0, history.currency)
    back = [refund for refund in history.refunds if refund.payment_id not in settled]
    left = sum(captured.values(), nothing) - sum((refund.amount for refund in back), nothing)
    if payment_id is not None:
        if payment_id not in captured:
            raise ShopInvalid("the payment is not a captured charge of this order")
        own = [refund.amount for refund in back if refund.payment_id == payment_id]
        left = min(left, captured[payment_id] - sum(own, nothing))
    return max(left, nothing)


def _check_label(order: Order, action: CreateReturnLabel) -> None:
    line = _line_of(order, action.sku)
    if not _was_delivered(order, line):
        raise ShopInvalid("the item has not been delivered, so it cannot come back yet")
    if action.reason is LabelReason.CHANGE_OF_MIND and not line.returnable:
        known = "is not one" if line.returnable is False else "is not known to be one"
        raise ShopInvalid(f"the item {known} that may come back after a change of mind")


def _check_reshipment(order: Order, action: ReshipItem) -> None:
    line = _line_of(order, action.sku)
    _check_quantity(line, action.quantity)
    if line.stock is None:
        raise ShopInvalid("the stock of the item is not known here")
    if line.stock < action.quantity:
        raise ShopInvalid("there is not enough of the item in stock")


def _check_refund(order: Order, history: PaymentHistory, action: RequestRefund) -> None:
    if action.currency != order.currency:
        raise ShopInvalid(f"the order's currency is {order.currency}")
    if action.money.amount > MAX_REFUND:
        raise ShopInvalid(f"a refund is at most {MAX_REFUND}")
    worth = _worth(order, action)
    if worth is not None and worth < action.money:
        raise ShopInvalid(f"what the refund is for is worth {worth}")
    left = left_to_refund(history, action.payment_id)
    if left < action.money:
        raise ShopInvalid(f"at most {left} is left to refund")


def _worth(order: Order, action: RequestRefund) -> Money | None:
    """Return the most that a refund can be by what it names; a payment bounds itself."""
    match action.target:
        case RefundTarget.FEE:
            return order.shipping_fee
        case RefundTarget.PAYMENT:
            return None
        case RefundTarget.ITEM:
            line = _line_of(order, action.sku or "")
            quantity = action.quantity or 0
            _check_quantity(line, quantity)
            return line.unit_price * quantity
        case _:
            assert_never(action.target)


def _line_of(order: Order, sku: str) -> OrderLine:
    for line in order.lines:
        if line.sku == sku:
            return line
    raise ShopInvalid("the order has no item with that sku")


def _check_quantity(line: OrderLine, quantity: int) -> None:
    if quantity > line.quantity:
        raise ShopInvalid(f"the order has only {line.quantity} of that item")


def _was_delivered(order: Order, line: OrderLine) -> bool:
    if order.delivered_on is not None:
        return True
    return any(box.number == line.box and box.delivered_on is not None for box in order.boxes)

"""Actions: the three exact writes that a run may propose and a person may approve.

An action is a value. Nothing here can carry one out.
"""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from tools.money import Money

__all__ = [
    "ACTION_FIELDS",
    "WRITE_TOOLS",
    "Action",
    "CreateReturnLabel",
    "LabelReason",
    "RefundReason",
    "RefundTarget",
    "RequestRefund",
    "ReshipItem",
    "action_from_dict",
    "action_to_dict",
    "check_refund_target",
]


class LabelReason(StrEnum):
    """Why an item comes back. The label is free unless the customer changed their mind."""

    CHANGE_OF_MIND = "change_of_mind"
    DAMAGED = "damaged"
    WRONG_ITEM = "wrong_item"


class RefundReason(StrEnum):
    """The reason codes of a refund (reference facts B2: W2 and W3, W5, W7)."""

    LATE = "RFD-LATE"
    DAMAGE = "RFD-DAMAGE"
    DOUBLE = "RFD-DOUBLE"


class RefundTarget(StrEnum):
    """What a refund is for: one item, the delivery fee, or one payment."""

    ITEM = "item"
    FEE = "fee"
    PAYMENT = "payment"


class _Action(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")
    order_id: str


class CreateReturnLabel(_Action):
    """A prepaid return label for one item of an order."""

    tool: Literal["create_return_label"] = "create_return_label"
    sku: Annotated[str, Field(min_length=2, max_length=20)]
    reason: Annotated[LabelReason, Field(strict=False)]


class ReshipItem(_Action):
    """The same item sent again at no cost."""

    tool: Literal["reship_item"] = "reship_item"
    sku: Annotated[str, Field(min_length=2, max_length=20)]
    quantity: Annotated[int, Field(ge=1, le=10)]


class RequestRefund(_Action):
    """Money back on an order.

    Names what it is for: ``sku`` and ``quantity`` (required for damage), or ``payment_id``
    (required for a double charge), or neither, which means the delivery fee.
    """

    tool: Literal["request_refund"] = "request_refund"
    amount_minor: Annotated[int, Field(gt=0)]
    currency: str
    reason_code: Annotated[RefundReason, Field(strict=False)]
    sku: Annotated[str, Field(min_length=2, max_length=20)] | None = None
    quantity: Annotated[int, Field(ge=1, le=10)] | None = None
    payment_id: str | None = None

    @model_validator(mode="after")
    def _names_its_target(self) -> RequestRefund:
        check_refund_target(
            self.reason_code, sku=self.sku, quantity=self.quantity, payment_id=self.payment_id
        )
        return self

    @property
    def money(self) -> Money:
        """The amount with its currency."""
        return Money(self.amount_minor, self.currency)

    @property
    def target(self) -> RefundTarget:
        """What the refund is for."""
        if self.sku is not None:
            return RefundTarget.ITEM
        return RefundTarget.PAYMENT if self.payment_id is not None else RefundTarget.FEE


def check_refund_target(
    reason_code: RefundReason, *, sku: str | None, quantity: int | None, payment_id: str | None
) -> None:
    """Check that a refund names what it is for (design section 4).

    Raises:
        ValueError: with the rule in words.
    """
    if (sku is None) != (quantity is None):
        raise ValueError("a refund of an item names both sku and quantity")
    if sku is not None and payment_id is not None:
        raise ValueError("a refund is of an item or of a payment, not of both")
    if reason_code is RefundReason.DAMAGE and sku is None:
        raise ValueError("a refund for damage names sku and quantity")
    if reason_code is RefundReason.DOUBLE and payment_id is None:
        raise ValueError("a refund of a double charge names the payment")


Action = CreateReturnLabel | ReshipItem | RequestRefund
ACTION_FIELDS: Final = frozenset(
    CreateReturnLabel.model_fields.keys()
    | ReshipItem.model_fields.keys()
    | RequestRefund.model_fields.keys()
)
"""Names of the fields that an action may have."""
WRITE_TOOLS: Final = frozenset({"create_return_label", "reship_item", "request_refund"})
"""Names of the tools whose calls come to an action."""
MAX_REFUND = Decimal(5000)
"""Largest refund that may be proposed, in major units (reference facts B4)."""

_ADAPTER: TypeAdapter[Action] = TypeAdapter(Annotated[Action, Field(discriminator="tool")])


def action_to_dict(action: Action) -> dict[str, Any]:
    """Return the action as JSON values, every field present: the form that is hashed and stored."""
    return action.model_dump(mode="json")


def action_from_dict(value: object) -> Action:
    """Read an action back; raises pydantic's ``ValidationError`` on anything else."""
    return _ADAPTER.validate_python(value)

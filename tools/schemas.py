"""The argument models of the built-in tools, one set for each set of id forms.

They are made by functions because the forms of ids are settings. The sets are kept: a model costs
a millisecond to make, and a run's tools are made anew for every ticket.
"""

from functools import cache
from typing import Annotated, Any, Final

from pydantic import Field, model_validator

from tools.actions import MAX_REFUND, LabelReason, RefundReason, check_refund_target
from tools.arguments import Arguments, DecimalNumber, id_of
from tools.forms import IdForms

__all__ = [
    "NoArguments",
    "PolicyQuery",
    "label_arguments",
    "order_arguments",
    "refund_arguments",
    "reship_arguments",
    "ticket_arguments",
]

MIN_QUERY_CHARS: Final = 3
MAX_QUERY_CHARS: Final = 200

Sku = Annotated[
    str,
    Field(min_length=2, max_length=20, description="The item's sku, as get_order returned it."),
]
Quantity = Annotated[int, Field(ge=1, le=10, description="How many of the item, 1 to 10.")]


class NoArguments(Arguments):
    """The arguments of a tool that takes none."""


class PolicyQuery(Arguments):
    """The arguments of search_policy (reference facts B3)."""

    query: Annotated[
        str,
        Field(
            min_length=MIN_QUERY_CHARS,
            max_length=MAX_QUERY_CHARS,
            description="Words to look for, 3 to 200 characters.",
        ),
    ]


def _the_order(ids: IdForms) -> Any:
    return Field(description=f"The order: {ids.order.words}.")


@cache
def order_arguments(ids: IdForms) -> type[Arguments]:
    """Return the model of a call that names one order."""

    class OrderArguments(Arguments):
        order_id: Annotated[str, id_of(ids.order), _the_order(ids)]

    return OrderArguments


@cache
def ticket_arguments(ids: IdForms) -> type[Arguments]:
    """Return the model of a call that names one earlier ticket."""

    class TicketArguments(Arguments):
        ticket_id: Annotated[
            str, id_of(ids.ticket), Field(description=f"The earlier ticket: {ids.ticket.words}.")
        ]

    return TicketArguments


@cache
def label_arguments(ids: IdForms) -> type[Arguments]:
    """Return the model of a call of create_return_label."""

    class LabelArguments(Arguments):
        order_id: Annotated[str, id_of(ids.order), _the_order(ids)]
        sku: Sku
        reason: Annotated[LabelReason, Field(strict=False, description="Why the item comes back.")]

    return LabelArguments


@cache
def reship_arguments(ids: IdForms) -> type[Arguments]:
    """Return the model of a call of reship_item."""

    class ReshipArguments(Arguments):
        order_id: Annotated[str, id_of(ids.order), _the_order(ids)]
        sku: Sku
        quantity: Quantity

    return ReshipArguments


@cache
def refund_arguments(ids: IdForms) -> type[Arguments]:
    """Return the model of a call of request_refund. The currency is the order's."""

    class RefundArguments(Arguments):
        order_id: Annotated[str, id_of(ids.order), _the_order(ids)]
        amount: Annotated[
            DecimalNumber,
            Field(
                gt=0,
                le=int(MAX_REFUND),
                description="The amount in the order's currency, above 0 and at most 5000.",
            ),
        ]
        reason_code: Annotated[
            RefundReason,
            Field(
                strict=False,
                description="RFD-LATE: late or lost. RFD-DAMAGE: arrived damaged, names sku and "
                "quantity. RFD-DOUBLE: charged twice, names payment_id.",
            ),
        ]
        sku: Sku | None
        quantity: Quantity | None
        payment_id: Annotated[
            Annotated[str, id_of(ids.payment)] | None,
            Field(description=f"The payment to refund ({ids.payment.words}), or null."),
        ]

        @model_validator(mode="after")
        def _names_its_target(self) -> "RefundArguments":
            check_refund_target(
                self.reason_code, sku=self.sku, quantity=self.quantity, payment_id=self.payment_id
            )
            return self

    return RefundArguments

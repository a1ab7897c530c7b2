"""The files of a data folder and their columns (``docs/data.md``)."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from tools.actions import LabelReason, RefundReason
from tools.forms import IdForm, IdForms
from tools.practice.tables import Columns, Parse, amount, count, day, flag, one_of, optional, text

__all__ = [
    "HOLIDAYS",
    "ORDER_STATUSES",
    "PRODUCTS",
    "PassageLine",
    "eval_tickets",
    "labels",
    "order_items",
    "orders",
    "past_tickets",
    "payments",
    "refunds",
    "reshipments",
    "shipments",
]

ORDER_STATUSES: Final = (
    "processing",
    "shipped",
    "partly_delivered",
    "delivered",
    "return_requested",
    "return_received",
    "refunded",
    "cancelled",
)
"""The states of an order (reference facts A1 and B1)."""


def id_in(form: IdForm) -> Parse:
    """Return a parser of one id of the form."""

    def parse(value: str) -> str:
        if not form.fits(value):
            raise ValueError(f"must be {form.words}")
        return value

    return parse


def _quantity(value: str) -> int:
    found = count(value)
    if found < 1:
        raise ValueError("must be at least 1")
    return found


PRODUCTS: Final = Columns(
    required={"sku": text, "stock": count, "change_of_mind_return": flag},
)
HOLIDAYS: Final = Columns(required={"date": day}, optional={"name": optional(text)})


def orders(ids: IdForms) -> Columns:
    """Return the columns of orders.csv."""
    return Columns(
        required={
            "order_id": id_in(ids.order),
            "customer_id": id_in(ids.customer),
            "status": one_of(*ORDER_STATUSES),
            "ordered_on": day,
            "shipped_on": optional(day),
            "delivered_on": optional(day),
            "shipping_fee": amount,
            "total": amount,
            "currency": text,
        },
        optional={"note": optional(text)},
    )


def order_items(ids: IdForms) -> Columns:
    """Return the columns of order_items.csv."""
    return Columns(
        required={
            "order_id": id_in(ids.order),
            "product": text,
            "quantity": _quantity,
            "unit_price": amount,
        },
        optional={"sku": optional(text), "box": optional(_quantity)},
    )


def shipments(ids: IdForms) -> Columns:
    """Return the columns of shipments.csv: one row for each box."""
    return Columns(
        required={
            "shipment_id": text,
            "order_id": id_in(ids.order),
            "box": _quantity,
            "status": one_of("not_shipped", "in_transit", "delivered"),
            "shipped_on": optional(day),
            "delivered_on": optional(day),
        },
        optional={"last_scan_on": optional(day), "courier_note": optional(text)},
    )


def payments(ids: IdForms) -> Columns:
    """Return the columns of payments.csv."""
    return Columns(
        required={
            "payment_id": id_in(ids.payment),
            "order_id": id_in(ids.order),
            "kind": one_of("charge", "authorisation"),
            "amount": amount,
            "status": one_of("captured", "authorised", "released", "refunded"),
            "created_on": day,
        }
    )


def refunds(ids: IdForms) -> Columns:
    """Return the columns of refunds.csv: refunds made before."""
    return Columns(
        required={
            "operation_id": text,
            "order_id": id_in(ids.order),
            "amount": amount,
            "reason_code": one_of(*RefundReason),
            "created_on": day,
        },
        optional={
            "payment_id": optional(id_in(ids.payment)),
            "sku": optional(text),
            "quantity": optional(_quantity),
        },
    )


def labels(ids: IdForms) -> Columns:
    """Return the columns of labels.csv: return labels made before."""
    return Columns(
        required={
            "operation_id": text,
            "order_id": id_in(ids.order),
            "sku": text,
            "reason": one_of(*LabelReason),
            "fee": amount,
            "created_on": day,
        }
    )


def reshipments(ids: IdForms) -> Columns:
    """Return the columns of reshipments.csv: items sent again before."""
    return Columns(
        required={
            "operation_id": text,
            "order_id": id_in(ids.order),
            "sku": text,
            "quantity": _quantity,
            "created_on": day,
        }
    )


def past_tickets(ids: IdForms) -> Columns:
    """Return the columns of past_tickets.csv."""
    return Columns(
        required={
            "ticket_id": id_in(ids.ticket),
            "customer_id": id_in(ids.customer),
            "status": text,
            "opened_on": day,
            "subject": text,
        }
    )


def eval_tickets(ids: IdForms) -> Columns:
    """Return the columns of eval_tickets.csv, the assistant's tickets (reference facts A1)."""
    return Columns(
        required={
            "ticket_id": id_in(ids.ticket),
            "customer_id": id_in(ids.customer),
            "text": str,
            "attachments": str,
        },
        optional={
            "team": optional(text),
            "needs_human": optional(flag),
            "style": optional(text),
            "source": optional(text),
            "needs_human_rule": optional(text),
        },
    )


def _day(value: object) -> date:
    if not isinstance(value, str):
        raise ValueError("must be a date such as 2026-10-09")  # noqa: TRY004 (pydantic's contract)
    return day(value)


_Day = Annotated[date, BeforeValidator(_day)]


class PassageLine(BaseModel):
    """One line of policy_passages.jsonl. Further keys are not read."""

    model_config = ConfigDict(strict=True, frozen=True)

    passage_id: Annotated[str, Field(min_length=1)]
    doc_id: str
    title: str
    version: Annotated[int, Field(ge=0, le=1_000_000)]
    section: str
    text: str
    effective_from: _Day
    effective_to: _Day | None = None
    access: Literal["public", "staff"]

    def row(self) -> tuple[Any, ...]:
        """Return the values in the order of the table's columns."""
        until = None if self.effective_to is None else self.effective_to.isoformat()
        return (
            self.passage_id,
            self.doc_id,
            self.title,
            self.version,
            self.section,
            self.text,
            self.effective_from.isoformat(),
            until,
            self.access,
        )

"""The records as JSON, both ways: dates as text, money as minor units with its currency."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final, TypeVar

from pydantic import TypeAdapter, ValidationError

from tools.errors import MoneyError, ShopGarbled
from tools.gateway import Receipt, ReceiptState
from tools.records import Order, Passage, PastTicket, PaymentHistory

__all__ = [
    "CALENDAR",
    "HISTORY",
    "ORDER",
    "ORDERS",
    "PASSAGES",
    "RECEIPT",
    "TICKET",
    "Holidays",
    "Orders",
    "Passages",
    "WriteReceipt",
    "read",
    "write",
]

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """The orders of one customer, newest first."""

    orders: tuple[Order, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passages:
    """The passages that fit best, best first."""

    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Holidays:
    """The weekdays on which the shop does not work."""

    holidays: tuple[date, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteReceipt:
    """A write as the service holds it. ``operation_id`` and ``key`` say whose answer this is."""

    operation_id: str
    key: str
    reference: str
    state: ReceiptState
    summary: dict[str, str | int | bool | None]
    repeated: bool = False

    def receipt(self) -> Receipt:
        """Return it without the ids."""
        return Receipt(
            reference=self.reference,
            state=self.state,
            summary=self.summary,
            repeated=self.repeated,
        )


ORDER: Final = TypeAdapter(Order)
ORDERS: Final = TypeAdapter(Orders)
HISTORY: Final = TypeAdapter(PaymentHistory)
TICKET: Final = TypeAdapter(PastTicket)
PASSAGES: Final = TypeAdapter(Passages)
CALENDAR: Final = TypeAdapter(Holidays)
RECEIPT: Final = TypeAdapter(WriteReceipt)


def read(kind: TypeAdapter[T], body: bytes) -> T:
    """Read a record; fields that it does not have are not looked at.

    Raises:
        ShopGarbled: the body is no such record; the message holds no part of it.
    """
    try:
        return kind.validate_json(body, strict=True)
    except (ValidationError, MoneyError):
        raise ShopGarbled("the service's answer is not the record that was asked for") from None


def write(kind: TypeAdapter[T], record: T) -> bytes:
    """Return a record as JSON."""
    return kind.dump_json(record)

"""From a folder of data files to rows that fit the practice shop's tables, all checked.

What is checked beyond each field: ids are there once, every row's order exists, amounts fit
their currency. What a missing file means stands in ``docs/data.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tools.arguments import problems_of
from tools.errors import DataError, MoneyError
from tools.forms import IdForms
from tools.money import Money, currency_digits
from tools.practice import layout
from tools.practice.tables import Columns, Row, read_csv, read_jsonl

__all__ = ["ShopData", "read_folder"]

Values = tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShopData:
    """The rows of every table, and whether payments are known at all."""

    payments_known: bool
    rows: Mapping[str, tuple[Values, ...]]


def read_folder(folder: Path, ids: IdForms) -> ShopData:
    """Read and check the shop's files of a data folder.

    Raises:
        DataError: naming file, line and field of the first fault.
    """
    if not folder.is_dir():
        raise DataError(str(folder), "there is no such folder")
    files = _Files(folder, ids)
    payments = files.payments()
    rows = {
        "holidays": files.holidays(),
        "products": files.products(),
        "orders": files.orders(),
        "order_lines": files.order_lines(),
        "boxes": files.boxes(),
        "payments": payments or (),
        "refunds": files.refunds(),
        "labels": files.labels(),
        "reshipments": files.reshipments(),
        "past_tickets": files.past_tickets(),
        "passages": files.passages(),
    }
    return ShopData(payments_known=payments is not None, rows=rows)


class _Files:
    """The files of one folder, each read into the rows of its table."""

    def __init__(self, folder: Path, ids: IdForms) -> None:
        self._folder = folder
        self._ids = ids
        self._orders = _unique(self._needed("orders.csv", layout.orders(ids)), "order_id")
        self._currency = {row["order_id"]: _currency(row) for row in self._orders}

    def holidays(self) -> tuple[Values, ...]:
        rows = self._optional("holidays.csv", layout.HOLIDAYS)
        return tuple((row["date"].isoformat(), row["name"]) for row in _unique(rows, "date"))

    def products(self) -> tuple[Values, ...]:
        rows = self._optional("products.csv", layout.PRODUCTS)
        return tuple(
            (row["sku"], row["stock"], int(row["change_of_mind_return"]))
            for row in _unique(rows, "sku")
        )

    def orders(self) -> tuple[Values, ...]:
        return tuple(
            (
                row["order_id"],
                row["customer_id"],
                row["status"],
                row["ordered_on"].isoformat(),
                _iso(row["shipped_on"]),
                _iso(row["delivered_on"]),
                self._minor(row, "shipping_fee"),
                self._minor(row, "total"),
                row["currency"],
                row["note"],
            )
            for row in self._orders
        )

    def order_lines(self) -> tuple[Values, ...]:
        rows = self._needed("order_items.csv", layout.order_items(self._ids))
        return tuple(
            (
                self._order(row),
                row["sku"],
                row["product"],
                row["quantity"],
                self._minor(row, "unit_price"),
                row["box"],
            )
            for row in rows
        )

    def boxes(self) -> tuple[Values, ...]:
        rows = _unique(self._optional("shipments.csv", layout.shipments(self._ids)), "shipment_id")
        return tuple(
            (
                row["shipment_id"],
                self._order(row),
                row["box"],
                row["status"],
                _iso(row["shipped_on"]),
                _iso(row["delivered_on"]),
                _iso(row["last_scan_on"]),
                row["courier_note"],
            )
            for row in _unique(rows, "order_id", "box")
        )

    def payments(self) -> tuple[Values, ...] | None:
        rows = read_csv(self._folder, "payments.csv", layout.payments(self._ids))
        if rows is None:
            return None
        return tuple(
            (
                row["payment_id"],
                self._order(row),
                row["kind"],
                self._minor(row, "amount"),
                row["status"],
                row["created_on"].isoformat(),
            )
            for row in _unique(rows, "payment_id")
        )

    def refunds(self) -> tuple[Values, ...]:
        rows = self._optional("refunds.csv", layout.refunds(self._ids))
        return tuple(
            (
                row["operation_id"],
                self._order(row),
                row["payment_id"],
                row["sku"],
                row["quantity"],
                self._minor(row, "amount", least=1),
                row["reason_code"],
                row["created_on"].isoformat(),
            )
            for row in _unique(rows, "operation_id")
        )

    def labels(self) -> tuple[Values, ...]:
        rows = self._optional("labels.csv", layout.labels(self._ids))
        return tuple(
            (
                row["operation_id"],
                self._order(row),
                row["sku"],
                row["reason"],
                self._minor(row, "fee"),
                row["created_on"].isoformat(),
            )
            for row in _unique(rows, "operation_id")
        )

    def reshipments(self) -> tuple[Values, ...]:
        rows = self._optional("reshipments.csv", layout.reshipments(self._ids))
        return tuple(
            (
                row["operation_id"],
                self._order(row),
                row["sku"],
                row["quantity"],
                row["created_on"].isoformat(),
            )
            for row in _unique(rows, "operation_id")
        )

    def past_tickets(self) -> tuple[Values, ...]:
        rows = self._optional("past_tickets.csv", layout.past_tickets(self._ids))
        return tuple(
            (
                row["ticket_id"],
                row["customer_id"],
                row["status"],
                row["opened_on"].isoformat(),
                row["subject"],
            )
            for row in _unique(rows, "ticket_id")
        )

    def passages(self) -> tuple[Values, ...]:
        rows = read_jsonl(self._folder, "policy_passages.jsonl") or ()
        read = tuple((row, _passage(row)) for row in rows)
        _unique((row for row, _ in read), "passage_id")
        return tuple(passage.row() for _, passage in read)

    def _needed(self, name: str, columns: Columns) -> tuple[Row, ...]:
        rows = read_csv(self._folder, name, columns)
        if rows is None:
            raise DataError(str(self._folder / name), "the data folder must have this file")
        return rows

    def _optional(self, name: str, columns: Columns) -> tuple[Row, ...]:
        return read_csv(self._folder, name, columns) or ()

    def _order(self, row: Row) -> str:
        order_id: str = row["order_id"]
        if order_id not in self._currency:
            raise row.fault("order_id", "there is no such order in orders.csv")
        return order_id

    def _minor(self, row: Row, name: str, *, least: int = 0) -> int:
        """Return the amount in minor units of the order's currency."""
        value: Decimal = row[name]
        money = Money.of(value, self._currency[self._order(row)])
        if money.amount != value:
            raise row.fault(name, f"has more decimals than {money.currency} has")
        if money.minor < least:
            raise row.fault(name, "must be above 0")
        return money.minor


def _currency(row: Row) -> str:
    currency: str = row["currency"]
    try:
        currency_digits(currency)
    except MoneyError as error:
        raise row.fault("currency", str(error)) from None
    return currency


def _passage(row: Row) -> layout.PassageLine:
    try:
        return layout.PassageLine.model_validate(row.values)
    except ValidationError as error:
        raise DataError(row.file, problems_of(error), line=row.line) from None


def _unique(rows: Iterable[Row], *names: str) -> tuple[Row, ...]:
    """Return the rows; two with the same values in these fields are refused."""
    found = tuple(rows)
    first: dict[Values, int] = {}
    for row in found:
        key = tuple(row[name] for name in names)
        if key in first:
            raise row.fault(names[-1], f"is the same as on line {first[key]}")
        first[key] = row.line
    return found


def _iso(day: date | None) -> str | None:
    return None if day is None else day.isoformat()

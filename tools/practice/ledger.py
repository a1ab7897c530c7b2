"""What writes leave in the practice shop's file: the SQL of its gateway.

The change itself is a row of ``refunds``, ``labels`` or ``reshipments``; what was answered stands
in ``writes``, under the key. Both are written in one transaction.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from tools.actions import CreateReturnLabel, RequestRefund, ReshipItem
from tools.gateway import Receipt, ReceiptState
from tools.money import Money
from tools.records import PaymentHistory
from tools.request import SEED

__all__ = [
    "Change",
    "StoredWrite",
    "add_label",
    "add_refund",
    "add_reshipment",
    "add_write",
    "changes_in",
    "find_reference",
    "find_write",
    "make_table",
    "mark_refunded",
    "reference_of",
]

_TABLE: Final = """
CREATE TABLE IF NOT EXISTS writes (
    key TEXT PRIMARY KEY,
    operation_id TEXT NOT NULL UNIQUE,
    ticket_id TEXT NOT NULL,
    tool TEXT NOT NULL,
    order_id TEXT NOT NULL,
    request_sha256 TEXT NOT NULL,
    reference TEXT NOT NULL,
    summary TEXT NOT NULL,
    made_on TEXT NOT NULL
) STRICT
"""
# From the tables of the changes themselves: what was answered is not what happened.
_CHANGES: Final = """
SELECT c.tool, c.operation_id, c.order_id, c.created_on, coalesce(w.summary, '{}')
FROM (
    SELECT 'request_refund' AS tool, operation_id, order_id, created_on FROM refunds
    UNION ALL SELECT 'create_return_label', operation_id, order_id, created_on FROM labels
    UNION ALL SELECT 'reship_item', operation_id, order_id, created_on FROM reshipments
) AS c LEFT JOIN writes AS w USING (operation_id)
WHERE c.operation_id NOT GLOB ?
ORDER BY w.rowid, c.created_on, c.operation_id
"""
_PREFIXES: Final = {"request_refund": "RF", "reship_item": "RS", "create_return_label": "RL"}


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredWrite:
    """One row of ``writes``."""

    key: str
    operation_id: str
    ticket_id: str
    tool: str
    order_id: str
    request_sha256: str
    reference: str
    summary: Mapping[str, Any]
    made_on: date

    def receipt(self, *, repeated: bool = False) -> Receipt:
        """Return what is answered for it; a change of the practice shop is final at once."""
        return Receipt(
            reference=self.reference,
            state=ReceiptState.SETTLED,
            summary=self.summary,
            repeated=repeated,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change of the shop that did not come with its data."""

    tool: str
    operation_id: str
    order_id: str
    reference: str
    made_on: date
    summary: Mapping[str, Any]


def make_table(db: sqlite3.Connection) -> None:
    """Make the table of writes where the file has none yet."""
    db.execute(_TABLE)


def find_write(db: sqlite3.Connection, *, key: str, operation_id: str) -> StoredWrite | None:
    """Return the write that bears the key, or else the operation's id."""
    for column, value in (("key", key), ("operation_id", operation_id)):
        row = db.execute(f"SELECT * FROM writes WHERE {column} = ?", (value,)).fetchone()  # noqa: S608 (two literals)
        if row is not None:
            return _stored(row)
    return None


def find_reference(db: sqlite3.Connection, reference: str) -> StoredWrite | None:
    """Return the write that has this reference."""
    row = db.execute("SELECT * FROM writes WHERE reference = ?", (reference,)).fetchone()
    return None if row is None else _stored(row)


def add_write(db: sqlite3.Connection, write: StoredWrite) -> None:
    """Store what was answered."""
    summary = json.dumps(dict(write.summary), sort_keys=True)
    db.execute(
        "INSERT INTO writes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            write.key,
            write.operation_id,
            write.ticket_id,
            write.tool,
            write.order_id,
            write.request_sha256,
            write.reference,
            summary,
            write.made_on.isoformat(),
        ),
    )


def add_refund(
    db: sqlite3.Connection, operation_id: str, action: RequestRefund, made_on: date
) -> None:
    """Store a refund."""
    db.execute(
        "INSERT INTO refunds VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            operation_id,
            action.order_id,
            action.payment_id,
            action.sku,
            action.quantity,
            action.amount_minor,
            action.reason_code.value,
            made_on.isoformat(),
        ),
    )


def mark_refunded(db: sqlite3.Connection, history: PaymentHistory, payment_id: str) -> None:
    """Mark a payment as refunded once nothing of it is left.

    The reference marks it after the first refund of any size, which would stop a second partial
    one (B9).
    """
    amounts = [p.amount for p in history.payments or () if p.payment_id == payment_id]
    back = [r.amount.minor for r in history.refunds if r.payment_id == payment_id]
    if amounts and sum(back) >= amounts[0].minor:
        db.execute("UPDATE payments SET status = 'refunded' WHERE payment_id = ?", (payment_id,))


def add_label(
    db: sqlite3.Connection, operation_id: str, action: CreateReturnLabel, fee: Money, made_on: date
) -> None:
    """Store a return label."""
    db.execute(
        "INSERT INTO labels VALUES (?, ?, ?, ?, ?, ?)",
        (
            operation_id,
            action.order_id,
            action.sku,
            action.reason.value,
            fee.minor,
            made_on.isoformat(),
        ),
    )


def add_reshipment(
    db: sqlite3.Connection, operation_id: str, action: ReshipItem, made_on: date
) -> None:
    """Store a reshipment and take its items out of the stock."""
    db.execute(
        "INSERT INTO reshipments VALUES (?, ?, ?, ?, ?)",
        (operation_id, action.order_id, action.sku, action.quantity, made_on.isoformat()),
    )
    db.execute("UPDATE products SET stock = stock - ? WHERE sku = ?", (action.quantity, action.sku))


def changes_in(db: sqlite3.Connection) -> tuple[Change, ...]:
    """Return the changes that did not come with the shop's data, in the order they were made."""
    return tuple(
        Change(
            tool=tool,
            operation_id=operation_id,
            order_id=order_id,
            reference=reference_of(tool, operation_id),
            made_on=date.fromisoformat(made_on),
            summary=json.loads(summary),
        )
        for tool, operation_id, order_id, made_on, summary in db.execute(_CHANGES, (f"{SEED}*",))
    )


def reference_of(tool: str, operation_id: str) -> str:
    """Return the shop's id of a change: a prefix and 8 hex digits from the operation's id (B9)."""
    digits = hashlib.sha256(operation_id.encode()).hexdigest()[:8].upper()
    return f"{_PREFIXES[tool]}-{digits}"


def _stored(row: tuple[Any, ...]) -> StoredWrite:
    return StoredWrite(
        key=row[0],
        operation_id=row[1],
        ticket_id=row[2],
        tool=row[3],
        order_id=row[4],
        request_sha256=row[5],
        reference=row[6],
        summary=json.loads(row[7]),
        made_on=date.fromisoformat(row[8]),
    )

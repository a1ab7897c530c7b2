"""The practice shop's writes: each once under its key, by the rules of the shop's services.

The rules (reference facts B9) are the same code as the check before a proposal, run again inside
the transaction that writes, so that two writers cannot both take the last item or the last cent.
Unlike the reference, a key that comes again with another body is refused.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any, Final, Self, assert_never

from tools.actions import Action, CreateReturnLabel, LabelReason, RequestRefund, ReshipItem
from tools.check import check_possible
from tools.errors import NotFound, ShopInvalid, ShopMismatch, ShopUnavailable
from tools.gateway import GatewayTraits, Receipt
from tools.money import Money
from tools.practice import ledger
from tools.practice.database import connect
from tools.practice.ledger import Change, StoredWrite
from tools.practice.rows import order_of, order_row, payments_of, refunds_of
from tools.records import Order, PaymentHistory
from tools.request import WriteRequest, read_request, write_request

__all__ = ["LABEL_FEE", "PRACTICE_TRAITS", "PracticeGateway"]

LABEL_FEE: Final = "12.95"
"""What the label of a change of mind costs, in the order's currency (reference facts B2, W6)."""
PRACTICE_TRAITS: Final = GatewayTraits(
    name="practice",
    honours_keys=True,
    key_lifetime_s=None,
    stores_failures=False,
    retries_failed=True,
    absence_provable=True,
    settle_s=60,
)
"""The key is a row for ever, written in the same transaction as the change."""


class PracticeGateway:
    """Writes on a practice shop's file. The shop's readers see a write at once."""

    def __init__(self, path: Path, *, today: Callable[[], date]) -> None:
        """Open the file of a ``PracticeShop``.

        Args:
            path: the shop's file, its ``path``.
            today: the day that changes are dated with.

        Raises:
            ShopUnavailable: the file cannot be written.
        """
        self._today = today
        self._lock = threading.Lock()
        try:
            self._db = connect(path, read_only=False)
        except sqlite3.Error as error:
            raise _unwritable(error) from error
        try:
            ledger.make_table(self._db)
            known = self._db.execute("SELECT value FROM about WHERE key = 'payments_known'")
            self._payments_known = known.fetchone() == ("1",)
        except sqlite3.Error as error:
            self._db.close()
            raise _unwritable(error) from error

    @property
    def traits(self) -> GatewayTraits:
        """Keys are honoured for ever, and a look-up is exact."""
        return PRACTICE_TRAITS

    def prepare(self, action: Action, *, ticket_id: str, operation_id: str, key: str) -> bytes:
        """Return the canonical JSON of the write."""
        return write_request(action, ticket_id=ticket_id, operation_id=operation_id, key=key)

    def send(self, tool: str, request: bytes, key: str, *, timeout_s: float) -> Receipt:  # noqa: ARG002 (a file answers at once)
        """Carry the write out, or return what it left when it was carried out before.

        Raises:
            ShopInvalid: the order does not exist, or a rule of the shop refuses the write.
            ShopMismatch: the key or the operation's id belongs to another write.
            ShopUnavailable: the file cannot be written now; nothing was done.
        """
        write = read_request(request)
        if (write.key, write.action.tool) != (key, tool):
            raise ShopMismatch("the call's key or tool is not the one in its body")
        sha256 = hashlib.sha256(request).hexdigest()
        with self._writing() as db:
            stored = ledger.find_write(db, key=key, operation_id=write.operation_id)
            if stored is None:
                return self._carry_out(db, write, sha256).receipt()
        if (stored.key, stored.request_sha256) != (key, sha256):
            raise ShopMismatch(
                "the key or the operation belongs to another write; nothing was done"
            )
        return stored.receipt(repeated=True)

    def look_up(self, key: str, operation_id: str, action: Action) -> Receipt | None:  # noqa: ARG002 (the key suffices)
        """Return the write under this key; ``None`` where there is none.

        A write under the operation's id alone is another store's: ids are unique within one store.
        """
        stored = self.find(key)
        return None if stored is None else stored.receipt(repeated=True)

    def poll(self, reference: str, action: Action) -> Receipt:  # noqa: ARG002 (the reference suffices)
        """Return the write with this reference; it is always final.

        Raises:
            NotFound: there is none.
        """
        return self.find_reference(reference).receipt(repeated=True)

    def find(self, key: str) -> StoredWrite | None:
        """Return what is stored under this key."""
        with self._writing() as db:
            return ledger.find_write(db, key=key, operation_id="")

    def find_reference(self, reference: str) -> StoredWrite:
        """Return what is stored with this reference.

        Raises:
            NotFound: there is none.
        """
        with self._writing() as db:
            stored = ledger.find_reference(db, reference)
        if stored is None:
            raise NotFound("the practice shop has no such change")
        return stored

    def changes(self) -> tuple[Change, ...]:
        """Return what writes changed since the shop was built, in that order."""
        with self._writing() as db:
            return ledger.changes_in(db)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Give the one connection inside one transaction that holds the write lock."""
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                try:
                    yield self._db
                    self._db.execute("COMMIT")
                finally:
                    self._db.rollback()  # does nothing after the commit
            except sqlite3.Error as error:
                raise _unwritable(error) from error

    def _carry_out(self, db: sqlite3.Connection, write: WriteRequest, sha256: str) -> StoredWrite:
        row = order_row(db, write.action.order_id)
        if row is None:
            raise ShopInvalid("the order does not exist", code="no_order")
        order = order_of(db, row)
        check_possible(write.action, order, self._history(db, order))
        made_on = self._today()
        summary = self._change(db, write, order, made_on)
        stored = StoredWrite(
            key=write.key,
            operation_id=write.operation_id,
            ticket_id=write.ticket_id,
            tool=write.action.tool,
            order_id=order.order_id,
            request_sha256=sha256,
            reference=ledger.reference_of(write.action.tool, write.operation_id),
            summary=summary,
            made_on=made_on,
        )
        ledger.add_write(db, stored)
        return stored

    def _change(
        self, db: sqlite3.Connection, write: WriteRequest, order: Order, made_on: date
    ) -> dict[str, Any]:
        """Write the change itself and return its summary."""
        match write.action:
            case RequestRefund() as refund:
                ledger.add_refund(db, write.operation_id, refund, made_on)
                if refund.payment_id is not None:
                    ledger.mark_refunded(db, self._history(db, order), refund.payment_id)
                amount = refund.money
                return {"amount": amount.amount_text, "currency": amount.currency}
            case CreateReturnLabel() as label:
                free = label.reason is not LabelReason.CHANGE_OF_MIND
                fee = Money.of(0 if free else LABEL_FEE, order.currency)
                ledger.add_label(db, write.operation_id, label, fee, made_on)
                return {"fee": fee.amount_text, "currency": fee.currency, "sku": label.sku}
            case ReshipItem() as reship:
                ledger.add_reshipment(db, write.operation_id, reship, made_on)
                return {"sku": reship.sku, "quantity": reship.quantity}
            case _:
                assert_never(write.action)

    def _history(self, db: sqlite3.Connection, order: Order) -> PaymentHistory:
        payments = payments_of(db, order.order_id, order.currency)
        return PaymentHistory(
            order_id=order.order_id,
            customer_id=order.customer_id,
            currency=order.currency,
            payments=payments if self._payments_known else None,
            refunds=refunds_of(db, order.order_id, order.currency),
        )


def _unwritable(error: sqlite3.Error) -> ShopUnavailable:
    return ShopUnavailable(f"the practice shop cannot be written: {error}")

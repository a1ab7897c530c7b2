"""The practice shop: the shop protocol on its own SQLite file."""

from __future__ import annotations

import sqlite3
from contextlib import ExitStack, closing
from datetime import date
from pathlib import Path
from typing import Final, Self

from tools.dates import BusinessCalendar
from tools.errors import DataError, NotFound, NotYours
from tools.forms import IdForms
from tools.practice import policy
from tools.practice.database import build, connect
from tools.practice.load import read_folder
from tools.practice.passing import PassingFolder
from tools.practice.pool import Readers
from tools.practice.rows import OrderRow, order_of, order_row, own_orders, payments_of, refunds_of
from tools.records import Order, Passage, PastTicket, PaymentHistory

__all__ = ["PRACTICE_IDS", "PRACTICE_TODAY", "SHIPPED_DATA", "PracticeShop", "open_practice"]

PRACTICE_TODAY: Final = date(2026, 10, 9)
"""The Friday that the reference data and the shipped data assume (reference facts B1)."""
PRACTICE_IDS: Final = IdForms()
SHIPPED_DATA: Final = Path(__file__).parent / "data"
"""The data folder that comes with the package."""


class PracticeShop:
    """A shop in a SQLite file. Use :meth:`from_folder` to build one from data files.

    Closing it is the caller's: as a context manager, or with :meth:`close`.
    """

    def __init__(self, path: Path, ids: IdForms = PRACTICE_IDS) -> None:
        """Open a file that was built before.

        Raises:
            DataError: the file is missing or is no practice shop.
        """
        if not path.is_file():
            raise DataError(
                str(path), "there is no such practice shop; build it from a data folder"
            )
        self.path = path
        self._ids = ids
        self._readers = Readers(path)
        self._home: PassingFolder | None = None
        try:
            self._calendar, self._payments_known = _about(path)
        except sqlite3.Error as error:
            raise DataError(str(path), f"is not a practice shop: {error}") from None

    @classmethod
    def from_folder(
        cls, folder: Path = SHIPPED_DATA, *, path: Path | None = None, ids: IdForms = PRACTICE_IDS
    ) -> Self:
        """Build a shop from data files and open it.

        Args:
            folder: the data folder (``docs/data.md``).
            path: the new database file; ``None`` is a temporary one that closing deletes.
            ids: the forms of its ids.

        Raises:
            DataError: a file is missing or malformed, or the database cannot be made.
        """
        data = read_folder(folder, ids)
        with ExitStack() as undone:
            home = None
            try:
                if path is None:
                    home = PassingFolder.make()
                    undone.callback(home.close)
                    path = home.path / "practice.db"
                build(path, data)
            except (OSError, sqlite3.Error) as error:
                place = "a temporary folder" if path is None else str(path)
                raise DataError(place, f"the practice shop cannot be made: {error}") from None
            shop = cls(path, ids)
            shop._home = home
            undone.pop_all()
        return shop

    @property
    def ids(self) -> IdForms:
        """The forms of its ids."""
        return self._ids

    @property
    def calendar(self) -> BusinessCalendar:
        """Its business days."""
        return self._calendar

    def for_customer(self, customer_id: str) -> _PracticeView:
        """Return a read-only view of this customer's data."""
        return _PracticeView(self._readers, customer_id, payments_known=self._payments_known)

    def close(self) -> None:
        """Close its connections and delete the file if it was a temporary one."""
        self._readers.close()
        if self._home is not None:
            self._home.close()
            self._home = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _PracticeView:
    """One customer's view. What is missing and what is another's cost the same one query."""

    def __init__(self, readers: Readers, customer_id: str, *, payments_known: bool) -> None:
        self._readers = readers
        self._customer_id = customer_id
        self._payments_known = payments_known

    def order(self, order_id: str) -> Order:
        with self._readers.reading() as db:
            return order_of(db, self._own_row(db, order_id))

    def orders(self) -> tuple[Order, ...]:
        with self._readers.reading() as db:
            return own_orders(db, self._customer_id)

    def payments(self, order_id: str) -> PaymentHistory:
        with self._readers.reading() as db:
            row = self._own_row(db, order_id)
            currency = row[8]
            known = self._payments_known
            return PaymentHistory(
                order_id=order_id,
                customer_id=row[1],
                currency=currency,
                payments=payments_of(db, order_id, currency) if known else None,
                refunds=refunds_of(db, order_id, currency),
            )

    def search_policy(self, query: str, on: date) -> tuple[Passage, ...]:
        with self._readers.reading() as db:
            return policy.search(db, query, on)

    def past_ticket(self, ticket_id: str) -> PastTicket:
        with self._readers.reading() as db:
            row = db.execute(_PAST_TICKET, (ticket_id,)).fetchone()
        if row is None:
            raise NotFound("no ticket has this id")
        _, customer_id, status, opened_on, subject = row
        if customer_id != self._customer_id:
            raise NotYours("the ticket is another customer's")
        return PastTicket(
            ticket_id=ticket_id,
            customer_id=customer_id,
            status=status,
            opened_on=date.fromisoformat(opened_on),
            subject=subject,
        )

    def owns_order(self, order_id: str) -> bool:
        with self._readers.reading() as db:
            row = order_row(db, order_id)
        return row is not None and row[1] == self._customer_id

    def _own_row(self, db: sqlite3.Connection, order_id: str) -> OrderRow:
        row = order_row(db, order_id)
        if row is None:
            raise NotFound("no order has this id")
        if row[1] != self._customer_id:
            raise NotYours("the order is another customer's")
        return row


def open_practice(data: Path | None) -> PracticeShop:
    """Open the practice shop on a data folder, or on the shipped one: its entry point."""
    return PracticeShop.from_folder(SHIPPED_DATA if data is None else data)


_PAST_TICKET: Final = """
SELECT ticket_id, customer_id, status, opened_on, subject FROM past_tickets WHERE ticket_id = ?
"""


def _about(path: Path) -> tuple[BusinessCalendar, bool]:
    """Return what the file says of itself: its holidays, and whether payments are known."""
    with closing(connect(path, read_only=True)) as db:
        days = db.execute("SELECT day FROM holidays").fetchall()
        known = db.execute("SELECT value FROM about WHERE key = 'payments_known'").fetchone()
    return BusinessCalendar.of(date.fromisoformat(day) for (day,) in days), known == ("1",)

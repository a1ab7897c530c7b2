"""The ``http`` backend: any company's order, payment and policy services behind one contract."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import Final, TypeVar

from tools.dates import BusinessCalendar
from tools.errors import (
    NotFound,
    ShopBroke,
    ShopConflict,
    ShopGarbled,
    ShopMismatch,
    ShopUnavailable,
)
from tools.forms import IdForms
from tools.http import records
from tools.http.answers import body_of
from tools.http.client import HttpClient, path_of
from tools.records import Order, Passage, PastTicket, PaymentHistory

__all__ = ["READ_TIMEOUT_S", "HttpShop"]

READ_TIMEOUT_S: Final = 10.0
"""Longest wait for one read, in seconds."""
_NOT_OF_READS: Final = (ShopBroke, ShopGarbled, ShopConflict, ShopMismatch)

T = TypeVar("T")


class HttpShop:
    """A shop behind HTTP. Its client is its own: closing the shop closes it.

    Each path names the customer, so the service refuses what is not theirs; ``open_view`` checks
    the owner again on what comes back.
    """

    def __init__(
        self,
        client: HttpClient,
        *,
        ids: IdForms,
        calendar: BusinessCalendar,
        timeout_s: float = READ_TIMEOUT_S,
    ) -> None:
        self._client = client
        self._ids = ids
        self._calendar = calendar
        self._timeout_s = timeout_s

    @classmethod
    def connect(
        cls, client: HttpClient, *, ids: IdForms, timeout_s: float = READ_TIMEOUT_S
    ) -> HttpShop:
        """Return the shop with the holidays that the service names, asked for once.

        Raises:
            ShopError: the service did not say.
        """
        answer = client.get("/v1/calendar", timeout_s=timeout_s)
        holidays = records.read(records.CALENDAR, body_of(answer)).holidays
        return cls(client, ids=ids, calendar=BusinessCalendar.of(holidays), timeout_s=timeout_s)

    @property
    def ids(self) -> IdForms:
        """The forms of its ids."""
        return self._ids

    @property
    def calendar(self) -> BusinessCalendar:
        """Its business days."""
        return self._calendar

    def for_customer(self, customer_id: str) -> _HttpView:
        """Return a read-only view of this customer's data."""
        return _HttpView(self._client, customer_id, self._timeout_s)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


class _HttpView:
    def __init__(self, client: HttpClient, customer_id: str, timeout_s: float) -> None:
        self._client = client
        self._customer = ("v1", "customers", customer_id)
        self._timeout_s = timeout_s

    def order(self, order_id: str) -> Order:
        path = path_of(*self._customer, "orders", order_id)
        return self._get(path, lambda body: records.read(records.ORDER, body))

    def orders(self) -> tuple[Order, ...]:
        path = path_of(*self._customer, "orders")
        return self._get(path, lambda body: records.read(records.ORDERS, body).orders)

    def payments(self, order_id: str) -> PaymentHistory:
        path = path_of(*self._customer, "orders", order_id, "payments")
        return self._get(path, lambda body: records.read(records.HISTORY, body))

    def search_policy(self, query: str, on: date) -> tuple[Passage, ...]:
        return self._get(
            "/v1/policy",
            lambda body: records.read(records.PASSAGES, body).passages,
            {"query": query, "on": on.isoformat()},
        )

    def past_ticket(self, ticket_id: str) -> PastTicket:
        path = path_of(*self._customer, "tickets", ticket_id)
        return self._get(path, lambda body: records.read(records.TICKET, body))

    def owns_order(self, order_id: str) -> bool:
        try:
            order = self.order(order_id)
        except NotFound:
            return False
        return order.order_id == order_id and order.customer_id == self._customer[-1]

    def _get(
        self, path: str, reader: Callable[[bytes], T], params: Mapping[str, str] | None = None
    ) -> T:
        try:
            answer = self._client.get(path, params=params, timeout_s=self._timeout_s)
            return reader(body_of(answer))
        except _NOT_OF_READS as error:  # a read has two ends only: an answer, or none for now
            raise ShopUnavailable(str(error)) from error

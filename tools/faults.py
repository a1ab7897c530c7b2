"""Simulated faults: any shop, made to time out, fail or refuse, a set number of times."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final, Self, assert_never

from tools.dates import BusinessCalendar
from tools.errors import FaultRefused, ShopDenied, ShopTimeout, ShopUnavailable
from tools.forms import IdForms
from tools.records import Order, Passage, PastTicket, PaymentHistory
from tools.shop import Shop, ShopView

__all__ = ["Fault", "FaultMode", "FaultPlan", "FaultyShop"]

MAX_TIMES: Final = 1_000_000
_READS: Final = (
    "get_order",
    "get_customer_orders",
    "get_payments",
    "search_policy",
    "get_ticket",
)
_WRITES: Final = ("request_refund", "reship_item", "create_return_label")
_TIMES: Final = re.compile(r"[0-9]{1,7}", re.ASCII)


class FaultMode(StrEnum):
    """What goes wrong (reference facts B9)."""

    TIMEOUT = "timeout"
    """No answer, before anything was done."""
    UNAVAILABLE = "unavailable"
    """The service answers that it cannot, before anything was done."""
    DENIED = "denied"
    """The service refuses this caller."""
    TIMEOUT_BEFORE_WRITE = "timeout_before_write"
    """A write gets no answer and did not happen."""
    TIMEOUT_AFTER_WRITE = "timeout_after_write"
    """A write happens and gets no answer."""


_WRITE_ONLY: Final = frozenset({FaultMode.TIMEOUT_BEFORE_WRITE, FaultMode.TIMEOUT_AFTER_WRITE})


@dataclass(frozen=True, slots=True)
class Fault:
    """The service behind one tool fails in one way, ``times`` times; then it works again.

    Raises:
        FaultRefused: for an unknown tool, a write's mode on a read, or times below 1.
    """

    tool: str
    mode: FaultMode
    times: int = 1

    def __post_init__(self) -> None:
        if self.tool not in _READS + _WRITES:
            raise FaultRefused(f"a fault names one of these tools: {', '.join(_READS + _WRITES)}")
        if self.mode in _WRITE_ONLY and self.tool in _READS:
            raise FaultRefused(f"{self.mode} is a fault of writes, and {self.tool} only reads")
        if not 1 <= self.times <= MAX_TIMES:
            raise FaultRefused(f"a fault happens 1 to {MAX_TIMES} times")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``tool:mode`` or ``tool:mode:times``, such as ``get_order:timeout:2``.

        Raises:
            FaultRefused: with the form or the words that are possible.
        """
        tool, _, rest = text.partition(":")
        mode, colon, times = rest.partition(":")
        if mode not in tuple(FaultMode):
            known = ", ".join(FaultMode)
            raise FaultRefused(f"a fault is tool:mode[:times] with a mode of: {known}")
        if colon and not _TIMES.fullmatch(times):
            raise FaultRefused("the times of a fault are a whole number, as in get_order:timeout:2")
        return cls(tool, FaultMode(mode), int(times) if colon else 1)


class FaultPlan:
    """Counts which faults are still to come. Safe to use from several threads."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self._lock = threading.Lock()
        self._faults = tuple(faults)
        self._left = [fault.times for fault in self._faults]

    def take(self, tool: str) -> FaultMode | None:
        """Return how this use of the tool's service fails, and count it; ``None`` is not at all.

        Several faults of one tool come one after the other, in the order given.
        """
        with self._lock:
            for number, fault in enumerate(self._faults):
                if fault.tool == tool and self._left[number] > 0:
                    self._left[number] -= 1
                    return fault.mode
        return None

    def before_read(self, tool: str) -> None:
        """Raise what a read of the tool's service meets now.

        A fault belongs to the service, not to the caller: a check that reads an order meets the
        faults of get_order too.
        """
        mode = self.take(tool)
        match mode:
            case None:
                return
            case FaultMode.TIMEOUT | FaultMode.TIMEOUT_BEFORE_WRITE | FaultMode.TIMEOUT_AFTER_WRITE:
                raise ShopTimeout(f"simulated: no answer for {tool}")
            case FaultMode.UNAVAILABLE:
                raise ShopUnavailable(f"simulated: no service for {tool}")
            case FaultMode.DENIED:
                raise ShopDenied(f"simulated: {tool} is refused")
            case _:
                assert_never(mode)


class FaultyShop:
    """Any shop with faults before its reads. The plan is shared by all of its views."""

    def __init__(self, shop: Shop, faults: Iterable[Fault]) -> None:
        self._shop = shop
        self._plan = FaultPlan(faults)

    @property
    def ids(self) -> IdForms:
        """The forms of the shop's ids."""
        return self._shop.ids

    @property
    def calendar(self) -> BusinessCalendar:
        """The shop's business days."""
        return self._shop.calendar

    def for_customer(self, customer_id: str) -> _FaultyView:
        """Return the shop's view with the faults before it."""
        return _FaultyView(self._shop.for_customer(customer_id), self._plan)

    def close(self) -> None:
        """Close the shop."""
        self._shop.close()


class _FaultyView:
    def __init__(self, view: ShopView, plan: FaultPlan) -> None:
        self._view = view
        self._plan = plan

    def order(self, order_id: str) -> Order:
        self._plan.before_read("get_order")
        return self._view.order(order_id)

    def orders(self) -> tuple[Order, ...]:
        self._plan.before_read("get_customer_orders")
        return self._view.orders()

    def payments(self, order_id: str) -> PaymentHistory:
        self._plan.before_read("get_payments")
        return self._view.payments(order_id)

    def search_policy(self, query: str, on: date) -> tuple[Passage, ...]:
        self._plan.before_read("search_policy")
        return self._view.search_policy(query, on)

    def past_ticket(self, ticket_id: str) -> PastTicket:
        self._plan.before_read("get_ticket")
        return self._view.past_ticket(ticket_id)

    def owns_order(self, order_id: str) -> bool:
        return self._view.owns_order(order_id)

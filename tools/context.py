"""What a tool is built from: one customer's view of a shop, and the day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from tools.dates import BusinessCalendar
from tools.forms import IdForms
from tools.shop import Shop, ShopView, open_view

__all__ = ["ToolContext"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """One customer's scope. A tool takes it as its only argument and cannot be built without."""

    view: ShopView
    ids: IdForms
    calendar: BusinessCalendar
    today: date

    @classmethod
    def of(cls, shop: Shop, *, customer_id: str, today: date) -> ToolContext:
        """Return the scope of one customer of the shop on one day."""
        view = open_view(shop, customer_id)
        return cls(view=view, ids=shop.ids, calendar=shop.calendar, today=today)

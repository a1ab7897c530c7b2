"""What a reply cost: prices by model, priced by the model that answered.

A model without a price has an unknown cost, never a cost of zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from loop.model import MOST_USD, Cost, CostState, Usage

__all__ = ["PRICES", "PRICES_AS_OF", "Price", "cost_at", "price_of"]

_MILLION: Final = Decimal(1_000_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars per million tokens."""

    usd_in: Decimal
    usd_out: Decimal
    usd_cached_in: Decimal | None = None
    """For tokens in that the provider had cached; None is as any other token in."""

    def __post_init__(self) -> None:
        given = (self.usd_in, self.usd_out, self.usd_cached_in)
        if not all(value is None or (value.is_finite() and value >= 0) for value in given):
            raise ValueError("a price is a finite amount of at least 0")

    def of(self, tokens_in: int, tokens_out: int, cached_in: int = 0) -> Decimal:
        """Return US dollars; cached tokens are part of those in, reasoning of those out."""
        cached_price = self.usd_in if self.usd_cached_in is None else self.usd_cached_in
        cached = min(cached_in, tokens_in)
        spent = (tokens_in - cached) * self.usd_in + cached * cached_price
        return (spent + tokens_out * self.usd_out) / _MILLION


PRICES_AS_OF: Final = "2026-10-08"
"""The day on which the shipped prices were read (reference facts A9)."""
PRICES: Final[Mapping[str, Price]] = MappingProxyType(
    {
        "chat-small": Price(usd_in=Decimal("0.10"), usd_out=Decimal("0.50")),
        "chat-strong": Price(usd_in=Decimal("2.00"), usd_out=Decimal("10.00")),
        "gemma3:4b": Price(usd_in=Decimal(0), usd_out=Decimal(0)),
    }
)
"""Prices of the models that the shipped recordings name. For replies of recordings that do not say
what they cost; a live reply is priced by its server's own (:class:`~loop.PriceBook`)."""


def price_of(
    answered: str | None, asked: str, usage: Usage, prices: Mapping[str, Price] = PRICES
) -> Cost:
    """Return the cost by the model that answered, else by the one asked (marked), or unknown."""
    by_answered = prices.get(answered or "")
    price = by_answered or prices.get(asked)
    return cost_at(price, usage, by_asked=by_answered is None)


def cost_at(price: Price | None, usage: Usage, *, by_asked: bool) -> Cost:
    """Return the cost at a price; unknown without one, or where the tokens are not known."""
    if price is None or usage.tokens_in is None or usage.tokens_out is None:
        return Cost(state=CostState.UNKNOWN)
    usd = price.of(usage.tokens_in, usage.tokens_out, usage.cached_in or 0)
    if usd > MOST_USD:
        return Cost(state=CostState.UNKNOWN)
    return Cost(state=CostState.KNOWN, usd=usd, by_asked=by_asked)

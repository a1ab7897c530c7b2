"""What a reply cost: prices by model, priced by the model that answered.

A model without a price has an unknown cost, never a cost of zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from loop.model import Cost, CostState, Usage

__all__ = ["PRICES", "PRICES_AS_OF", "Price", "price_of"]

_MILLION: Final = Decimal(1_000_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars per million tokens."""

    usd_in: Decimal
    usd_out: Decimal

    def __post_init__(self) -> None:
        if not all(value.is_finite() and value >= 0 for value in (self.usd_in, self.usd_out)):
            raise ValueError("a price is a finite amount of at least 0")


PRICES_AS_OF: Final = "2026-10-08"
"""The day on which the shipped prices were read (reference facts A9)."""
PRICES: Final[Mapping[str, Price]] = MappingProxyType(
    {
        "chat-small": Price(usd_in=Decimal("0.10"), usd_out=Decimal("0.50")),
        "chat-strong": Price(usd_in=Decimal("2.00"), usd_out=Decimal("10.00")),
        "gemma3:4b": Price(usd_in=Decimal(0), usd_out=Decimal(0)),
    }
)
"""Prices of the models that the shipped recordings name."""


def price_of(
    answered: str | None, asked: str, usage: Usage, prices: Mapping[str, Price] = PRICES
) -> Cost:
    """Return the cost by the model that answered, else by the one asked (marked), or unknown."""
    by_answered = prices.get(answered or "")
    price = by_answered or prices.get(asked)
    if price is None or usage.tokens_in is None or usage.tokens_out is None:
        return Cost(state=CostState.UNKNOWN)
    spent = usage.tokens_in * price.usd_in + usage.tokens_out * price.usd_out
    return Cost(state=CostState.KNOWN, usd=spent / _MILLION, by_asked=by_answered is None)

"""Prices of public providers, from the data package ``genai-prices`` where it is installed.

It is kept by the makers of pydantic, MIT, and each release holds the prices of its day. It is asked
only for a server at a provider's own address: the same model behind a gateway or at home may cost
something else, or nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from importlib.metadata import version
from types import ModuleType
from typing import Final

from loop.model import Cost, CostState, Usage
from loop.prices import Price, price_of

__all__ = ["UNKNOWN_PRICE", "PriceBook"]

PACKAGE: Final = "genai-prices"
UNKNOWN_PRICE: Final = "unknown"
"""Stands for the source of a price that nothing holds."""


class PriceBook:
    """Prices replies of one server: by the given prices first, then by the data package.

    Args:
        prices: of models by name; the settings' and ours.
        base_url: the server's.
        server_model: the name by which the server knows the model that is asked.
        free: replies cost nothing, by whatever name the server says that it answered.
        when: the moment of the prices; some change with the hour. None is now.
    """

    def __init__(
        self,
        prices: Mapping[str, Price],
        *,
        base_url: str,
        server_model: str,
        free: bool = False,
        when: datetime | None = None,
    ) -> None:
        self._prices = prices
        self._base_url = base_url
        self._server_model = server_model
        self._free = free
        self._when = when

    def cost_of(self, answered: str | None, asked: str, usage: Usage) -> Cost:
        """Return what a reply cost; marked where it is the asked model's price; or unknown."""
        if self._free:
            return Cost(state=CostState.KNOWN, usd=Decimal(0))
        cost = price_of(answered, asked, usage, self._prices)
        if cost.state is CostState.KNOWN or usage.tokens_in is None or usage.tokens_out is None:
            return cost
        for model, by_asked in ((answered, False), (self._server_model, True)):
            usd = None if model is None else self._listed(model, usage)
            if usd is not None:
                return Cost(state=CostState.KNOWN, usd=usd, by_asked=by_asked)
        return cost

    def source(self, asked: str) -> str:
        """Return where the price of the asked model is from, for people; ``unknown`` for none."""
        if self._free or asked in self._prices:
            return "settings or shipped table"
        if self._listed(self._server_model, Usage(tokens_in=1, tokens_out=1)) is None:
            return UNKNOWN_PRICE
        return f"{PACKAGE} {version(PACKAGE)}"

    def _listed(self, model: str, usage: Usage) -> Decimal | None:
        """Return the price that the data package holds; None where it holds none."""
        package = _package()
        if package is None:
            return None
        counted = package.Usage(
            input_tokens=usage.tokens_in,
            output_tokens=usage.tokens_out,
            cache_read_tokens=usage.cached_in,
        )
        try:
            found = package.calc_price(
                counted,
                model,
                provider_api_url=self._base_url,
                genai_request_timestamp=self._when,
            )
        except LookupError:
            return None
        usd: Decimal = found.total_price
        return usd


def _package() -> ModuleType | None:
    """Return the data package; None where it is not installed."""
    try:
        import genai_prices  # noqa: PLC0415 (optional, and a third of a second to load)
    except ImportError:
        return None
    return genai_prices

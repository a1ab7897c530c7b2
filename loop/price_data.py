"""What a live reply cost: at the price that its server's table gives, else a public provider's.

The latter are in the data package ``genai-prices``, where it is installed. It is kept by the makers
of pydantic, MIT, and each release holds the prices of its day. It is asked only for a server at a
provider's own address: the same model behind a gateway or at home may cost something else, or
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from importlib.metadata import version
from types import MappingProxyType, ModuleType
from typing import Final

from loop.model import Cost, CostState, Usage
from loop.prices import Price, cost_at

__all__ = ["UNKNOWN_PRICE", "PriceBook"]

PACKAGE: Final = "genai-prices"
UNKNOWN_PRICE: Final = "unknown"
"""Stands for the source of a price that nothing holds."""
NONE: Final[Mapping[str, Price]] = MappingProxyType({})
_DATED: Final = re.compile(r"-(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{8})$")
"""The day at the end of a model's name: a server that is asked for ``gpt-5-mini`` answers as
``gpt-5-mini-2025-08-07``."""


class PriceBook:
    """Prices replies of one server. A name alone is no price: two servers may both know it.

    A reply under the name of the asked model, or a dated form of it, costs what that model does;
    one under the name of another model of the same server, what that one does. Under any other
    name it is priced as the asked model, and marked.

    Args:
        base_url: the server's.
        server_model: the name by which the server knows the model that is asked.
        own: the price of that model. Without one the data package is asked.
        others: prices of other models of the same server, by the names that it knows.
        free: replies cost nothing, by whatever name the server says that it answered.
        when: the moment of the data package's prices; some change with the hour. None is now.
    """

    def __init__(
        self,
        *,
        base_url: str,
        server_model: str,
        own: Price | None = None,
        others: Mapping[str, Price] = NONE,
        free: bool = False,
        when: datetime | None = None,
    ) -> None:
        self._base_url = base_url
        self._server_model = server_model
        self._own = own
        self._others = others
        self._free = free
        self._when = when

    def cost_of(self, answered: str | None, asked: str, usage: Usage) -> Cost:
        """Return what a reply cost; marked where it is the asked model's price; or unknown."""
        if self._free:
            return Cost(state=CostState.KNOWN, usd=Decimal(0))
        price, by_asked = self._given(answered or "", asked)
        if price is not None or usage.tokens_in is None or usage.tokens_out is None:
            return cost_at(price, usage, by_asked=by_asked)
        for model, by_asked in ((answered, False), (self._server_model, True)):
            usd = None if model is None else self._listed(model, usage)
            if usd is not None:
                return Cost(state=CostState.KNOWN, usd=usd, by_asked=by_asked)
        return Cost(state=CostState.UNKNOWN)

    def source(self) -> str:
        """Return where the price of the asked model is from, for people; ``unknown`` for none."""
        if self._free or self._own is not None:
            return "the settings"
        if self._listed(self._server_model, Usage(tokens_in=1, tokens_out=1)) is None:
            return UNKNOWN_PRICE
        return f"{PACKAGE} {version(PACKAGE)}"

    def _given(self, answered: str, asked: str) -> tuple[Price | None, bool]:
        """Return the price that the settings give, and whether it is the asked model's alone."""
        by_name = dict(self._others)
        if self._own is not None:
            by_name |= {asked: self._own, self._server_model: self._own}
        for name in (answered, _DATED.sub("", answered)):
            if name in by_name:
                return by_name[name], False
        return self._own, True

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

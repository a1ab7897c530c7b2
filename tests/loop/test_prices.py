"""What a reply cost: by which price, from which source, and when it is not known."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from importlib.metadata import version

import pytest

from loop import Cost, CostState, Price, PriceBook, Usage

OPENAI = "https://api.openai.com/v1"
USED = Usage(tokens_in=1_000_000, tokens_out=100_000)
DAY = datetime(2026, 11, 30, tzinfo=UTC)


def book(
    own: Price | None = None,
    *,
    base_url: str = OPENAI,
    model: str = "gpt-4o-mini",
    free: bool = False,
    **others: Price,
) -> PriceBook:
    return PriceBook(
        base_url=base_url, server_model=model, own=own, others=others, free=free, when=DAY
    )


def price(usd_in: int) -> Price:
    return Price(usd_in=Decimal(usd_in), usd_out=Decimal(0))


def known(usd: str, *, by_asked: bool = False) -> Cost:
    return Cost(state=CostState.KNOWN, usd=Decimal(usd), by_asked=by_asked)


def test_cached_tokens_have_a_price_of_their_own_where_one_is_given() -> None:
    plain = Price(usd_in=Decimal(1), usd_out=Decimal(2))
    cached = Price(usd_in=Decimal(1), usd_out=Decimal(2), usd_cached_in=Decimal("0.1"))

    assert plain.of(1_000_000, 500_000, 400_000) == Decimal(2)
    assert cached.of(1_000_000, 500_000, 400_000) == Decimal("1.64")
    assert cached.of(10, 0, 99) == Decimal("0.000001")  # never more cached than there are


def test_reasoning_is_part_of_what_comes_out_and_is_not_added() -> None:
    usage = Usage(tokens_in=0, tokens_out=1_000_000, reasoning_out=900_000)
    mine = Price(usd_in=Decimal(1), usd_out=Decimal(2))

    assert book(mine, model="m").cost_of("m", "m", usage) == known("2")


def test_a_given_price_comes_before_the_data_package() -> None:
    assert book(price(1)).cost_of("gpt-4o-mini", "asked", USED) == known("1")
    assert book(price(1)).cost_of("gpt-4o", "asked", USED) == known("1", by_asked=True)


@pytest.mark.parametrize("answered", ["asked", "m", "m-2025-08-07", "m-20250807"])
def test_the_asked_model_has_its_own_price_under_each_of_its_names(answered: str) -> None:
    """Also where another table gives the same name another price."""
    priced = book(price(9), model="m", m=price(1), asked=price(1))

    assert priced.cost_of(answered, "asked", USED) == known("9")


@pytest.mark.parametrize("answered", ["chat-small", "gemma3:4b", "m-mini", "m-2025", "2025-08-07"])
def test_another_name_is_priced_as_the_asked_model_and_marked(answered: str) -> None:
    """Shipped prices are for shipped recordings: a live server may use their names for its own."""
    assert book(price(9), model="m").cost_of(answered, "asked", USED) == known("9", by_asked=True)


@pytest.mark.parametrize("answered", ["small", "small-2026-01-31"])
def test_another_model_of_the_same_server_has_the_price_of_its_own_table(answered: str) -> None:
    assert book(price(9), small=price(1)).cost_of(answered, "asked", USED) == known("1")
    assert book(small=price(1)).cost_of(answered, "asked", USED) == known("1")


def test_the_price_of_another_model_is_none_of_the_asked_ones() -> None:
    priced = book(base_url="http://127.0.0.1/v1", asked=price(1), other=price(1))

    assert priced.cost_of("new", "asked", USED).state is CostState.UNKNOWN
    assert priced.cost_of(None, "asked", USED).state is CostState.UNKNOWN


def test_the_data_package_prices_the_model_that_answered_else_the_one_asked() -> None:
    """US$0.15 and US$0.60 a million (genai-prices, release of November 2026)."""
    assert book().cost_of("gpt-4o-mini-2024-07-18", "asked", USED) == known("0.21")
    assert book().cost_of(None, "asked", USED) == known("0.21", by_asked=True)
    assert book().cost_of("no-such-model", "asked", USED) == known("0.21", by_asked=True)


def test_the_data_package_knows_the_price_of_cached_tokens() -> None:
    usage = Usage(tokens_in=1_000_000, tokens_out=0, cached_in=1_000_000)

    assert book().cost_of("gpt-4o-mini", "asked", usage) == known("0.075")


@pytest.mark.parametrize("url", ["http://127.0.0.1:11434/v1", "https://gateway.example.com/v1"])
def test_the_same_model_at_an_address_of_its_own_has_no_known_price(url: str) -> None:
    """A gateway may ask for more, and a machine at home for nothing."""
    assert book(base_url=url).cost_of("gpt-4o-mini", "asked", USED) == Cost(state=CostState.UNKNOWN)
    assert book(base_url=url).source() == "unknown"


@pytest.mark.parametrize("usage", [Usage(), Usage(tokens_in=1), Usage(tokens_out=1)])
def test_tokens_that_are_not_known_make_the_cost_unknown(usage: Usage) -> None:
    assert book().cost_of("gpt-4o-mini", "asked", usage).state is CostState.UNKNOWN


def test_a_model_that_is_free_is_free_by_whatever_name_it_answers() -> None:
    priced = book(free=True)

    assert priced.cost_of("chat-strong", "asked", USED) == known("0")
    assert priced.cost_of(None, "asked", Usage()) == known("0")


def test_the_source_of_a_price_is_told() -> None:
    assert book().source() == f"genai-prices {version('genai-prices')}"
    assert book(price(1)).source() == book(free=True).source() == "the settings"
    assert book(model="no-such-model", other=price(1)).source() == "unknown"


@pytest.mark.parametrize("value", ["-1", "NaN", "Infinity"])
def test_a_price_that_cannot_be_is_refused(value: str) -> None:
    with pytest.raises(ValueError, match="finite"):
        Price(usd_in=Decimal(1), usd_out=Decimal(1), usd_cached_in=Decimal(value))

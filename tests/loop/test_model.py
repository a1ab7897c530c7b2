"""The model seam's values, and prices."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from loop import PRICES, Cost, CostState, Price, Usage, WireCall, price_of
from loop.model import MOST_LATENCY_US, MOST_TOKENS, MOST_USD, cleaned
from tests.loop.fakes import call, reply


@pytest.mark.parametrize(
    ("state", "usd"),
    [
        (CostState.KNOWN, None),
        (CostState.UNKNOWN, Decimal(0)),
        (CostState.NOT_RECORDED, Decimal(0)),
        (CostState.KNOWN, Decimal(-1)),
        (CostState.KNOWN, Decimal("NaN")),
        (CostState.KNOWN, Decimal("Infinity")),
    ],
)
def test_a_cost_has_a_finite_amount_exactly_when_it_is_known(state: CostState, usd: Any) -> None:
    with pytest.raises(ValueError, match="a cost"):
        Cost(state=state, usd=usd)


@pytest.mark.parametrize("latency", [-1, 1.5, True])
def test_a_latency_is_a_whole_number_of_microseconds_or_unknown(latency: Any) -> None:
    with pytest.raises(ValueError, match="latency"):
        replace(reply(), latency_us=latency)
    assert replace(reply(), latency_us=0).latency_us == 0
    assert replace(reply(), latency_us=None).latency_us is None


def test_a_whole_reply_is_left_as_it_is_and_half_pairs_are_replaced() -> None:
    made = reply(call("a", '{"x": "é🙂"}', "id"), text="é", model="m")
    assert cleaned(made) == made
    broken = reply(
        call("\ud800", "\udfff", "\ud800"), text="\ud83d!", refusal="\udc00", model="\ud800"
    )
    whole = cleaned(broken)
    assert whole.calls == (call("\ufffd", "\ufffd", "\ufffd"),)
    assert (whole.text, whole.refusal, whole.model) == ("\ufffd!", "\ufffd", "\ufffd")


USED = Usage(tokens_in=200_000, tokens_out=1_000)


def test_the_shipped_prices_are_those_of_the_reference() -> None:
    assert {name: (price.usd_in, price.usd_out) for name, price in PRICES.items()} == {
        "chat-small": (Decimal("0.10"), Decimal("0.50")),
        "chat-strong": (Decimal(2), Decimal(10)),
        "gemma3:4b": (0, 0),
    }


def test_a_reply_is_priced_by_the_model_that_answered_else_by_the_one_asked_for() -> None:
    assert price_of("chat-small", "chat-strong", USED).usd == Decimal("0.0205")
    assert price_of("gpt-6-luna", "chat-small", USED).usd == Decimal("0.0205")
    assert price_of(None, "chat-small", USED).usd == Decimal("0.0205")
    assert price_of("gemma3:4b", "chat-strong", USED).usd == 0


@pytest.mark.parametrize(
    ("answered", "usage"),
    [("nobody", USED), ("chat-small", Usage(tokens_in=1)), ("chat-small", Usage(tokens_out=1))],
)
def test_without_a_price_or_its_tokens_a_cost_is_unknown_and_never_zero(
    answered: str, usage: Usage
) -> None:
    assert price_of(answered, "nobody", usage) == Cost(state=CostState.UNKNOWN)


def test_a_price_beyond_all_that_is_plausible_gives_no_cost() -> None:
    dear = {"m": Price(usd_in=Decimal(10) ** 300, usd_out=Decimal(0))}
    assert price_of("m", "m", USED, dear) == Cost(state=CostState.UNKNOWN)


def test_prices_of_ones_own() -> None:
    mine = {"local": Price(usd_in=Decimal(1), usd_out=Decimal(2))}
    assert price_of("local", "x", USED, mine).usd == Decimal("0.202")


@pytest.mark.parametrize("wrong", [Decimal(-1), Decimal("NaN"), Decimal("Infinity")])
def test_a_price_is_finite_and_at_least_0(wrong: Decimal) -> None:
    for price in (
        {"usd_in": wrong, "usd_out": Decimal(0)},
        {"usd_in": Decimal(0), "usd_out": wrong},
    ):
        with pytest.raises(ValueError, match="a price"):
            Price(**price)


def test_a_cost_by_the_model_that_was_asked_is_marked() -> None:
    """So that a reader knows that the price is not that of the model which answered."""
    assert not price_of("chat-small", "chat-strong", USED).by_asked
    assert price_of("gpt-6-luna", "chat-small", USED).by_asked
    assert price_of(None, "chat-small", USED).by_asked


def test_long_names_of_a_provider_are_cut() -> None:
    """At the boundary they stay; beyond it the call is one of an unknown tool."""
    one = WireCall(call_id="i" * 200, name="n" * 200, arguments="{}")
    longer = WireCall(call_id="i" * 201, name="n" * 201, arguments="{}")
    assert cleaned(reply(one)).calls == (one,)
    assert cleaned(reply(longer)).calls == (one,)


def test_figures_that_cannot_be_become_unknown_and_the_largest_that_can_stay() -> None:
    most = Cost(state=CostState.KNOWN, usd=MOST_USD)
    more = Cost(state=CostState.KNOWN, usd=MOST_USD + 1)
    can = replace(reply(), usage=Usage(tokens_in=MOST_TOKENS, tokens_out=1), cost=most)
    can = replace(can, latency_us=MOST_LATENCY_US)
    cannot = replace(
        reply(),
        usage=Usage(tokens_in=1, tokens_out=10**30, cached_in=10**30, reasoning_out=1),
        cost=more,
        latency_us=MOST_LATENCY_US + 1,
    )

    assert cleaned(can) == can
    assert cleaned(cannot).usage == Usage(tokens_in=1, reasoning_out=1)
    assert cleaned(cannot).cost == Cost(state=CostState.UNKNOWN)
    assert cleaned(cannot).latency_us is None

"""What a run used, counted from its journal: nothing unknown is ever said to be zero."""

from __future__ import annotations

from decimal import Decimal

import pytest

from bot.story import Figures, Story
from loop import Cost, CostState, Entry, LostAttempt, Record, Replied, Reply, Usage

KNOWN = Cost(state=CostState.KNOWN, usd=Decimal("0.001"))
UNKNOWN = Cost(state=CostState.UNKNOWN)
NOT_RECORDED = Cost(state=CostState.NOT_RECORDED)


def replied(cost: Cost, tokens: int | None = 10) -> Replied:
    usage = Usage(tokens_in=tokens, tokens_out=5)
    reply = Reply(text="", finish_reason="stop", usage=usage, latency_us=1, cost=cost)
    return Replied(step=1, reply=reply)


def figures(*records: Record) -> Figures:
    return Figures.of(
        Entry(seq=number, at_us=number, record=record) for number, record in enumerate(records)
    )


@pytest.mark.parametrize(
    ("costs", "text", "complete"),
    [
        ((), "US$0.00000", True),
        ((KNOWN, KNOWN), "US$0.00200", True),
        ((UNKNOWN,), "cost unknown", False),
        ((NOT_RECORDED,), "cost not recorded", False),
        ((NOT_RECORDED, UNKNOWN), "cost unknown", False),
        ((KNOWN, UNKNOWN), "at least US$0.00100", False),
        ((KNOWN, NOT_RECORDED), "at least US$0.00100", False),
    ],
)
def test_the_cost_says_what_is_not_known(
    costs: tuple[Cost, ...], text: str, complete: bool
) -> None:
    counted = figures(*map(replied, costs))

    assert counted.cost == text
    assert counted.cost_complete is complete


def test_a_lost_attempt_makes_the_cost_a_least() -> None:
    counted = figures(LostAttempt(step=1), replied(KNOWN))

    assert counted.cost == "at least US$0.00100"
    assert not counted.cost_complete


def test_one_unknown_count_makes_the_sum_unknown() -> None:
    counted = figures(replied(KNOWN, 10), replied(KNOWN, None))

    assert (counted.tokens_in, counted.tokens_out) == (None, 10)


def test_a_journal_without_its_beginning_is_no_story() -> None:
    assert Story.of("run", [Entry(seq=0, at_us=0, record=LostAttempt(step=1))]) is None

"""Oracle cases A105 and A106: how much of a conversation goes into a further run.

A105 changes: the ticket's own text stands outside the budget, and what is not ASCII counts for
more than four characters to a token. The newest are kept, and what was left out is said.
"""

from __future__ import annotations

import pytest

from bot.slack.history import Turn, estimated_tokens, kept_turns


def said(*texts: str) -> list[Turn]:
    return [Turn(who="@U1", text=text) for text in texts]


def test_a105_the_newest_that_fit_are_kept() -> None:
    """Six turns of 91 characters, 23 tokens each: two are 46, three are 69."""
    turns = said(*(f"{number}" * 91 for number in range(6)))

    assert [turn.text[0] for turn in kept_turns(turns, 60)] == ["4", "5"]
    assert len(kept_turns(turns, 68)) == 2
    assert len(kept_turns(turns, 69)) == 3


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 1),
        ("abc", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("é" * 4, 4),
        ("退款" * 2, 6),
        ("\U0001f600", 2),
        ("abcdé", 2),
        ("\ud800", 1),
    ],
)
def test_what_is_not_ascii_counts_for_more(text: str, tokens: int) -> None:
    assert estimated_tokens(text) == tokens


@pytest.mark.parametrize("most", [0, 22])
def test_a106_one_turn_larger_than_the_budget_is_still_sent(most: int) -> None:
    turns = said("1" * 91)

    assert kept_turns(turns, most) == tuple(turns)

"""Oracle cases A105 and A106: how much of a conversation goes into a further run.

A105 changes: the ticket's own text stands outside the budget, and what is not ASCII counts for
more than four characters to a token. The newest are kept, and what was left out is said.
"""

from __future__ import annotations

import pytest

from bot.slack.history import estimated_tokens, kept_replies
from bot.slack.store.replies import ReplyRow


def replies(*texts: str) -> list[ReplyRow]:
    return [
        ReplyRow(ts=f"{number}.0", user_id="U1", text=text, to_us=False, used_by_run=None)
        for number, text in enumerate(texts)
    ]


def test_a105_the_newest_that_fit_are_kept() -> None:
    """Six turns of 91 characters, 23 tokens each: two are 46, three are 69."""
    turns = replies(*(f"{number}" * 91 for number in range(6)))

    assert [reply.text[0] for reply in kept_replies(turns, 60)] == ["4", "5"]
    assert len(kept_replies(turns, 68)) == 2
    assert len(kept_replies(turns, 69)) == 3


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
    turns = replies("1" * 91)

    assert kept_replies(turns, most) == tuple(turns)

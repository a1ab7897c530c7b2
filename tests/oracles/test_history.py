"""Oracle cases A105 and A106: how much of a conversation goes into a further run.

A105 changes: the budget is of characters, about four to a token, and the ticket's own text stands
outside it. The newest are kept, and what was left out is said.
"""

from __future__ import annotations

import pytest

from bot.slack.history import kept_replies
from bot.slack.store.tickets import ReplyRow


def replies(*texts: str) -> list[ReplyRow]:
    return [
        ReplyRow(ts=f"{number}.0", user_id="U1", text=text, to_us=False, used_by_run=None)
        for number, text in enumerate(texts)
    ]


def test_a105_the_newest_that_fit_are_kept() -> None:
    """Six turns of 91 characters; 60 tokens are about 240 characters."""
    turns = replies(*(f"{number}" * 91 for number in range(6)))

    assert [reply.text[0] for reply in kept_replies(turns, 240)] == ["4", "5"]


@pytest.mark.parametrize("most", [0, 90])
def test_a106_one_turn_larger_than_the_budget_is_still_sent(most: int) -> None:
    turns = replies("1" * 91)

    assert kept_replies(turns, most) == tuple(turns)

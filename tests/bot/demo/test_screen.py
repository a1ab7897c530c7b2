"""A message of the workspace as lines for a terminal."""

from __future__ import annotations

from typing import Any

import pytest

from bot.demo.cast import AGENT
from bot.demo.screen import shown_lines
from bot.workspace import Message


def shown(*blocks: dict[str, Any], text: str = "") -> list[str]:
    return shown_lines(Message(channel="C1", ts="1.0", text=text, blocks=blocks))


def mrkdwn(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("*Done.* of `P-1`, _now_", "Done. of P-1, now"),
        (f"by <@{AGENT}>", "by Amira"),
        ("<https://example.com/a|its thread>", "its thread"),
        ("<!date^1^{time}|2026-10-09 08:00 UTC>", "2026-10-09 08:00 UTC"),
        ("5 &lt; 6 &amp; 7", "5 < 6 & 7"),
        ("a snake_case_name and 2*3*4", "a snake_case_name and 2*3*4"),
    ],
)
def test_mrkdwn_is_shown_as_it_reads(text: str, line: str) -> None:
    assert shown(mrkdwn(text)) == [line]


def test_blocks_are_shown_down_to_the_line_across_the_message() -> None:
    button = {"type": "button", "text": {"type": "plain_text", "text": "Approve"}}
    lines = shown(
        {"type": "header", "text": {"type": "plain_text", "text": "P-1"}},
        {"type": "context", "elements": [{"type": "mrkdwn", "text": "small"}]},
        {"type": "actions", "elements": [button, button]},
        {"type": "divider"},
        mrkdwn("the record"),
    )

    assert lines == ["P-1", "small", "[ Approve ] [ Approve ]"]


def test_a_message_without_blocks_is_its_text() -> None:
    assert shown(text="one\n*two*") == ["one", "two"]


def test_what_a_terminal_would_obey_is_not_printed() -> None:
    assert "\x1b" not in "".join(shown(mrkdwn("\x1b[31mred")))

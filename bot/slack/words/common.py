"""The words that several surfaces share."""

from __future__ import annotations

from typing import Final

from approvals import SYSTEM
from bot.slack.markup import fact, mention

__all__ = [
    "ASK_AGAIN",
    "A_PERSON",
    "GATE_OBJECTED",
    "LOOKED_UP",
    "MODEL_SAYS",
    "NOTHING_CHANGED",
    "NOT_NOW",
    "NO_EVIDENCE",
    "NO_TEXT",
    "SEPARATOR",
    "TAKE_OVER",
    "rule_words",
    "taken_over",
    "who",
]

NOTHING_CHANGED: Final = "Nothing was changed."
A_PERSON: Final = "A person takes the ticket."
MODEL_SAYS: Final = "The model's reason, in its own words. It is no fact:"
LOOKED_UP: Final = "What was looked up:"
NO_EVIDENCE: Final = "Nothing was looked up, or the texts were erased."
GATE_OBJECTED: Final = "*A gate objected to this draft. Do not send it as it is.*"
TAKE_OVER: Final = "Take over"
ASK_AGAIN: Final = "Ask again\u2026"
NOT_NOW: Final = "Not now"
NO_TEXT: Final = "\u2014"
SEPARATOR: Final = "  \u00b7  "
"""Between facts of one line."""


def who(user_id: str | None) -> str:
    """Name who did something."""
    return "the system" if user_id in (None, SYSTEM.who) else mention(str(user_id))


def taken_over(user_id: str) -> str:
    """Say who takes care of a ticket."""
    return f"*Taken over* by {mention(user_id)}."


def rule_words(rule: str | None) -> str:
    """Name the rule of the policy that an answer goes by."""
    return f"Rule {'none named' if rule is None else fact(rule)}"

"""What is said of dead letters: in App Home, in the list of the command, and after a press."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.slack.markup import fact, line
from bot.slack.views import Letter, LetterKind

__all__ = [
    "DISCARD",
    "DISCARD_TEXT",
    "DISCARD_TITLE",
    "DISCARD_YES",
    "RETRY",
    "button_name",
    "letter_discarded",
    "letter_retried",
    "letter_words",
    "letters_list",
    "letters_title",
    "more_letters",
    "no_such_letter",
]

RETRY: Final = "Retry"
DISCARD: Final = "Discard…"
DISCARD_TITLE: Final = "Discard it?"
DISCARD_TEXT: Final = "It is not tried again. Its row stays in the store."
DISCARD_YES: Final = "Discard"
MOST_LISTED: Final = 15
_KINDS: Final = {
    LetterKind.DELIVERY: "Delivered by Slack and not taken in",
    LetterKind.JOB: "Work that failed",
    LetterKind.POST: "Not taken by Slack",
}


def letters_title(count: int) -> str:
    """Head the list of what was given up."""
    return f"Given up ({count})"


def letter_words(letter: Letter) -> str:
    """State one in two lines: what it is, and why it was given up."""
    what = f"{_KINDS[letter.kind]}: {line(letter.what, 80)}"
    return f"{fact(letter.letter_id)} {what}\nWhy: {line(letter.why, 60) or 'not known'}"


def button_name(verb: str, letter_id: str) -> str:
    """Name a button for screen readers."""
    return f"{verb} {letter_id}"


def more_letters(count: int) -> str:
    """Say how many are not named."""
    return f"and {count} more, which come up here as these are retried or discarded"


def letters_list(found: Sequence[Letter], count: int) -> str:
    """List what was given up, as ``/handrail letters`` answers it."""
    if not found:
        return "Nothing was given up."
    shown = [_in_one_line(each) for each in found[:MOST_LISTED]]
    more = [f"and {count - len(shown)} more"] if count > len(shown) else []
    how = "`/handrail retry post-12` tries one again, `/handrail discard post-12` lets it rest."
    return "\n".join([*shown, *more, how])


def letter_retried(letter_id: str) -> str:
    """Answer a retry."""
    return f"{fact(letter_id)} is tried again now."


def letter_discarded(letter_id: str) -> str:
    """Answer a discard."""
    return f"{fact(letter_id)} rests, and is not tried again."


def no_such_letter() -> str:
    """Answer a retry or a discard where there is nothing to do it to."""
    return "There is no such dead letter now. `/handrail letters` lists them."


def _in_one_line(letter: Letter) -> str:
    return f"• {fact(letter.letter_id)} {line(letter.what, 80)}: {line(letter.why, 60)}"

"""Limits that a prompt told the model: a model that knows its budget acts by it.

With another value it would have acted otherwise, so a what-if over that limit compares nothing.
Prompts are free text, so this looks for a bound ("at most", "up to", "budget of" …), a number and
a unit in one sentence. The mark ``named_limits`` of an opening record, a list of names, says it
for sure and is taken instead.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["limits_named_in"]

_BOUND: Final = (
    r"\b(?:at most|no more than|not more than|up to|within|maximum(?: of)?|max(?:\.|imum)?|"
    r"limit(?:ed)?(?: of| to| is)?|budget(?: of| is)?|only(?: have)?|have(?: only)?|exceed)"
)
_NUMBER: Final = (
    r"(?:[0-9]+(?:[.,][0-9]+)?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty)"
)
_BETWEEN: Final = r"[^.!?\n]{0,20}?"
_UNITS: Final = {
    "max_steps": r"(?:steps?|turns?|rounds?|iterations?|replies|(?:model |tool |function )?calls?)",
    "max_seconds": r"(?:seconds?|secs?|minutes?|mins?)",
    "max_errors": r"(?:errors?|failures?|failed (?:tool )?calls?|mistakes?)",
}
_PATTERNS: Final = {
    name: re.compile(rf"{_BOUND}\s+{_BETWEEN}\b{_NUMBER}\s+(?:[a-z]+\s+)?{unit}\b", re.IGNORECASE)
    for name, unit in _UNITS.items()
} | {
    "max_cost_usd": re.compile(
        rf"\b(?:budget|spend|cost)\b[^.!?\n]{{0,40}}?(?:\$\s*{_NUMBER}|{_NUMBER}\s*(?:dollars|usd|cents)\b)",
        re.IGNORECASE,
    ),
    "allowed_repeats": re.compile(
        r"\b(?:never|not|don't|avoid)\s+(?:\w+\s+)?(?:repeat(?:ing)?|make)\s+(?:\w+\s+){0,2}"
        r"(?:same|identical|tool|function)?\s*calls?\b",
        re.IGNORECASE,
    ),
}


def limits_named_in(prompt: str) -> frozenset[str]:
    """Return the names of the limits that a prompt seems to tell the model."""
    return frozenset(name for name, pattern in _PATTERNS.items() if pattern.search(prompt))

"""A ticket: what a customer wrote, made safe to hold."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from typing import Final

__all__ = ["MAX_TICKET_CHARS", "Ticket", "clean_text"]

MAX_TICKET_CHARS: Final = 20_000
"""Longest ticket text that is kept, in characters; the rest is cut, and the cut is said."""
MAX_ATTACHMENTS: Final = 50
_CUT: Final = "\n[The rest of this text was cut.]"
_BIDI: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def clean_text(text: str, limit: int = MAX_TICKET_CHARS) -> str:
    """Return the text bounded, with every character that can hide or break something replaced.

    Control characters (but newline and tab), direction overrides, lone surrogates and
    unassigned noncharacters become U+FFFD. A text of up to ``limit`` characters is not cut.
    """
    clean = "".join(map(_safe, text[:limit]))
    return clean + _CUT if len(text) > limit else clean


def _safe(char: str) -> str:
    if char in "\n\t" or (char.isascii() and char.isprintable()):
        return char
    if char in _BIDI or unicodedata.category(char) in ("Cc", "Cs", "Cn"):
        return "\ufffd"
    return char


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """What a customer wrote.

    ``customer_id`` comes from a trusted header, form or metadata: never from the text, never
    from the model. Build one with :meth:`of`, which cleans the text.
    """

    ticket_id: str
    customer_id: str
    text: str
    attachments: tuple[str, ...] = field(default=())

    @classmethod
    def of(
        cls, *, ticket_id: str, customer_id: str, text: str, attachments: tuple[str, ...] = ()
    ) -> Ticket:
        """Return a ticket whose text and attachment names are bounded and safe to show."""
        names = tuple(clean_text(name, 200) for name in attachments[:MAX_ATTACHMENTS])
        return cls(
            ticket_id=ticket_id, customer_id=customer_id, text=clean_text(text), attachments=names
        )

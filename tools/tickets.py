"""A ticket: what a customer wrote, made safe to hold."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import Final

__all__ = ["MAX_TICKET_CHARS", "Ticket", "clean_text", "visible_text"]

MAX_TICKET_CHARS: Final = 20_000
"""Longest ticket text that is kept, in characters; the rest is cut, and the cut is said."""
MAX_ATTACHMENTS: Final = 50
MAX_NAME_CHARS: Final = 200
_CUT: Final = "\n[The rest of this text was cut.]"
_BIDI: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_NOT_SHOWN: Final = (
    # Unicode's Default_Ignorable_Code_Point (DerivedCoreProperties.txt) without the direction
    # controls, which are replaced below: soft hyphen, joiners, fillers, selectors, tags.
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
    # Shown as nothing too: annotation marks, the blank Braille cell.
    "\ufff9-\ufffb\u2800"
)
_EMOJI: Final = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u27ff\u2900-\u2bff\u3030\u303d"
    "\U0001f000-\U0001faff]"
)
_EMOJI_OR_NOT_SHOWN: Final = re.compile(
    rf"(?P<emoji>{_EMOJI}\ufe0f?(?:\u200d(?={_EMOJI}))?)|[{_NOT_SHOWN}]"
)


def visible_text(text: str) -> str:
    """Return the text without the characters that nobody sees; a model would read them.

    Dropped are Unicode's default ignorable characters, such as tags, zero-width spaces and
    variation selectors. What makes one emoji of several (its selector, the joiner before another
    emoji) stays; in a script that needs joiners they go, which a reader can bear.
    """
    return _EMOJI_OR_NOT_SHOWN.sub(lambda match: match["emoji"] or "", text)


def clean_text(text: str, limit: int = MAX_TICKET_CHARS) -> str:
    """Return the text bounded, without any character that can hide or break something.

    Control characters (but newline and tab), direction overrides, lone surrogates and
    unassigned noncharacters become U+FFFD, the separators of lines and paragraphs a newline;
    what nobody sees is dropped (:func:`visible_text`). A text of up to ``limit`` characters is
    not cut.
    """
    clean = visible_text("".join(map(_safe, text[:limit])))
    return clean + _CUT if len(text) > limit else clean


def _safe(char: str) -> str:
    if char in "\n\t" or (char.isascii() and char.isprintable()):
        return char
    if char in "\u2028\u2029":
        return "\n"
    if char in _BIDI or unicodedata.category(char) in ("Cc", "Cs", "Cn"):
        return "\ufffd"
    return char


def _clean_name(name: str) -> str:
    """Return the name of a file on one line: it stands among lines that are not the customer's."""
    return " ".join(clean_text(name, MAX_NAME_CHARS).split())


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
        """Return a ticket whose text is bounded and safe to show; so are its names, on one line."""
        names = tuple(map(_clean_name, attachments[:MAX_ATTACHMENTS]))
        return cls(
            ticket_id=ticket_id, customer_id=customer_id, text=clean_text(text), attachments=names
        )

"""From raw text to Slack's mrkdwn: escaped once, disarmed, and bounded after escaping.

What comes from a model, a ticket, a tool or a person gets into a message through a function of
this module and through nothing else. Escaping ``&``, ``<`` and ``>`` alone takes the effect from
``<!channel>``, ``<@U…>`` and ``<url|label>``, and Slack does not read its entities twice. Sizes
are counted in code points, and cuts are made between what a reader sees as characters.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from wcwidth import grapheme_boundary_before

from approvals import utc_text
from tools import clean_text

__all__ = [
    "body",
    "cut_at",
    "date",
    "escape",
    "fact",
    "fenced",
    "line",
    "link",
    "mention",
    "message_link",
    "tame",
]

FENCE: Final = "```"
_ENTITIES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_LONGEST_ENTITY: Final = 5
_CALLS: Final = re.compile(r"@(?=(?:here|channel|everyone|group)\b)", re.IGNORECASE)
_USER: Final = re.compile(r"[UW][A-Z0-9]{1,30}")
_GROUP: Final = re.compile(r"S[A-Z0-9]{1,30}")
_URL: Final = re.compile(r"https?://[^\s<>|]{1,2000}")
_BACKTICK: Final = "\u02cb"
"""Stands for a backtick where a real one would end a code span."""
_JOINER: Final = "\u2060"
_RIGHT_TO_LEFT: Final = frozenset({"R", "AL", "AN"})
ARCHIVES: Final = "https://slack.com/archives"
"""Where Slack resolves a channel and a message to the reader's own workspace."""
MAX_INPUT: Final = 60_000
"""Characters of one text that are looked at; a draft is a tenth of it."""


def escape(text: str) -> str:
    """Return text that Slack shows as it stands: no mention, no link, no token of its own."""
    for char, entity in _ENTITIES.items():
        text = text.replace(char, entity)
    return _CALLS.sub(f"@{_JOINER}", text)


def tame(text: str) -> str:
    """Return cleaned text, lines kept: nothing that hides, reverses or breaks, not escaped."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return clean_text(lines, MAX_INPUT).replace("\t", "    ")


def body(text: str, most: int) -> str:
    """Return escaped text of at most ``most`` characters; a cut says how much is missing."""
    return _bounded(text.strip(), most)


def line(text: str, most: int) -> str:
    """Return escaped text on one line of at most ``most`` characters, with an ellipsis if cut."""
    start = text[: 4 * most]  # more cannot be shown, and a text may be a megabyte
    escaped = escape(" ".join(tame(start).split()))
    if len(escaped) <= most and len(start) == len(text):
        return escaped
    return f"{escaped[: cut_at(escaped, most - 1)].rstrip()}…"


def fact(text: str, most: int = 80) -> str:
    """Return an id, a code or an amount in a code span, every invisible character made visible.

    What is written from right to left is isolated, so that it cannot reorder its neighbours.
    """
    visible = "".join(
        "\ufffd" if unicodedata.category(char) == "Cf" else char for char in text[: 4 * most]
    )
    shown = line(visible.replace("`", _BACKTICK), most - 4) or "\ufffd"
    if any(unicodedata.bidirectional(char) in _RIGHT_TO_LEFT for char in shown):
        shown = f"\u2068{shown}\u2069"
    return f"`{shown}`"


def fenced(text: str, most: int) -> str:
    """Return text as a preformatted block of at most ``most`` characters, fences included."""
    inside = text.replace("`", _BACKTICK).strip("\n")
    frame = f"{FENCE}\n\n{FENCE}"
    return f"{FENCE}\n{_bounded(inside, most - len(frame))}\n{FENCE}"


def mention(user_id: str) -> str:
    """Return a user or user group by name; what is no Slack id is shown as a fact."""
    if _USER.fullmatch(user_id):
        return f"<@{user_id}>"
    if _GROUP.fullmatch(user_id):
        return f"<!subteam^{user_id}>"
    return fact(user_id)


def date(moment_us: int) -> str:
    """Return a moment that each reader sees in their own time zone."""
    seconds = moment_us // 1_000_000
    return f"<!date^{seconds}^{{date_short_pretty}} {{time}}|{utc_text(moment_us)}>"


def link(url: str, label: str) -> str:
    """Return a link of our own, such as a permalink; what is no web address is left out."""
    return f"<{url}|{escape(label)}>" if _URL.fullmatch(url) else escape(label)


def message_link(channel: str, ts: str) -> str:
    """Return a link to a message that works without asking Slack for one."""
    return f"{ARCHIVES}/{channel}/p{ts.replace('.', '')}"


def cut_at(text: str, most: int) -> int:
    """Return where to cut escaped text so that at most ``most`` characters stand before it.

    Never inside a character as a reader sees it, nor inside an entity, unless one of them alone
    is longer than ``most``.
    """
    if len(text) <= most:
        return len(text)
    most = max(most, 0)
    place = grapheme_boundary_before(text, most + 1) if most else 0
    place = min(place, most)
    start = text.rfind("&", max(0, place - _LONGEST_ENTITY), place)
    if start > 0 and text.startswith(tuple(_ENTITIES.values()), start):
        end = text.index(";", start) + 1
        place = start if end > place else place
    return place or most


def _bounded(text: str, most: int) -> str:
    """Return raw text tamed and escaped; the note of a cut counts the raw characters."""
    escaped = escape(tame(text[: most + 1]))
    if len(escaped) <= most and len(text) <= most:
        return escaped
    note = f"\u2026 ({len(text)} characters in all)"
    return escaped[: cut_at(escaped, max(0, most - len(note)))].rstrip() + note

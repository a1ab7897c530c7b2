"""What a message of the workspace shows, as lines of plain text for a terminal."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any, Final

from bot.demo.cast import name_of
from bot.texts import safe
from bot.workspace import Message

__all__ = ["shown_lines"]

_TOKEN: Final = re.compile(r"<([^<>]*)>")
_MARKS: Final = re.compile(r"(?<!\w)([*_`])(\S(?:.*?\S)?)\1(?!\w)")
_FENCE: Final = "```"


def shown_lines(message: Message) -> list[str]:
    """Return the lines of a message: its blocks, or its text where it has none.

    What stands below the first line across a message is the record (what was looked up, and why);
    the page shows it too, a terminal does without.
    """
    if not message.blocks:
        return _plain(message.text).splitlines()
    upper = takewhile(lambda block: block["type"] != "divider", message.blocks)
    return [line for block in upper for line in _block(block)]


def _block(block: Mapping[str, Any]) -> Iterator[str]:
    match block["type"]:
        case "header":
            yield _plain(block["text"]["text"])
        case "section":
            if "text" in block:
                yield from _text(block["text"])
            for field in block.get("fields", ()):
                yield from _text(field)
        case "context":
            for element in block["elements"]:
                if "text" in element:
                    yield from _text(element)
        case "actions":
            yield " ".join(
                f"[ {each['text']['text']} ]" for each in block["elements"] if "text" in each
            )
        case _:
            yield from _strings(block)


def _text(part: Mapping[str, Any]) -> Iterator[str]:
    text = part["text"]
    for line in text.replace(_FENCE, "").strip("\n").splitlines():
        yield _plain(line) if part["type"] == "mrkdwn" else safe(html.unescape(line))


def _strings(part: Any) -> Iterator[str]:
    """Yield every text within a block of another kind, in order."""
    match part:
        case {"text": str(text)}:
            yield from _plain(text).splitlines()
        case dict():
            for each in part.values():
                yield from _strings(each)
        case list():
            for each in part:
                yield from _strings(each)
        case _:
            return


def _plain(mrkdwn: str) -> str:
    """Return mrkdwn as it reads: names for mentions, labels for links, nothing bold."""
    shown = _TOKEN.sub(lambda found: _token(found[1]), mrkdwn)
    return safe(html.unescape(_MARKS.sub(r"\2", shown)))


def _token(inside: str) -> str:
    target, bar, label = inside.partition("|")
    if target.startswith("@"):
        return name_of(target[1:])
    return label if bar else target

"""From Slack's form of a text to what the person typed: unescaped exactly once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

__all__ = ["attachment_names", "mentions", "message_text", "plain_text", "text_ts"]

_ENTITY: Final = re.compile(r"<([^<>]*)>")
_NAMES: Final = re.compile(r"&(amp|lt|gt);")
_CHARACTERS: Final = {"amp": "&", "lt": "<", "gt": ">"}


def plain_text(text: str) -> str:
    """Return a message's text as it was typed: links as addresses, mentions as ids.

    Slack sends ``&``, ``<`` and ``>`` of people as entities and marks its own links and mentions
    with angle brackets, so the brackets go first and the entities once, last.
    """
    shown = _ENTITY.sub(lambda found: _shown(found[1]), text)
    return _NAMES.sub(lambda found: _CHARACTERS[found[1]], shown)


def mentions(text: str, user_id: str) -> bool:
    """Whether the text, in Slack's form, mentions a user."""
    return re.search(rf"<@{re.escape(user_id)}(?:\|[^>]*)?>", text) is not None


def message_text(message: Mapping[str, Any]) -> str:
    """Return the text of a message in Slack's form; of a bot's, also where only blocks hold it."""
    text = message.get("text")
    if isinstance(text, str) and text.strip():
        return text
    return "\n".join(_texts([message.get("blocks"), message.get("attachments")]))


def text_ts(message: Mapping[str, Any]) -> str:
    """Return Slack's time stamp of a message's text: of its last edit, if it was edited."""
    match message.get("edited"):
        case {"ts": str(edited)}:
            return edited
        case _:
            return str(message.get("ts", ""))


def attachment_names(message: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the files of a message."""
    files = message.get("files")
    if not isinstance(files, list):
        return ()
    names = [file.get("name") or file.get("title") for file in files if isinstance(file, Mapping)]
    return tuple(str(name) for name in names if name)


def _shown(inside: str) -> str:
    target, bar, label = inside.partition("|")
    if target.startswith(("@", "#", "!")):
        return f"{target[:1]}{label}" if bar and target[0] == "#" else target
    if bar and target == f"mailto:{label}":
        return label
    if bar and target.removeprefix("http://").removeprefix("https://").rstrip("/") == label:
        return label  # Slack made a link of a typed address
    return target.removeprefix("mailto:")


def _texts(part: Any) -> Iterator[str]:
    """Yield the texts within blocks and attachments, in order."""
    match part:
        case list():
            for each in part:
                yield from _texts(each)
        case {"type": "plain_text" | "mrkdwn" | "text", "text": str(text)}:
            yield text
        case dict():
            for name in ("pretext", "title", "text", "fields", "elements", "blocks", "value"):
                inner = part.get(name)
                if isinstance(inner, str) and name != "value":
                    yield inner
                else:
                    yield from _texts(inner)
        case _:
            return

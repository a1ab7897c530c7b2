"""Slack's sizes, and what of a message or a view is beyond them.

From Slack's reference of Block Kit and of the methods that post; ``MESSAGE_CHARS`` is ours: a
message of more than about 13,200 characters of content was refused (``msg_blocks_too_long``),
and the reference gives no figure. All count code points, of text as it is sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from bot.slack.views import Message, View

__all__ = [
    "ACTIONS",
    "ACTION_ID",
    "BUTTON_TEXT",
    "BUTTON_VALUE",
    "CONFIRM_TEXT",
    "CONTEXT",
    "HEADER",
    "INPUT_TEXT",
    "MESSAGE_BLOCKS",
    "MESSAGE_CHARS",
    "MESSAGE_TEXT",
    "MODAL_TITLE",
    "SECTION",
    "VIEW_BLOCKS",
    "message_faults",
    "view_faults",
]

MESSAGE_TEXT: Final = 4_000
"""Advised; what is longer than 40,000 is cut by Slack."""
MESSAGE_BLOCKS: Final = 50
VIEW_BLOCKS: Final = 100
MESSAGE_CHARS: Final = 12_000
"""All texts, labels, values and ids of one message together."""
SECTION: Final = 3_000
FIELD: Final = 2_000
FIELDS: Final = 10
HEADER: Final = 150
CONTEXT: Final = 10
ACTIONS: Final = 25
BUTTON_TEXT: Final = 75
BUTTON_VALUE: Final = 2_000
ACTION_ID: Final = 255
URL: Final = 3_000
CONFIRM_TITLE: Final = 100
CONFIRM_TEXT: Final = 300
CONFIRM_BUTTON: Final = 30
MODAL_TITLE: Final = 24
PRIVATE_METADATA: Final = 3_000
LABEL: Final = 2_000
PLACEHOLDER: Final = 150
INPUT_TEXT: Final = 3_000
OPTIONS: Final = 100
OPTION_TEXT: Final = 75
OPTION_VALUE: Final = 150


def message_faults(message: Message) -> list[str]:
    """Return what Slack would refuse or cut in a message, each with its place; none is well."""
    found = list(_length("text", message.text, 1, MESSAGE_TEXT))
    found += _blocks(message.blocks, MESSAGE_BLOCKS)
    total = sum(map(len, _texts(list(message.blocks))))
    if total > MESSAGE_CHARS:
        found.append(f"blocks: {total} characters in all, at most {MESSAGE_CHARS}")
    return found


def view_faults(view: View) -> list[str]:
    """Return what Slack would refuse in a modal or App Home view, each with its place."""
    found = list(_length("private_metadata", view.get("private_metadata", ""), 0, PRIVATE_METADATA))
    found += _length("callback_id", view.get("callback_id", ""), 0, ACTION_ID)
    if view["type"] == "modal":
        for name in ("title", "submit", "close"):
            if name in view or name == "title":
                found += _length(name, view[name]["text"], 1, MODAL_TITLE)
        has_input = any(block["type"] == "input" for block in view["blocks"])
        if has_input and "submit" not in view:
            found.append("submit: a form with inputs has to have it")
    return [*found, *_blocks(view["blocks"], VIEW_BLOCKS)]


def _blocks(blocks: Sequence[Mapping[str, Any]], most: int) -> Iterator[str]:
    if len(blocks) > most:
        yield f"blocks: {len(blocks)}, at most {most}"
    ids = [block["block_id"] for block in blocks if "block_id" in block]
    if len(set(ids)) != len(ids):
        yield "blocks: two of them have one block_id"
    for place, block in enumerate(blocks):
        for fault in _block(block):
            yield f"blocks[{place}] {block['type']} {fault}"


def _block(block: Mapping[str, Any]) -> Iterator[str]:
    yield from _length("block_id", block.get("block_id", ""), 0, ACTION_ID)
    match block["type"]:
        case "header":
            yield from _length("text", block["text"]["text"], 1, HEADER)
        case "section":
            yield from _section(block)
        case "context":
            yield from _count("elements", block["elements"], CONTEXT)
            for element in block["elements"]:
                yield from _length("element", element["text"], 1, SECTION)
        case "actions":
            yield from _actions(block["elements"])
        case "input":
            yield from _length("label", block["label"]["text"], 1, LABEL)
            yield from _length("hint", block.get("hint", {}).get("text", ""), 0, LABEL)
            yield from _element(block["element"])
        case "divider":
            pass
        case other:
            yield f"is a type that we do not post: {other}"


def _section(block: Mapping[str, Any]) -> Iterator[str]:
    if "text" in block:
        yield from _length("text", block["text"]["text"], 1, SECTION)
    if "fields" in block:
        yield from _count("fields", block["fields"], FIELDS)
        for field in block["fields"]:
            yield from _length("field", field["text"], 1, FIELD)
    if "text" not in block and "fields" not in block:
        yield "has neither text nor fields"
    if "accessory" in block:
        yield from _element(block["accessory"])


def _actions(elements: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield from _count("elements", elements, ACTIONS)
    ids = [element["action_id"] for element in elements]
    if len(set(ids)) != len(ids):
        yield "two elements have one action_id"
    for element in elements:
        yield from _element(element)


def _element(element: Mapping[str, Any]) -> Iterator[str]:
    yield from _length("action_id", element["action_id"], 1, ACTION_ID)
    match element["type"]:
        case "button":
            yield from _length("label", element["text"]["text"], 1, BUTTON_TEXT)
            yield from _length("value", element.get("value", ""), 0, BUTTON_VALUE)
            yield from _length("url", element.get("url", ""), 0, URL)
            yield from _confirm(element.get("confirm"))
        case "plain_text_input":
            yield from _length("initial_value", element.get("initial_value", ""), 0, INPUT_TEXT)
            hint = element.get("placeholder", {}).get("text", "")
            yield from _length("placeholder", hint, 0, PLACEHOLDER)
        case "radio_buttons":
            yield from _count("options", element["options"], OPTIONS)
            for option in element["options"]:
                yield from _length("option", option["text"]["text"], 1, OPTION_TEXT)
                yield from _length("option value", option["value"], 1, OPTION_VALUE)
        case other:
            yield f"holds an element that we do not post: {other}"


def _confirm(confirm: Mapping[str, Any] | None) -> Iterator[str]:
    if confirm is None:
        return
    yield from _length("confirm title", confirm["title"]["text"], 1, CONFIRM_TITLE)
    yield from _length("confirm text", confirm["text"]["text"], 1, CONFIRM_TEXT)
    for name in ("confirm", "deny"):
        yield from _length(f"confirm {name}", confirm[name]["text"], 1, CONFIRM_BUTTON)


def _count(name: str, items: Sequence[Any], most: int) -> Iterator[str]:
    if not 1 <= len(items) <= most:
        yield f"{name}: {len(items)}, between 1 and {most}"


def _length(name: str, text: str, least: int, most: int) -> Iterator[str]:
    if not least <= len(text) <= most:
        yield f"{name}: {len(text)} characters, between {least} and {most}"


def _texts(value: Any) -> Iterator[str]:
    """Yield every text in JSON values, the names of fields apart."""
    match value:
        case str():
            yield value
        case Mapping():
            for each in value.values():
                yield from _texts(each)
        case list():
            for each in value:
                yield from _texts(each)
        case _:
            pass

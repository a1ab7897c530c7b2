"""The rules of one block and of what stands inside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["Problem", "problems_of_block"]

MOST_BLOCK_ID = 255
MOST_ACTION_ID = 255
MOST_SECTION = 3_000
MOST_FIELDS = 10
MOST_FIELD = 2_000
MOST_HEADER = 150
MOST_CONTEXT_ELEMENTS = 10
MOST_ACTIONS = 25
MOST_CONTEXT_ACTIONS = 5
MOST_BUTTON_TEXT = 75
MOST_BUTTON_VALUE = 2_000
MOST_URL = 3_000
MOST_OPTIONS = 100
MOST_OVERFLOW = 5
MOST_BOXES = 10
MOST_OPTION_TEXT = 75
MOST_OPTION_VALUE = 150
MOST_PLACEHOLDER = 150
MOST_INPUT_LABEL = 2_000
MOST_INPUT = 3_000
MOST_TABLE_ROWS = 100
MOST_TABLE_CELLS = 20
CONFIRM = {"title": 100, "text": 300, "confirm": 30, "deny": 30}
STYLES = frozenset({None, "primary", "danger"})


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that Slack refuses, and the JSON pointer to it."""

    place: str
    what: str

    def __str__(self) -> str:
        """Return it in Slack's own form."""
        return f"[ERROR] {self.what} [json-pointer:{self.place}]"


def problems_of_block(block: dict[str, Any], place: str) -> Iterator[Problem]:
    """Yield what Slack would refuse about one block."""
    yield from _too_long(block.get("block_id"), f"{place}/block_id", MOST_BLOCK_ID)
    rule = RULES.get(str(block.get("type")))
    if rule is not None:
        yield from rule(block, place)


def _section(block: dict[str, Any], place: str) -> Iterator[Problem]:
    text, fields = block.get("text"), block.get("fields")
    if text is None and not fields:
        yield Problem(place, "missing required field: text or fields")
    if text is not None:
        yield from _text(text, f"{place}/text", MOST_SECTION)
    if fields is not None:
        yield from _count(fields, f"{place}/fields", MOST_FIELDS)
        for number, entry in enumerate(fields):
            yield from _text(entry, f"{place}/fields/{number}", MOST_FIELD)
    if isinstance(accessory := block.get("accessory"), dict):
        yield from _element(accessory, f"{place}/accessory")


def _context(block: dict[str, Any], place: str) -> Iterator[Problem]:
    elements = block.get("elements")
    yield from _count(elements, f"{place}/elements", MOST_CONTEXT_ELEMENTS)
    for number, element in enumerate(elements or ()):
        where = f"{place}/elements/{number}"
        if element.get("type") == "image":
            yield from _image(element, where)
        else:
            yield from _text(element, where, MOST_SECTION)


def _header(block: dict[str, Any], place: str) -> Iterator[Problem]:
    yield from _text(block.get("text"), f"{place}/text", MOST_HEADER, kinds=("plain_text",))


def _context_actions(block: dict[str, Any], place: str) -> Iterator[Problem]:
    yield from _count(block.get("elements"), f"{place}/elements", MOST_CONTEXT_ACTIONS)


def _markdown(block: dict[str, Any], place: str) -> Iterator[Problem]:
    if not block.get("text"):
        yield Problem(f"{place}/text", "must be more than 0 characters")


def _actions(block: dict[str, Any], place: str) -> Iterator[Problem]:
    elements = block.get("elements")
    yield from _count(elements, f"{place}/elements", MOST_ACTIONS)
    seen: set[str] = set()
    for number, element in enumerate(elements or ()):
        where = f"{place}/elements/{number}"
        yield from _element(element, where)
        name = element.get("action_id")
        if name and name in seen:
            yield Problem(f"{where}/action_id", f"action_id already exists: {name}")
        seen.add(str(name))


def _element(element: dict[str, Any], place: str) -> Iterator[Problem]:
    yield from _too_long(element.get("action_id"), f"{place}/action_id", MOST_ACTION_ID)
    if isinstance(confirm := element.get("confirm"), dict):
        yield from _confirm(confirm, f"{place}/confirm")
    match element.get("type"):
        case "button":
            yield from _button(element, place)
        case "overflow":
            yield from _options(element.get("options"), f"{place}/options", MOST_OVERFLOW)
        case "static_select" | "multi_static_select":
            if "option_groups" not in element:
                yield from _options(element.get("options"), f"{place}/options", MOST_OPTIONS)
        case "radio_buttons" | "checkboxes":
            yield from _options(element.get("options"), f"{place}/options", MOST_BOXES)
        case "plain_text_input":
            yield from _too_long(element.get("initial_value"), f"{place}/initial_value", MOST_INPUT)
        case None:
            yield Problem(f"{place}/type", "missing required field: type")
        case _:
            pass
    if (placeholder := element.get("placeholder")) is not None:
        where = f"{place}/placeholder"
        yield from _text(placeholder, where, MOST_PLACEHOLDER, kinds=("plain_text",))


def _button(button: dict[str, Any], place: str) -> Iterator[Problem]:
    yield from _text(button.get("text"), f"{place}/text", MOST_BUTTON_TEXT, kinds=("plain_text",))
    yield from _too_long(button.get("value"), f"{place}/value", MOST_BUTTON_VALUE)
    yield from _too_long(button.get("url"), f"{place}/url", MOST_URL)
    label = button.get("accessibility_label")
    yield from _too_long(label, f"{place}/accessibility_label", MOST_BUTTON_TEXT)
    if button.get("style") not in STYLES:
        yield Problem(f"{place}/style", "must be primary or danger")


def _confirm(confirm: dict[str, Any], place: str) -> Iterator[Problem]:
    for name, most in CONFIRM.items():
        kinds = ("plain_text", "mrkdwn") if name == "text" else ("plain_text",)
        if name in confirm or name in {"title", "text"}:
            yield from _text(confirm.get(name), f"{place}/{name}", most, kinds=kinds)


def _options(options: object, place: str, most: int) -> Iterator[Problem]:
    yield from _count(options, place, most)
    for number, option in enumerate(options if isinstance(options, list) else ()):
        yield from _text(option.get("text"), f"{place}/{number}/text", MOST_OPTION_TEXT)
        yield from _too_long(option.get("value"), f"{place}/{number}/value", MOST_OPTION_VALUE)


def _input(block: dict[str, Any], place: str) -> Iterator[Problem]:
    kinds = ("plain_text",)
    yield from _text(block.get("label"), f"{place}/label", MOST_INPUT_LABEL, kinds=kinds)
    if block.get("hint") is not None:
        yield from _text(block["hint"], f"{place}/hint", MOST_INPUT_LABEL, kinds=kinds)
    element = block.get("element")
    if isinstance(element, dict):
        yield from _element(element, f"{place}/element")
    else:
        yield Problem(f"{place}/element", "missing required field: element")


def _image(block: dict[str, Any], place: str) -> Iterator[Problem]:
    if not block.get("alt_text"):
        yield Problem(f"{place}/alt_text", "missing required field: alt_text")
    yield from _too_long(block.get("image_url"), f"{place}/image_url", MOST_URL)


def _table(block: dict[str, Any], place: str) -> Iterator[Problem]:
    rows = block.get("rows")
    yield from _count(rows, f"{place}/rows", MOST_TABLE_ROWS)
    for number, row in enumerate(rows or ()):
        yield from _count(row, f"{place}/rows/{number}", MOST_TABLE_CELLS)


def _text(
    text: object, place: str, most: int, *, kinds: tuple[str, ...] = ("plain_text", "mrkdwn")
) -> Iterator[Problem]:
    if not isinstance(text, dict):
        yield Problem(place, f"missing required field: {place.rpartition('/')[2]}")
        return
    if text.get("type") not in kinds:
        yield Problem(f"{place}/type", f"must be one of: {', '.join(kinds)}")
    words = text.get("text")
    if not isinstance(words, str) or not words:
        yield Problem(f"{place}/text", "must be more than 0 characters")
    else:
        yield from _too_long(words, f"{place}/text", most)


def _too_long(value: object, place: str, most: int) -> Iterator[Problem]:
    if isinstance(value, str) and len(value) > most:
        yield Problem(place, f"must be less than {most + 1} characters")


def _count(items: object, place: str, most: int) -> Iterator[Problem]:
    if not isinstance(items, list) or not items:
        yield Problem(place, "must have at least 1 item")
    elif len(items) > most:
        yield Problem(place, f"no more than {most} items allowed")


RULES: Final[dict[str, Callable[[dict[str, Any], str], Iterator[Problem]]]] = {
    "actions": _actions,
    "context": _context,
    "context_actions": _context_actions,
    "header": _header,
    "image": _image,
    "input": _input,
    "markdown": _markdown,
    "section": _section,
    "table": _table,
}

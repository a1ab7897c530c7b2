"""Slack's sizes, each at its border."""

from __future__ import annotations

from typing import Any

import pytest

from bot.workspace.errors import MethodRefused
from bot.workspace.limits import check_blocks, check_view


def plain(length: int) -> dict[str, str]:
    return {"type": "plain_text", "text": "x" * length}


def section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def button(**fields: Any) -> dict[str, Any]:
    return {"type": "button", "action_id": "a", "text": plain(1)} | fields


def actions(*elements: dict[str, Any]) -> dict[str, Any]:
    return {"type": "actions", "elements": list(elements)}


def many(count: int) -> list[dict[str, Any]]:
    return [button(action_id=str(number)) for number in range(count)]


def confirm(**fields: int) -> dict[str, Any]:
    sizes = {"title": 1, "text": 1, "confirm": 1, "deny": 1} | fields
    return {name: plain(size) for name, size in sizes.items()}


ALLOWED: list[list[dict[str, Any]]] = [
    [{"type": "divider"}] * 50,
    [section("x" * 3000)],
    [section("👩‍👩‍👧" * 600)],
    [{"type": "section", "fields": [plain(2000)]}],
    [{"type": "header", "text": plain(150)}],
    [{"type": "context", "elements": [plain(1)] * 10}],
    [actions(*many(25))],
    [actions(button(text=plain(75), value="x" * 2000, action_id="x" * 255, url="x" * 3000))],
    [actions(button(confirm=confirm(title=100, text=300, confirm=30, deny=30)))],
    [section("x") | {"block_id": "x" * 255}],
    [{"type": "markdown", "text": "x" * 6000}] * 2,
]
REFUSED: list[tuple[list[dict[str, Any]], str]] = [
    ([{"type": "divider"}] * 51, "/blocks"),
    ([section("x" * 3001)], "/blocks/0/text/text"),
    ([section("")], "/blocks/0/text/text"),
    ([{"type": "section"}], "/blocks/0"),
    ([{"type": "section", "fields": [plain(2001)]}], "/blocks/0/fields/0/text"),
    ([{"type": "section", "fields": [plain(1)] * 11}], "/blocks/0/fields"),
    ([{"type": "header", "text": plain(151)}], "/blocks/0/text/text"),
    ([{"type": "header", "text": {"type": "mrkdwn", "text": "x"}}], "/blocks/0/text/type"),
    ([{"type": "context", "elements": [plain(1)] * 11}], "/blocks/0/elements"),
    ([actions(*many(26))], "/blocks/0/elements"),
    ([actions()], "/blocks/0/elements"),
    ([actions(button(), button())], "/blocks/0/elements/1/action_id"),
    ([actions(button(text=plain(76)))], "/blocks/0/elements/0/text/text"),
    ([actions(button(value="x" * 2001))], "/blocks/0/elements/0/value"),
    ([actions(button(style="loud"))], "/blocks/0/elements/0/style"),
    ([actions(button(confirm=confirm(text=301)))], "/blocks/0/elements/0/confirm/text/text"),
    ([section("x") | {"block_id": "x" * 256}], "/blocks/0/block_id"),
    ([section("x") | {"block_id": "b"}] * 2, "/blocks/1/block_id"),
    ([{"type": "markdown", "text": "x" * 6001}] * 2, "/blocks"),
    ([{"type": "input", "label": plain(1), "element": {}}], "/blocks/0/type"),
    ([{"type": "hologram"}], "/blocks/0/type"),
]


@pytest.mark.parametrize("blocks", ALLOWED)
def test_blocks_at_the_border_are_taken(blocks: list[dict[str, Any]]) -> None:
    check_blocks(blocks)


@pytest.mark.parametrize(("blocks", "place"), REFUSED)
def test_blocks_beyond_the_border_are_refused_with_their_place(
    blocks: list[dict[str, Any]], place: str
) -> None:
    with pytest.raises(MethodRefused) as raised:
        check_blocks(blocks)

    assert raised.value.code == "invalid_blocks"
    assert f"[json-pointer:{place}]" in raised.value.details[0]


def test_the_text_of_all_blocks_together_has_a_limit() -> None:
    check_blocks([section("x" * 2640)] * 5)
    with pytest.raises(MethodRefused, match="msg_blocks_too_long"):
        check_blocks([section("x" * 2641)] * 5)


def modal(**fields: Any) -> dict[str, Any]:
    return {"type": "modal", "title": plain(24), "blocks": [{"type": "divider"}]} | fields


INPUT = {
    "type": "input",
    "label": plain(1),
    "element": {"type": "plain_text_input", "action_id": "a"},
}


@pytest.mark.parametrize(
    "view",
    [
        modal(private_metadata="x" * 3000, callback_id="x" * 255),
        modal(blocks=[{"type": "divider"}] * 100),
        modal(blocks=[INPUT], submit=plain(24)),
    ],
)
def test_a_form_at_the_border_is_taken(view: dict[str, Any]) -> None:
    assert check_view(view, home=False) == view


@pytest.mark.parametrize(
    ("view", "place"),
    [
        ([], "/view"),
        (modal(type="home"), "/view/type"),
        (modal(title=plain(25)), "/view/title/text"),
        (modal(title=None), "/view/title"),
        (modal(submit=plain(25)), "/view/submit/text"),
        (modal(private_metadata="x" * 3001), "/view/private_metadata"),
        (modal(callback_id="x" * 256), "/view/callback_id"),
        (modal(blocks=[{"type": "divider"}] * 101), "/view/blocks"),
        (modal(blocks=None), "/view/blocks"),
        (modal(blocks=[INPUT]), "/view/submit"),
        (modal(blocks=[{"type": "markdown", "text": "x"}]), "/view/blocks/0/type"),
    ],
)
def test_a_form_beyond_the_border_is_refused_with_its_place(view: object, place: str) -> None:
    with pytest.raises(MethodRefused) as raised:
        check_view(view, home=False)

    assert raised.value.code == "invalid_arguments"
    assert f"[json-pointer:{place}]" in raised.value.details[0]

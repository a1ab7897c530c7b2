"""Slack's sizes: at the limit is well, one beyond is named with its place."""

from __future__ import annotations

from typing import Any

import pytest

from bot.slack import limits
from bot.slack.blocks import skeleton_modal
from bot.slack.blocks.parts import (
    actions,
    button,
    confirm,
    context,
    header,
    modal,
    section,
    text_input,
)
from bot.slack.limits import message_faults, view_faults
from bot.slack.refs import ActionId, CallbackId, RunRef
from bot.slack.views import Block, Message

REF = RunRef(run_id="r")


def faults(*blocks: Block, text: str = "told") -> list[str]:
    """Return the faults of a message of these blocks."""
    return message_faults(Message(text=text, blocks=blocks))


def press(label: str = "Go", run_id: str = "r", **given: Any) -> Block:
    """Return a row of one button."""
    return actions([button(ActionId.COPY, label, RunRef(run_id=run_id), **given)])


@pytest.mark.parametrize(
    ("block", "most"),
    [
        (section, limits.SECTION),
        (header, limits.HEADER),
        (context, limits.SECTION),
        (press, limits.BUTTON_TEXT),
        (lambda text: press(asks=confirm("a", text, "b", "c")), limits.CONFIRM_TEXT),
        (lambda text: press(asks=confirm(text, "a", "b", "c")), limits.CONFIRM_TITLE),
        (lambda text: press(asks=confirm("a", "b", text, "c")), limits.CONFIRM_BUTTON),
        (lambda text: press(asks=confirm("a", "b", "c", text)), limits.CONFIRM_BUTTON),
        (lambda text: press(run_id=text[8:]), limits.BUTTON_VALUE),
    ],
)
def test_a_text_at_its_limit_is_well_and_one_more_is_named(block: Any, most: int) -> None:
    assert faults(block("x" * most)) == []
    (fault,) = faults(block("x" * (most + 1)))
    assert fault.startswith("blocks[0] ")
    assert str(most) in fault


@pytest.mark.parametrize("block", [section, header, context, press])
def test_an_empty_text_is_named(block: Any) -> None:
    assert len(faults(block(""))) == 1


def test_the_fallback_text_has_to_be_there_and_has_its_size() -> None:
    assert faults(section("a"), text="") == ["text: 0 characters, between 1 and 4000"]
    assert faults(section("a"), text="x" * 4_000) == []
    assert len(faults(section("a"), text="x" * 4_001)) == 1


def test_the_number_of_blocks_and_elements_is_bounded() -> None:
    assert faults(*[section("a")] * 50) == []
    assert faults(*[section("a")] * 51) == ["blocks: 51, at most 50"]
    assert faults(context(*["a"] * 10)) == []
    assert len(faults(context(*["a"] * 11))) == 1
    assert len(faults(actions([]))) == 1


def test_all_texts_of_a_message_together_are_bounded() -> None:
    many = [section("x" * 2_900)] * 4

    assert faults(*many) == []
    assert "characters in all" in faults(*many, section("x" * 500))[0]


def test_two_of_one_id_are_named() -> None:
    twice = button(ActionId.COPY, "Go", REF)

    assert "one action_id" in faults(actions([twice, twice]))[0]
    assert "one block_id" in faults(*[{**section("a"), "block_id": "b"}] * 2)[0]


def test_a_block_that_we_do_not_post_is_named() -> None:
    assert "do not post" in faults({"type": "video"})[0]
    assert "neither text nor fields" in faults({"type": "section"})[0]


def test_fields_have_their_number_and_size() -> None:
    field = {"type": "mrkdwn", "text": "x" * 2_000}

    assert faults({"type": "section", "fields": [field] * 5}) == []
    assert len(faults({"type": "section", "fields": [field | {"text": "x" * 2_001}]})) == 1
    assert len(faults({"type": "section", "fields": [field | {"text": "x"}] * 11})) == 1


def test_a_form_with_inputs_needs_its_button() -> None:
    asks = text_input("reason", "Why?")

    assert view_faults(modal(CallbackId.REJECT, "Reject", [asks], ref=None, submit="Go")) == []
    assert "has to have it" in view_faults(modal(CallbackId.REJECT, "R", [asks], ref=None))[0]


@pytest.mark.parametrize(("length", "count"), [(24, 0), (25, 1)])
def test_a_title_has_its_size(length: int, count: int) -> None:
    assert len(view_faults(skeleton_modal("t" * length))) == count


@pytest.mark.parametrize(("length", "count"), [(3_000, 0), (3_001, 1)])
def test_an_input_starts_with_so_much_at_most(length: int, count: int) -> None:
    view = modal(
        CallbackId.COPY, "Copy", [text_input("t", "T", value="x" * length)], ref=None, submit="Go"
    )

    assert len(view_faults(view)) == count


@pytest.mark.parametrize(("length", "count"), [(2_992, 0), (2_993, 1)])
def test_what_a_form_carries_has_its_size(length: int, count: int) -> None:
    view = modal(CallbackId.COPY, "Copy", [section("a")], ref=RunRef(run_id="x" * length))

    assert len(view_faults(view)) == count

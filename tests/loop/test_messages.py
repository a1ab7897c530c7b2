"""Frozen messages, and the request digest: a chain over what was appended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from loop import Message, RequestHead, Role, WireCall
from loop.messages import first_digest, message_value, next_digest
from loop.talk import Talk
from tools import ToolSpec

HEAD = RequestHead(
    model="m",
    tools=(ToolSpec(name="t", description="d", parameters={"type": "object"}),),
    tool_choice="required",
    response_format={"name": "step"},
    max_tokens=10,
)
SYSTEM = Message(role=Role.SYSTEM, text="s")
CALLS = (WireCall(call_id="1", name="t", arguments="{}"),)
ASSISTANT = Message(role=Role.ASSISTANT, text=None, calls=CALLS)
TOOL = Message(role=Role.TOOL, text="{}", call_id="1")


def test_a_talk_is_the_chain_over_what_was_appended() -> None:
    talk = Talk("T-1", HEAD, (SYSTEM,))
    first, appended = talk.request(1)
    assert appended == (SYSTEM,)
    assert first.digest == next_digest(first_digest(HEAD), (SYSTEM,))
    talk.append(ASSISTANT)
    talk.append(TOOL)
    second, appended = talk.request(2)
    assert appended == (ASSISTANT, TOOL)
    assert second.digest == next_digest(first.digest, (ASSISTANT, TOOL))
    assert second.messages == (SYSTEM, ASSISTANT, TOOL)


def test_an_earlier_request_keeps_its_own_messages() -> None:
    """A36: what a model keeps of a request does not grow."""
    talk = Talk("T-1", HEAD, (SYSTEM,))
    first, _ = talk.request(1)
    talk.append(TOOL)
    talk.request(2)
    assert first.messages == (SYSTEM,)
    with pytest.raises(FrozenInstanceError):
        first.messages = ()  # type: ignore[misc]


class Counting(Mapping[str, Any]):
    """A schema that counts how often it is read."""

    def __init__(self) -> None:
        self.reads = 0

    def __getitem__(self, key: str) -> Any:
        self.reads += 1
        return "object"

    def __iter__(self) -> Iterator[str]:
        return iter(("type",))

    def __len__(self) -> int:
        return 1


def test_the_head_is_read_once_and_each_message_once_however_long_the_talk() -> None:
    schema = Counting()
    head = replace(HEAD, tools=(ToolSpec(name="t", description="d", parameters=schema),))
    talk = Talk("T-1", head, (SYSTEM,))
    sizes = []
    for step in range(1, 101):
        request, appended = talk.request(step)
        sizes.append(len(appended))
        assert len(request.messages) == step
        talk.append(TOOL)
    assert schema.reads == 1
    assert set(sizes) == {1}


@pytest.mark.parametrize(
    "other",
    [
        replace(HEAD, model="n"),
        replace(HEAD, tools=()),
        replace(HEAD, tools=(replace(HEAD.tools[0], name="u"),)),
        replace(HEAD, tools=(replace(HEAD.tools[0], description="e"),)),
        replace(HEAD, tools=(replace(HEAD.tools[0], parameters={}),)),
        replace(HEAD, tool_choice=None),
        replace(HEAD, response_format=None),
        replace(HEAD, max_tokens=11),
    ],
)
def test_any_change_of_the_head_changes_the_digest(other: RequestHead) -> None:
    assert first_digest(other) != first_digest(HEAD)


@pytest.mark.parametrize(
    "other",
    [
        (replace(ASSISTANT, role=Role.USER), TOOL),
        (replace(ASSISTANT, text=""), TOOL),
        (replace(ASSISTANT, calls=()), TOOL),
        (replace(ASSISTANT, calls=(replace(CALLS[0], call_id="2"),)), TOOL),
        (replace(ASSISTANT, calls=(replace(CALLS[0], name="u"),)), TOOL),
        (replace(ASSISTANT, calls=(replace(CALLS[0], arguments="{ }"),)), TOOL),
        (ASSISTANT, replace(TOOL, text="{}!")),
        (ASSISTANT, replace(TOOL, call_id="2")),
        (ASSISTANT, replace(TOOL, call_id=None)),
        (TOOL, ASSISTANT),
        (ASSISTANT,),
        (),
        (ASSISTANT, TOOL, TOOL),
    ],
)
def test_any_change_of_what_was_appended_changes_the_digest(other: tuple[Message, ...]) -> None:
    before = first_digest(HEAD)
    assert next_digest(before, other) != next_digest(before, (ASSISTANT, TOOL))
    assert next_digest(before, (ASSISTANT, TOOL)) != next_digest("", (ASSISTANT, TOOL))


def test_where_one_request_ends_is_part_of_the_digest() -> None:
    """Two messages at once and one after the other are two histories."""
    start = first_digest(HEAD)
    assert next_digest(next_digest(start, (SYSTEM,)), (TOOL,)) != next_digest(start, (SYSTEM, TOOL))


def test_a_lone_surrogate_does_not_break_the_digest() -> None:
    assert next_digest("", (replace(SYSTEM, text="\ud800"),))
    assert message_value(SYSTEM) == {"role": "system", "text": "s", "calls": [], "call_id": None}

"""From a reply to a decision, in both ways of asking."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loop import Ask, Reply, WireCall
from loop.decision import FINISH, Decision, Unusable, decide, step_schema, was_cut, with_own_ids
from loop.finish import finish_spec
from loop.work import request_head
from tests.loop.fakes import box, call, finish_arguments, make_work, read, reply
from tools import parse_json

SPECS = (*box().specs, finish_spec())


def decided(made: Reply, ask: Ask = Ask.TOOLS) -> Decision:
    """Decide with the fake tools and 1000 tokens at most."""
    return decide(made, ask, SPECS, 1000, 3)


def step(**fields: Any) -> Reply:
    """A structured step as a reply."""
    return reply(text=json.dumps({"plan": "look", **fields}))


def test_calls_are_taken_in_order_with_unknown_and_malformed_ones() -> None:
    calls = (read(), call("nothing", "{"), call("finish"))
    assert decided(reply(*calls)) == Decision(calls=calls)


@pytest.mark.parametrize("text", [None, "", "LK-100001 is on its way", '{"tool": "get_order"}'])
def test_a_reply_without_calls_holds_no_step_where_tools_are_asked_for(text: str | None) -> None:
    assert decided(reply(text=text)) == Decision(unusable=Unusable.NO_CALL)


@pytest.mark.parametrize("ask", Ask)
@pytest.mark.parametrize(
    ("more", "unusable"),
    [
        ({"refusal": "I will not"}, Unusable.REFUSAL),
        ({"finish_reason": "length"}, Unusable.TRUNCATED),
        ({"tokens": (10, 1000)}, Unusable.TRUNCATED),
        ({"finish_reason": "content_filter"}, Unusable.FILTERED),
        ({"refusal": "no", "finish_reason": "length"}, Unusable.REFUSAL),
        ({"finish_reason": "content_filter", "tokens": (10, 1001)}, Unusable.TRUNCATED),
    ],
)
def test_the_calls_of_a_refused_cut_or_filtered_reply_are_not_for_running(
    ask: Ask, more: dict[str, Any], unusable: Unusable
) -> None:
    assert decided(reply(read(), **more), ask) == Decision(calls=(read(),), unusable=unusable)


@pytest.mark.parametrize("finish_reason", ["stop", "eos", "tool_calls", "unheard of"])
def test_any_other_finish_reason_decides_nothing(finish_reason: str) -> None:
    assert decided(reply(read(), finish_reason=finish_reason)) == Decision(calls=(read(),))


@pytest.mark.parametrize(("out", "cut"), [(999, False), (1000, True), (1001, True)])
def test_a_reply_as_long_as_it_may_be_counts_as_cut(out: int, cut: bool) -> None:
    assert was_cut(reply(tokens=(1, out)), 1000) is cut


def test_unknown_usage_is_not_a_cut() -> None:
    assert not was_cut(reply(tokens=None), 1000)


def test_a_structured_step_becomes_a_call_with_its_tools_own_arguments() -> None:
    made = step(
        tool="get_order", order_id="LK-100001", query=None, amount=None, sku="A", resolution=None
    )
    expected = WireCall(
        call_id="step3-call0", name="get_order", arguments='{"order_id":"LK-100001"}'
    )
    assert decided(made, Ask.JSON) == Decision(calls=(expected,))


def test_what_no_tool_knows_stays_in_a_step_and_is_refused_like_any_unknown_key() -> None:
    made = decided(step(tool="get_order", order_id="LK-100001", customer_id="C-1"), Ask.JSON)
    assert json.loads(made.calls[0].arguments) == {"customer_id": "C-1", "order_id": "LK-100001"}


def test_a_step_with_an_unknown_tool_is_a_call_of_it() -> None:
    made = decided(step(tool="refund", order_id="LK-100001"), Ask.JSON)
    assert (made.calls[0].name, made.calls[0].arguments) == ("refund", "{}")


def test_a_finish_step_hands_on_its_resolution() -> None:
    made = decided(step(tool=FINISH, resolution=finish_arguments(), order_id="LK-1"), Ask.JSON)
    assert json.loads(made.calls[0].arguments) == finish_arguments()


@pytest.mark.parametrize("resolution", [None, 7, "x", []])
def test_a_finish_step_without_an_object_is_still_a_finish_to_be_refused(resolution: Any) -> None:
    made = decided(step(tool=FINISH, resolution=resolution), Ask.JSON)
    assert parse_json(made.calls[0].arguments) == resolution
    assert decided(step(tool=FINISH), Ask.JSON).calls[0].arguments == "null"


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "I would look up the order.",
        "[]",
        "7",
        "{",
        '{"plan": "x"}',
        '{"tool": null}',
        '{"tool": 7}',
        '{"tool": "get_order", "tool": "finish"}',
        '```json\n{"tool": "get_order", "order_id": "LK-100001"}\n```',
        '{"tool": "get_order"} and more',
        '\ufeff{"tool": "get_order"}',
        '{"tool": NaN}',
        "[" * 100_000,
    ],
)
def test_what_is_not_one_plain_object_with_a_tool_is_no_step(text: str | None) -> None:
    """A fence, a second object or a double key is no step; nothing is guessed."""
    assert decided(reply(text=text), Ask.JSON) == Decision(unusable=Unusable.NOT_A_STEP)


def test_calls_of_a_model_that_was_asked_for_json_are_not_run() -> None:
    made = decided(reply(read(), text='{"tool": "get_order"}'), Ask.JSON)
    assert made == Decision(calls=(read(),), unusable=Unusable.NOT_A_STEP)


def test_the_schema_of_a_step_is_flat_over_all_tools_and_strict() -> None:
    schema = step_schema(SPECS)
    properties = schema["properties"]
    assert schema["required"] == list(properties)
    assert schema["additionalProperties"] is False
    assert properties["tool"]["enum"] == [spec.name for spec in SPECS]
    assert list(properties)[:2] == ["plan", "tool"]
    assert list(properties)[-1] == "resolution"
    assert {"type": "null"} in properties["order_id"]["anyOf"]
    assert finish_spec().parameters in properties["resolution"]["anyOf"]


def test_without_a_finish_tool_a_steps_resolution_is_null() -> None:
    schema = step_schema(box().specs)
    assert schema["properties"]["resolution"] == {"anyOf": [{"type": "null"}, {"type": "null"}]}


def test_the_head_carries_what_the_way_of_asking_needs() -> None:
    tools, answer = request_head(make_work()), request_head(make_work("assistant"))
    by_step = request_head(make_work(ask=Ask.JSON))
    assert (tools.tool_choice, tools.response_format) == ("required", None)
    assert tools.tools[-1].name == FINISH
    assert answer.tool_choice is None
    assert answer.response_format is not None
    assert answer.response_format["name"] == "ticket_analysis"
    assert FINISH not in [spec.name for spec in answer.tools]
    assert by_step.tool_choice is None
    assert by_step.response_format is not None
    assert by_step.response_format["name"] == "step"


def test_an_id_of_its_own_is_kept_and_an_empty_or_equal_one_is_replaced() -> None:
    used: set[str] = set()
    first = with_own_ids((read(call_id="a"), read(), read(call_id="a")), 1, used)
    second = with_own_ids((read(call_id="a"), read(call_id="b")), 2, used)
    assert [made.call_id for made in first] == ["a", "step1-call1", "step1-call2"]
    assert [made.call_id for made in second] == ["step2-call0", "b"]


def test_a_model_that_uses_our_own_ids_is_given_others() -> None:
    taken = [read(call_id=name) for name in ("step1-call3", "step1-call3-1", "step1-call3-2")]
    named = with_own_ids((*taken, read()), 1, set())
    assert named[3].call_id == "step1-call3-3"


_IDS = st.sampled_from(
    ["", "a", *(f"step{s}-call{i}{e}" for s in (1, 2) for i in (0, 1, 2) for e in ("", "-1", "-2"))]
)


@given(st.lists(st.lists(_IDS, max_size=4), max_size=4))
def test_ids_are_always_whole_and_never_twice(steps: list[list[str]]) -> None:
    used: set[str] = set()
    made = [
        named.call_id
        for number, ids in enumerate(steps, start=1)
        for named in with_own_ids(tuple(read(call_id=i) for i in ids), number, used)
    ]
    assert len(set(made)) == len(made)
    assert all(made)


@given(st.text(max_size=60) | st.none(), st.sampled_from(Ask), st.booleans())
def test_no_reply_raises(text: str | None, ask: Ask, with_call: bool) -> None:
    calls = (WireCall(call_id="", name=text or "", arguments=text or ""),) if with_call else ()
    decided(reply(*calls, text=text), ask)

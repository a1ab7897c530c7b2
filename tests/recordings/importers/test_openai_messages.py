"""Logs of messages, with everything that real ones hold."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from loop import Asked, CostState, Role
from recordings import RecordingUnreadable, Unknown
from tests.recordings.importers.bringing import (
    assistant,
    bring,
    call,
    tool,
    user,
    write_json,
    write_lines,
)

SYSTEM = {"role": "system", "content": "You help."}
LOOK_UP = [SYSTEM, user(), assistant(None, call()), tool(), assistant("It is on its way.")]


def test_a_list_of_messages_is_one_run(tmp_path: Path) -> None:
    brought = bring(write_json(tmp_path, LOOK_UP))

    assert [reply.text for reply in brought.replies()] == [None, "It is on its way."]
    assert brought.only.ticket_id == "file.json#1"
    assert brought.only.label is None


def test_each_line_of_a_file_of_dialogues_is_a_run(tmp_path: Path) -> None:
    """The format of fine-tuning, whose tools come along."""
    offered = [
        {"type": "function", "function": {"name": "get_order", "parameters": {"type": "object"}}}
    ]
    brought = bring(
        write_lines(
            tmp_path,
            {"messages": LOOK_UP, "tools": offered},
            {"messages": [user(), assistant("Hello.")]},
        )
    )

    first, second = brought.recordings
    assert [len(each.exchanges) for each in (first, second)] == [2, 1]
    assert first.opened is not None
    assert [spec.name for spec in first.opened.head.tools] == ["get_order"]
    assert Unknown.REQUESTS not in first.unknown
    assert Unknown.REQUESTS in second.unknown


def test_a_request_holds_what_came_since_the_last_reply(tmp_path: Path) -> None:
    brought = bring(write_json(tmp_path, LOOK_UP))

    asked = [e.record for e in brought.only.entries if isinstance(e.record, Asked)]
    assert [[message.role for message in each.appended] for each in asked] == [
        [Role.SYSTEM, Role.USER],
        [Role.ASSISTANT, Role.TOOL],
    ]


def test_what_a_log_does_not_say_is_unknown(tmp_path: Path) -> None:
    brought = bring(write_json(tmp_path, LOOK_UP))

    first = brought.replies()[0]
    assert (first.latency_us, first.usage.tokens_in, first.cost.state) == (
        None,
        None,
        CostState.NOT_RECORDED,
    )
    assert [each.result for each in brought.called()] == [None]
    assert brought.only.unknown == {
        Unknown.TIME,
        Unknown.TOOL_TIME,
        Unknown.TOKENS,
        Unknown.COST,
        Unknown.OUTCOMES,
        Unknown.REQUESTS,
        Unknown.MODEL,
    }


def test_a_logged_response_is_the_last_reply_and_priced_where_there_is_a_price(
    tmp_path: Path,
) -> None:
    logged = {
        "request": {"model": "chat-small", "messages": [user()]},
        "response": {
            "body": {
                "model": "chat-small-2026",
                "choices": [{"finish_reason": "stop", "message": {"content": "Hello."}}],
                "usage": {"prompt_tokens": 1_000_000, "completion_tokens": 0},
            }
        },
    }
    brought = bring(write_lines(tmp_path, logged))

    (reply,) = brought.replies()
    assert (reply.text, reply.model, reply.finish_reason) == ("Hello.", "chat-small-2026", "stop")
    assert reply.cost.usd == Decimal("0.10")
    assert Unknown.COST not in brought.only.unknown


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        ('{"a": 1}', '{"a": 1}'),
        ({"a": 1}, '{"a": 1}'),
        ("not { json", "not { json"),
        ('["a", "b"]', '["a", "b"]'),
        (None, ""),
        ("", ""),
        (7, "7"),
    ],
)
def test_arguments_are_kept_as_they_stand(tmp_path: Path, arguments: Any, kept: str) -> None:
    said = [user(), assistant(None, call(arguments=arguments)), tool(), assistant("Done.")]

    brought = bring(write_json(tmp_path, said))

    assert brought.replies()[0].calls[0].arguments == kept


@pytest.mark.parametrize("call_id", ["", None])
def test_calls_without_an_id_are_answered_in_their_order(tmp_path: Path, call_id: Any) -> None:
    calls = [call("get_order", call_id=call_id), call("search_policy", call_id=call_id)]
    said = [user(), assistant(None, *calls), tool("one", call_id), tool("two", call_id)]

    brought = bring(write_json(tmp_path, said))

    assert [(each.index, each.name, each.text) for each in brought.called()] == [
        (0, "get_order", "one"),
        (1, "search_policy", "two"),
    ]


def test_a_reused_id_means_the_latest_call(tmp_path: Path) -> None:
    said = [
        user(),
        assistant(None, call(arguments='{"n": 1}')),
        tool("one"),
        assistant(None, call(arguments='{"n": 2}')),
        tool("two"),
    ]

    brought = bring(write_json(tmp_path, said))

    assert [(each.step, each.text) for each in brought.called()] == [(1, "one"), (2, "two")]


def test_parallel_calls_find_their_answers_in_any_order(tmp_path: Path) -> None:
    calls = [call("get_order", call_id="a"), call("get_payments", call_id="b")]
    said = [user(), assistant(None, *calls), tool("two", "b"), tool("one", "a")]

    brought = bring(write_json(tmp_path, said))

    assert {each.index: each.text for each in brought.called()} == {0: "one", 1: "two"}


def test_an_answer_of_another_call_is_given_to_none(tmp_path: Path) -> None:
    said = [user(), assistant(None, call(call_id="a")), tool("whose?", "b"), assistant("Hm.")]

    brought = bring(write_json(tmp_path, said))

    assert brought.called() == []
    assert Unknown.RESULTS in brought.only.unknown


def test_a_missing_answer_is_unknown(tmp_path: Path) -> None:
    calls = [call("get_order", call_id="a"), call("get_payments", call_id="b")]
    brought = bring(write_json(tmp_path, [user(), assistant(None, *calls), tool("one", "a")]))

    assert [each.index for each in brought.called()] == [0]
    assert {Unknown.RESULTS, Unknown.TOOL_TIME} <= brought.only.unknown


def test_a_dialogue_goes_on_after_an_answer(tmp_path: Path) -> None:
    said = [user("one"), assistant("First."), assistant("Again."), user("two"), assistant("Last.")]

    brought = bring(write_json(tmp_path, said))

    assert [reply.text for reply in brought.replies()] == ["First.", "Again.", "Last."]


@pytest.mark.parametrize(
    "listed",
    [
        '[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]',
        "[{'role': 'user', 'content': 'Hi'}, {'role': 'assistant', 'content': 'Hello.'}]",
    ],
)
def test_a_list_may_stand_in_a_text(tmp_path: Path, listed: str) -> None:
    brought = bring(write_lines(tmp_path, {"messages": listed}), format_name="openai-messages")

    assert brought.replies()[0].text == "Hello."


def test_content_may_be_parts_and_calls_may_be_a_text(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "See:"}, {"type": "image_url", "image_url": {"url": "x"}}]
    listed = '[{"id": "c1", "function": {"name": "get_order", "arguments": "{}"}}]'
    said = [user(), assistant(None, tool_calls=listed), tool(parts), assistant("Done.")]

    brought = bring(write_json(tmp_path, said))

    assert brought.replies()[0].calls[0].name == "get_order"
    assert brought.called()[0].text == "See:\n[image_url]"


def test_the_function_call_of_old_logs_is_a_call(tmp_path: Path) -> None:
    said = [
        user(),
        assistant(None, function_call={"name": "get_order", "arguments": "{}"}),
        {"role": "function", "name": "get_order", "content": "shipped"},
    ]

    brought = bring(write_json(tmp_path, said))

    assert [(each.name, each.text) for each in brought.called()] == [("get_order", "shipped")]


def test_a_damaged_line_costs_itself_only(tmp_path: Path) -> None:
    good = {"messages": LOOK_UP}
    path = write_lines(
        tmp_path, good, '{"messages": [', {"messages": 7}, {"messages": [user()]}, "[1]", good
    )

    brought = bring(path)

    assert len(brought.recordings) == 2
    assert brought.problems == [
        "line 2: is not a line of JSON",
        "line 3: has no list of messages",
        "line 4: holds no reply of a model",
        "line 5: has no list of messages",
    ]


def test_the_first_line_may_be_the_damaged_one(tmp_path: Path) -> None:
    brought = bring(write_lines(tmp_path, '{"messages": [{"ro', {"messages": LOOK_UP}))

    assert (len(brought.recordings), brought.file.not_read_count) == (1, 1)


def test_a_lone_surrogate_is_replaced(tmp_path: Path) -> None:
    brought = bring(write_lines(tmp_path, {"messages": [user(), assistant("\ud83d")]}))

    assert brought.replies()[0].text == "\ufffd"


def test_an_unknown_role_is_named(tmp_path: Path) -> None:
    path = write_lines(tmp_path, {"messages": [{"role": "wizard", "content": "x"}]})

    with pytest.raises(RecordingUnreadable, match="line 1: a message has a role that is not known"):
        bring(path)

"""Spans of OpenTelemetry, as OTLP/JSON."""

import json
from pathlib import Path
from typing import Any

from loop import Asked, Failed, Role
from recordings import Unknown
from tests.recordings.importers.bringing import bring, write_json, write_lines
from tools import Kind

USER = {"role": "user", "parts": [{"type": "text", "content": "Weather in Paris?"}]}
ASKS = {
    "role": "assistant",
    "parts": [
        {"type": "tool_call", "id": "c1", "name": "get_weather", "arguments": {"city": "Paris"}}
    ],
}
RAINY = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "rainy"}]}
SAYS = {
    "role": "assistant",
    "parts": [{"type": "text", "content": "It rains."}],
    "finish_reason": "stop",
}
TOOLS = [{"type": "function", "name": "get_weather", "parameters": {"type": "object"}}]


def value(item: Any) -> dict[str, Any]:
    """Return a value as OTLP/JSON writes it."""
    match item:
        case str():
            return {"stringValue": item}
        case int():
            return {"intValue": str(item)}
        case list():
            return {"arrayValue": {"values": [value(each) for each in item]}}
        case dict():
            return {"kvlistValue": {"values": attributes(item)}}
        case _:
            raise TypeError(item)


def attributes(items: dict[str, Any]) -> list[dict[str, Any]]:
    """Return attributes as OTLP/JSON writes them."""
    return [{"key": key, "value": value(item)} for key, item in items.items()]


def span(begun_s: int, took_ms: int, trace: str = "t1", **more: Any) -> dict[str, Any]:
    """Return a span; ``gen_ai`` are its attributes behind ``gen_ai.``."""
    given = {f"gen_ai.{key}": item for key, item in more.pop("gen_ai").items()}
    begun = begun_s * 1_000_000_000
    return {
        "traceId": trace,
        "spanId": f"s{begun_s}",
        "startTimeUnixNano": str(begun),
        "endTimeUnixNano": str(begun + took_ms * 1_000_000),
        "attributes": attributes(given),
    } | more


def chat(begun_s: int, heard: Any = None, said: Any = None, **more: Any) -> dict[str, Any]:
    """Return a span of a model's call."""
    gen_ai = {
        "operation.name": "chat",
        "request.model": "gpt-4",
        "response.model": "gpt-4-0613",
        "usage.input_tokens": 47,
        "usage.output_tokens": 17,
    }
    if heard is not None:
        gen_ai |= {"input.messages": heard, "tool.definitions": TOOLS}
    if said is not None:
        gen_ai["output.messages"] = said
    return span(begun_s, 1500, gen_ai=gen_ai | more.pop("gen_ai", {}), **more)


def weather(**more: Any) -> dict[str, Any]:
    """Return the span of the tool."""
    gen_ai = {"operation.name": "execute_tool", "tool.name": "get_weather", "tool.call.id": "c1"}
    return span(12, 250, gen_ai=gen_ai | more.pop("gen_ai", {}), **more)


def exported(*spans: dict[str, Any]) -> dict[str, Any]:
    """Return an export request."""
    return {
        "resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": list(spans)}]}]
    }


def both() -> list[dict[str, Any]]:
    """Return the spans of a whole conversation, not in their order."""
    return [chat(20, [USER, ASKS, RAINY], [SAYS]), weather(), chat(10, [USER], [ASKS])]


def test_a_trace_is_a_run_in_the_order_of_time(tmp_path: Path) -> None:
    brought = bring(write_json(tmp_path, exported(*both())))

    first, last = brought.replies()
    assert (first.calls[0].name, first.calls[0].arguments) == ("get_weather", '{"city": "Paris"}')
    assert (last.text, last.finish_reason, last.model) == ("It rains.", "stop", "gpt-4-0613")
    assert (first.usage.tokens_in, first.latency_us) == (47, 1_500_000)
    assert brought.only.unknown == {Unknown.COST}


def test_a_request_holds_what_is_new_in_the_history(tmp_path: Path) -> None:
    brought = bring(write_json(tmp_path, exported(*both())))

    asked = [e.record for e in brought.only.entries if isinstance(e.record, Asked)]
    assert [[each.role for each in record.appended] for record in asked] == [
        [Role.USER],
        [Role.ASSISTANT, Role.TOOL],
    ]


def test_a_span_of_a_tool_tells_time_and_outcome(tmp_path: Path) -> None:
    spans = [
        chat(10, [USER], [ASKS]),
        weather(status={"code": 2}),
        chat(20, [USER, ASKS, RAINY], [SAYS]),
    ]

    brought = bring(write_json(tmp_path, exported(*spans)))

    (called,) = brought.called()
    assert (called.result, called.text) == (Kind.FAILED, "rainy")
    at = {e.record.kind: e.at_us for e in brought.only.entries if e.record.kind == "called"}
    assert at == {"called": 1_750_000}


def test_without_a_span_the_outcome_is_unknown(tmp_path: Path) -> None:
    spans = [chat(10, [USER], [ASKS]), chat(20, [USER, ASKS, RAINY], [SAYS])]

    brought = bring(write_json(tmp_path, exported(*spans)))

    assert [each.result for each in brought.called()] == [None]


def test_messages_may_stand_in_a_text(tmp_path: Path) -> None:
    spans = [
        chat(10, json.dumps([USER]), json.dumps([ASKS])),
        weather(gen_ai={"tool.call.result": "rainy"}),
    ]

    brought = bring(write_json(tmp_path, exported(*spans)))

    assert brought.replies()[0].calls[0].arguments == '{"city": "Paris"}'
    assert [(each.text, each.result) for each in brought.called()] == [("rainy", Kind.OK)]


def test_the_events_of_older_spans_hold_the_messages(tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
    events = [
        {"name": "gen_ai.system.message", "attributes": attributes({"content": "Be brief."})},
        {"name": "gen_ai.user.message", "attributes": attributes({"content": "Weather?"})},
        {
            "name": "gen_ai.choice",
            "attributes": attributes(
                {"finish_reason": "tool_calls", "message": {"tool_calls": [call]}}
            ),
        },
    ]

    brought = bring(write_json(tmp_path, exported(chat(10, events=events))))

    (reply,) = brought.replies()
    assert (reply.calls[0].call_id, reply.finish_reason) == ("c1", "tool_calls")
    assert brought.only.opened is not None
    assert brought.only.opened.text == "Weather?"


def test_the_event_of_today_holds_them_too(tmp_path: Path) -> None:
    details = {"gen_ai.input.messages": [USER], "gen_ai.output.messages": [SAYS]}
    event = {"name": "gen_ai.client.inference.operation.details", "attributes": attributes(details)}

    brought = bring(write_json(tmp_path, exported(chat(10, events=[event]))))

    assert brought.replies()[0].text == "It rains."


def test_without_content_times_and_tokens_are_left(tmp_path: Path) -> None:
    brought = bring(write_json(tmp_path, exported(chat(10), chat(20))))

    assert [(each.text, each.usage.tokens_out) for each in brought.replies()] == [(None, 17)] * 2
    assert Unknown.REQUESTS in brought.only.unknown


def test_a_call_that_failed_is_no_reply(tmp_path: Path) -> None:
    failed = chat(10, [USER], status={"code": "STATUS_CODE_ERROR"})
    failed["attributes"] += attributes({"error.type": "429"})

    brought = bring(write_json(tmp_path, exported(failed)))

    (answer,) = [each.answer for each in brought.only.exchanges]
    assert isinstance(answer, Failed)
    assert (answer.status, answer.latency_us) == (429, 1_500_000)


def test_traces_that_lie_interleaved_over_lines_are_told_apart(tmp_path: Path) -> None:
    other = chat(11, [USER], [SAYS], trace="t2")
    lines = [
        exported(chat(10, [USER], [ASKS])),
        exported(other),
        exported(weather(), chat(20, [USER, ASKS, RAINY], [SAYS])),
    ]

    brought = bring(write_lines(tmp_path, *lines))

    assert [(each.ticket_id, len(each.exchanges)) for each in brought.recordings] == [
        ("t1", 2),
        ("t2", 1),
    ]


def test_a_conversation_over_several_traces_is_one_run(tmp_path: Path) -> None:
    shared = {"conversation.id": "conv-1"}
    spans = [
        chat(10, [USER], [SAYS], trace="t1", gen_ai=shared),
        chat(20, [USER], [SAYS], trace="t2", gen_ai=shared),
    ]

    brought = bring(write_json(tmp_path, exported(*spans)))

    assert brought.only.ticket_id == "conv-1"


def test_spans_of_other_things_are_passed_over(tmp_path: Path) -> None:
    other = span(5, 1, gen_ai={"operation.name": "embeddings"})

    brought = bring(write_json(tmp_path, exported(other, chat(10, [USER], [SAYS]))))

    assert len(brought.only.exchanges) == 1

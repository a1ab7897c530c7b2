"""What comes back: the forms that servers send, in one piece and in many."""

from __future__ import annotations

from typing import Any

import pytest

from loop import Progress, Reply, Usage, WireCall
from loop.live.completion import usage_of
from tests.loop.live.asking import Asking, request
from tests.provider import USAGE_CHUNK, Turn, chunk, completes, says, serving, streams

CALL = WireCall(call_id="c1", name="get_order", arguments='{"order_id": "LK-1"}')
OTHER = WireCall(call_id="c2", name="get_order", arguments='{"order_id": "LK-2"}')


def answered(turn: Turn) -> tuple[Reply, list[Progress]]:
    """Return the reply to one request, and what was heard on the way."""
    with serving(turn) as provider:
        asking = Asking(provider.url)
        reply = asking.model.ask(request(), time_left_s=None)
    return reply, asking.progress


def piece(index: int | None = 0, call_id: str | None = None, **function: Any) -> dict[str, Any]:
    """Return a piece of a call."""
    value: dict[str, Any] = {"function": function}
    if index is not None:
        value["index"] = index
    if call_id is not None:
        value["id"] = call_id
    return value


def test_a_completion_becomes_a_reply() -> None:
    reply, _ = answered(completes("Your parcel", CALL, OTHER))

    assert reply.text == "Your parcel"
    assert reply.calls == (CALL, OTHER)
    assert (reply.finish_reason, reply.model) == ("tool_calls", "gpt-test-1")
    assert reply.usage == Usage(tokens_in=100, tokens_out=20)


def test_a_stream_becomes_the_reply_that_one_piece_would_have_been() -> None:
    turn = streams(
        chunk(role="assistant", content="Your "),
        chunk(content="parcel"),
        chunk(tool_calls=[piece(0, "c1", name="get_order", arguments="")]),
        chunk(tool_calls=[piece(0, arguments='{"order_id"')]),
        chunk(tool_calls=[piece(0, arguments=': "LK-1"}')]),
        chunk(tool_calls=[piece(1, "c2", name="get_order", arguments='{"order_id": "LK-2"}')]),
        chunk("tool_calls"),
        USAGE_CHUNK,
    )

    assert answered(turn)[0] == answered(completes("Your parcel", CALL, OTHER))[0]


@pytest.mark.parametrize("index", [0, None])
def test_calls_that_share_an_index_are_told_apart_by_their_ids(index: int | None) -> None:
    turn = streams(
        chunk(tool_calls=[piece(index, "c1", name="get_order", arguments=CALL.arguments)]),
        chunk(tool_calls=[piece(index, "c2", name="get_order", arguments=OTHER.arguments)]),
        chunk("tool_calls"),
    )

    assert answered(turn)[0].calls == (CALL, OTHER)


def test_a_piece_without_a_name_goes_on_with_its_call_whatever_id_it_has() -> None:
    """Several versions of vLLM give each piece an id of its own."""
    turn = streams(
        chunk(tool_calls=[piece(0, "c1", name="get_order", arguments="")]),
        chunk(tool_calls=[piece(0, "x1", arguments='{"order_id"')]),
        chunk(tool_calls=[piece(1, "c2", name="get_order", arguments="")]),
        chunk(tool_calls=[piece(0, "x2", arguments=': "LK-1"}')]),
        chunk(tool_calls=[piece(1, "x3", name="", arguments=OTHER.arguments)]),
        chunk("tool_calls"),
    )

    assert answered(turn)[0].calls == (CALL, OTHER)


def test_a_name_that_comes_with_each_piece_is_one_name() -> None:
    turn = streams(
        chunk(tool_calls=[piece(0, "c1", name="get_order", arguments='{"order_id"')]),
        chunk(tool_calls=[piece(0, "c1", name="get_order", arguments=': "LK-1"}')]),
        chunk("tool_calls"),
    )

    assert answered(turn)[0].calls == (CALL,)


def test_a_name_may_come_in_pieces() -> None:
    turn = streams(
        chunk(tool_calls=[piece(0, "c1", name="get_")]),
        chunk(tool_calls=[piece(0, name="order", arguments=CALL.arguments)]),
        chunk("tool_calls"),
    )

    assert answered(turn)[0].calls == (CALL,)


def test_another_choice_is_no_part_of_the_reply() -> None:
    def of(index: int, text: str) -> dict[str, Any]:
        return {"index": index, "delta": {"content": text}, "finish_reason": None}

    turn = streams(
        {"choices": [of(0, "Your ")]},
        {"choices": [of(1, "My ")]},
        {"choices": [of(1, "My "), of(0, "parcel")]},
        chunk("stop"),
    )

    assert answered(turn)[0].text == "Your parcel"


def test_an_object_as_arguments_and_a_text_after_it_are_both_kept() -> None:
    first = piece(0, "c1", name="get_order", arguments={"order_id": "LK-1"})
    turn = streams(
        chunk(tool_calls=[first]), chunk(tool_calls=[piece(0, arguments="}")]), chunk("tool_calls")
    )

    assert answered(turn)[0].calls[0].arguments == '{"order_id": "LK-1"}}'


def test_texts_of_a_stream_may_hold_every_kind_of_line_break() -> None:
    text = "one\ntwo\r\nthree\u2028four\x85five\rsix"

    assert answered(streams(chunk("stop", content=text)))[0].text == text


def test_comments_and_other_fields_of_a_stream_are_passed_over() -> None:
    def turn(exchange: Any) -> None:
        exchange.head(200, {"Content-Type": "text/event-stream"})
        exchange.wfile.write(b": ping\n\nevent: message\nid: 7\ndata\n\n")
        streams_on = b'data:{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n'
        exchange.wfile.write(streams_on + b"data: [DONE]\n\ndata: {\n\n")

    assert answered(turn)[0].text == "Hi"


def test_who_watches_hears_once_that_the_reply_is_written() -> None:
    _, text = answered(streams(chunk(content="Your "), chunk("stop", content="parcel")))
    _, finish = answered(
        streams(
            chunk(tool_calls=[piece(0, "c1", name="finish", arguments='{"')]),
            chunk(tool_calls=[piece(0, arguments='reply": 1}')]),
            chunk("tool_calls"),
        )
    )
    _, look_up = answered(
        streams(chunk(tool_calls=[piece(0, "c1", name="get_order")]), chunk("tool_calls"))
    )

    assert text == finish == [Progress.ASKED, Progress.WRITING]
    assert look_up == [Progress.ASKED]


def test_a_server_that_answers_in_one_piece_where_a_stream_was_asked_for_is_read() -> None:
    assert answered(completes("Hi"))[0].text == "Hi"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, None),
        ("", ""),
        ([{"type": "text", "text": "Hi "}, {"type": "text", "text": "you"}], "Hi you"),
        ([{"type": "image_url"}, "x"], ""),
    ],
)
def test_content_comes_as_text_as_parts_or_not_at_all(content: Any, text: str | None) -> None:
    assert answered(completes(content=content))[0].text == text


@pytest.mark.parametrize(
    ("function", "call"),
    [
        ({"name": "f", "arguments": {"a": "é"}}, ("", "f", '{"a": "é"}')),
        ({"name": "f", "arguments": None}, ("", "f", "")),
        ({"name": "f"}, ("", "f", "")),
        ({"arguments": "{}"}, ("", "", "{}")),
    ],
)
def test_calls_come_with_parts_missing(function: Any, call: tuple[str, str, str]) -> None:
    reply, _ = answered(completes(None, tool_calls=[{"function": function}]))

    (found,) = reply.calls
    assert (found.call_id, found.name, found.arguments) == call


def test_half_of_a_surrogate_pair_becomes_a_mark() -> None:
    body = b'{"choices":[{"message":{"content":"a","refusal":"\\ud83d"},"finish_reason":"stop"}]}'

    assert answered(says(200, body))[0].refusal == "\ufffd"


USAGES: list[tuple[Any, Usage]] = [
    (None, Usage()),
    ("many", Usage()),
    ({}, Usage()),
    ({"prompt_tokens": 0, "completion_tokens": 0}, Usage()),
    ({"prompt_tokens": 10}, Usage(tokens_in=10)),
    ({"prompt_tokens": 10, "completion_tokens": True}, Usage(tokens_in=10)),
    ({"prompt_tokens": -1, "completion_tokens": 5}, Usage(tokens_out=5)),
    ({"prompt_tokens": 10.5, "completion_tokens": 5}, Usage(tokens_out=5)),
    ({"prompt_tokens": 10**12, "completion_tokens": 5}, Usage(tokens_in=10**12, tokens_out=5)),
    ({"prompt_tokens": 10**12 + 1, "completion_tokens": 5}, Usage(tokens_out=5)),
]


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_a_word_that_is_no_number_makes_that_figure_unknown_and_not_the_reply(word: str) -> None:
    """Python and its servers write such words, which are no JSON."""
    counts = {"prompt_tokens": float(word), "completion_tokens": 5}
    event = {**chunk("stop", content="Hi."), "usage": counts}

    for turn in (completes("Hi.", usage=counts), streams(event)):
        reply, _ = answered(turn)
        assert (reply.text, reply.usage) == ("Hi.", Usage(tokens_out=5))


def test_a_word_that_is_no_number_stays_in_arguments_which_are_then_refused_as_written() -> None:
    first = piece(0, "c1", name="get_order", arguments={"amount": float("nan")})

    reply, _ = answered(streams(chunk(tool_calls=[first]), chunk("tool_calls")))

    assert reply.calls[0].arguments == '{"amount": NaN}'


@pytest.mark.parametrize(("value", "usage"), USAGES)
def test_what_is_not_counted_is_unknown(value: Any, usage: Usage) -> None:
    assert usage_of(value) == usage


FAMILIES: dict[str, tuple[dict[str, Any], Usage]] = {
    "OpenAI, Azure: cached in the prompt, reasoning in the completion": (
        {
            "prompt_tokens": 2000,
            "completion_tokens": 500,
            "total_tokens": 2500,
            "prompt_tokens_details": {"cached_tokens": 1024, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 320},
        },
        Usage(tokens_in=2000, tokens_out=500, cached_in=1024, reasoning_out=320),
    ),
    "Gemini: reasoning in the total alone": (
        {"prompt_tokens": 20, "completion_tokens": 198, "total_tokens": 623},
        Usage(tokens_in=20, tokens_out=603, reasoning_out=405),
    ),
    "a total that is neither": (
        {
            "prompt_tokens": 20,
            "completion_tokens": 198,
            "total_tokens": 623,
            "completion_tokens_details": {"reasoning_tokens": 100},
        },
        Usage(tokens_in=20, tokens_out=198, reasoning_out=100),
    ),
    "a total that is too small": (
        {"prompt_tokens": 20, "completion_tokens": 198, "total_tokens": 7},
        Usage(tokens_in=20, tokens_out=198),
    ),
    "xAI: reasoning beside the completion": (
        {
            "prompt_tokens": 2000,
            "completion_tokens": 180,
            "total_tokens": 2500,
            "prompt_tokens_details": {"cached_tokens": 4},
            "completion_tokens_details": {"reasoning_tokens": 320},
        },
        Usage(tokens_in=2000, tokens_out=500, cached_in=4, reasoning_out=320),
    ),
    "DeepSeek: cached in a field of its own": (
        {
            "prompt_tokens": 2000,
            "completion_tokens": 500,
            "total_tokens": 2500,
            "prompt_cache_hit_tokens": 1500,
            "prompt_cache_miss_tokens": 500,
        },
        Usage(tokens_in=2000, tokens_out=500, cached_in=1500),
    ),
    "Moonshot: cached at the top": (
        {"prompt_tokens": 2000, "completion_tokens": 500, "cached_tokens": 7},
        Usage(tokens_in=2000, tokens_out=500, cached_in=7),
    ),
    "Ollama, llama.cpp: no details": (
        {"prompt_tokens": 2000, "completion_tokens": 500, "total_tokens": 2500},
        Usage(tokens_in=2000, tokens_out=500),
    ),
    "more cached than there are": (
        {
            "prompt_tokens": 10,
            "completion_tokens": 5,
            "prompt_tokens_details": {"cached_tokens": 99},
        },
        Usage(tokens_in=10, tokens_out=5, cached_in=10),
    ),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_tokens_of_each_family_come_to_one_form(family: str) -> None:
    value, usage = FAMILIES[family]

    assert usage_of(value) == usage


def test_the_usage_of_a_stream_is_its_last_one() -> None:
    growing = {**chunk(content="a"), "usage": {"prompt_tokens": 100, "completion_tokens": 1}}

    assert answered(streams(growing, chunk("stop"), USAGE_CHUNK))[0].usage == Usage(
        tokens_in=100, tokens_out=20
    )

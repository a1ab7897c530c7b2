"""Whatever a server does has one name: each status, each broken answer, on a real connection."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loop import BudgetCut, Fault, ProviderFailed, Retries, WireCall
from tests.loop.live.asking import Asking, request
from tests.provider import (
    KEY,
    Turn,
    breaks_off,
    chunk,
    completes,
    completion,
    drips,
    fails,
    hangs_up,
    is_silent,
    says,
    serving,
    streams,
)

ONCE = Retries(attempts=1)
CARD = "4111 1111 1111 1111"


def failed(turn: Turn, **server: Any) -> ProviderFailed:
    """Return the error that one try ends with."""
    with serving(turn) as provider, pytest.raises(ProviderFailed) as caught:
        Asking(provider.url, retries=ONCE, **server).model.ask(request(), time_left_s=None)
    return caught.value


STATUSES = [
    (301, "", Fault.UNKNOWN_ADDRESS),
    (400, "Something else is wrong.", Fault.REFUSED),
    (401, "Incorrect API key provided.", Fault.BAD_KEY),
    (402, "Payment required.", Fault.QUOTA),
    (403, "You may not.", Fault.BAD_KEY),
    (404, "Not here.", Fault.UNKNOWN_ADDRESS),
    (404, "The model `gpt-9` does not exist or you do not have access.", Fault.UNKNOWN_MODEL),
    (404, 'model "llama9" not found, try pulling it first', Fault.UNKNOWN_MODEL),
    (405, "", Fault.UNKNOWN_ADDRESS),
    (408, "Too slow.", Fault.SERVER_ERROR),
    (409, "Busy.", Fault.SERVER_ERROR),
    (413, "Too long.", Fault.CONTEXT_LENGTH),
    (400, "This model's maximum context length is 8192 tokens.", Fault.CONTEXT_LENGTH),
    (400, "the request exceeds the available context size", Fault.CONTEXT_LENGTH),
    (400, "registry/library/gemma3:4b does not support tools", Fault.NO_TOOLS),
    (400, '"auto" tool choice requires --enable-auto-tool-choice', Fault.NO_TOOLS),
    (400, "tools param requires --jinja flag", Fault.NO_TOOLS),
    (400, "Function tools with reasoning are not supported for this model", Fault.NO_TOOLS),
    (400, "Unsupported parameter: 'max_tokens' is not supported here", Fault.UNKNOWN_FIELD),
    (422, "Extra inputs are not permitted", Fault.UNKNOWN_FIELD),
    (400, "It was stopped by the content management policy.", Fault.CONTENT_FILTER),
    (418, "", Fault.REFUSED),
    (429, "Slow down.", Fault.RATE_LIMITED),
    (500, "", Fault.SERVER_ERROR),
    (502, "", Fault.SERVER_ERROR),
    (503, "Loading model", Fault.SERVER_ERROR),
    (504, "", Fault.SERVER_ERROR),
    (529, "Overloaded", Fault.SERVER_ERROR),
]


@pytest.mark.parametrize(("status", "message", "fault"), STATUSES)
def test_a_status_has_a_name(status: int, message: str, fault: Fault) -> None:
    error = failed(fails(status, message))

    assert [attempt.fault for attempt in error.attempts] == [fault]
    assert error.status == status
    assert str(error).startswith(f"{fault.value.replace('_', ' ')} (HTTP {status}): ")
    assert message in str(error)


CODES = [
    (400, {"code": "content_filter"}, Fault.CONTENT_FILTER),
    (400, {"innererror": {"code": "ResponsibleAIPolicyViolation"}}, Fault.CONTENT_FILTER),
    (400, {"code": "context_length_exceeded"}, Fault.CONTEXT_LENGTH),
    (400, {"code": 400, "type": "exceed_context_size_error"}, Fault.CONTEXT_LENGTH),
    (429, {"code": "insufficient_quota"}, Fault.QUOTA),
    (404, {"code": "DeploymentNotFound"}, Fault.UNKNOWN_MODEL),
    (400, {"code": "unsupported_value", "param": "temperature"}, Fault.UNKNOWN_FIELD),
    (400, {"code": "invalid_api_key"}, Fault.BAD_KEY),
]


@pytest.mark.parametrize(("status", "fields", "fault"), CODES)
def test_a_code_tells_more_than_the_status(
    status: int, fields: dict[str, Any], fault: Fault
) -> None:
    assert failed(fails(status, "No.", **fields)).attempts[0].fault is fault


BODIES: list[Any] = [
    {"error": "Slow down."},
    {"error": {"message": "Slow down."}},
    {"message": "Slow down.", "object": "error"},
    {"detail": "Slow down."},
    [{"error": {"message": "Slow down."}}],
]


@pytest.mark.parametrize("body", BODIES, ids=json.dumps)
def test_a_reason_is_found_in_each_form_of_error(body: Any) -> None:
    assert "Slow down." in str(failed(says(429, body)))


@pytest.mark.parametrize("body", [b"", b"<html>Bad gateway</html>", b"{", b"[]", b"7", b"\xff"])
def test_an_error_without_a_readable_reason_keeps_its_status(body: bytes) -> None:
    error = failed(says(502, body))

    assert str(error) == "server error (HTTP 502): no reason was given"


GARBLED: list[tuple[str, Turn]] = [
    ("not JSON", says(200, b"<html>")),
    ("half of JSON", says(200, b'{"choices": [')),
    ("not UTF-8", says(200, b'{"choices": "\xff"}')),
    ("NaN", says(200, b'{"choices": NaN}')),
    ("too deep", says(200, b"[" * 100_000)),
    ("a long number", says(200, b"1" * 6000)),
    ("a list", says(200, [])),
    ("no choices", says(200, {"model": "m"})),
    ("choices empty", says(200, {"choices": []})),
    ("choices of text", says(200, {"choices": ["x"]})),
    ("no message", says(200, {"choices": [{}]})),
    ("a number as content", completes(content=7)),
    ("calls as text", completes(tool_calls="x")),
    ("a call as text", completes(tool_calls=["x"])),
    ("a call without a function", completes(tool_calls=[{"id": "1"}])),
    ("a number as refusal", completes(refusal=7)),
    ("a finish reason that is none", says(200, {**completion(), "model": 7})),
    ("an empty answer", says(200, b"")),
    ("an event that is not JSON", streams(chunk(content="Hi"), "{")),
    ("an event that is a list", streams("[1]")),
    ("a call in an event as text", streams(chunk(tool_calls=["x"]))),
    ("calls in an event as a number", streams(chunk(tool_calls=7))),
    ("calls in an event as true", streams(chunk(tool_calls=True))),
    ("a stream of nothing", streams()),
]


@pytest.mark.parametrize("turn", [turn for _, turn in GARBLED], ids=[name for name, _ in GARBLED])
def test_an_answer_that_is_no_completion_is_garbled(turn: Turn) -> None:
    error = failed(turn)

    assert [attempt.fault for attempt in error.attempts] == [Fault.GARBLED]
    assert "127.0.0.1 sent" in str(error)


def test_an_answer_that_is_too_long_is_garbled() -> None:
    error = failed(says(200, b" " * 8_000_001))

    assert error.attempts[0].fault is Fault.GARBLED
    assert "more than 8000000 bytes" in str(error)


BROKEN: list[tuple[str, Turn]] = [
    ("without a word", hangs_up),
    ("in the body", breaks_off()),
    ("in an error", breaks_off(b"")),
    ("in a stream", streams(chunk(content="Your parcel is"), done=False)),
    ("after the finish reason", streams(chunk("stop", content="Hi"), done=False)),
]


@pytest.mark.parametrize("turn", [turn for _, turn in BROKEN], ids=[name for name, _ in BROKEN])
def test_a_connection_that_ends_early_is_broken_and_gives_no_reply(turn: Turn) -> None:
    error = failed(turn)

    assert [attempt.fault for attempt in error.attempts] == [Fault.BROKEN]
    assert "before" in str(error)


@pytest.mark.parametrize("turn", [is_silent, drips])
def test_a_server_that_does_not_come_to_an_end_is_late(turn: Turn) -> None:
    error = failed(turn, timeout_s=0.2)

    assert [attempt.fault for attempt in error.attempts] == [Fault.TIMEOUT]
    assert error.attempts[0].may_have_cost
    assert str(error) == ("timeout: 127.0.0.1 gave no whole reply in time; timeout_s allows more")


def test_a_server_that_is_not_there_is_unreachable() -> None:
    with serving() as provider:
        url = provider.url

    with pytest.raises(ProviderFailed) as caught:
        Asking(url, retries=ONCE).model.ask(request(), time_left_s=None)

    assert caught.value.attempts[0].fault is Fault.UNREACHABLE
    assert not caught.value.attempts[0].may_have_cost


def test_what_does_not_speak_http_is_garbled() -> None:
    def turn(exchange: Any) -> None:
        exchange.wfile.write(b"SSH-2.0-OpenSSH_9\r\n\r\n")

    assert failed(turn).attempts[0].fault is Fault.GARBLED


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        ({"message": "Overloaded", "code": 529}, Fault.SERVER_ERROR),
        ({"message": "Slow down.", "code": 429}, Fault.RATE_LIMITED),
        ({"message": "No.", "code": "content_filter"}, Fault.CONTENT_FILTER),
        ("It broke.", Fault.SERVER_ERROR),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_an_error_inside_an_answer_of_200_is_an_error(
    error: Any, fault: Fault, *, stream: bool
) -> None:
    body = {"error": error}
    turn = streams(chunk(content="Hi"), body, done=False) if stream else says(200, body)

    assert failed(turn).attempts[0].fault is fault


def test_a_call_that_the_budget_cuts_ends_as_time_with_its_try_on_record() -> None:
    """On the machine's clock: the least time-out of one second is what it waits."""
    with serving(is_silent) as provider:
        asking = Asking(provider.url, try_s=0.5)
        with pytest.raises(BudgetCut) as caught:
            asking.model.ask(request(), time_left_s=0.4)

    assert [attempt.fault for attempt in caught.value.attempts] == [Fault.TIMEOUT]
    assert caught.value.latency_us == 500_000


def test_a_reason_is_shown_without_our_key_and_without_what_looks_like_a_secret() -> None:
    reason = f"Bad key {KEY} for a@example.com, card {CARD}, Bearer abcdefghijklmnop1234"
    error = failed(fails(401, reason, {"x-request-id": KEY}))

    assert "Bad key [key] for [email], card [card], Bearer [key]" in str(error)
    assert KEY not in repr(error)


def test_a_long_reason_is_cut() -> None:
    assert len(str(failed(fails(400, "x" * 5000)))) < 400


def test_a_refusal_a_filter_and_a_cut_reply_are_replies() -> None:
    """The loop judges them; they are not asked for again."""
    turns = [
        completes(None, refusal="I cannot."),
        completes("", finish_reason="content_filter"),
        completes('{"a', WireCall(call_id="1", name="f", arguments="{"), finish_reason="length"),
    ]
    with serving(*turns) as provider:
        asking = Asking(provider.url)
        replies = [asking.model.ask(request(), time_left_s=None) for _ in turns]

    assert [reply.refusal for reply in replies] == ["I cannot.", None, None]
    assert [reply.finish_reason for reply in replies] == ["stop", "content_filter", "length"]
    assert [reply.attempts for reply in replies] == [(), (), ()]

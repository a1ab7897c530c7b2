"""Whatever a server does has one name: each status, each broken answer, on a real connection."""

from __future__ import annotations

import json
import socket
from typing import Any
from urllib.parse import quote

import pytest
from pydantic import SecretStr

from loop import BudgetCut, Fault, ProviderFailed, Retries, Server, WireCall
from loop.live.http import Http, HttpFault
from tests.loop.live.asking import Asking, request
from tests.provider import (
    DRIPS,
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
    stalls,
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


HALF_A_CALL = {"index": 0, "id": "c1", "function": {"name": "finish", "arguments": "{}"}}
BROKEN: list[tuple[str, Turn]] = [
    ("without a word", hangs_up),
    ("in the body", breaks_off()),
    ("in an error", breaks_off(b"")),
    ("in a stream", streams(chunk(content="Your parcel is"), done=False)),
    ("after the finish reason", streams(chunk("stop", content="Hi"), done=False)),
    ("in order, without a finish reason", streams(chunk(content="Your parcel is"))),
    ("in order, in a call", streams(chunk(tool_calls=[HALF_A_CALL]))),
    ("in order, with nothing", streams()),
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


@pytest.mark.parametrize("what", DRIPS)
def test_a_server_that_drips_is_late_whatever_it_drips(what: str) -> None:
    """Each drop is in time, and the connection ends after 2 s; the try has 0.3 s."""
    error = failed(DRIPS[what], timeout_s=0.3)

    assert [attempt.fault for attempt in error.attempts] == [Fault.TIMEOUT]


@pytest.mark.parametrize("turn", [stalls(0.4, 0.4), stalls(0.0, 0.8), stalls(0.0, 0.4, head_s=0.4)])
def test_a_first_piece_is_no_more_time_for_the_next(turn: Turn) -> None:
    """The connection ends after 0.8 s, within a time-out of the first piece; the try has 0.5 s."""
    assert failed(turn, timeout_s=0.5).attempts[0].fault is Fault.TIMEOUT


def test_a_peer_that_reads_nothing_is_late() -> None:
    """The body is larger than what the kernel takes in the peer's place."""
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        http = Http(Server(base_url=f"http://127.0.0.1:{deaf.getsockname()[1]}", model="m"))
        with pytest.raises(HttpFault) as caught:
            http.post(
                "/x",
                body=b" " * 20_000_000,
                secret_headers={},
                params={},
                timeout_s=0.3,
                line=lambda _: None,
            )
        http.close()

    assert caught.value.fault is Fault.TIMEOUT


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


@pytest.mark.parametrize("turn", [is_silent, DRIPS["a header"], stalls(0.8, 0.8)])
def test_a_call_that_the_budget_cuts_ends_as_time_with_its_try_on_record(turn: Turn) -> None:
    """On the machine's clock: the least time-out of one second is what it waits."""
    with serving(turn) as provider:
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


def test_an_error_behind_the_pieces_of_a_reply_may_have_cost() -> None:
    error = {"error": {"message": "Overloaded", "code": 503}}
    begun = failed(streams(chunk(content="Hi"), error, done=False)).attempts[0]
    at_once = failed(streams(error, done=False)).attempts[0]

    assert (begun.fault, begun.begun, begun.may_have_cost) == (Fault.SERVER_ERROR, True, True)
    assert (at_once.fault, at_once.begun, at_once.may_have_cost) == (
        Fault.SERVER_ERROR,
        False,
        False,
    )


@pytest.mark.parametrize(("status", "may"), [(504, True), (524, True), (500, False), (503, False)])
def test_a_gateway_that_waited_no_longer_may_have_cost(status: int, *, may: bool) -> None:
    assert failed(fails(status, "No.")).attempts[0].may_have_cost is may


ODD_KEY = 'k"/+=%20-canary'


@pytest.mark.parametrize("blanks", [0, 290, 1185, 19_990])
@pytest.mark.parametrize("before", [" ", "x "])
def test_a_key_is_hidden_before_a_reason_is_cut(before: str, blanks: int) -> None:
    """The key looks like none, so that only we know it."""
    key = "Zq9canaryABCDEFGH0123"
    said = str(failed(fails(401, f"Bad{before * blanks}{key} key."), api_key=SecretStr(key)))

    assert key[:3] not in said


@pytest.mark.parametrize(
    "form", [ODD_KEY, quote(ODD_KEY), quote(ODD_KEY, safe=""), 'k\\"\\/+=%20-canary']
)
def test_a_key_is_hidden_in_each_form_in_which_it_comes_back(form: str) -> None:
    said = str(failed(fails(401, f"Bad {form}."), api_key=SecretStr(ODD_KEY)))

    assert said.startswith("bad key (HTTP 401): Bad [key].;")


def test_a_short_key_is_hidden_where_it_stands_alone_and_leaves_words_whole() -> None:
    said = str(failed(fails(401, "a key: a, 'a', and a_b"), api_key=SecretStr("a")))

    assert said.startswith("bad key (HTTP 401): [key] key: [key], '[key]', and [key]_b;")


def test_a_key_that_comes_back_in_a_reply_is_hidden() -> None:
    call = WireCall(call_id=KEY, name=KEY, arguments=json.dumps({"a": KEY}))
    turn = completes(f"It is {KEY}", call, model=f"m-{KEY}", refusal=KEY, finish_reason=KEY)
    with serving(turn) as provider:
        reply = Asking(provider.url).model.ask(request(), time_left_s=None)

    assert KEY not in repr(reply)
    assert (reply.text, reply.model) == ("It is [key]", "m-[key]")
    assert reply.calls == (WireCall(call_id="[key]", name="[key]", arguments='{"a": "[key]"}'),)


def through(turn: Turn | None, *, url: str) -> ProviderFailed:
    """Return the error of a server behind a proxy that answers by a turn, or is not there."""
    with serving(*([] if turn is None else [turn]), last_repeats=True) as proxy:
        address = proxy.url.removesuffix("/v1").replace("//", "//user:pw-canary@")
        if turn is None:
            proxy.shutdown()
            proxy.server_close()
        asking = Asking(url, proxy=SecretStr(address), plain_http=True)
        with pytest.raises(ProviderFailed) as caught:
            asking.model.ask(request(), time_left_s=None)
    assert "pw-canary" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize("url", ["https://api.example.com/v1", "http://192.0.2.1/v1"])
def test_a_proxy_that_lets_nothing_through_is_named_and_asked_once(url: str) -> None:
    error = through(says(407), url=url)

    (attempt,) = error.attempts
    assert (attempt.fault, attempt.status, attempt.may_have_cost) == (
        Fault.PROXY_REFUSED,
        407,
        False,
    )
    assert str(error).startswith("proxy refused (HTTP 407): ")
    assert str(error).endswith("; see the variable that proxy_env names")


def test_a_proxy_that_does_not_reach_the_server_is_asked_again() -> None:
    error = through(says(502), url="https://api.example.com/v1")

    assert [attempt.fault for attempt in error.attempts] == [Fault.UNREACHABLE] * 4
    assert "the proxy could not reach api.example.com; nothing was sent" in str(error)


def test_a_proxy_that_is_not_there_is_named() -> None:
    assert "the proxy cannot be reached; nothing was sent" in str(
        through(None, url="https://api.example.com/v1")
    )


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

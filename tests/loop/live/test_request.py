"""What is sent, and to where: the words of each server, and a key that shows nowhere."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from pydantic import SecretStr

from loop import (
    LengthField,
    Message,
    Request,
    Role,
    Schemas,
    Server,
    ServerRefused,
    Style,
    ToolChoice,
    WireCall,
)
from loop.live.body import body_of
from loop.live.endpoint import Endpoint
from tests.loop.live.asking import LOOK_UP, NOW, Asking, request
from tests.provider import KEY, Asked, completes, serving


def sent(asked: Request | None = None, **server: Any) -> Asked:
    """Return the request as it came."""
    with serving(completes()) as provider:
        url = server.pop("url", "{}").format(provider.url)
        Asking(url, **server).model.ask(asked or request(), time_left_s=None)
    return provider.seen[0]


def test_openai_is_asked_with_a_bearer_token_below_its_address() -> None:
    asked = sent(stream=False)

    assert asked.path == "/v1/chat/completions"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.headers["content-type"] == "application/json"
    assert asked.body == {
        "model": "gpt-test",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi"},
        ],
        "max_completion_tokens": 100,
    }


def test_a_slash_at_the_end_of_the_address_changes_nothing() -> None:
    assert sent(url="{}/").path == "/v1/chat/completions"


def test_azure_with_a_version_is_asked_at_its_deployment_with_its_own_header() -> None:
    asked = sent(style=Style.AZURE, api_version="2026-05-01", model="our gpt/4")

    assert asked.path == (
        "/v1/openai/deployments/our%20gpt%2F4/chat/completions?api-version=2026-05-01"
    )
    assert asked.headers["api-key"] == KEY
    assert "authorization" not in asked.headers


def test_azure_without_a_version_is_asked_at_its_newer_path() -> None:
    asked = sent(style=Style.AZURE)

    assert asked.path == "/v1/openai/v1/chat/completions"
    assert asked.body["model"] == "gpt-test"


def test_a_server_without_a_key_gets_none() -> None:
    assert "authorization" not in sent(api_key=None).headers


def test_a_stream_asks_for_the_tokens_in_its_last_chunk() -> None:
    body = sent(stream=True).body

    assert (body["stream"], body["stream_options"]) == (True, {"include_usage": True})


def test_what_a_server_knows_and_does_not_know_is_a_setting() -> None:
    head = {"tools": (LOOK_UP,), "tool_choice": "required", "max_tokens": 100}
    plain = sent(request(**head)).body
    other = sent(
        request(**head),
        length_field=LengthField.TOKENS,
        tool_choice=ToolChoice.AUTO,
        reasoning_effort="low",
        temperature=0.0,
    ).body
    without = sent(request(**head), tool_choice=ToolChoice.LEFT_OUT).body

    assert (plain["max_completion_tokens"], plain["tool_choice"]) == (100, "required")
    assert "reasoning_effort" not in plain
    assert "temperature" not in plain
    assert plain["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "get_order",
                "description": "Look up.",
                "parameters": {"type": "object"},
            },
        }
    ]
    assert (other["max_tokens"], other["tool_choice"]) == (100, "auto")
    assert (other["reasoning_effort"], other["temperature"]) == ("low", 0.0)
    assert "max_completion_tokens" not in other
    assert "tool_choice" not in without


def test_a_profile_that_requires_no_call_sends_no_choice() -> None:
    assert "tool_choice" not in sent(request(tools=(LOOK_UP,))).body


def test_the_form_of_an_answer_is_asked_for_as_the_server_can() -> None:
    form = {"name": "ticket_analysis", "schema": {"type": "object"}}
    bodies = [sent(request(response_format=form), schemas=schemas).body for schemas in Schemas]

    assert [body.get("response_format") for body in bodies] == [
        {"type": "json_schema", "json_schema": form},
        {"type": "json_object"},
        None,
    ]


def test_one_structured_step_a_reply_offers_no_tools() -> None:
    form = {"name": "step", "schema": {"type": "object"}}
    body = sent(request(tools=(LOOK_UP,), response_format=form)).body

    assert "tools" not in body
    assert body["response_format"]["json_schema"] == form


def test_calls_and_their_results_are_sent_in_the_words_of_the_wire() -> None:
    call = WireCall(call_id="c1", name="get_order", arguments='{"order_id": "LK-1"}')
    asked = request()
    messages = (
        *asked.messages,
        Message(role=Role.ASSISTANT, text=None, calls=(call,)),
        Message(role=Role.TOOL, text="{}", call_id="c1"),
        Message(role=Role.ASSISTANT, text=None),
    )
    changed = Request(
        ticket_id="T-1", step=2, head=asked.head, messages=messages, digest=asked.digest
    )

    assert sent(changed).body["messages"][2:] == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "get_order", "arguments": '{"order_id": "LK-1"}'},
                }
            ],
        },
        {"role": "tool", "content": "{}", "tool_call_id": "c1"},
        {"role": "assistant", "content": ""},
    ]


def test_the_same_request_is_the_same_bytes() -> None:
    server = Server(base_url="http://127.0.0.1", model="m")

    assert body_of(request(), server) == body_of(request(), server)


@pytest.mark.parametrize(
    ("part", "fields"),
    [
        ("base_url", {"base_url": ""}),
        ("base_url", {"base_url": "http://[::1"}),
        ("base_url", {"base_url": "ftp://127.0.0.1"}),
        ("base_url", {"base_url": "127.0.0.1:11434"}),
        ("base_url", {"base_url": "https://user:word@example.com"}),
        ("base_url", {"base_url": "https://example.com/v1?key=1"}),
        ("base_url", {"base_url": "http://192.0.2.1/v1"}),
        ("id", {"model": ""}),
        ("timeout_s", {"timeout_s": 0.0}),
        ("timeout_s", {"timeout_s": float("inf")}),
        ("timeout_s", {"timeout_s": float("nan")}),
        ("api_version", {"api_version": "2026-05-01"}),
        ("api_key_env", {"api_key": SecretStr("")}),
        ("api_key_env", {"api_key": SecretStr("two\nlines")}),
        ("api_key_env", {"api_key": SecretStr("clé")}),
        ("api_key_env", {"api_key": SecretStr(" spaced ")}),
        ("proxy_env", {"proxy": SecretStr("nowhere:at all")}),
        ("proxy_env", {"proxy": SecretStr("socks5://127.0.0.1:1")}),
        ("proxy_env", {"proxy": SecretStr("http://")}),
        ("ca_file", {"ca_file": __file__}),
    ],
)
def test_a_server_that_cannot_be_asked_is_refused_by_its_part(
    part: str, fields: dict[str, Any]
) -> None:
    whole = {"base_url": "https://example.com/v1", "model": "m", **fields}

    with pytest.raises(ServerRefused) as caught:
        Endpoint(Server(**whole), lambda: NOW)

    assert caught.value.part == part


def test_plain_http_to_another_machine_has_to_be_allowed() -> None:
    server = Server(base_url="http://192.0.2.1/v1", model="m", plain_http=True)

    Endpoint(server, lambda: NOW).close()


def test_a_proxy_is_asked_in_place_of_the_server() -> None:
    with serving(completes("Through.")) as proxy:
        address = SecretStr(proxy.url.removesuffix("/v1"))
        asking = Asking("http://192.0.2.1/v1", proxy=address, plain_http=True)
        reply = asking.model.ask(request(), time_left_s=None)

    assert reply.text == "Through."
    assert proxy.seen[0].path == "http://192.0.2.1/v1/chat/completions"


def test_a_key_shows_in_no_repr_and_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with serving(completes()) as provider:
        asking = Asking(provider.url, proxy=None)
        asking.model.ask(request(), time_left_s=None)
    server = Server(
        base_url="http://127.0.0.1", model="m", api_key=SecretStr(KEY), proxy=SecretStr(KEY)
    )

    assert provider.seen[0].headers["authorization"].endswith(KEY)
    assert KEY not in caplog.text
    assert KEY not in repr(server)
    assert KEY not in repr(vars(asking.model))

"""The ways in: the Events API over HTTP, attaching to a team's app, and bad input."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from slack_bolt import App, BoltRequest
from slack_sdk import WebClient
from slack_sdk.signature import SignatureVerifier

from bot import attach
from bot.errors import BotError
from bot.slack.errors import AppRefused, SlackUnreachable
from bot.slack.guard import MAX_BODY
from bot.slack.serve import EVENTS_PATH
from bot.workspace import Kind
from tests.harness.ports import free_port
from tests.scenarios.office import ANN, CHANNEL, Office, office

SIMPLE = "T-80008"


OTHERS = b'{"type":"event_callback","event_id":"Ev9","event":{"type":"team_join"}}'
"""An event that is nobody's business here."""


JSON, FORM = "application/json", "application/x-www-form-urlencoded"


def signed(secret: str, body: bytes, *, skew_s: int = 0, kind: str = JSON) -> dict[str, str]:
    """Return the headers of a request that Slack would have signed, by a clock that is off."""
    stamp = str(int(time.time()) + skew_s)
    signature = SignatureVerifier(secret).generate_signature(timestamp=stamp, body=body)
    return {
        "content-type": kind,
        "x-slack-request-timestamp": stamp,
        "x-slack-signature": str(signature),
    }


def test_case_75_a_ticket_comes_in_over_http_and_bad_input_is_refused(tmp_path: Path) -> None:
    with office(tmp_path, mode="http", port=free_port()) as place:
        place.open()
        ticket = place.ticket(SIMPLE)
        place.wait_for_reply(ticket, "Draft for")

        bad = _bad(place.workspace.identity)
        url = place.events_url
        answers = {name: httpx.post(url, **request) for name, request in bad.items()}

    codes = {name: answer.status_code for name, answer in answers.items()}
    assert codes == {
        "unsigned": 401,
        "stamp": 401,
        "forged": 401,
        "json": 400,
        "list": 400,
        "charset": 400,
        "kind": 400,
        "size": 413,
        "5 MB": 413,
        "slow clock": 401,
        "fast clock": 401,
        "a clock that is a little off": 200,
    }


def _bad(me: Any) -> dict[str, dict[str, Any]]:
    secret, body = me.signing_secret, b'{"type":"event_callback"}'
    forged = signed("another", body)
    return {
        "unsigned": {"content": body, "headers": {"content-type": JSON}},
        "stamp": {
            "content": body,
            "headers": signed(secret, body) | {"x-slack-request-timestamp": "abc"},
        },
        "forged": {"content": body, "headers": forged},
        "json": {"content": b"{not json", "headers": signed(secret, b"{not json")},
        "list": {"content": b"[]", "headers": signed(secret, b"[]")},
        "charset": {"content": b'{"a":"\xff"}', "headers": signed(secret, b"{}")},
        "kind": {"content": body, "headers": signed(secret, body, kind="text/xml")},
        "size": {"content": b" " * (MAX_BODY + 1), "headers": signed(secret, b"")},
        "5 MB": {"content": b"x" * 5_000_000, "headers": signed(secret, b"")},
        "slow clock": {"content": body, "headers": signed(secret, body, skew_s=-360)},
        "fast clock": {"content": body, "headers": signed(secret, body, skew_s=360)},
        "a clock that is a little off": {
            "content": OTHERS,
            "headers": signed(secret, OTHERS, skew_s=-240),
        },
    }


def test_an_address_that_is_taken_is_told_with_the_reason(tmp_path: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        office(tmp_path, mode="http", port=taken.getsockname()[1]) as place,
        pytest.raises(BotError, match="cannot be listened at: Address already in use"),
    ):
        place.open()


def test_a_body_that_never_ends_is_refused_and_holds_up_no_stop(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with office(tmp_path, mode="http", port=free_port()) as place:
        place.open()
        with _half_sent(place) as sent:
            sent.settimeout(0.2)
            with pytest.raises(TimeoutError):
                sent.recv(1)  # the bot waits for the rest
            place.close()

            assert sent.recv(100).startswith(b"HTTP/1.1 408 ")
    assert capfd.readouterr().err == ""


def _half_sent(place: Office) -> socket.socket:
    """Begin a request to the bot, and send a part of its body."""
    slack = place.settings.slack
    headers = signed(place.workspace.identity.signing_secret, OTHERS)
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    sent = socket.create_connection((slack.host, slack.port))
    sent.sendall(f"POST {EVENTS_PATH} HTTP/1.1\r\nhost: bot\r\n{head}".encode())
    sent.sendall(b"content-length: 100\r\n\r\n" + OTHERS[:20])
    return sent


HOSTILE = {
    "no JSON": b"payload=%7Bnot",
    "a list": b"payload=%5B1%5D",
    "a text": b"payload=%22x%22",
    "a brace": b"{not json",
    "a zero byte": b"payload=\x00",
    "a great depth": b"payload=" + b"[" * 20_000,
    "a great number": b"payload=" + b"9" * 5_000,
    "nothing": b"payload=",
}
"""Bodies of forms that are no press of Slack's."""


@pytest.fixture
def reached(tmp_path: Path) -> Iterator[Office]:
    """A bot in HTTP mode."""
    with office(tmp_path, mode="http", port=free_port()) as place:
        place.open()
        yield place


def test_case_75_a_hostile_form_is_refused_signed_or_not(
    reached: Office, capfd: pytest.CaptureFixture[str]
) -> None:
    secret, url = reached.workspace.identity.signing_secret, reached.events_url

    def post(body: bytes, secret: str) -> int:
        headers = signed(secret, body, kind=FORM)
        return httpx.post(url, content=body, headers=headers).status_code

    assert {name: post(body, "another") for name, body in HOSTILE.items()} == dict.fromkeys(
        HOSTILE, 401
    )
    assert {name: post(body, secret) for name, body in HOSTILE.items()} == dict.fromkeys(
        HOSTILE, 400
    )
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("signature", [b"v0=", b"v0=\xe9", b"v1=" + b"0" * 64, b"v0=" + b"F" * 64])
def test_case_75_what_is_no_signature_is_refused(reached: Office, signature: bytes) -> None:
    secret = reached.workspace.identity.signing_secret
    headers: list[tuple[bytes, bytes]] = [
        (name.encode(), signature if name == "x-slack-signature" else value.encode())
        for name, value in signed(secret, OTHERS).items()
    ]

    assert httpx.post(reached.events_url, content=OTHERS, headers=headers).status_code == 401


def test_case_75_what_is_unsigned_is_refused_before_it_is_parsed(reached: Office) -> None:
    unread = b'{"type":'
    headers = signed("another", unread)

    assert httpx.post(reached.events_url, content=unread, headers=headers).status_code == 401


@pytest.mark.parametrize("method", ["GET", "PUT", "HEAD"])
def test_case_75_what_is_no_post_is_refused(reached: Office, method: str) -> None:
    headers = signed(reached.workspace.identity.signing_secret, OTHERS)

    answer = httpx.request(method, reached.events_url, content=OTHERS, headers=headers)

    assert (answer.status_code, answer.content) == (405, b"")


def test_no_upgrade_leads_past_the_guard(reached: Office) -> None:
    upgrade = {
        "connection": "upgrade",
        "upgrade": "websocket",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        "sec-websocket-version": "13",
    }

    answers = [
        httpx.request(method, reached.events_url, headers=upgrade, timeout=3).status_code
        for method in ("GET", "POST")
    ]

    assert answers == [405, 401]


def team_app(place: Office) -> App:
    """Return an app of a team's own."""
    me = place.workspace.identity
    client = WebClient(token=me.bot_token, base_url=place.workspace.base_url)
    return App(client=client, signing_secret=me.signing_secret, token_verification_enabled=False)


def event(channel: str, text: str, ts: str) -> BoltRequest:
    """Return a message event as Socket Mode hands it to Bolt."""
    body = {
        "type": "event_callback",
        "event_id": f"Ev{ts}",
        "event": {"type": "message", "channel": channel, "user": ANN, "ts": ts, "text": text},
    }
    return BoltRequest(body=body, mode="socket_mode")


def test_attached_to_a_teams_app_only_what_is_ours_is_taken(tmp_path: Path) -> None:
    with office(tmp_path) as place:
        app = team_app(place)
        heard: list[str] = []

        @app.event("message")
        def listen(event: dict[str, Any]) -> None:
            heard.append(event["text"])

        with attach(app, place.settings):
            ticket = place.ticket(SIMPLE, deliver=False)
            taken = app.dispatch(event(CHANNEL, ticket.text, ticket.ts))
            theirs = app.dispatch(event(CHANNEL, "lunch?", "1700000000.000100"))
            elsewhere = app.dispatch(event("C0OTHER", ticket.text, "1700000000.000200"))
            place.wait_for_reply(ticket, "Draft for")

    assert (taken.status, theirs.status, elsewhere.status) == (200, 200, 200)
    assert sorted(heard) == sorted(["lunch?", ticket.text])
    assert len(heard) == 2


def test_two_processes_attach_and_one_of_them_runs_the_jobs(tmp_path: Path) -> None:
    with office(tmp_path) as place, attach(team_app(place), place.settings) as first:
        place.workspace.wait_for(lambda: first.runs_jobs, what="the lock")
        second_app = team_app(place)
        with attach(second_app, place.settings) as second:
            ticket = place.ticket(SIMPLE, deliver=False)
            second_app.dispatch(event(CHANNEL, ticket.text, ticket.ts))
            place.wait_for_reply(ticket, "Draft for")
            assert (first.runs_jobs, second.runs_jobs) == (True, False)


class AsyncApp:
    """Stands for Bolt's class of this name, which needs libraries that we do without."""


def test_an_async_app_is_refused_in_words(tmp_path: Path) -> None:
    with office(tmp_path) as place:
        app: Any = AsyncApp()
        with pytest.raises(AppRefused, match="AsyncApp cannot be attached to"):
            attach(app, place.settings)


def test_a_token_that_slack_does_not_know_is_said_before_anything_runs(tmp_path: Path) -> None:
    with office(tmp_path) as place:
        place.workspace.revoke_token()
        with pytest.raises(SlackUnreachable, match="token_revoked"):
            place.open()


def test_what_is_not_ours_is_acknowledged_and_an_old_button_is_answered(tmp_path: Path) -> None:
    with office(tmp_path) as place:
        place.open()
        ticket = place.ticket(SIMPLE)
        draft = place.wait_for_reply(ticket, "Draft for")

        known = place.workspace.click(ANN, draft, "handrail:copy").payload
        of_old = place.workspace.deliver(
            _pressed(known, "handrail:long_gone"), kind=Kind.INTERACTIVE
        )
        of_nobody = place.workspace.deliver(_pressed(known, "team:vote"), kind=Kind.INTERACTIVE)
        place.workspace.settle()

        assert of_old.acknowledged
        assert of_nobody.acknowledged
        place.workspace.wait_for(lambda: place.workspace.ephemerals(ANN), what="an answer")


def _pressed(payload: dict[str, Any], action_id: str) -> dict[str, Any]:
    """Return a press like another one, of a button with another name."""
    action = {**payload["actions"][0], "action_id": action_id}
    return {**payload, "actions": [action], "trigger_id": f"trigger.{action_id}"}

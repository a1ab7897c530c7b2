"""Signed delivery over HTTP as a bare server sees it."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import parse_qs

import pytest
from slack_sdk.signature import SignatureVerifier
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.workspace import BindRefused, Workspace
from bot.workspace.loopback import listening
from bot.workspace.server import Connections, Server

ROOM = "C0SUPPORT"


@dataclass(slots=True)
class Receiver:
    """An app that keeps what it gets and answers with the next of its statuses, then 200."""

    address: str
    statuses: list[int] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    got: list[tuple[bytes, dict[str, str]]] = field(default_factory=list)

    async def answer(self, request: Request) -> Response:
        self.got.append((await request.body(), dict(request.headers)))
        status = self.statuses.pop(0) if self.statuses else 200
        return Response("", status, self.headers)


@pytest.fixture
def receiver(workspace: Workspace) -> Iterator[Receiver]:
    """A receiver that the workspace delivers to."""
    listener = listening("127.0.0.1", 0)
    app = Receiver(f"http://127.0.0.1:{listener.getsockname()[1]}/slack/events")
    routes = [Route("/slack/events", app.answer, methods=["POST"])]
    server = Server(Starlette(routes=routes), listener, Connections())
    server.start()
    workspace.deliver_over_http(app.address)
    yield app
    server.stop()


def is_signed(workspace: Workspace, got: tuple[bytes, dict[str, str]]) -> bool:
    verifier = SignatureVerifier(workspace.identity.signing_secret)
    return verifier.is_valid_request(*got)


def test_every_kind_is_signed_over_its_raw_body(workspace: Workspace, receiver: Receiver) -> None:
    event = workspace.event("channel_archive", channel=ROOM)
    shortcut = workspace.shortcut("U0ANN", "triage")
    command = workspace.command("U0ANN", "/handrail", "a & b", channel=ROOM)
    for delivery in (event, shortcut, command):
        assert delivery.answer().ok

    bodies = {headers["content-type"]: body for body, headers in receiver.got}
    assert all(is_signed(workspace, got) for got in receiver.got)
    assert not is_signed(workspace, (receiver.got[0][0] + b" ", receiver.got[0][1]))
    assert json.loads(bodies["application/json"])["type"] == "event_callback"
    forms = [parse_qs(body.decode()) for body, headers in receiver.got if b"{" not in body[:1]]
    assert {"a & b"} <= {form.get("text", [""])[0] for form in forms}
    assert "shortcut" in {json.loads(f["payload"][0])["type"] for f in forms if "payload" in f}


def test_a_retry_names_its_number_and_reason(workspace: Workspace, receiver: Receiver) -> None:
    receiver.statuses = [500]
    delivery = workspace.event("channel_archive", channel=ROOM)

    assert delivery.answer().ok
    first, second = (headers for _, headers in receiver.got)
    assert "x-slack-retry-num" not in first
    assert second["x-slack-retry-num"] == "1"
    assert second["x-slack-retry-reason"] == "http_error"
    assert receiver.got[0][0] == receiver.got[1][0]


def test_an_app_can_ask_for_no_retry(workspace: Workspace, receiver: Receiver) -> None:
    receiver.statuses, receiver.headers = [500], {"X-Slack-No-Retry": "1"}

    assert not workspace.event("channel_archive", channel=ROOM).answer().ok
    assert len(receiver.got) == 1


def test_an_interaction_is_never_retried(workspace: Workspace, receiver: Receiver) -> None:
    receiver.statuses = [500]

    assert not workspace.shortcut("U0ANN", "triage").answer().ok
    assert len(receiver.got) == 1


def test_a_payload_can_be_replayed(workspace: Workspace, receiver: Receiver) -> None:
    first = workspace.event("channel_archive", channel=ROOM)
    first.answer()
    workspace.redeliver(first, number=2).answer()

    assert receiver.got[0][0] == receiver.got[1][0]
    assert receiver.got[1][1]["x-slack-retry-num"] == "2"


def test_a_skewed_clock_makes_the_signature_stale(workspace: Workspace, receiver: Receiver) -> None:
    http = workspace.deliver_over_http(receiver.address)
    http.skew_seconds = -301
    workspace.event("channel_archive", channel=ROOM).answer()

    assert not is_signed(workspace, receiver.got[0])


def test_an_answer_that_comes_too_late_is_a_time_out(workspace: Workspace) -> None:
    release = threading.Event()
    listener = listening("127.0.0.1", 0)

    async def slow(_request: Request) -> Response:
        await asyncio.to_thread(release.wait, 5)
        return Response("")

    server = Server(Starlette(routes=[Route("/", slow, methods=["POST"])]), listener, Connections())
    server.start()
    try:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        workspace.deliver_over_http(url, ack_seconds=0.05)
        assert workspace.shortcut("U0ANN", "triage").answer().failure == "http_timeout"
    finally:
        release.set()
        server.stop()


def test_nobody_there_is_a_failed_connection(workspace: Workspace) -> None:
    listener = listening("127.0.0.1", 0)
    port = listener.getsockname()[1]
    listener.close()
    workspace.deliver_over_http(f"http://127.0.0.1:{port}/")

    assert workspace.shortcut("U0ANN", "triage").answer().failure == "connection_failed"


def test_it_delivers_to_this_machine_alone(workspace: Workspace) -> None:
    with pytest.raises(BindRefused):
        workspace.deliver_over_http("http://192.0.2.1/slack/events")

"""Socket Mode as a bare client sees it: frames, turns, one-time addresses, ends."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from slack_sdk import WebClient
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from bot.workspace import Workspace

ROOM = "C0SUPPORT"


@pytest.fixture
def app_client(workspace: Workspace) -> WebClient:
    """A client with the app's token."""
    return WebClient(token=workspace.identity.app_token, base_url=workspace.base_url)


@pytest.fixture
def sockets(app_client: WebClient) -> Iterator[list[ClientConnection]]:
    """Two open sockets that said hello."""
    with ExitStack() as stack:
        found = [stack.enter_context(opened(app_client)) for _ in range(2)]
        for socket in found:
            assert frame(socket)["type"] == "hello"
        yield found


def opened(client: WebClient) -> ClientConnection:
    return connect(address(client))


def address(client: WebClient) -> str:
    return str(client.apps_connections_open(app_token=str(client.token))["url"])


def frame(socket: ClientConnection) -> dict[str, Any]:
    value = json.loads(socket.recv(timeout=5))
    assert isinstance(value, dict)
    return value


def test_payloads_go_to_the_sockets_in_turn(
    workspace: Workspace, sockets: list[ClientConnection]
) -> None:
    for number in range(4):
        workspace.post("U0ANN", str(number), channel=ROOM)

    texts = [[frame(s)["payload"]["event"]["text"] for _ in range(2)] for s in sockets]

    assert sorted(texts) == [["0", "2"], ["1", "3"]]


def test_an_event_carries_its_retry_number_from_the_first(
    workspace: Workspace, sockets: list[ClientConnection]
) -> None:
    delivery = workspace.event("channel_archive", channel=ROOM)
    first = frame(sockets[0])
    workspace.advance(3)
    second = frame(sockets[1])
    sockets[1].send(json.dumps({"envelope_id": second["envelope_id"]}))

    assert delivery.answer().ok
    assert (first["retry_attempt"], first["retry_reason"]) == (0, "")
    assert (second["retry_attempt"], second["retry_reason"]) == (1, "http_timeout")
    assert first["envelope_id"] != second["envelope_id"]
    assert first["payload"] == second["payload"]


def test_an_acknowledgement_after_three_seconds_is_too_late(
    workspace: Workspace, sockets: list[ClientConnection]
) -> None:
    delivery = workspace.command("U0ANN", "/handrail", channel=ROOM)
    envelope = frame(sockets[0])["envelope_id"]
    workspace.advance(3)
    sockets[0].send(json.dumps({"envelope_id": envelope}))

    assert not delivery.answer().ok
    assert delivery.given_up


def test_an_address_serves_once(app_client: WebClient) -> None:
    url = address(app_client)

    with connect(url), pytest.raises(InvalidStatus) as raised:
        connect(url)

    assert raised.value.response.status_code == 403


def test_the_eleventh_socket_is_sent_away(app_client: WebClient) -> None:
    with ExitStack() as stack:
        for _ in range(10):
            frame(stack.enter_context(opened(app_client)))
        eleventh = stack.enter_context(opened(app_client))

        assert frame(eleventh)["reason"] == "too_many_websockets"
        with pytest.raises(ConnectionClosed):
            eleventh.recv(timeout=5)


@pytest.mark.parametrize("reason", ["refresh_requested", "link_disabled"])
def test_a_disconnect_names_its_reason_and_closes(
    workspace: Workspace, sockets: list[ClientConnection], reason: str
) -> None:
    workspace.sockets.disconnect(reason)

    for socket in sockets:
        assert frame(socket)["reason"] == reason
        with pytest.raises(ConnectionClosed):
            socket.recv(timeout=5)
    workspace.wait_for_sockets(0)


def test_a_warning_leaves_the_socket_open(
    workspace: Workspace, sockets: list[ClientConnection]
) -> None:
    workspace.sockets.disconnect("warning")

    assert frame(sockets[0])["reason"] == "warning"
    assert workspace.sockets.count == 2


def test_a_cut_connection_fails_what_it_did_not_acknowledge(
    workspace: Workspace, sockets: list[ClientConnection]
) -> None:
    delivery = workspace.command("U0ANN", "/handrail", channel=ROOM)
    frame(sockets[0])
    workspace.sockets.cut()

    assert delivery.answer().failure == "connection_failed"
    with pytest.raises(ConnectionClosed):
        sockets[0].recv(timeout=5)


def test_a_mute_socket_looks_alive_and_delivers_nothing(
    workspace: Workspace, sockets: list[ClientConnection]
) -> None:
    workspace.sockets.mute()
    delivery = workspace.command("U0ANN", "/handrail", channel=ROOM)
    for socket in sockets:
        assert socket.ping().wait(5)
    workspace.advance(3)

    assert delivery.answer().failure == "http_timeout"
    workspace.sockets.mute(on=False)
    workspace.sockets.disconnect("warning")
    assert [frame(socket)["type"] for socket in sockets] == ["disconnect", "disconnect"]


def test_without_a_socket_an_interaction_is_lost_and_an_event_is_tried_four_times(
    workspace: Workspace,
) -> None:
    command = workspace.command("U0ANN", "/handrail", channel=ROOM)
    event = workspace.event("channel_archive", channel=ROOM)
    workspace.advance(360)

    assert [len(command.attempts), len(event.attempts)] == [1, 4]
    assert command.given_up
    assert event.given_up

"""The switches: what the app sees, and whether its call had its effect."""

from __future__ import annotations

import threading
from http.client import RemoteDisconnected

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from bot.workspace import Workspace

ROOM = "C0SUPPORT"


def post(client: WebClient, text: str = "x") -> str:
    return str(client.chat_postMessage(channel=ROOM, text=text)["ts"])


def test_a_refusal_is_used_up(workspace: Workspace, client: WebClient) -> None:
    workspace.faults.refuse("chat.postMessage", "internal_error")

    with pytest.raises(SlackApiError) as raised:
        post(client)
    post(client)

    assert raised.value.response["error"] == "internal_error"
    assert [call.ok for call in workspace.calls("chat.postMessage")] == [False, True]


def test_429_names_the_seconds(workspace: Workspace, client: WebClient) -> None:
    workspace.faults.rate_limit("chat.postMessage", 30)

    with pytest.raises(SlackApiError) as raised:
        post(client)

    assert raised.value.response.status_code == 429
    assert raised.value.response.headers["Retry-After"] == "30"
    assert workspace.history(ROOM) == []


def test_a_broken_answer_is_no_json(workspace: Workspace, client: WebClient) -> None:
    workspace.faults.break_("chat.postMessage", 503)

    with pytest.raises(SlackApiError) as raised:
        post(client)

    assert raised.value.response.status_code == 503


def test_a_lost_request_was_not_taken(workspace: Workspace, client: WebClient) -> None:
    workspace.faults.lose_request("chat.postMessage")

    with pytest.raises((RemoteDisconnected, ConnectionError)):
        post(client)

    assert workspace.history(ROOM) == []


def test_a_lost_answer_was_taken(workspace: Workspace, client: WebClient) -> None:
    workspace.faults.lose_answer("chat.postMessage")

    with pytest.raises((RemoteDisconnected, ConnectionError)):
        post(client, "taken")

    assert [m.text for m in workspace.history(ROOM)] == ["taken"]
    (call,) = workspace.calls("chat.postMessage")
    assert (call.taken, call.answered) == (True, None)


def test_slacks_own_client_posts_twice_when_an_answer_is_lost(workspace: Workspace) -> None:
    """Case 76: the client's default retry of connection errors sends the message again."""
    workspace.faults.lose_answer("chat.postMessage")
    client = WebClient(token=workspace.identity.bot_token, base_url=workspace.base_url)

    post(client, "twice")

    assert [m.text for m in workspace.history(ROOM)] == ["twice", "twice"]


def test_a_held_answer_waits_for_its_release(workspace: Workspace, client: WebClient) -> None:
    hold = workspace.faults.hold("users.info")
    answered = threading.Event()

    def ask() -> None:
        client.users_info(user="U0ANN")
        answered.set()

    thread = threading.Thread(target=ask)
    thread.start()
    assert hold.reached.wait(5)
    assert not answered.is_set()
    hold.release()
    thread.join(5)

    assert answered.is_set()


def test_a_switch_can_look_at_the_arguments(workspace: Workspace, client: WebClient) -> None:
    workspace.faults.refuse(
        "chat.postMessage", "internal_error", where=lambda args: args["text"] == "b"
    )

    post(client, "a")
    with pytest.raises(SlackApiError):
        post(client, "b")

    assert [m.text for m in workspace.history(ROOM)] == ["a"]

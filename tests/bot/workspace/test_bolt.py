"""Slack's own framework at work in the workspace, over sockets and over signed HTTP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from slack_bolt import App
from slack_sdk import WebClient

from bot.workspace import NotPossible, Workspace

Connect = Callable[[App], None]


def words(text: str) -> dict[str, str]:
    return {"type": "plain_text", "text": text}


CARD: list[dict[str, Any]] = [
    {"type": "section", "text": {"type": "mrkdwn", "text": "Refund?"}},
    {
        "type": "actions",
        "elements": [
            {"type": "button", "action_id": "x:go", "text": words("Go"), "value": "7"},
        ],
    },
]
FORM: dict[str, Any] = {
    "type": "modal",
    "callback_id": "x:form",
    "private_metadata": "P-7",
    "title": words("Why?"),
    "submit": words("Send"),
    "blocks": [
        {
            "type": "input",
            "block_id": "reason",
            "label": words("Reason"),
            "element": {"type": "plain_text_input", "action_id": "text", "max_length": 10},
        }
    ],
}


@pytest.fixture
def seen(bolt: App) -> list[dict[str, Any]]:
    """What the app's listeners were given, in order."""
    bodies: list[dict[str, Any]] = []

    @bolt.event("message")
    def message(body: dict[str, Any], client: WebClient) -> None:
        bodies.append(body)
        event = body["event"]
        if event.get("bot_id") is None and event.get("subtype") is None:
            client.chat_postMessage(
                channel=event["channel"], thread_ts=event["ts"], text="card", blocks=CARD
            )

    @bolt.action("x:go")
    def go(ack: Any, body: dict[str, Any], client: WebClient, respond: Any) -> None:
        ack()
        bodies.append(body)
        client.views_open(trigger_id=body["trigger_id"], view=FORM)
        respond(text="pressed", replace_original=False)

    @bolt.view("x:form")
    def form(ack: Any, body: dict[str, Any], view: dict[str, Any]) -> None:
        bodies.append(body)
        if view["state"]["values"]["reason"]["text"]["value"] == "no":
            ack(response_action="errors", errors={"reason": "Say more."})
        else:
            ack()

    @bolt.command("/handrail")
    def command(ack: Any, body: dict[str, Any]) -> None:
        bodies.append(body)
        ack("all is well")

    return bodies


def test_a_ticket_gets_its_card_in_its_thread(
    workspace: Workspace, bolt: App, seen: list[dict[str, Any]], connect: Connect
) -> None:
    connect(bolt)

    ticket = workspace.post("U0ANN", "Where is my <order>?", channel="C0SUPPORT")
    (card,) = workspace.wait_for(lambda: workspace.replies(ticket))

    assert card.text == "card"
    assert card.thread_ts == ticket.ts
    assert seen[0]["event"]["text"] == "Where is my &lt;order&gt;?"


def test_a_click_opens_a_form_that_can_be_sent(
    workspace: Workspace, bolt: App, seen: list[dict[str, Any]], connect: Connect
) -> None:
    connect(bolt)
    ticket = workspace.post("U0ANN", "Refund, please", channel="C0SUPPORT")
    (card,) = workspace.wait_for(lambda: workspace.replies(ticket))

    assert workspace.click("U0LEA", card, "x:go").answer().ok
    form = workspace.wait_for(lambda: workspace.modal("U0LEA"))
    assert form.body["private_metadata"] == "P-7"
    (told,) = workspace.wait_for(lambda: workspace.ephemerals("U0LEA"))
    assert told.text == "pressed"

    refused = workspace.submit("U0LEA", {"text": "no"}).answer()
    shown = workspace.modal("U0LEA")
    assert refused.body is not None
    assert shown is not None
    assert shown.errors == (("reason", "Say more."),)

    assert workspace.submit("U0LEA", {"reason": "broken"}).answer().ok
    assert workspace.modal("U0LEA") is None
    assert seen[-1]["view"]["private_metadata"] == "P-7"


def test_a_form_that_slack_would_not_send_is_not_sent(
    workspace: Workspace, bolt: App, seen: list[dict[str, Any]], connect_sockets: Connect
) -> None:
    connect_sockets(bolt)
    ticket = workspace.post("U0ANN", "Refund, please", channel="C0SUPPORT")
    (card,) = workspace.wait_for(lambda: workspace.replies(ticket))
    workspace.click("U0LEA", card, "x:go")
    workspace.wait_for(lambda: workspace.modal("U0LEA"))

    for values in ({}, {"text": "x" * 11}, {"other": "x"}):
        with pytest.raises(NotPossible):
            workspace.submit("U0LEA", values)
    assert [body["type"] for body in seen if "view" in body] == []


def test_a_command_is_answered(
    workspace: Workspace, bolt: App, seen: list[dict[str, Any]], connect: Connect
) -> None:
    connect(bolt)

    answer = workspace.command("U0ANN", "/handrail", "waiting", channel="C0SUPPORT").answer()

    assert answer.body == {"text": "all is well"}
    assert seen[0]["text"] == "waiting"


def test_over_http_an_event_that_nobody_takes_is_retried_at_once_after_1_and_after_5_minutes(
    workspace: Workspace, bolt: App, connect_http: Connect
) -> None:
    connect_http(bolt)

    delivery = workspace.event("channel_archive", channel="C0SUPPORT")
    workspace.wait_for(lambda: len(delivery.attempts) == 2)
    workspace.advance(60)
    workspace.wait_for(lambda: len(delivery.attempts) == 3)
    workspace.advance(300)

    assert not delivery.answer().ok
    moments = [attempt.at - delivery.attempts[0].at for attempt in delivery.attempts]
    assert moments == [0, 0, 60, 360]
    assert [attempt.answer.status for attempt in delivery.attempts] == [404] * 4


def test_over_a_socket_an_event_is_retried_when_its_acknowledgement_is_missing(
    workspace: Workspace, bolt: App, connect_sockets: Connect
) -> None:
    connect_sockets(bolt)

    delivery = workspace.event("channel_archive", channel="C0SUPPORT")
    workspace.advance(3 + 3 + 60 + 3 + 300 + 3)

    assert not delivery.answer().ok
    moments = [attempt.at - delivery.attempts[0].at for attempt in delivery.attempts]
    assert moments == [0, 3, 66, 369]


@pytest.mark.usefixtures("seen")
def test_the_bot_hears_its_own_posts_and_edits(
    workspace: Workspace, bolt: App, client: WebClient, connect: Connect
) -> None:
    """Bolt drops what the bot itself said, so only the edit's event comes through."""
    connect(bolt)

    posted = client.chat_postMessage(channel="C0SUPPORT", text="one")
    client.chat_update(channel="C0SUPPORT", ts=str(posted["ts"]), text="two")
    workspace.settle()
    kinds = [d.payload["event"].get("subtype") for d in workspace.deliveries("message")]

    assert kinds == [None, "message_changed"]
    assert all(delivery.acknowledged for delivery in workspace.deliveries("message"))

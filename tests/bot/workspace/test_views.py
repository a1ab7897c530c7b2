"""Triggers, forms, App Home and response URLs: short lives and stale versions."""

from __future__ import annotations

from typing import Any

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.webhook import WebhookClient

from bot.workspace import Delivery, Message, Workspace

ROOM = "C0SUPPORT"
TITLE = {"type": "plain_text", "text": "Title"}
MODAL: dict[str, Any] = {"type": "modal", "title": TITLE, "blocks": [{"type": "divider"}]}
HOME: dict[str, Any] = {"type": "home", "blocks": [{"type": "divider"}]}
BUTTON = {"type": "button", "action_id": "x:go", "text": TITLE, "value": "7"}
CARD = [{"type": "actions", "elements": [BUTTON]}]


@pytest.fixture
def card(workspace: Workspace, client: WebClient) -> Message:
    """A message with one button."""
    posted = client.chat_postMessage(channel=ROOM, text="card", blocks=CARD)
    return workspace.message(ROOM, str(posted["ts"]))


@pytest.fixture
def click(workspace: Workspace, card: Message) -> Delivery:
    """A click that nobody takes: no app is connected."""
    return workspace.click("U0LEA", card, "x:go")


def error_of(raised: pytest.ExceptionInfo[SlackApiError]) -> str:
    return str(raised.value.response["error"])


@pytest.mark.parametrize("seconds", [2.9, 3.0])
def test_a_trigger_lives_three_seconds(
    workspace: Workspace, client: WebClient, click: Delivery, seconds: float
) -> None:
    workspace.advance(seconds)
    client.views_open(trigger_id=click.payload["trigger_id"], view=MODAL)

    assert workspace.modal("U0LEA") is not None


def test_a_trigger_lives_no_longer(
    workspace: Workspace, client: WebClient, click: Delivery
) -> None:
    workspace.advance(3.1)
    with pytest.raises(SlackApiError) as raised:
        client.views_open(trigger_id=click.payload["trigger_id"], view=MODAL)

    assert error_of(raised) == "expired_trigger_id"
    assert workspace.modal("U0LEA") is None


def test_a_trigger_opens_one_form(client: WebClient, click: Delivery) -> None:
    trigger = click.payload["trigger_id"]
    client.views_open(trigger_id=trigger, view=MODAL)

    with pytest.raises(SlackApiError) as again:
        client.views_open(trigger_id=trigger, view=MODAL)
    with pytest.raises(SlackApiError) as unknown:
        client.views_open(trigger_id="1.2.3", view=MODAL)

    assert error_of(again) == "exchanged_trigger_id"
    assert error_of(unknown) == "invalid_trigger_id"


def test_a_stale_hash_is_a_conflict(client: WebClient, click: Delivery) -> None:
    opened = client.views_open(trigger_id=click.payload["trigger_id"], view=MODAL)["view"]
    client.views_update(view_id=opened["id"], hash=opened["hash"], view=MODAL)

    with pytest.raises(SlackApiError) as raised:
        client.views_update(view_id=opened["id"], hash=opened["hash"], view=MODAL)

    assert error_of(raised) == "hash_conflict"


def test_a_closed_form_cannot_be_changed(
    workspace: Workspace, client: WebClient, click: Delivery
) -> None:
    opened = client.views_open(trigger_id=click.payload["trigger_id"], view=MODAL)["view"]
    workspace.close("U0LEA")

    with pytest.raises(SlackApiError) as raised:
        client.views_update(view_id=opened["id"], view=MODAL)

    assert error_of(raised) == "not_found"


def test_a_home_is_published_and_opened(workspace: Workspace, client: WebClient) -> None:
    published = client.views_publish(user_id="U0ANN", view=HOME)["view"]
    opened = workspace.open_home("U0ANN")

    with pytest.raises(SlackApiError) as raised:
        client.views_publish(user_id="U0ANN", view=HOME, hash="stale")
    assert error_of(raised) == "hash_conflict"
    assert opened.payload["event"]["view"]["id"] == published["id"]
    assert workspace.home("U0ANN") is not None


def test_a_click_carries_the_version_that_was_pressed(
    workspace: Workspace, client: WebClient, card: Message
) -> None:
    newer = [{"type": "actions", "elements": [BUTTON | {"value": "8"}]}]
    client.chat_update(channel=ROOM, ts=card.ts, text="card", blocks=newer)

    stale = workspace.click("U0LEA", card, "x:go")
    fresh = workspace.click("U0LEA", workspace.latest(card), "x:go")

    assert stale.payload["actions"][0]["value"] == "7"
    assert fresh.payload["actions"][0]["value"] == "8"
    assert stale.payload["container"]["message_ts"] == card.ts


def test_a_response_url_answers_five_times(workspace: Workspace, click: Delivery) -> None:
    hook = WebhookClient(click.payload["response_url"], retry_handlers=[])

    answers = [hook.send(text=str(number)).status_code for number in range(6)]

    assert answers == [200] * 5 + [404]
    assert len(workspace.ephemerals("U0LEA")) == 5


def test_a_response_url_lives_half_an_hour(workspace: Workspace, click: Delivery) -> None:
    hook = WebhookClient(click.payload["response_url"], retry_handlers=[])
    workspace.advance(1801)

    assert hook.send(text="late").status_code == 404


def test_a_response_url_replaces_and_deletes_its_original(
    workspace: Workspace, card: Message, click: Delivery
) -> None:
    hook = WebhookClient(click.payload["response_url"], retry_handlers=[])

    hook.send(text="replaced", blocks=[], replace_original=True)
    assert workspace.latest(card).text == "replaced"
    hook.send(delete_original=True)
    assert workspace.history(ROOM) == []

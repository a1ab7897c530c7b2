"""``chat.*``: what is kept, and the codes of what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from bot.workspace import Channel, Identity, Workspace

ROOM = "C0SUPPORT"


def code(raised: pytest.ExceptionInfo[SlackApiError]) -> str:
    return str(raised.value.response["error"])


def test_a_post_is_kept_with_its_metadata(workspace: Workspace, client: WebClient) -> None:
    metadata = {"event_type": "handrail", "event_payload": {"key": "k-1"}}

    answer = client.chat_postMessage(channel=ROOM, text="hello", metadata=metadata)

    kept = workspace.message(ROOM, str(answer["ts"]))
    assert kept.text == "hello"
    assert kept.bot_id == workspace.identity.bot_id
    assert kept.metadata == metadata


def test_a_post_to_a_person_is_a_direct_message_that_the_app_is_not_told_of(
    workspace: Workspace, client: WebClient
) -> None:
    first = client.chat_postMessage(channel="U0ANN", text="one")
    second = client.chat_postMessage(channel="U0ANN", text="two")

    assert first["channel"] == second["channel"] == "D0ANN"
    assert [each.text for each in workspace.history("D0ANN")] == ["one", "two"]
    assert workspace.deliveries() == []
    listed = client.conversations_list(types="public_channel,private_channel")["channels"]
    assert "D0ANN" not in [each["id"] for each in listed]


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"channel": "C0NONE", "text": "x"}, "channel_not_found"),
        ({"channel": "C0SECRET", "text": "x"}, "channel_not_found"),
        ({"channel": "C0OTHER", "text": "x"}, "not_in_channel"),
        ({"channel": ROOM}, "no_text"),
        ({"channel": ROOM, "text": "x", "thread_ts": "yesterday"}, "invalid_thread_ts"),
        ({"channel": ROOM, "text": "x", "blocks": "{"}, "invalid_blocks"),
        (
            {"channel": ROOM, "text": "x", "metadata": {"event_type": "a"}},
            "invalid_metadata_format",
        ),
        (
            {
                "channel": ROOM,
                "text": "x",
                "metadata": {"event_type": "a", "event_payload": {"k": {"deep": 1}}},
            },
            "invalid_metadata_schema",
        ),
    ],
)
def test_a_post_is_refused_with_slacks_code(
    client: WebClient, given: dict[str, Any], error: str
) -> None:
    with pytest.raises(SlackApiError) as raised:
        client.api_call("chat.postMessage", json=given)

    assert code(raised) == error


def test_an_archived_channel_takes_no_post(workspace: Workspace, client: WebClient) -> None:
    bot = workspace.identity.bot_user
    workspace.put_channel(Channel(id=ROOM, name="support", members=(bot,), is_archived=True))

    with pytest.raises(SlackApiError) as raised:
        client.chat_postMessage(channel=ROOM, text="x")

    assert code(raised) == "is_archived"


@pytest.mark.parametrize(("size", "warned"), [(40_000, False), (40_001, True)])
def test_a_text_over_40000_characters_is_cut_with_a_warning(
    workspace: Workspace, client: WebClient, size: int, warned: bool
) -> None:
    answer = client.chat_postMessage(channel=ROOM, text="x" * size)

    assert ("warning" in answer.data) is warned
    assert len(workspace.message(ROOM, str(answer["ts"])).text) == 40_000


def test_a_reply_to_a_root_that_is_gone_lands_in_the_channel_and_says_so_only_by_silence(
    workspace: Workspace, client: WebClient
) -> None:
    ticket = workspace.post("U0ANN", "Where is it?", channel=ROOM)
    workspace.delete(ticket)

    answer = client.chat_postMessage(channel=ROOM, text="here", thread_ts=ticket.ts)

    assert "thread_ts" not in answer["message"]
    assert [m.text for m in workspace.history(ROOM)] == ["here"]


def test_an_update_keeps_the_blocks_that_it_does_not_name(
    workspace: Workspace, client: WebClient
) -> None:
    block = {"type": "section", "text": {"type": "mrkdwn", "text": "old"}}
    ts = str(client.chat_postMessage(channel=ROOM, text="old", blocks=[block])["ts"])

    client.chat_update(channel=ROOM, ts=ts, text="new")
    with_old_blocks = workspace.message(ROOM, ts)
    client.chat_update(channel=ROOM, ts=ts, text="new", blocks=[])

    assert with_old_blocks.text == "new"
    assert with_old_blocks.blocks[0]["text"] == block["text"]
    assert workspace.message(ROOM, ts).blocks == ()


def test_only_its_own_messages_can_be_changed_or_deleted(
    workspace: Workspace, client: WebClient
) -> None:
    ticket = workspace.post("U0ANN", "mine", channel=ROOM)

    with pytest.raises(SlackApiError) as update:
        client.chat_update(channel=ROOM, ts=ticket.ts, text="x")
    with pytest.raises(SlackApiError) as delete:
        client.chat_delete(channel=ROOM, ts=ticket.ts)
    with pytest.raises(SlackApiError) as unknown:
        client.chat_update(channel=ROOM, ts="1.000000", text="x")

    assert [code(update), code(delete), code(unknown)] == [
        "cant_update_message",
        "cant_delete_message",
        "message_not_found",
    ]


def test_an_update_over_40000_characters_is_refused(client: WebClient) -> None:
    ts = str(client.chat_postMessage(channel=ROOM, text="x")["ts"])

    with pytest.raises(SlackApiError) as raised:
        client.chat_update(channel=ROOM, ts=ts, text="x" * 40_001)

    assert code(raised) == "msg_too_long"


def test_an_ephemeral_message_is_seen_by_one_person_and_by_no_history(
    workspace: Workspace, client: WebClient
) -> None:
    client.chat_postEphemeral(channel=ROOM, user="U0ANN", text="only you")

    assert [m.text for m in workspace.ephemerals("U0ANN")] == ["only you"]
    assert workspace.ephemerals("U0BEN") == []
    assert workspace.history(ROOM) == []


def test_a_deleted_message_is_gone(workspace: Workspace, client: WebClient) -> None:
    ts = str(client.chat_postMessage(channel=ROOM, text="x")["ts"])

    client.chat_delete(channel=ROOM, ts=ts)

    assert workspace.history(ROOM) == []


def test_a_token_decides_who_may_call_what(workspace: Workspace, client: WebClient) -> None:
    me = workspace.identity
    tokens = {
        "": "not_authed",
        "xoxb-other": "invalid_auth",
        me.app_token: "not_allowed_token_type",
    }
    found = {}
    for token in tokens:
        with pytest.raises(SlackApiError) as raised:
            WebClient(token=token, base_url=workspace.base_url).api_call("auth.test")
        found[token] = code(raised)
    workspace.revoke_token()
    with pytest.raises(SlackApiError) as revoked:
        client.auth_test()

    assert found == tokens
    assert code(revoked) == "token_revoked"


def test_a_scope_that_was_not_granted_is_named() -> None:
    with Workspace(identity=Identity(scopes=frozenset({"users:read"}))) as workspace:
        client = WebClient(token=workspace.identity.bot_token, base_url=workspace.base_url)
        with pytest.raises(SlackApiError) as raised:
            client.chat_postMessage(channel=ROOM, text="x")

    assert raised.value.response["error"] == "missing_scope"
    assert raised.value.response["needed"] == "chat:write"
    assert raised.value.response.headers["x-oauth-scopes"] == "users:read"


def test_an_unknown_method_is_named(client: WebClient) -> None:
    with pytest.raises(SlackApiError) as raised:
        client.api_call("chat.sing")

    assert code(raised) == "unknown_method"

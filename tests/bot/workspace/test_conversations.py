"""Reading a channel and a thread in pages, and who is who."""

from __future__ import annotations

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from bot.workspace import User, Workspace

ROOM = "C0SUPPORT"


def test_the_history_is_newest_first_without_replies_but_with_broadcasts(
    workspace: Workspace, client: WebClient
) -> None:
    first = workspace.post("U0ANN", "first", channel=ROOM)
    workspace.post("U0BEN", "below", channel=ROOM, thread=first)
    workspace.post("U0BEN", "also here", channel=ROOM, thread=first, broadcast=True)

    found = client.conversations_history(channel=ROOM)["messages"]

    assert [m["text"] for m in found] == ["also here", "first"]
    assert found[1]["reply_count"] == 2


def test_a_thread_is_oldest_first_with_its_root(workspace: Workspace, client: WebClient) -> None:
    root = workspace.post("U0ANN", "root", channel=ROOM)
    workspace.post("U0BEN", "a", channel=ROOM, thread=root)
    workspace.post("U0BEN", "b", channel=ROOM, thread=root)

    found = client.conversations_replies(channel=ROOM, ts=root.ts)["messages"]

    assert [m["text"] for m in found] == ["root", "a", "b"]


def test_pages_follow_each_other(workspace: Workspace, client: WebClient) -> None:
    for number in range(5):
        workspace.post("U0ANN", str(number), channel=ROOM)

    pages = [
        [m["text"] for m in page["messages"]]
        for page in client.conversations_history(channel=ROOM, limit=2)
    ]

    assert pages == [["4", "3"], ["2", "1"], ["0"]]


@pytest.mark.parametrize("method", ["conversations.history", "conversations.replies"])
def test_direct_messages_are_not_read_without_the_scope_for_it(
    client: WebClient, method: str
) -> None:
    sent = client.chat_postMessage(channel="U0ANN", text="one")

    with pytest.raises(SlackApiError) as refused:
        client.api_call(method, params={"channel": sent["channel"], "ts": sent["ts"]})

    assert refused.value.response["error"] == "missing_scope"
    assert refused.value.response["needed"] == "im:history"


@pytest.mark.parametrize(("inclusive", "texts"), [(False, ["c"]), (True, ["c", "b"])])
def test_the_borders_count_on_demand(
    workspace: Workspace, client: WebClient, inclusive: bool, texts: list[str]
) -> None:
    _, middle, _ = (workspace.post("U0ANN", text, channel=ROOM) for text in "abc")

    found = client.conversations_history(channel=ROOM, oldest=middle.ts, inclusive=inclusive)

    assert [m["text"] for m in found["messages"]] == texts


def test_metadata_is_read_on_demand_only(client: WebClient) -> None:
    metadata = {"event_type": "handrail", "event_payload": {"key": "k"}}
    client.chat_postMessage(channel=ROOM, text="x", metadata=metadata)

    (without,) = client.conversations_history(channel=ROOM)["messages"]
    (given,) = client.conversations_history(channel=ROOM, include_all_metadata=True)["messages"]

    assert without["metadata"] == {"event_type": "handrail"}
    assert given["metadata"] == metadata


@pytest.mark.parametrize(
    ("method", "args", "error"),
    [
        ("conversations.history", {"channel": "C0OTHER"}, "not_in_channel"),
        ("conversations.history", {"channel": "C0SECRET"}, "channel_not_found"),
        ("conversations.history", {"channel": ROOM, "limit": 0}, "invalid_limit"),
        ("conversations.history", {"channel": ROOM, "cursor": "?"}, "invalid_cursor"),
        ("conversations.history", {"channel": ROOM, "oldest": "then"}, "invalid_ts_oldest"),
        ("conversations.replies", {"channel": ROOM, "ts": "1.000000"}, "thread_not_found"),
        ("users.info", {"user": "U0NONE"}, "user_not_found"),
        ("usergroups.users.list", {"usergroup": "S0NONE"}, "no_such_subteam"),
        ("bots.info", {"bot": "B0FOREIGN"}, "bot_not_found"),
    ],
)
def test_a_look_up_is_refused_with_slacks_code(
    workspace: Workspace, client: WebClient, method: str, args: dict[str, object], error: str
) -> None:
    workspace.post("U0ANN", "x", channel=ROOM)
    with pytest.raises(SlackApiError) as raised:
        client.api_call(method, params={key: str(value) for key, value in args.items()})

    assert raised.value.response["error"] == error


def test_a_group_has_members_and_a_user_has_flags(workspace: Workspace, client: WebClient) -> None:
    workspace.put_user(User(id="U0OUT", name="out", team_id="T0PARTNER", is_stranger=True))

    assert client.usergroups_users_list(usergroup="S0LEADS")["users"] == ["U0LEA"]
    assert client.users_info(user="U0OUT")["user"]["is_stranger"] is True
    assert client.users_info(user="U0OUT")["user"]["team_id"] == "T0PARTNER"
    assert "is_stranger" not in client.users_info(user="U0ANN")["user"]


def test_the_bot_learns_who_it_is(workspace: Workspace, client: WebClient) -> None:
    me = workspace.identity
    answer = client.auth_test()

    assert (answer["user_id"], answer["bot_id"]) == (me.bot_user, me.bot_id)

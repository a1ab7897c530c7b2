"""The page's own requests: who may make them, what they do, and who sees what."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from bot.workspace import Channel, Message, NewTicket, Page, PortTaken, User, Workspace

ANN, BEN = "U0ANN", "U0BEN"
CHANNEL = "C0SUPPORT"
MANIFEST: dict[str, Any] = {
    "features": {
        "slash_commands": [{"command": "/do", "description": "Does it", "usage_hint": "this"}],
        "shortcuts": [{"type": "message", "callback_id": "do", "name": "Do it"}],
    }
}


def plain(text: str) -> dict[str, str]:
    return {"type": "plain_text", "text": text}


def of(message: Message) -> dict[str, str]:
    """Name a message."""
    return {"channel": message.channel, "ts": message.ts}


class Window:
    """A browser's window, without the browser."""

    def __init__(self, place: Workspace, person: str) -> None:
        self._http = httpx.Client(base_url=place.base_url.removesuffix("/api/"), trust_env=False)
        self._person = person
        found = re.search(r'name="page-token" content="([^"]+)"', self.get("/").text)
        assert found is not None
        self.token = found[1]

    def get(self, path: str, **headers: str) -> httpx.Response:
        return self._http.get(path, headers=headers)

    def act(self, body: dict[str, Any], *, token: str | None = None) -> httpx.Response:
        headers = {"x-page-token": self.token if token is None else token}
        return self._http.post("/page/act", params={"as": self._person}, headers=headers, json=body)

    def post(self, path: str) -> httpx.Response:
        return self._http.post(path, headers={"x-page-token": self.token})

    def rows(self, person: str | None = None) -> dict[str, Any]:
        """Return the whole table, which comes first in a feed."""
        params = {"as": person or self._person, "token": self.token}
        with self._http.stream("GET", "/page/feed", params=params) as feed:
            first = next(line for line in feed.iter_lines() if line.startswith("data: "))
        change = json.loads(first.removeprefix("data: "))
        assert change["fresh"] is True
        rows: dict[str, Any] = change["set"]
        return rows

    def close(self) -> None:
        self._http.close()


@pytest.fixture
def place() -> Iterator[Workspace]:
    """A workspace with a page, and an app that nobody runs."""
    bot = Workspace().identity.bot_user
    workspace = Workspace(
        users=[User(id=ANN, name="ann"), User(id=BEN, name="ben")],
        channels=[
            Channel(id=CHANNEL, name="support", members=(ANN, BEN, bot)),
            Channel(id="C0HEADS", name="heads", members=(ANN,), is_private=True),
        ],
    )
    page = Page(
        workspace,
        title="Support",
        manifest=MANIFEST,
        people={ANN: "asks", BEN: "agent"},
        new_ticket=lambda: NewTicket(channel=CHANNEL, text="T-1 C-1\nHello"),
    )
    workspace.mount(page.routes)
    with workspace:
        yield workspace


@pytest.fixture
def window(place: Workspace) -> Iterator[Window]:
    opened = Window(place, ANN)
    yield opened
    opened.close()


def test_the_document_allows_no_script_but_its_own_and_no_markup_from_data(window: Window) -> None:
    policy = window.get("/").headers["content-security-policy"]

    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "require-trusted-types-for 'script'" in policy
    assert "<script>" not in window.get("/").text


@pytest.mark.parametrize("path", ["/", "/page/feed", "/page/main.js", "/api/auth.test"])
def test_a_name_of_another_site_that_leads_to_loopback_is_refused(
    window: Window, path: str
) -> None:
    assert window.get(path, host="evil.example:80").status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site", "sec-fetch-mode": "navigate"},
    ],
)
@pytest.mark.parametrize("path", ["/page/feed", "/api/chat.postMessage?token=xoxb-local-bot"])
def test_another_site_drives_neither_the_page_nor_the_web_api(
    window: Window, path: str, headers: dict[str, str]
) -> None:
    assert window.get(path, **headers).status_code == 403


def test_a_link_on_another_site_may_lead_to_the_page(window: Window) -> None:
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}

    assert window.get("/", **headers).status_code == 200


@pytest.mark.parametrize("token", ["", "wrong"])
def test_a_request_without_the_documents_token_does_nothing(
    place: Workspace, window: Window, token: str
) -> None:
    answer = window.act({"act": "post", "channel": CHANNEL, "text": "hello"}, token=token)

    assert answer.status_code == 403
    assert place.history(CHANNEL) == []
    assert window.token not in answer.text


def test_all_of_a_line_of_traffic_can_be_read_by_who_has_the_token(
    place: Workspace, window: Window
) -> None:
    window.act({"act": "post", "channel": CHANNEL, "text": "<b>hello</b>"})
    (key,) = [key for key in window.rows() if key.startswith("traffic:in:")]
    path = f"/page/{key.replace(':', '/')}"

    shown = json.loads(window.post(path).json()["text"])
    assert shown["payload"]["event"]["text"] == "&lt;b&gt;hello&lt;/b&gt;"
    assert window.post("/page/traffic/in/99").status_code == 404
    assert window.post("/page/traffic/by/0").status_code == 404
    assert httpx.post(f"{place.base_url.removesuffix('/api/')}{path}").status_code == 403


@pytest.mark.parametrize("token", ["", "wrong", "%C3%BC"])
def test_the_feed_needs_the_token_too(window: Window, token: str) -> None:
    assert window.get(f"/page/feed?as={ANN}&token={token}").status_code == 403


def test_nobody_acts_as_somebody_who_is_not_offered(place: Workspace) -> None:
    window = Window(place, place.identity.bot_user)

    assert window.act({"act": "post", "channel": CHANNEL, "text": "x"}).status_code == 404
    window.close()


def test_a_person_posts_edits_and_deletes_a_message_of_their_own(
    place: Workspace, window: Window
) -> None:
    assert window.act({"act": "post", "channel": CHANNEL, "text": "one <b>"}).status_code == 200
    (message,) = place.history(CHANNEL)
    assert message.text == "one &lt;b&gt;"

    where = {"channel": CHANNEL, "ts": message.ts}
    assert window.act({"act": "edit", **where, "text": "two"}).status_code == 200
    assert place.latest(message).text == "two"
    assert window.act({"act": "delete", **where}).status_code == 200
    assert place.history(CHANNEL) == []


def test_nobody_changes_the_message_of_somebody_else(place: Workspace, window: Window) -> None:
    message = place.post(BEN, "mine", channel=CHANNEL)
    where = {"channel": CHANNEL, "ts": message.ts}

    answer = window.act({"act": "edit", **where, "text": "yours"})

    assert answer.status_code == 409
    assert "only its author" in answer.json()["told"]
    assert window.act({"act": "delete", **where}).status_code == 409
    assert place.latest(message).text == "mine"


def app_button(place: Workspace, value: str) -> Message:
    """Let the app post a button."""
    element = {"type": "button", "action_id": "go", "text": plain("Go"), "value": value}
    block = {"type": "actions", "block_id": "b", "elements": [element]}
    return place.post(None, "x", channel=CHANNEL, blocks=(block,), bot_id="B0")


def test_a_press_means_the_version_that_is_on_the_screen(place: Workspace, window: Window) -> None:
    message = app_button(place, "old")
    key = f"message:{CHANNEL}:{message.ts}"
    version = window.rows()[key]["version"]
    new = app_button(place, "new")
    place.alter(message, blocks=new.blocks, edited_ts="1.000001")

    window.act({"act": "press", **of(message), "version": version, "action": "go"})
    window.act(
        {"act": "press", **of(message), "version": window.rows()[key]["version"], "action": "go"}
    )

    pressed = [each.payload["actions"][0]["value"] for each in place.deliveries("block_actions")]
    assert pressed == ["old", "new"]


def test_what_is_deleted_or_was_never_shown_cannot_be_pressed(
    place: Workspace, window: Window
) -> None:
    message = app_button(place, "x")
    body = {"act": "press", **of(message), "version": message.ts, "action": "go"}
    assert window.act(body).status_code == 409
    window.rows()
    place.delete(message)

    assert window.act(body).status_code == 409
    assert place.deliveries("block_actions") == []


@pytest.mark.parametrize(("length", "status"), [(0, 422), (1, 200), (12_000, 200), (12_001, 422)])
def test_a_message_has_the_length_that_slacks_own_field_takes(
    window: Window, length: int, status: int
) -> None:
    answer = window.act({"act": "post", "channel": CHANNEL, "text": "x" * length})

    assert answer.status_code == status


def test_an_act_that_does_not_exist_is_refused_in_words(window: Window) -> None:
    answer = window.act({"act": "approve_everything"})

    assert answer.status_code == 422
    assert answer.json()["told"].startswith("Slack would not take this")


def test_direct_messages_are_shown_to_whom_they_went_alone(
    place: Workspace, window: Window
) -> None:
    token = place.identity.bot_token
    httpx.post(
        f"{place.base_url}chat.postMessage",
        headers={"Authorization": f"Bearer {token}"},
        json={"channel": ANN, "text": "for you alone"},
        trust_env=False,
    )

    def seen(person: str) -> tuple[bool, bool]:
        rows = window.rows(person)
        words = any(row.get("text") == "for you alone" for row in rows.values())
        channel = rows["channel:D0ANN"]
        return channel["member"] and channel["direct"], words

    assert (seen(ANN), seen(BEN)) == ((True, True), (False, False))


def test_a_channel_is_shown_to_its_members_alone(place: Workspace, window: Window) -> None:
    place.post(ANN, "of the heads", channel="C0HEADS")

    assert [key for key in window.rows() if key.startswith("message:C0HEADS")] != []
    assert [key for key in window.rows(BEN) if key.startswith("message:C0HEADS")] == []


def test_an_ephemeral_message_is_shown_to_its_reader_alone(
    place: Workspace, window: Window
) -> None:
    token = place.identity.bot_token
    httpx.post(
        f"{place.base_url}chat.postEphemeral",
        headers={"Authorization": f"Bearer {token}"},
        json={"channel": CHANNEL, "user": BEN, "text": "for you"},
        trust_env=False,
    )

    texts = [row["text"] for key, row in window.rows(BEN).items() if key.startswith("message:")]
    assert texts == ["for you"]
    assert [key for key in window.rows() if key.startswith("message:")] == []


def test_a_call_that_slack_refuses_names_the_block_and_the_limit(
    place: Workspace, window: Window
) -> None:
    blocks = [
        {"type": "divider"},
        {"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3_001}},
    ]
    httpx.post(
        f"{place.base_url}chat.postMessage",
        headers={"Authorization": f"Bearer {place.identity.bot_token}"},
        json={"channel": CHANNEL, "text": "x", "blocks": blocks},
        trust_env=False,
    )

    line = window.rows()["traffic:out:0"]
    assert line["state"] == "refused"
    assert line["problems"] == [
        "invalid_blocks: block 2 (section) text/text must be less than 3001 characters"
    ]


def test_a_command_that_no_app_acknowledges_is_told_to_the_person(window: Window) -> None:
    answer = window.act({"act": "command", "channel": CHANNEL, "name": "/do", "text": ""})

    assert answer.status_code in (502, 504)
    assert "The app did not" in answer.json()["told"]


def test_a_notice_is_on_every_window_until_it_is_taken_away() -> None:
    workspace = Workspace(users=[User(id=ANN, name="ann")])
    page = Page(workspace, title="x", manifest={}, people={ANN: "agent"})
    workspace.mount(page.routes)
    with workspace:
        window = Window(workspace, ANN)
        page.notice("The bot is starting ...")
        assert window.rows()["place"]["notice"] == "The bot is starting ..."
        page.notice("")
        assert window.rows()["place"]["notice"] == ""
        window.close()


def test_a_start_that_fails_is_told_to_who_asked_for_it() -> None:
    def fail() -> None:
        raise PortTaken("port 1 is taken", hint="Choose another.")

    workspace = Workspace(users=[User(id=ANN, name="ann")])
    page = Page(workspace, title="x", manifest={}, people={ANN: "agent"}, on_reset=fail)
    workspace.mount(page.routes)
    with workspace:
        window = Window(workspace, ANN)
        answer = window.post("/page/reset")
        assert answer.status_code == 500
        assert "port 1 is taken" in answer.json()["told"]
        window.close()


def test_what_is_not_offered_is_not_there() -> None:
    workspace = Workspace(users=[User(id=ANN, name="ann")])
    page = Page(workspace, title="x", manifest={}, people={ANN: "agent"})
    workspace.mount(page.routes)
    with workspace:
        window = Window(workspace, ANN)
        assert window.post("/page/reset").status_code == 404
        assert window.post("/page/new-ticket").status_code == 404
        assert window.get("/page/page.py").status_code == 404
        assert window.get("/page/..%2Fpage.py").status_code == 404
        window.close()


def test_a_page_needs_somebody_who_acts() -> None:
    with pytest.raises(ValueError, match="somebody"):
        Page(Workspace(), title="x", manifest={}, people={})


def test_the_box_for_a_new_ticket_starts_with_a_text(window: Window) -> None:
    answer = window.post("/page/new-ticket")

    assert answer.json() == {"channel": CHANNEL, "text": "T-1 C-1\nHello"}

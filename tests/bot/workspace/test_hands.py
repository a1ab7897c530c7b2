"""What people do, and the events that tell of it."""

from __future__ import annotations

from typing import Any

import pytest

from bot.workspace import (
    BindRefused,
    NotPossible,
    PortTaken,
    RunningClock,
    User,
    Workspace,
)
from bot.workspace.clock import Schedule

ROOM = "C0SUPPORT"


def events(workspace: Workspace) -> list[dict[str, Any]]:
    return [delivery.payload["event"] for delivery in workspace.deliveries()]


def test_what_a_person_types_is_escaped_and_its_addresses_become_tokens(
    workspace: Workspace,
) -> None:
    message = workspace.post(
        "U0ANN", "@ben <b> & see https://a.test/x?y=1&z=2 or a@b.test", channel=ROOM
    )

    assert message.text == (
        "<@U0BEN> &lt;b&gt; &amp; see <https://a.test/x?y=1&amp;z=2> or <mailto:a@b.test|a@b.test>"
    )
    assert events(workspace)[0]["text"] == message.text


def test_a_mention_is_a_message_and_no_more_without_the_scope_for_mentions(
    workspace: Workspace,
) -> None:
    workspace.post("U0ANN", "@handrail hello", channel=ROOM)

    assert [e["type"] for e in events(workspace)] == ["message"]


def test_a_mention_arrives_twice_under_two_event_ids(workspace: Workspace) -> None:
    workspace.put_scopes(workspace.identity.scopes | {"app_mentions:read"})
    message = workspace.post("U0ANN", "@handrail hello", channel=ROOM)

    first, second = workspace.deliveries()
    assert [e["type"] for e in events(workspace)] == ["message", "app_mention"]
    assert {e["ts"] for e in events(workspace)} == {message.ts}
    assert first.payload["event_id"] != second.payload["event_id"]


def test_an_edit_names_both_versions(workspace: Workspace) -> None:
    message = workspace.post("U0ANN", "old", channel=ROOM)
    workspace.edit(message, "new")

    told = events(workspace)[1]
    assert told["subtype"] == "message_changed"
    assert (told["previous_message"]["text"], told["message"]["text"]) == ("old", "new")
    assert told["message"]["edited"]["user"] == "U0ANN"


def test_an_unfurl_is_a_change_without_a_new_text(workspace: Workspace) -> None:
    message = workspace.post("U0ANN", "see https://a.test", channel=ROOM)
    workspace.alter(message, attachments=({"title": "A"},))

    told = events(workspace)[1]
    assert told["message"]["text"] == told["previous_message"]["text"]
    assert "edited" not in told["message"]


def test_a_deletion_names_what_was_deleted(workspace: Workspace) -> None:
    message = workspace.post("U0ANN", "x", channel=ROOM)
    workspace.delete(message)

    told = events(workspace)[1]
    assert (told["subtype"], told["deleted_ts"]) == ("message_deleted", message.ts)
    with pytest.raises(NotPossible):
        workspace.latest(message)


def test_a_deleted_root_with_replies_leaves_a_tombstone(workspace: Workspace) -> None:
    root = workspace.post("U0ANN", "x", channel=ROOM)
    workspace.post("U0BEN", "reply", channel=ROOM, thread=root)
    workspace.delete(root)

    told = events(workspace)[2]
    assert told["subtype"] == "message_changed"
    assert told["message"]["subtype"] == "tombstone"
    assert told["previous_message"]["text"] == "x"
    assert [m.text for m in workspace.replies(root)] == ["reply"]


def test_a_form_ticket_has_a_bot_and_no_user(workspace: Workspace) -> None:
    workspace.post(None, "ticket", channel=ROOM, bot_id="B0FORM", workflow_id="Wf1")

    told = events(workspace)[0]
    assert (told["subtype"], told["bot_id"]) == ("bot_message", "B0FORM")
    assert "user" not in told


def test_a_file_comes_with_its_own_subtype(workspace: Workspace) -> None:
    workspace.post("U0ANN", "look", channel=ROOM, files=({"id": "F1", "name": "photo.jpg"},))

    assert events(workspace)[0]["subtype"] == "file_share"


def test_a_stranger_brings_another_team(workspace: Workspace) -> None:
    workspace.put_user(User(id="U0OUT", name="out", team_id="T0PARTNER", is_stranger=True))
    workspace.join(ROOM, ["U0OUT"])
    workspace.post("U0OUT", "hello", channel=ROOM)

    told = events(workspace)[-1]
    assert told["user_team"] == "T0PARTNER"


def test_what_is_not_delivered_stands_in_the_history_all_the_same(workspace: Workspace) -> None:
    message = workspace.post("U0ANN", "missed", channel=ROOM, deliver=False)

    assert workspace.history(ROOM) == [message]
    assert workspace.deliveries() == []


def test_the_bot_hears_nothing_of_channels_that_it_is_not_in(workspace: Workspace) -> None:
    workspace.post("U0ANN", "private", channel="C0OTHER")

    assert workspace.deliveries() == []


def test_nobody_posts_where_they_are_no_member_or_presses_what_is_not_there(
    workspace: Workspace,
) -> None:
    message = workspace.post("U0ANN", "x", channel=ROOM)

    with pytest.raises(NotPossible):
        workspace.post("U0NONE", "x", channel=ROOM)
    with pytest.raises(NotPossible):
        workspace.click("U0ANN", message, "x:go")
    with pytest.raises(NotPossible):
        workspace.submit("U0ANN")


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "example.org", "::", ""])
def test_it_listens_on_loopback_alone(host: str) -> None:
    with pytest.raises(BindRefused, match="loopback"):
        Workspace(host=host).start()


def test_a_taken_port_is_named(workspace: Workspace) -> None:
    port = int(workspace.base_url.split(":")[2].split("/")[0])

    with pytest.raises(PortTaken, match=str(port)) as raised:
        Workspace(port=port).start()
    assert raised.value.hint


def test_a_running_clock_cannot_be_moved() -> None:
    with Workspace(clock=RunningClock()) as workspace, pytest.raises(NotPossible):
        workspace.advance(1)


def test_what_is_due_is_done_in_order() -> None:
    class Hands:
        moment = 0.0

        def now(self) -> float:
            return self.moment

    clock, done = Hands(), []
    schedule = Schedule(clock)
    schedule.after(2, lambda: done.append("late"))
    schedule.after(1, lambda: done.append("early"))
    schedule.after(0, lambda: done.append("now"))
    assert done == ["now"]
    clock.moment = 1.0
    schedule.run_due()
    assert done == ["now", "early"]
    clock.moment = 2.0
    schedule.run_due()
    assert done == ["now", "early", "late"]

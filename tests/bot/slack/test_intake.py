"""Sorting of messages: which kinds ask something of us, from the event alone."""

from __future__ import annotations

from typing import Any

import pytest

from bot.slack.headers import EVENT_TYPE
from bot.slack.intake import (
    Edit,
    Ignored,
    Intake,
    Removal,
    Reply,
    Sorted,
    TicketMessage,
    Unread,
    Us,
)
from tools import IdForms

ME = Us(user_id="U0BOT", bot_id="B0BOT", app_id="A0BOT", team_id="T0")
TICKET = "T-80008 C-81265\nWhere is it?"


def sort(**event: Any) -> Sorted:
    """Sort a message of a person in our channel, as changed by ``event``."""
    intake = Intake(ME, channels=frozenset({"C0"}), apps=frozenset({"A0FORM"}), forms=IdForms())
    return intake.sort({"type": "message", "channel": "C0", "ts": "1.1", "user": "U0ANN", **event})


def test_a_header_makes_a_message_a_ticket() -> None:
    found = sort(text=TICKET)

    assert isinstance(found, TicketMessage)
    assert (found.header.ticket_id, found.header.customer_id) == ("T-80008", "C-81265")
    assert found.header.text == "Where is it?"
    assert (found.user_id, found.author) == ("U0ANN", "U0ANN")


@pytest.mark.parametrize(
    ("event", "why"),
    [
        ({"text": TICKET, "channel": "C1"}, "another channel"),
        ({"text": "hello"}, "no header"),
        ({"text": ""}, "no header"),
        ({"text": TICKET, "user": "U0BOT"}, "our own"),
        ({"text": TICKET, "bot_id": "B0BOT"}, "our own"),
        ({"text": TICKET, "hidden": True}, "hidden"),
        ({"text": TICKET, "subtype": "channel_join"}, "not a message of a person or an app"),
        ({"text": TICKET, "bot_id": "B1"}, "a bot that is not on the list"),
        ({"text": TICKET, "subtype": "bot_message"}, "a bot that is not on the list"),
        (
            {"text": "approve P-1", "thread_ts": "0.1", "bot_id": "B0", "app_id": "A0FORM"},
            "a bot's reply",
        ),
    ],
)
def test_what_is_not_for_us_is_ignored_and_says_why(event: dict[str, Any], why: str) -> None:
    assert sort(**event) == Ignored(why=why)


def test_metadata_of_an_allow_listed_app_is_a_ticket_and_a_persons_is_not() -> None:
    payload = {"ticket_id": "T-80008", "customer_id": "C-81265", "reporter": "U0BEN"}
    metadata = {"event_type": EVENT_TYPE, "event_payload": payload}

    found = sort(text="Where?", metadata=metadata, user=None, bot_id="B1", app_id="A0FORM")

    assert isinstance(found, TicketMessage)
    assert (found.header.customer_id, found.header.reporter) == ("C-81265", "U0BEN")
    assert found.user_id is None
    assert isinstance(sort(text="Where?", metadata=metadata), Ignored)


OF_APP: dict[str, Any] = {"user": None, "bot_id": "B1", "app_id": "A0FORM"}
TYPE = {"event_type": EVENT_TYPE}


@pytest.mark.parametrize(
    "event",
    [
        {"text": "A ticket", "metadata": TYPE},
        {"text": TICKET, "metadata": TYPE},
        {"text": "A ticket", "metadata": {**TYPE, "event_payload": None}},
        {"text": "A ticket"},
    ],
)
def test_metadata_that_an_event_may_lack_are_to_be_read(event: dict[str, Any]) -> None:
    assert sort(**OF_APP, **event) == Unread(channel="C0", ts="1.1")


@pytest.mark.parametrize(
    "event",
    [
        {"text": TICKET},
        {"text": TICKET, "metadata": {"event_type": "another"}},
        {"text": "A ticket", "metadata": {"event_type": "another"}},
        {"text": "A ticket", "app_id": "A0OTHER"},
        {"text": "A ticket", "metadata": {**TYPE, "event_payload": {"ticket_id": "none"}}},
    ],
)
def test_nothing_is_read_where_the_event_says_all(event: dict[str, Any]) -> None:
    assert not isinstance(sort(**(OF_APP | event)), Unread)


def test_a_message_that_was_read_and_has_no_metadata_is_none_of_ours() -> None:
    intake = Intake(ME, channels=frozenset({"C0"}), apps=frozenset({"A0FORM"}), forms=IdForms())
    message = {"ts": "1.1", "text": "A ticket", **OF_APP}
    payload = {"ticket_id": "T-80008", "customer_id": "C-81265", "text": "ann@example.com"}

    found = intake.reread("C0", {**message, "metadata": {**TYPE, "event_payload": payload}})

    assert intake.reread("C0", message) == Ignored(why="no header")
    assert isinstance(found, TicketMessage)
    assert found.header.text == "[email]"


def test_a_reply_is_no_ticket_even_with_a_header_and_says_whether_it_is_to_us() -> None:
    plain = sort(text=TICKET, thread_ts="0.1")
    to_us = sort(text="<@U0BOT> in French", thread_ts="0.1", subtype="thread_broadcast")

    assert isinstance(plain, Reply)
    assert isinstance(to_us, Reply)
    assert (plain.to_us, to_us.to_us, to_us.text) == (False, True, "in French")


def changed(before: dict[str, Any] | None, after: dict[str, Any]) -> Sorted:
    """Sort an edit."""
    common = {"user": "U0ANN", "ts": "1.1"}
    previous = None if before is None else {**common, **before}
    return sort(
        subtype="message_changed",
        event_ts="2.2",
        hidden=True,
        message={**common, **after},
        previous_message=previous,
    )


def test_case_36_an_edit_without_another_text_is_nothing() -> None:
    assert isinstance(changed({"text": TICKET}, {"text": TICKET, "reply_count": 3}), Ignored)
    assert isinstance(changed({"text": TICKET}, {"text": TICKET, "attachments": [{}]}), Ignored)


def test_case_37_and_39_an_edit_of_our_own_message_is_nothing() -> None:
    assert isinstance(changed({"text": "a"}, {"text": TICKET, "bot_id": "B0BOT"}), Ignored)


def test_an_edit_says_what_the_message_would_be_if_it_were_new() -> None:
    better = changed({"text": TICKET}, {"text": "T-80008 C-81265 Better"})
    gone = changed({"text": TICKET}, {"text": "never mind"})

    assert isinstance(better, Edit)
    assert isinstance(better.now, TicketMessage)
    assert better.now.header.text == "Better"
    assert isinstance(gone, Edit)
    assert isinstance(gone.now, Ignored)


def test_a_removal_comes_in_two_forms() -> None:
    removed = Removal(channel="C0", ts="1.1")

    assert sort(subtype="message_deleted", deleted_ts="1.1") == removed
    assert changed({"text": TICKET}, {"text": "", "subtype": "tombstone"}) == removed


def test_files_are_attachments_and_a_changed_file_is_an_edit() -> None:
    found = sort(text=TICKET, subtype="file_share", files=[{"name": "photo.jpg"}, {}])

    assert isinstance(found, TicketMessage)
    assert found.attachments == ("photo.jpg",)
    assert isinstance(changed({"text": TICKET}, {"text": TICKET, "files": [{"name": "a"}]}), Edit)

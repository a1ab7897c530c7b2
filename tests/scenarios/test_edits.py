"""Edits and removals of tickets: what they change depends on where the ticket's ids came from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from approvals.store import rows
from bot.slack.refs import ActionId, CallbackId
from bot.slack.words import threads as lines
from bot.slack.words.answers import customer_needed
from bot.supplies import load_cases
from bot.workspace import Message
from recordings import Match
from tests.harness.ports import free_port
from tests.scenarios.office import ANN, BEN, CHANNEL, GUS, Office, office, shown
from tests.scenarios.test_cases_intake import message_event
from tests.scenarios.test_intake import REFUND, SIMPLE

APP, APP_BOT = "A0DESK", "B0DESK"
TICKET = load_cases(None)[REFUND].ticket


@pytest.fixture
def bot(tmp_path: Path) -> Iterator[Office]:
    """A bot at work, whose recordings answer again and again.

    Over HTTP: there it reads the channel as it starts, and not once more at any moment.
    """
    with office(tmp_path, mode="http", port=free_port(), match=Match.SEQUENCE, apps={APP}) as place:
        place.open()
        yield place


def restart(place: Office) -> None:
    """Stop the bot and start it; it catches up."""
    place.close()
    place.open()
    place.rest()


def ticket_row(place: Office, *fields: str) -> tuple[Any, ...]:
    """Return these fields of the one ticket."""
    with place.store() as db:
        (row,) = rows(db, f"SELECT {', '.join(fields)} FROM tickets")
    return tuple(row[field] for field in fields)


def drafted(place: Office, ticket: Message, number: int) -> None:
    """Wait until the run of this number has ended, and nothing is left to do."""
    place.wait_for_reply(ticket, f"{REFUND}-resolver-chat-small-{number}", seconds=30)
    place.rest()


def triage(place: Office, user: str, message: Message, ticket_id: str, customer_id: str) -> None:
    """Make a ticket of a message with the shortcut."""
    place.workspace.shortcut(user, CallbackId.TRIAGE, message)
    place.form(user, "ustomer id")
    place.workspace.submit(user, {"ticket": ticket_id, "customer": customer_id})


def give_customer(place: Office, user: str, question: Message) -> None:
    """Answer whose ticket it is."""
    place.workspace.click(user, question, ActionId.GIVE_CUSTOMER)
    place.form(user, "ustomer id")
    place.workspace.submit(user, {"customer": TICKET.customer_id})


def test_an_edit_of_a_ticket_made_with_the_shortcut_is_a_new_text_of_the_same_customer(
    bot: Office,
) -> None:
    message = bot.workspace.post(ANN, f"{TICKET.text} teh", channel=CHANNEL)
    bot.workspace.edit(message, TICKET.text)
    triage(bot, BEN, message, REFUND, TICKET.customer_id)
    drafted(bot, message, 1)

    older = {"user": ANN, "ts": message.ts, "text": "What it said before that edit"}
    edit = {"subtype": "message_changed", "message": older, "event_ts": message.ts}
    bot.workspace.deliver(message_event("Ev0OLDER", **edit))
    bot.rest()
    assert ticket_row(bot, "state", "version") == ("open", 1)
    restart(bot)
    assert ticket_row(bot, "state", "version") == ("open", 1)
    bot.workspace.edit(message, f"{TICKET.text} Thanks!")
    drafted(bot, message, 2)

    text, *others = ticket_row(bot, "text", "state", "version", "customer_id", "source")
    assert text.endswith("Thanks!")
    assert others == ["open", 2, TICKET.customer_id, "shortcut"]
    assert bot.count("SELECT count(*) FROM proposals WHERE state = 'waiting'") == 1


def test_a_guest_whose_message_was_made_a_ticket_cannot_edit_its_customer(bot: Office) -> None:
    message = bot.workspace.post(GUS, f"{REFUND} {TICKET.customer_id}\nHelp", channel=CHANNEL)
    bot.wait_for_reply(message, lines.not_a_member())
    triage(bot, BEN, message, REFUND, TICKET.customer_id)
    drafted(bot, message, 1)

    bot.workspace.edit(message, f"{REFUND} C-81265\nHelp")
    bot.wait_for_reply(message, lines.customer_stays(REFUND))
    bot.workspace.edit(message, f"{REFUND}\nHelp me")
    drafted(bot, message, 2)

    assert ticket_row(bot, "customer_id", "text") == (TICKET.customer_id, "Help me")


def test_a_customer_who_was_given_stays_over_an_edit_and_the_question_says_who_gave_it(
    bot: Office,
) -> None:
    message = bot.workspace.post(ANN, f"{REFUND}: {TICKET.text}", channel=CHANNEL)
    question = bot.wait_for_reply(message, ActionId.GIVE_CUSTOMER)
    bot.workspace.edit(message, f"{REFUND}: {TICKET.text} Please.")
    bot.rest()
    give_customer(bot, BEN, question)
    drafted(bot, message, 1)

    settled = shown(bot.workspace.latest(question))
    assert lines.customer_given(REFUND, TICKET.customer_id, BEN) in settled
    assert ActionId.GIVE_CUSTOMER not in settled
    bot.workspace.edit(message, f"{REFUND}: {TICKET.text} Thanks!")
    drafted(bot, message, 2)
    assert ticket_row(bot, "state", "customer_id") == ("open", TICKET.customer_id)
    assert bot.count("SELECT count(*) FROM proposals WHERE state = 'waiting'") == 1


def test_an_edit_that_takes_the_customer_away_is_asked_about_each_time(bot: Office) -> None:
    message = bot.workspace.post(ANN, f"{REFUND}: {TICKET.text}", channel=CHANNEL)
    first = bot.wait_for_reply(message, ActionId.GIVE_CUSTOMER)
    bot.workspace.edit(message, f"{REFUND} {TICKET.customer_id}: {TICKET.text}")
    drafted(bot, message, 1)
    assert lines.customer_from_edit(REFUND, TICKET.customer_id) in shown(
        bot.workspace.latest(first)
    )

    bot.workspace.edit(message, f"{REFUND}: {TICKET.text}")
    second = bot.wait_for_reply(message, ActionId.GIVE_CUSTOMER)
    bot.workspace.edit(message, "Never mind")
    bot.wait_for_reply(message, lines.header_gone())
    bot.rest()

    assert second.ts != first.ts
    assert lines.customer_not_asked(REFUND) in shown(bot.workspace.latest(second))
    assert bot.count("SELECT count(*) FROM proposals WHERE state = 'withdrawn'") == 1


def test_asking_again_while_the_customer_is_missing_says_what_is_missing(bot: Office) -> None:
    message = bot.workspace.post(ANN, f"{REFUND} {TICKET.customer_id}: Help", channel=CHANNEL)
    drafted(bot, message, 1)
    draft = bot.wait_for_reply(message, ActionId.ASK_AGAIN)
    bot.workspace.edit(message, f"{REFUND}: Help")
    question = bot.wait_for_reply(message, ActionId.GIVE_CUSTOMER)

    bot.workspace.click(BEN, bot.workspace.latest(draft), ActionId.ASK_AGAIN)
    bot.form(BEN, "Ask again")
    bot.workspace.submit(BEN, {"text": "Look again"})
    bot.rest()

    assert "nothing was looked up" not in shown(question)  # the first run did look up
    assert [each.text for each in bot.workspace.ephemerals(BEN)] == [customer_needed()]
    assert bot.count("SELECT count(*) FROM replies") == 0


def test_each_edit_has_its_own_answer_and_an_ended_ticket_begins_anew_with_the_shortcut(
    bot: Office,
) -> None:
    message = bot.ticket(REFUND)
    drafted(bot, message, 1)

    bot.workspace.edit(message, f"{SIMPLE} C-81265 other")
    bot.wait_for_reply(message, lines.ticket_id_changed(REFUND))
    bot.workspace.edit(message, TICKET.text)
    bot.wait_for_reply(message, lines.header_gone())
    bot.workspace.post(BEN, "@handrail are you there?", channel=CHANNEL, thread=message)
    bot.wait_for_reply(message, lines.ended(REFUND))
    assert ticket_row(bot, "state") == ("cancelled",)

    triage(bot, BEN, message, REFUND, TICKET.customer_id)
    drafted(bot, message, 2)
    assert ticket_row(bot, "state", "source", "opened_by") == ("open", "shortcut", BEN)
    restart(bot)
    assert ticket_row(bot, "state") == ("open",)


def test_a_ticket_that_was_deleted_in_a_gap_ends_and_what_waits_is_withdrawn(bot: Office) -> None:
    message = bot.ticket(REFUND)
    drafted(bot, message, 1)
    bot.close()

    bot.workspace.delete(message, deliver=False)
    assert bot.workspace.latest(message).subtype == "tombstone"
    restart(bot)

    bot.until(lambda: ticket_row(bot, "state") == ("cancelled",), what="it goes on")
    assert bot.count("SELECT count(*) FROM proposals WHERE state = 'withdrawn'") == 1


def from_desk(place: Office, **payload: str) -> Message:
    """Post what a help desk's app posts: a line for people, and the ticket in the metadata."""
    about = {"ticket_id": REFUND, "customer_id": TICKET.customer_id, "text": TICKET.text}
    return place.workspace.post(
        None,
        "A ticket came in",
        channel=CHANNEL,
        bot_id=APP_BOT,
        app_id=APP,
        metadata={"event_type": "handrail_ticket", "event_payload": about | payload},
    )


def test_a_message_whose_event_names_its_metadata_alone_is_read_and_is_a_ticket(
    bot: Office,
) -> None:
    message = from_desk(bot)
    drafted(bot, message, 1)

    (event,) = [d.payload["event"] for d in bot.workspace.deliveries("message")][:1]
    assert event["metadata"] == {"event_type": "handrail_ticket"}
    row = ticket_row(bot, "text", "customer_id", "source", "version")
    assert row == (TICKET.text, TICKET.customer_id, "metadata", 1)


def test_what_an_app_edits_of_its_ticket_counts_as_far_as_it_is_in_the_metadata(
    bot: Office,
) -> None:
    message = from_desk(bot)
    drafted(bot, message, 1)

    bot.workspace.edit(message, "Status: open")
    bot.rest()
    bot.workspace.edit(message, "Status: solved", deliver=False)
    restart(bot)
    assert ticket_row(bot, "state", "version", "text") == ("open", 1, TICKET.text)

    assert message.metadata is not None
    payload = message.metadata["event_payload"] | {"text": "A better text"}
    metadata = {**message.metadata, "event_payload": payload}
    bot.workspace.alter(message, text="Status: waiting", metadata=metadata)
    bot.until(lambda: ticket_row(bot, "text") == ("A better text",), what="the old text stays")


def test_an_edit_whose_event_has_a_later_stamp_is_not_found_again(
    bot: Office, caplog: pytest.LogCaptureFixture
) -> None:
    """A message says when it was edited; the event that told of it has a moment of its own."""
    message = bot.ticket(REFUND)
    drafted(bot, message, 1)
    edited = bot.workspace.edit(message, f"{message.text} Please hurry.", deliver=False)
    assert edited.edited_ts is not None
    seconds, _, fraction = edited.edited_ts.partition(".")
    told = {"ts": message.ts, "user": ANN, "text": edited.text, "edited": {"ts": edited.edited_ts}}
    moment = f"{seconds}.{int(fraction) + 1:06d}"
    event = {"subtype": "message_changed", "message": told, "event_ts": moment}
    bot.workspace.deliver(message_event("Ev0EDIT", **event))
    drafted(bot, message, 2)

    caplog.clear()
    restart(bot)

    assert "had not been delivered" not in caplog.text
    assert ticket_row(bot, "version") == (2,)

"""What is kept of a message: it sorts as the message did, and holds no secret."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.slack.headers import EVENT_TYPE
from bot.slack.intake import Edit, Intake, Reply, TicketMessage, Us
from tools import IdForm, IdForms

ME = Us(user_id="U0BOT", bot_id="B0BOT", app_id="A0BOT", team_id="T0")
CARD, MAIL, KEY = "4111 1111 1111 1111", "ann@example.com", "sk-canary-9Zk2LmQ8vXw4Tn7Rb1Yc"
SAID = f"card {CARD}, <mailto:{MAIL}|{MAIL}>, {KEY}"
TICKET = f"t-80008 / C-81265\nOrder LK-200101: {SAID}"
PERSON = {"type": "message", "channel": "C0", "ts": "1.1", "user": "U0ANN"}
FORM = {"type": "message", "channel": "C0", "ts": "1.1", "bot_id": "B1"}
METADATA = {
    "event_type": EVENT_TYPE,
    "event_payload": {"ticket_id": "T-80008", "customer_id": "C-81265", "text": SAID},
}
BLOCKS = [{"type": "section", "text": {"type": "mrkdwn", "text": TICKET}}]


def intake(forms: IdForms | None = None) -> Intake:
    """Return what sorts messages for one channel and one app."""
    return Intake(
        ME, channels=frozenset({"C0"}), apps=frozenset({"A0FORM"}), forms=forms or IdForms()
    )


def changed(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Return the event of an edit."""
    return {
        "type": "message",
        "subtype": "message_changed",
        "channel": "C0",
        "event_ts": "2.2",
        "message": after,
        "previous_message": before,
    }


EVENTS: dict[str, dict[str, Any]] = {
    "a ticket": {**PERSON, "text": TICKET},
    "a file's name": {**PERSON, "text": TICKET, "files": [{"id": "F1", "name": f"{MAIL}.png"}]},
    "a form": {
        **FORM,
        "app_id": "A0FORM",
        "text": f"Ticket: T-80008\nCustomer: C-81265\nReporter: U0BEN\nMessage: {SAID}",
    },
    "an app that its profile names": {
        **FORM,
        "bot_profile": {"app_id": "A0FORM", "name": MAIL},
        "text": TICKET,
    },
    "metadata": {**FORM, "app_id": "A0FORM", "text": SAID, "metadata": METADATA},
    "an event without its metadata": {
        **FORM,
        "app_id": "A0FORM",
        "text": SAID,
        "metadata": {"event_type": EVENT_TYPE},
    },
    "an edited ticket": {**PERSON, "text": TICKET, "edited": {"user": "U0ANN", "ts": "3.3"}},
    "blocks alone": {**FORM, "app_id": "A0FORM", "text": "", "blocks": BLOCKS},
    "a reply": {**PERSON, "thread_ts": "0.1", "text": f"<@U0BOT> {SAID}"},
    "an edit": changed({**PERSON, "text": SAID}, {**PERSON, "text": TICKET}),
    "an edited reply": changed(
        {**PERSON, "thread_ts": "0.1", "text": SAID}, {**PERSON, "thread_ts": "0.1", "text": KEY}
    ),
    "a header that is gone": changed({**PERSON, "text": TICKET}, {**PERSON, "text": SAID}),
    "a removal": {
        "type": "message",
        "subtype": "message_deleted",
        "channel": "C0",
        "deleted_ts": "1.1",
        "previous_message": {**PERSON, "text": TICKET},
    },
}


@pytest.mark.parametrize("event", EVENTS.values(), ids=EVENTS)
def test_what_is_kept_sorts_as_the_message_did_and_holds_no_secret(event: dict[str, Any]) -> None:
    found = intake().sort(event)
    kept = intake().kept(event, found)

    assert _facts(intake().sort(kept)) == _facts(found)
    written = json.dumps(kept)
    assert not [secret for secret in (CARD, MAIL, KEY) if secret in written]


def test_ids_of_bare_digits_are_kept_beside_each_other_and_the_card_behind_them_is_not() -> None:
    digits = IdForms(
        ticket=IdForm(pattern="[0-9]{8}", words="8 digits"),
        customer=IdForm(pattern="[0-9]{8}", words="8 digits"),
    )
    event = {**PERSON, "text": f"41111111 11111111\nMy card is {CARD}"}  # a card, to Luhn
    found = intake(digits).sort(event)

    kept = intake(digits).sort(intake(digits).kept(event, found))

    assert isinstance(kept, TicketMessage)
    assert (kept.header.ticket_id, kept.header.customer_id) == ("41111111", "11111111")
    assert kept.header.text == "My card is [card]"


def test_a_text_without_secrets_is_kept_as_it_was_typed() -> None:
    event = {**PERSON, "text": "T-80008 C-81265\nLK-200101 &amp; <https://a.example|a.example>?"}
    found = intake().sort(event)

    assert intake().sort(intake().kept(event, found)) == found


def _facts(found: Any) -> Any:
    """Return what a message comes to, its words aside."""
    match found:
        case Edit():
            return found.channel, found.ts, _facts(found.now)
        case TicketMessage():
            header, names = found.header, len(found.attachments)
            ids = (header.ticket_id, header.customer_id, header.reporter)
            return found.channel, found.ts, ids, names, found.user_id, found.author
        case Reply():
            return found.channel, found.ts, found.thread_ts, found.user_id, found.to_us
        case _:
            return found

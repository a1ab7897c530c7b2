"""Reading ticket and customer from a message, and the text of a message as it was typed."""

from __future__ import annotations

import pytest

from bot.slack.headers import read_form, read_header
from bot.slack.plain import mentions, message_text, plain_text
from tools import IdForms

FORMS = IdForms()


@pytest.mark.parametrize(
    "text",
    [
        "T-80008 C-81265 Where?",
        "T-80008 C-81265\nWhere?",
        "T-80008, C-81265: Where?",
        "*T-80008* / C-81265 \u2013 Where?",
        "t-80008|c-81265|Where?",
        "  `T-80008` (C-81265)  Where?",
    ],
)
def test_a_header_forgives_what_stands_between_its_ids(text: str) -> None:
    found = read_header(text, FORMS)

    assert found is not None
    assert (found.ticket_id, found.customer_id, found.text) == ("T-80008", "C-81265", "Where?")


@pytest.mark.parametrize(
    "text",
    ["", "hello", "about T-80008 C-81265", "T-8000", "T-800081 C-81265", "XT-80008", "C-81265"],
)
def test_what_does_not_begin_with_a_whole_ticket_id_is_no_header(text: str) -> None:
    assert read_header(text, FORMS) is None


def test_a_customer_that_is_named_later_in_the_text_is_not_the_header_s() -> None:
    found = read_header("T-80008 My friend is C-81265", FORMS)

    assert found is not None
    assert (found.customer_id, found.text) == (None, "My friend is C-81265")


def test_a_form_reads_values_beside_and_below_its_labels() -> None:
    beside = "Ticket: T-80008\n*Customer:* C-81265\nMessage: It broke.\nTicket: T-00001"
    below = "*Ticket*\nT-80008\n*Customer*\nC-81265\n*Message*\nIt broke.\nTicket: T-00001"

    for text in (beside, below):
        found = read_form(text, FORMS)
        assert found is not None
        assert (found.ticket_id, found.customer_id) == ("T-80008", "C-81265")
        assert found.text == "It broke.\nTicket: T-00001"


def test_a_form_without_a_ticket_is_none() -> None:
    assert read_form("Customer: C-81265\nMessage: hi", FORMS) is None


@pytest.mark.parametrize(
    ("slack", "typed"),
    [
        ("a &amp;lt; b", "a &lt; b"),
        ("&lt;!channel&gt;", "<!channel>"),
        ("<!channel> <@U0ANN>", "!channel @U0ANN"),
        ("<https://evil.test|https://bank.test>", "https://evil.test"),
        ("<http://shop.test|shop.test>", "shop.test"),
        ("<mailto:a@b.test|a@b.test>", "a@b.test"),
        ("<#C0|general>", "#general"),
    ],
)
def test_case_52_a_text_is_read_as_it_was_typed_and_unescaped_once(slack: str, typed: str) -> None:
    assert plain_text(slack) == typed


def test_a_mention_is_of_the_whole_id() -> None:
    assert mentions("hi <@U0BOT>", "U0BOT")
    assert mentions("<@U0BOT|handrail>", "U0BOT")
    assert not mentions("<@U0BOTTOM> U0BOT", "U0BOT")


def test_the_text_of_a_form_may_stand_in_its_blocks_alone() -> None:
    blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": "Ticket: T-80008"}}]

    assert message_text({"text": "", "blocks": blocks}) == "Ticket: T-80008"

"""The message that carries a ticket: fenced, and telling nothing that was redacted."""

from __future__ import annotations

import pytest

from loop.prompts import ticket_text
from tools import Ticket

TICKET = Ticket(ticket_id="T-10001", customer_id="C-10001", text="Call me at 514-555-0199")


def marker(message: str) -> str:
    """Return the marker of the fence."""
    return message.partition(" ")[0].removeprefix("<")


def test_the_ticket_stands_between_its_tags() -> None:
    message = ticket_text(TICKET, "Call me at [phone]", ("a.jpg", "b.jpg"))

    tag = marker(message)
    assert message.splitlines() == [
        f"<{tag} id=T-10001>",
        "Call me at [phone]",
        "Attached files, which you cannot open: a.jpg, b.jpg",
        f"</{tag}>",
    ]


def test_the_marker_is_the_same_for_the_same_ticket_and_tells_nothing_of_what_was_redacted() -> (
    None
):
    other = Ticket(ticket_id="T-10001", customer_id="C-10001", text="Call me at 514-555-0123")

    assert ticket_text(TICKET, "Call me at [phone]", ()) == ticket_text(
        other, "Call me at [phone]", ()
    )


@pytest.mark.parametrize("end", ["</ticket>", "</{tag}>"])
def test_nothing_between_the_tags_can_close_them(end: str) -> None:
    """Whoever knows the marker of one text has another text as soon as it is written into it."""
    tag = marker(ticket_text(TICKET, "hello", ("a.jpg",)))
    closing = end.format(tag=tag)

    for text, names in ((f"hello{closing}", ("a.jpg",)), ("hello", (f"a.jpg\n{closing}",))):
        message = ticket_text(TICKET, text, names)
        assert message.count(f"</{marker(message)}>") == 1
        assert message.endswith(f"</{marker(message)}>")


def test_a_ticket_without_text_says_so() -> None:
    assert len(ticket_text(TICKET, " \n", ()).splitlines()[1]) > 0

"""Ticket text is bounded and safe to hold, whatever was written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools import MAX_TICKET_CHARS, Ticket, clean_text


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("", ""),
        (
            "Caf\u00e9, d\u00e9j\u00e0 vu \U0001f600\n\tend",
            "Caf\u00e9, d\u00e9j\u00e0 vu \U0001f600\n\tend",
        ),
        ("a\x00b\x1bc\x7f", "a\ufffdb\ufffdc\ufffd"),
        ("a\u202eb\u2066c\u200fd", "a\ufffdb\ufffdc\ufffdd"),
        ("a\ud800b", "a\ufffdb"),
        ("a\ufdd0b", "a\ufffdb"),
        ("a\rb", "a\ufffdb"),
    ],
)
def test_what_can_hide_or_break_something_is_replaced(text: str, clean: str) -> None:
    assert clean_text(text) == clean


@pytest.mark.parametrize(
    ("length", "cut"),
    [(MAX_TICKET_CHARS - 1, False), (MAX_TICKET_CHARS, False), (MAX_TICKET_CHARS + 1, True)],
)
def test_a_long_text_is_cut_and_says_so(length: int, cut: bool) -> None:
    text = clean_text("x" * length)

    assert text.endswith("was cut.]") is cut
    assert text.partition("\n")[0] == "x" * min(length, MAX_TICKET_CHARS)


@given(st.text(st.characters()))
def test_any_text_can_be_encoded_and_cleaning_twice_changes_nothing(text: str) -> None:
    clean = clean_text(text)

    assert clean.encode("utf-8").decode("utf-8") == clean
    assert clean_text(clean) == clean


def test_a_ticket_keeps_at_most_50_attachment_names() -> None:
    names = tuple(f"{n}\x00.jpg" for n in range(60))

    ticket = Ticket.of(ticket_id="T-1", customer_id="C-1", text="a\x00", attachments=names)

    assert ticket.text == "a\ufffd"
    assert len(ticket.attachments) == 50
    assert ticket.attachments[0] == "0\ufffd.jpg"

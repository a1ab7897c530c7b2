"""Reading who a ticket is about: from a header line, a form, or metadata. Never from the text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from approvals import UNKNOWN_REQUESTER
from tools import IdForms

__all__ = [
    "EVENT_TYPE",
    "Header",
    "IdSource",
    "lacks_metadata",
    "means_a_ticket",
    "read_any",
    "read_form",
    "read_header",
    "read_metadata",
]

EVENT_TYPE: Final = "handrail_ticket"
"""The event type of message metadata that carries a ticket."""
_BETWEEN: Final = r"[\s,;:/|·•\u2013\u2014#*_~`()\[\]-]*"
_LABELS: Final = {
    "ticket": "ticket_id",
    "ticket id": "ticket_id",
    "customer": "customer_id",
    "customer id": "customer_id",
    "reporter": "reporter",
    "submitted by": "reporter",
    "message": "text",
    "text": "text",
    "description": "text",
}
_LINE: Final = re.compile(r"^[*_]*([A-Za-z ]{4,12}?)[*_]*\s*(?::[*_]*\s*(.*))?$")
_USER: Final = re.compile(r"@?([UW][A-Z0-9]{2,20})")


class IdSource(StrEnum):
    """Where the ids of a ticket and its customer came from."""

    HEADER = "header"
    """The message begins with them: its author takes them away by an edit."""
    FORM = "form"
    """A person filled it in, whether or not it says who."""
    METADATA = "metadata"
    SHORTCUT = "shortcut"
    """A person typed them into the form of the shortcut; the message need not name them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What a ticket says of itself. ``reporter`` is the user id of who filled in a form."""

    source: IdSource
    ticket_id: str
    customer_id: str | None
    text: str
    reporter: str | None = None

    @property
    def asked_by(self) -> str | None:
        """Who asks, for the rule that nobody signs what they asked for.

        None where that is nobody here; a form has somebody who filled it in, known or not.
        """
        return self.reporter or (UNKNOWN_REQUESTER if self.source is IdSource.FORM else None)


def read_header(text: str, forms: IdForms) -> Header | None:
    """Read ``T-80008 C-81265`` and the text behind it; None where the text begins otherwise.

    What stands between the two, and whether the letters are capital, does not matter. A ticket id
    alone is a header without a customer.
    """
    ticket = _at_start(text, forms.ticket.pattern)
    if ticket is None:
        return None
    ticket_id, rest = ticket
    customer = _at_start(rest, forms.customer.pattern)
    customer_id, rest = customer if customer is not None else (None, rest)
    body = re.sub(rf"^{_BETWEEN}", "", rest)
    return Header(
        source=IdSource.HEADER, ticket_id=ticket_id, customer_id=customer_id, text=body.strip()
    )


def read_form(text: str, forms: IdForms) -> Header | None:
    """Read a form's lines, ``Label: value`` or the value below its label; None if it is no form.

    The last label, for the message, takes all that follows.
    """
    values = _form_values(text)
    ticket_id = _id(values.get("ticket_id"), forms.ticket.pattern)
    if ticket_id is None:
        return None
    return Header(
        source=IdSource.FORM,
        ticket_id=ticket_id,
        customer_id=_id(values.get("customer_id"), forms.customer.pattern),
        text="\n".join(values.get("text", ())).strip(),
        reporter=_user(" ".join(values.get("reporter", ()))),
    )


def means_a_ticket(message: Mapping[str, Any], text: str) -> bool:
    """Whether an app's message is to be a ticket: it has metadata of ours, or a form's id line."""
    match message.get("metadata"):
        case {"event_type": str(kind)} if kind == EVENT_TYPE:
            return True
        case _:
            return "ticket_id" in _form_values(text)


def _form_values(text: str) -> dict[str, list[str]]:
    """Return the lines of a form's values by the names of their labels."""
    values: dict[str, list[str]] = {}
    current: list[str] | None = None
    taking_all = False
    for line in text.splitlines():
        found = None if taking_all else _LINE.match(line.strip())
        name = _LABELS.get(found[1].strip().lower()) if found else None
        if found and name is not None:
            current = values.setdefault(name, [])
            if found[2]:
                current.append(found[2])
            taking_all = name == "text"
        elif current is not None:
            current.append(line)
    return values


def read_metadata(message: Mapping[str, Any], text: str, forms: IdForms) -> Header | None:
    """Read the metadata of a message; its payload may hold the text too. None if it has none."""
    match message.get("metadata"):
        case {"event_type": str(kind), "event_payload": {**payload}} if kind == EVENT_TYPE:
            ticket_id = _id([str(payload.get("ticket_id", ""))], forms.ticket.pattern)
            if ticket_id is None:
                return None
            return Header(
                source=IdSource.METADATA,
                ticket_id=ticket_id,
                customer_id=_id([str(payload.get("customer_id", ""))], forms.customer.pattern),
                text=str(payload.get("text", text)).strip(),
                reporter=_user(str(payload.get("reporter", ""))),
            )
        case _:
            return None


def read_any(message: Mapping[str, Any], text: str, forms: IdForms) -> Header | None:
    """Read what an app's message says of itself, in whatever form; None where it says nothing.

    ``text`` is the message's, as people see it.
    """
    return read_metadata(message, text, forms) or read_header(text, forms) or read_form(text, forms)


def lacks_metadata(message: Mapping[str, Any], header: Header | None) -> bool:
    """Whether a message may have metadata of ours that its event does not carry.

    Slack's page on message metadata promises them in the events; people report events with the
    type alone (slackapi/python-slack-sdk#1501) or with nothing (slack-go/slack#1343). ``header``
    is what the message's text says: where that says something and no metadata are named, it counts.
    """
    match message.get("metadata"):
        case {"event_payload": {}}:
            return False
        case {"event_type": str(kind)}:
            return kind == EVENT_TYPE
        case _:
            return header is None


def _at_start(text: str, pattern: str) -> tuple[str, str] | None:
    found = re.match(rf"{_BETWEEN}({pattern})(?![^\W_])", text, re.IGNORECASE | re.ASCII)
    if found is None:
        return None
    return found[1].upper(), text[found.end() :]


def _id(lines: list[str] | None, pattern: str) -> str | None:
    found = _at_start("\n".join(lines or ()), pattern)
    return None if found is None else found[0]


def _user(text: str) -> str | None:
    found = _USER.fullmatch(text.strip())
    return None if found is None else found[1]

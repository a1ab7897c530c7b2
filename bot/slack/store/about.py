"""What a delivery that is not done yet is about, by where it stands and the ids it carries back.

What people wrote is no sign of it: a ticket of one customer may name another's ticket.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlite_utils import Database

from approvals.store import rows
from bot.slack.headers import read_any
from bot.slack.plain import message_text, plain_text
from bot.slack.press import press_of
from bot.slack.refs import read_proposal_ref, read_run_ref, read_ticket_ref
from bot.slack.store.inbox import DeliveryKind, DeliveryState
from bot.slack.store.tickets import read_ticket
from tools import IdForms

__all__ = ["Mark", "Undone", "undone_deliveries", "untaken_tickets_of"]

Mark = tuple[str, str] | str
"""What a delivery is about: a channel and the time stamp of a message, or an id of ours."""
_MENTION: Final = re.compile(r"\A\s*@[UW][A-Z0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """A delivery that is new, or was given up: it still holds what it said.

    Attributes:
        marks: the places, runs and proposals that it is about.
    """

    seq: int
    kind: DeliveryKind
    payload: Mapping[str, Any]
    received_us: int
    is_new: bool
    marks: frozenset[Mark]


def undone_deliveries(db: Database) -> list[Undone]:
    """Return the deliveries that are not done, with what each is about. A read."""
    sql = "SELECT seq, kind, payload, received_us, state FROM inbox WHERE payload != '{}'"
    return [_undone(row) for row in rows(db, sql)]


def untaken_tickets_of(db: Database, customer_id: str, forms: IdForms) -> set[tuple[str, str]]:
    """Return channel and time stamp of a customer's tickets that are not taken in yet. A read."""
    found = {
        (each.payload["channel"], ts)
        for each in undone_deliveries(db)
        if each.kind is DeliveryKind.MESSAGE
        and (ts := _ticket_of(each.payload, customer_id, forms)) is not None
    }
    return {place for place in found if read_ticket(db, *place) is None}


def _undone(row: Mapping[str, Any]) -> Undone:
    kind, payload = DeliveryKind(row["kind"]), json.loads(row["payload"])
    marks = _places(payload) if kind is DeliveryKind.MESSAGE else _refs(payload)
    return Undone(
        seq=row["seq"],
        kind=kind,
        payload=payload,
        received_us=row["received_us"],
        is_new=row["state"] == DeliveryState.NEW,
        marks=frozenset(marks),
    )


def _places(event: Mapping[str, Any]) -> Iterator[Mark]:
    """Yield the message and the thread that a message event is about."""
    changed = event.get("message") or {}
    stamps = (
        *(event.get(name) for name in ("ts", "thread_ts", "deleted_ts")),
        *(changed.get(name) for name in ("ts", "thread_ts")),
    )
    yield from ((str(event.get("channel")), stamp) for stamp in stamps if stamp)


def _refs(body: Mapping[str, Any]) -> Iterator[Mark]:
    """Yield what a button or a form carries back."""
    press = press_of(body)
    if press is None:
        return
    if (proposal := read_proposal_ref(press.value)) is not None:
        yield proposal.proposal_id
    if (run := read_run_ref(press.value)) is not None:
        yield run.run_id
    if (ticket := read_ticket_ref(press.value)) is not None:
        yield ticket.channel, ticket.ts


def _ticket_of(event: Mapping[str, Any], customer_id: str, forms: IdForms) -> str | None:
    """Return the time stamp of a message that is, or is now, a ticket of this customer; else None.

    A message in a thread is none, and of an app's whose metadata are still to be read nobody knows.
    """
    message = event.get("message") or event
    ts = message.get("ts")
    if ts is None or message.get("thread_ts", ts) != ts:
        return None
    text = _MENTION.sub("", plain_text(message_text(message)))
    header = read_any(message, text, forms)
    return ts if header is not None and header.customer_id == customer_id else None

"""The question whose ticket it is: asked in the thread, and taken back once that is known.

It is named by the ticket's version, which stays while the ticket waits for its customer: so it can
be asked again when an edit takes the customer away, and each one is known when it is answered.
"""

from __future__ import annotations

from sqlite_utils import Database

from bot.slack.blocks import ask_customer_message, note
from bot.slack.refs import TicketRef
from bot.slack.store.outbox import is_put, put_post
from bot.slack.store.posts import edit_of, message_post
from bot.slack.store.tickets import TicketRow, TicketState
from bot.slack.words import threads as lines

__all__ = ["ask_for_customer", "settle_question", "where_it_is"]


def ask_for_customer(db: Database, ticket: TicketRow, *, now_us: int) -> None:
    """Ask in the thread of a ticket that waits for its customer."""
    ref = TicketRef(channel=ticket.channel, ts=ticket.ts)
    post = message_post(
        ask_customer_message(ref, ticket.ticket_id),
        channel=ticket.channel,
        thread_ts=ticket.ts,
        key=_key(ticket),
    )
    put_post(db, post, now_us=now_us)


def settle_question(db: Database, asked: TicketRow, told: str, *, now_us: int) -> None:
    """Put in the question's place what became of it. ``asked`` is the ticket while it waited."""
    key = _key(asked)
    if is_put(db, key):  # an older release named it otherwise; its button answers for itself
        post = edit_of(note(told), channel=asked.channel, target_key=key, key=f"{key}:settled")
        put_post(db, post, now_us=now_us)


def where_it_is(known: TicketRow) -> str:
    """Say to who brings a ticket once more where it is worked on, or waits for its customer."""
    waits = known.state is TicketState.WAITING_FOR_CUSTOMER_ID
    say = lines.waits_for_customer if waits else lines.same_ticket
    return say(known.ticket_id, known.channel, known.ts)


def _key(ticket: TicketRow) -> str:
    return f"customer:{ticket.channel}:{ticket.ts}:{ticket.version}"

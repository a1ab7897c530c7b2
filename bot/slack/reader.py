"""What becomes of a stored message: a ticket, a follow-up, a change, a removal, or a line back.

The look-up of who wrote it happens first, outside any transaction; then everything that follows
from the message is one commit, together with its mark in the inbox.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import assert_never

from sqlite_utils import Database

from approvals import SYSTEM, Actor, PersonKind, Proposals
from approvals.store import Jobs
from bot.slack.blocks import ask_customer_message, note
from bot.slack.incoming import edit_subject, removal_subject
from bot.slack.intake import Edit, Ignored, Intake, Removal, Reply, TicketMessage
from bot.slack.refs import TicketRef
from bot.slack.store.inbox import Delivery, has_later_subject, has_subject
from bot.slack.store.outbox import message_post, put_post
from bot.slack.store.tickets import (
    TicketRow,
    TicketState,
    cancel_ticket,
    change_ticket,
    edit_reply,
    is_kept,
    is_thread,
    keep_reply,
    open_ticket,
    read_ticket,
    remove_reply,
    run_again,
    ticket_of_id,
)
from bot.slack.words import threads as lines

__all__ = ["Effect", "KindOf", "Reader"]

KindOf = Callable[[str], PersonKind]
"""Tells what somebody is in the workspace; raises where it cannot be looked up."""

Effect = Callable[[Database], None]


class Reader:
    """Turns messages into what the store keeps of them.

    Args:
        intake: sorts messages.
        kind_of: looks a user up, over the network.
        jobs: where the work on a ticket is submitted.
        proposals: what waits for a ticket is withdrawn with it.
        now_us: microseconds since 1970.
    """

    def __init__(
        self,
        intake: Intake,
        *,
        kind_of: KindOf,
        jobs: Jobs,
        proposals: Proposals,
        now_us: Callable[[], int],
    ) -> None:
        self._intake = intake
        self._kind_of = kind_of
        self._jobs = jobs
        self._proposals = proposals
        self._now_us = now_us

    def read(self, db: Database, delivery: Delivery) -> Effect:
        """Return what a message comes to, to be applied inside ``tx()``."""
        found = self._intake.sort(delivery.payload)
        match found:
            case TicketMessage():
                return self._ticket(found)
            case Reply():
                return self._reply(db, found)
            case Edit():
                return self._edit(db, found)
            case Removal():
                return lambda db: self._remove(db, found)
            case Ignored():
                return _nothing
            case _:
                assert_never(found)

    def _ticket(self, message: TicketMessage) -> Effect:
        if not self._may_ask(message.user_id):
            return lambda db: self._say(db, message.channel, message.ts, lines.not_a_member())
        return lambda db: self._open(db, message)

    def _open(self, db: Database, message: TicketMessage) -> None:
        channel, ts, header = message.channel, message.ts, message.header
        if read_ticket(db, channel, ts) or has_subject(db, removal_subject(channel, ts)):
            return
        known = ticket_of_id(db, header.ticket_id)
        if known is not None:
            self._say(db, channel, ts, _known_already(known, header.customer_id))
            return
        waits = header.customer_id is None
        ticket = TicketRow(
            channel=channel,
            ts=ts,
            ticket_id=header.ticket_id,
            customer_id=header.customer_id,
            text=header.text,
            attachments=message.attachments,
            posted_by=header.reporter or message.author,
            opened_by=message.author,
            state=TicketState.WAITING_FOR_CUSTOMER_ID if waits else TicketState.OPEN,
            version=1,
            created_us=self._now_us(),
        )
        open_ticket(db, self._jobs, ticket)
        if waits:
            self._ask_for_customer(db, ticket)

    def _reply(self, db: Database, reply: Reply) -> Effect:
        if not is_thread(db, reply.channel, reply.thread_ts):
            return _nothing
        if not self._may_ask(reply.user_id):
            if not reply.to_us:
                return _nothing
            text = lines.not_a_member()
            return lambda db: self._say(db, reply.channel, reply.thread_ts, text, at=reply.ts)
        return lambda db: self._keep(db, reply)

    def _keep(self, db: Database, reply: Reply) -> None:
        if has_subject(db, removal_subject(reply.channel, reply.ts)):
            return
        kept = keep_reply(
            db,
            channel=reply.channel,
            ts=reply.ts,
            thread_ts=reply.thread_ts,
            user_id=reply.user_id,
            text=reply.text,
            to_us=reply.to_us,
        )
        if kept and reply.to_us:
            self._follow_up(db, reply)

    def _edit(self, db: Database, edit: Edit) -> Effect:
        if _is_outdated(db, edit):
            return _nothing
        ticket = read_ticket(db, edit.channel, edit.ts)
        now = edit.now
        match now:
            case TicketMessage():
                return self._ticket(now) if ticket is None else partial(self._change, now=now)
            case Reply() if is_kept(db, channel=now.channel, ts=now.ts):
                return partial(self._change_reply, now=now)
            case Reply():
                return self._reply(db, now)  # its own delivery was lost, or comes later
            case Ignored():
                return _nothing if ticket is None else partial(self._lose_header, edit=edit)
            case _:
                assert_never(now)

    def _change(self, db: Database, now: TicketMessage) -> None:
        ticket = read_ticket(db, now.channel, now.ts)
        if ticket is None or ticket.state is TicketState.CANCELLED:
            return
        header = now.header
        if header.ticket_id != ticket.ticket_id:
            self._say(db, now.channel, now.ts, lines.ticket_id_changed(ticket.ticket_id), at=None)
            return
        before = (ticket.customer_id, ticket.text, ticket.attachments)
        if before == (header.customer_id, header.text, now.attachments):
            return
        if header.customer_id != ticket.customer_id and ticket.customer_id is not None:
            self._withdraw(db, ticket, SYSTEM)
        change_ticket(
            db,
            self._jobs,
            ticket,
            customer_id=header.customer_id,
            text=header.text,
            attachments=now.attachments,
            now_us=self._now_us(),
        )
        if header.customer_id is None:
            self._ask_for_customer(db, ticket)

    def _change_reply(self, db: Database, now: Reply) -> None:
        changed = edit_reply(db, channel=now.channel, ts=now.ts, text=now.text, to_us=now.to_us)
        if changed and now.to_us:
            self._follow_up(db, now)

    def _lose_header(self, db: Database, edit: Edit) -> None:
        """Its text is not a ticket any more: nothing may go on from what it said before."""
        if self._cancel(db, edit.channel, edit.ts):
            self._say(db, edit.channel, edit.ts, lines.header_gone())

    def _remove(self, db: Database, removal: Removal) -> None:
        remove_reply(db, channel=removal.channel, ts=removal.ts)
        self._cancel(db, removal.channel, removal.ts)

    def _cancel(self, db: Database, channel: str, ts: str) -> bool:
        ticket = read_ticket(db, channel, ts)
        if ticket is None or ticket.state is TicketState.CANCELLED:
            return False
        cancel_ticket(db, self._jobs, ticket)
        self._withdraw(db, ticket, SYSTEM)
        return True

    def _withdraw(self, db: Database, ticket: TicketRow, actor: Actor) -> None:
        self._proposals.withdraw_ticket(db, ticket.ticket_id, actor=actor, now_us=self._now_us())

    def _follow_up(self, db: Database, reply: Reply) -> None:
        run_again(db, self._jobs, reply.channel, reply.thread_ts, now_us=self._now_us())

    def _may_ask(self, user_id: str | None) -> bool:
        """Whether this is a full member, or a form that was let in by its app's id."""
        return user_id is None or self._kind_of(user_id) is PersonKind.MEMBER

    def _ask_for_customer(self, db: Database, ticket: TicketRow) -> None:
        ref = TicketRef(channel=ticket.channel, ts=ticket.ts)
        post = message_post(
            ask_customer_message(ref, ticket.ticket_id),
            channel=ticket.channel,
            thread_ts=ticket.ts,
            key=f"customer:{ticket.channel}:{ticket.ts}",
        )
        put_post(db, post, now_us=self._now_us())

    def _say(
        self, db: Database, channel: str, thread_ts: str, text: str, at: str | None = None
    ) -> None:
        """Post one line in a thread, once for what it answers."""
        post = message_post(
            note(text),
            channel=channel,
            thread_ts=thread_ts,
            key=f"line:{channel}:{at or thread_ts}",
        )
        put_post(db, post, now_us=self._now_us())


def _is_outdated(db: Database, edit: Edit) -> bool:
    """Whether a later edit of the same message is stored: Slack promises no order."""
    return edit.at is not None and has_later_subject(
        db, edit_subject(edit.channel, edit.ts, edit.at)
    )


def _known_already(known: TicketRow, customer_id: str | None) -> str:
    if customer_id is not None and known.customer_id not in (None, customer_id):
        return lines.other_customer(known.ticket_id)
    return lines.same_ticket(known.ticket_id, known.channel, known.ts)


def _nothing(db: Database) -> None:
    """Come to nothing."""

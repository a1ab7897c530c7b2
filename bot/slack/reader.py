"""What becomes of a stored message: a ticket, a follow-up, a change, a removal, or a line back.

The look-up of who wrote it happens first, outside any transaction; then everything that follows
from the message is one commit, together with its mark in the inbox.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, assert_never

from sqlite_utils import Database

from approvals import SYSTEM, Actor, PersonKind, Proposals
from approvals.store import Jobs
from bot.slack.blocks import note
from bot.slack.headers import Header, IdSource
from bot.slack.incoming import edit_subject, removal_subject
from bot.slack.intake import (
    Edit,
    Ignored,
    Intake,
    Misfit,
    Removal,
    Reply,
    Sorted,
    TicketMessage,
    Unread,
)
from bot.slack.questions import ask_for_customer, settle_question, where_it_is
from bot.slack.store.inbox import Delivery, has_later_subject, has_subject
from bot.slack.store.outbox import put_post
from bot.slack.store.posts import message_post
from bot.slack.store.replies import edit_reply, is_kept, keep_reply, remove_reply
from bot.slack.store.tickets import (
    TicketRow,
    TicketState,
    cancel_ticket,
    change_ticket,
    is_thread,
    open_ticket,
    read_ticket,
    run_again,
    ticket_of_id,
)
from bot.slack.words import threads as lines

__all__ = ["Effect", "KindOf", "MessageOf", "Reader"]

KindOf = Callable[[str], PersonKind]
"""Tells what somebody is in the workspace; raises where it cannot be looked up."""

MessageOf = Callable[[str, str], Mapping[str, Any] | None]
"""Reads a message by channel and time stamp; None where it is gone; raises where nobody knows."""

Effect = Callable[[Database], None]


class Reader:
    """Turns messages into what the store keeps of them.

    Args:
        intake: sorts messages.
        kind_of: looks a user up, over the network.
        message_of: reads a message with its metadata, over the network.
        jobs: where the work on a ticket is submitted.
        proposals: what waits for a ticket is withdrawn with it.
        now_us: microseconds since 1970.
    """

    def __init__(
        self,
        intake: Intake,
        *,
        kind_of: KindOf,
        message_of: MessageOf,
        jobs: Jobs,
        proposals: Proposals,
        now_us: Callable[[], int],
    ) -> None:
        self._intake = intake
        self._kind_of = kind_of
        self._message_of = message_of
        self._jobs = jobs
        self._proposals = proposals
        self._now_us = now_us

    def read(self, db: Database, delivery: Delivery) -> Effect:
        """Return what a message comes to, to be applied inside ``tx()``.

        Raises:
            PersonUnavailable, MessageUnavailable: Slack did not say who or what that is.
        """
        found = self._read(self._intake.sort(delivery.payload))
        match found:
            case TicketMessage():
                return self._ticket(found)
            case Reply():
                return self._reply(db, found)
            case Misfit():
                return self._misfit(found)
            case Edit():
                return self._edit(db, found)
            case Removal():
                return lambda db: self._remove(db, found)
            case Ignored() | Unread():
                return _nothing
            case _:
                assert_never(found)

    def _read(self, found: Sorted) -> Sorted:
        """Read the metadata that the event of an app's message did not carry."""
        match found:
            case Unread() | Edit(now=Unread()):
                message = self._message_of(found.channel, found.ts)
                if message is None:
                    return Ignored(why="gone")
                now = self._intake.reread(found.channel, message)
                return replace(found, now=now) if isinstance(found, Edit) else now
            case _:
                return found

    def _ticket(self, message: TicketMessage) -> Effect:
        if not self._may_ask(message.user_id):
            return lambda db: self._say(
                db, message.channel, message.ts, lines.not_a_member(), about="guest"
            )
        return lambda db: self._open(db, message)

    def _misfit(self, message: Misfit) -> Effect:
        channel, ts, text = message.channel, message.ts, lines.misfit()
        return lambda db: self._say(db, channel, ts, text, about="misfit")

    def _open(self, db: Database, message: TicketMessage) -> None:
        channel, ts, header = message.channel, message.ts, message.header
        if read_ticket(db, channel, ts) or has_subject(db, removal_subject(channel, ts)):
            return
        known = ticket_of_id(db, header.ticket_id)
        if known is not None:
            self._say(db, channel, ts, _known_already(known, header.customer_id), about="known")
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
            source=header.source,
            text_ts=message.text_ts,
        )
        open_ticket(db, self._jobs, ticket)
        if waits:
            ask_for_customer(db, ticket, now_us=self._now_us())

    def _reply(self, db: Database, reply: Reply) -> Effect:
        if not is_thread(db, reply.channel, reply.thread_ts):
            return _nothing
        if not self._may_ask(reply.user_id):
            if not reply.to_us:
                return _nothing
            return lambda db: self._say(
                db,
                reply.channel,
                reply.thread_ts,
                lines.not_a_member(),
                about=f"guest:{reply.ts}",
            )
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
        if ticket is not None:
            return partial(self._change, edit=edit)
        now = edit.now
        match now:
            case TicketMessage():
                return self._ticket(now)
            case Reply() if is_kept(db, channel=now.channel, ts=now.ts):
                return partial(self._change_reply, now=now)
            case Reply():
                return self._reply(db, now)  # its own delivery was lost, or comes later
            case Misfit():
                return self._misfit(now)
            case Ignored() | Unread():
                return _nothing
            case _:
                assert_never(now)

    def _change(self, db: Database, edit: Edit) -> None:
        """Let an edit of a ticket count, as far as its ids came from what was edited."""
        ticket = read_ticket(db, edit.channel, edit.ts)
        if ticket is None or ticket.state is TicketState.CANCELLED or _is_older(edit, ticket):
            return
        header = edit.now.header if isinstance(edit.now, TicketMessage) else None
        if header is None and ticket.source is IdSource.HEADER:
            self._lose_header(db, edit, ticket)
        elif header is None:
            self._reword(db, edit, ticket, text=edit.text, customer_id=ticket.customer_id)
        elif header.ticket_id != ticket.ticket_id:
            self._object(db, edit, lines.ticket_id_changed(ticket.ticket_id))
        elif _is_foreign(header, ticket):
            self._object(db, edit, lines.customer_stays(ticket.ticket_id))
        else:
            customer_id = header.customer_id or _given_customer(header, ticket)
            self._reword(db, edit, ticket, text=header.text, customer_id=customer_id)

    def _reword(
        self, db: Database, edit: Edit, ticket: TicketRow, *, text: str, customer_id: str | None
    ) -> None:
        before = (ticket.customer_id, ticket.text, ticket.attachments)
        if before == (customer_id, text, edit.attachments):
            return
        if customer_id != ticket.customer_id and ticket.customer_id is not None:
            self._withdraw(db, ticket, SYSTEM)
        change_ticket(
            db,
            self._jobs,
            ticket,
            customer_id=customer_id,
            text=text,
            attachments=edit.attachments,
            text_ts=edit.at,
            now_us=self._now_us(),
        )
        self._ask_or_settle(db, before=ticket, customer_id=customer_id)

    def _ask_or_settle(self, db: Database, *, before: TicketRow, customer_id: str | None) -> None:
        """Ask for a customer that is not known any more; settle the question for one that is."""
        now = read_ticket(db, before.channel, before.ts)
        if now is None or before.customer_id == customer_id:
            return
        if customer_id is None:
            ask_for_customer(db, now, now_us=self._now_us())
        elif before.customer_id is None:
            told = lines.customer_from_edit(before.ticket_id, customer_id)
            settle_question(db, before, told, now_us=self._now_us())

    def _object(self, db: Database, edit: Edit, text: str) -> None:
        self._say(db, edit.channel, edit.ts, text, about=f"edit:{edit.at}")

    def _change_reply(self, db: Database, now: Reply) -> None:
        changed = edit_reply(db, channel=now.channel, ts=now.ts, text=now.text, to_us=now.to_us)
        if changed and now.to_us:
            self._follow_up(db, now)

    def _lose_header(self, db: Database, edit: Edit, ticket: TicketRow) -> None:
        """Its text is not a ticket any more: nothing may go on from what it said before."""
        self._cancel(db, edit.channel, edit.ts)
        if ticket.customer_id is None:
            told = lines.customer_not_asked(ticket.ticket_id)
            settle_question(db, ticket, told, now_us=self._now_us())
        self._object(db, edit, lines.header_gone())

    def _remove(self, db: Database, removal: Removal) -> None:
        remove_reply(db, channel=removal.channel, ts=removal.ts)
        self._cancel(db, removal.channel, removal.ts)

    def _cancel(self, db: Database, channel: str, ts: str) -> None:
        ticket = read_ticket(db, channel, ts)
        if ticket is not None and ticket.state is not TicketState.CANCELLED:
            cancel_ticket(db, self._jobs, ticket)
            self._withdraw(db, ticket, SYSTEM)

    def _withdraw(self, db: Database, ticket: TicketRow, actor: Actor) -> None:
        self._proposals.withdraw_ticket(db, ticket.ticket_id, actor=actor, now_us=self._now_us())

    def _follow_up(self, db: Database, reply: Reply) -> None:
        ticket = read_ticket(db, reply.channel, reply.thread_ts)
        if ticket is not None and ticket.state is TicketState.CANCELLED:
            told = lines.ended(ticket.ticket_id)
            self._say(db, reply.channel, reply.thread_ts, told, about=f"ended:{reply.ts}")
        elif ticket is not None and ticket.state is TicketState.WAITING_FOR_CUSTOMER_ID:
            told = lines.customer_first(ticket.ticket_id)
            self._say(db, reply.channel, reply.thread_ts, told, about=f"waits:{reply.ts}")
        else:
            run_again(db, self._jobs, reply.channel, reply.thread_ts, now_us=self._now_us())

    def _may_ask(self, user_id: str | None) -> bool:
        """Whether this is a full member, or a form that was let in by its app's id."""
        return user_id is None or self._kind_of(user_id) is PersonKind.MEMBER

    def _say(self, db: Database, channel: str, thread_ts: str, text: str, *, about: str) -> None:
        """Post one line in a thread, once for what it is ``about``."""
        post = message_post(
            note(text),
            channel=channel,
            thread_ts=thread_ts,
            key=f"line:{channel}:{thread_ts}:{about}",
        )
        put_post(db, post, now_us=self._now_us())


def _is_outdated(db: Database, edit: Edit) -> bool:
    """Whether a later edit of the same message is stored: Slack promises no order."""
    return has_later_subject(db, edit_subject(edit.channel, edit.ts, edit.at))


def _is_older(edit: Edit, ticket: TicketRow) -> bool:
    """Whether the ticket's text was read after this edit."""
    return edit.at <= ticket.text_ts


def _is_foreign(header: Header, ticket: TicketRow) -> bool:
    """Whether a header names another customer than a more trusted source did."""
    known = header.customer_id in (None, ticket.customer_id)
    return not known and header.source is not ticket.source


def _given_customer(header: Header, ticket: TicketRow) -> str | None:
    """Return the customer that stays although the message names none."""
    stays = ticket.customer_given or header.source is not ticket.source
    return ticket.customer_id if stays else None


def _known_already(known: TicketRow, customer_id: str | None) -> str:
    if customer_id is not None and known.customer_id not in (None, customer_id):
        return lines.other_customer(known.ticket_id)
    return where_it_is(known)


def _nothing(db: Database) -> None:
    """Come to nothing."""

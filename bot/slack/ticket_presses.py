"""Who a ticket is about, said in a form: for a ticket that did not say, and for any message."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from sqlite_utils import Database

from approvals import Person, PersonKind
from approvals.store import Jobs
from bot.slack.access import Needs
from bot.slack.blocks import give_customer_modal, note, triage_modal
from bot.slack.decider import Effect, Handler
from bot.slack.errors import MessageUnavailable, PressRefused
from bot.slack.headers import IdSource, read_any, read_header
from bot.slack.messages import Messages
from bot.slack.modals import Filler
from bot.slack.plain import attachment_names, message_text, plain_text, text_ts
from bot.slack.press import Press
from bot.slack.questions import settle_question, where_it_is
from bot.slack.refs import ActionId, CallbackId, Field, TicketRef, read_ticket_ref
from bot.slack.store.tickets import (
    TicketRow,
    TicketState,
    give_customer,
    open_ticket,
    read_ticket,
    reopen_ticket,
    ticket_of_id,
)
from bot.slack.views import Message, View
from bot.slack.words import answers
from bot.slack.words import threads as lines
from loop import Redactor
from tools import IdForm, IdForms

__all__ = ["TicketPresses"]

MAX_SHOWN: Final = 40


class TicketPresses:
    """The forms that say which ticket and whose it is: what they show, and what they do.

    Args:
        messages: reads the message that a ticket is to be made of.
        jobs: where the work on a ticket is submitted.
        channels: those of the settings.
        forms: of ticket and customer ids.
        now_us: microseconds since 1970.
    """

    def __init__(
        self,
        messages: Messages,
        *,
        jobs: Jobs,
        channels: Collection[str],
        forms: IdForms,
        now_us: Callable[[], int],
    ) -> None:
        self._messages = messages
        self._jobs = jobs
        self._channels = frozenset(channels)
        self._forms = forms
        self._redactor = Redactor(forms)
        self._now_us = now_us

    def fillers(self) -> Mapping[str, Filler]:
        """Return the forms by action id and callback id."""
        return {
            ActionId.GIVE_CUSTOMER.value: Filler(Needs.NOTHING, self._ask_customer),
            CallbackId.TRIAGE.value: Filler(Needs.NOTHING, self._ask_both),
        }

    def handlers(self) -> Mapping[str, Handler]:
        """Return what the forms do, by callback id."""
        return {
            CallbackId.GIVE_CUSTOMER.value: Handler(Needs.NOTHING, self._give),
            CallbackId.TRIAGE.value: Handler(Needs.NOTHING, self._open),
        }

    def _ask_customer(self, db: Database, press: Press, person: Person) -> View:
        _check_member(person)
        ref = _ref(press)
        ticket = read_ticket(db, ref.channel, ref.ts)
        if ticket is None or ticket.state is not TicketState.WAITING_FOR_CUSTOMER_ID:
            raise PressRefused(lines.customer_known())
        return give_customer_modal(ref, ticket.ticket_id)

    def _ask_both(self, _db: Database, press: Press, person: Person) -> View:
        """Ask for both ids, filled in as far as the message begins with them."""
        _check_member(person)
        ref = _ref(press)
        header = read_header(plain_text(message_text(self._message(ref))), self._forms)
        if header is None:
            return triage_modal(ref)
        return triage_modal(ref, ticket_id=header.ticket_id, customer_id=header.customer_id or "")

    def _give(self, _db: Database, press: Press, person: Person) -> Effect:
        _check_member(person)
        ref = _ref(press)
        customer_id = _id(press, Field.CUSTOMER, self._forms.customer)

        return lambda w: self._give_once(w, ref, customer_id, person.user_id)

    def _give_once(self, db: Database, ref: TicketRef, customer_id: str, user_id: str) -> Message:
        now_us = self._now_us()
        asked = read_ticket(db, ref.channel, ref.ts)
        given = give_customer(
            db,
            self._jobs,
            ref.channel,
            ref.ts,
            customer_id=customer_id,
            user_id=user_id,
            now_us=now_us,
        )
        if asked is None or not given:
            return note(lines.customer_known())
        told = lines.customer_given(asked.ticket_id, customer_id, user_id)
        settle_question(db, asked, told, now_us=now_us)
        return note(answers.customer_noted(customer_id))

    def _open(self, _db: Database, press: Press, person: Person) -> Effect:
        _check_member(person)
        ref = _ref(press)
        ticket_id = _id(press, Field.TICKET, self._forms.ticket)
        customer_id = _id(press, Field.CUSTOMER, self._forms.customer)
        message = self._message(ref)
        text = plain_text(message_text(message)).strip()
        header = read_header(text, self._forms)
        ticket = TicketRow(
            channel=ref.channel,
            ts=ref.ts,
            ticket_id=ticket_id,
            customer_id=customer_id,
            text=self._redactor.text(text if header is None else header.text),
            attachments=tuple(map(self._redactor.text, attachment_names(message))),
            posted_by=_author(message, text, self._forms),
            opened_by=person.user_id,
            state=TicketState.OPEN,
            version=1,
            created_us=self._now_us(),
            source=IdSource.SHORTCUT,
            text_ts=text_ts(message),
        )
        return lambda w: self._open_once(w, ticket)

    def _open_once(self, db: Database, ticket: TicketRow) -> Message:
        """Open a ticket, also one that had ended, unless it or its id is being worked on."""
        here = read_ticket(db, ticket.channel, ticket.ts)
        live = None if here is None or here.state is TicketState.CANCELLED else here
        known = live or ticket_of_id(db, ticket.ticket_id)
        if known is None:
            begin = open_ticket if here is None else reopen_ticket
            begin(db, self._jobs, ticket)
            return note(answers.customer_noted(ticket.customer_id or ""))
        if live is None and known.customer_id not in (None, ticket.customer_id):
            raise PressRefused(lines.other_customer(ticket.ticket_id))
        raise PressRefused(where_it_is(known))

    def _message(self, ref: TicketRef) -> Mapping[str, Any]:
        """Return a message of a channel of ours as it stands.

        Raises:
            PressRefused: it is elsewhere, in a thread, or gone, or Slack did not say.
        """
        if ref.channel not in self._channels:
            raise PressRefused(lines.not_our_channel())
        try:
            message = self._messages.read(ref.channel, ref.ts)
        except MessageUnavailable:
            raise PressRefused(lines.message_unavailable()) from None
        if message is None:
            raise PressRefused(lines.message_not_found())
        return message


def _author(message: Mapping[str, Any], text: str, forms: IdForms) -> str:
    """Return who wrote a message; of an app's who asks in it, as far as it says."""
    user, bot = message.get("user"), message.get("bot_id")
    from_bot = bot is not None or user is None
    header = read_any(message, text, forms) if from_bot else None
    return str((header and header.asked_by) or user or bot or "")


def _check_member(person: Person) -> None:
    if person.kind is not PersonKind.MEMBER:
        raise PressRefused(lines.not_a_member())


def _ref(press: Press) -> TicketRef:
    ref = read_ticket_ref(press.value)
    if ref is None:
        raise PressRefused(answers.old_button())
    return ref


def _id(press: Press, field: Field, form: IdForm) -> str:
    """Return an id that was typed, in capitals.

    Raises:
        PressRefused: it is none.
    """
    typed = press.fields.get(field, "").strip().upper()
    if not form.fits(typed):
        raise PressRefused(lines.not_an_id(form.words))
    return typed

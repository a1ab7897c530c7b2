"""Where a press belongs: the thread that the store knows decides, where it was pressed never does.

What a payload says of its channel is used for one thing: to answer the person where they look.
"""

from __future__ import annotations

from sqlite_utils import Database

from approvals import Person
from bot.slack.access import Access, Needs
from bot.slack.errors import PressRefused
from bot.slack.press import Press
from bot.slack.refs import read_proposal_ref, read_run_ref, read_ticket_ref
from bot.slack.store.cards import Place, card_place
from bot.slack.store.posts import Post, Priority, message_post, private_answer
from bot.slack.store.threads import thread_of_run
from bot.slack.store.tickets import read_ticket
from bot.slack.views import Message
from bot.slack.words import answers

__all__ = ["answer_post", "check_press", "stored_place"]


def check_press(db: Database, access: Access, needs: Needs, person: Person, press: Press) -> None:
    """Refuse somebody who is not what a press needs, in the channel of what it is about.

    Raises:
        PressRefused: they are not, or nothing is known of what it is about.
        PersonUnavailable: Slack could not say.
    """
    place = stored_place(db, press)
    if needs is Needs.VIEWER and place is None:
        raise PressRefused(answers.nothing_known())
    access.check(needs, person, None if place is None else place.channel)


def stored_place(db: Database, press: Press) -> Place | None:
    """Return the thread of what a press is about, as it is stored; None where none is. A read."""
    if (proposal := read_proposal_ref(press.value)) is not None:
        return card_place(db, proposal.proposal_id)
    if (run := read_run_ref(press.value)) is not None:
        thread = thread_of_run(db, run.run_id)
        return None if thread is None else Place(thread.channel, thread.thread_ts)
    if (ref := read_ticket_ref(press.value)) is not None:
        ticket = read_ticket(db, ref.channel, ref.ts)
        return None if ticket is None else Place(ticket.channel, ticket.ts)
    return None


def answer_post(db: Database, press: Press, told: Message, *, key: str) -> Post:
    """Return the post that only the presser sees: where they pressed, or else as a message."""
    place = None if press.home else _place_to_answer(db, press)
    if place is None:
        return message_post(
            told, channel=press.user_id, thread_ts=None, key=key, priority=Priority.ANSWER
        )
    return private_answer(
        told,
        channel=place.channel,
        thread_ts=place.thread_ts,
        user_id=press.user_id,
        key=key,
    )


def _place_to_answer(db: Database, press: Press) -> Place | None:
    if press.channel is not None:
        return Place(press.channel, press.thread_ts)
    return stored_place(db, press) or _place_of_message(press)


def _place_of_message(press: Press) -> Place | None:
    """Return the message that a form names which asks to make it a ticket: not stored yet."""
    ref = read_ticket_ref(press.value)
    return None if ref is None else Place(ref.channel, ref.ts)

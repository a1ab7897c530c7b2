"""What the buttons and forms of a run's messages do: status, draft and stop. None moves money."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from sqlite_utils import Database

from approvals import Person
from approvals.store import Jobs, JobState
from bot.slack.access import Needs
from bot.slack.blocks import note
from bot.slack.decider import Effect, Handler
from bot.slack.drafts import draw_draft, read_draft
from bot.slack.errors import PressRefused
from bot.slack.press import Press
from bot.slack.refs import ActionId, CallbackId, Field, read_run_ref
from bot.slack.status import show_stopping
from bot.slack.store.drafts import FeedbackKind, first_feedback, give_feedback, keep_edit
from bot.slack.store.outbox import put_post
from bot.slack.store.posts import message_post
from bot.slack.store.replies import keep_reply
from bot.slack.store.threads import (
    RunThread,
    newest_thread,
    pause_runs,
    resume_runs,
    stop_run,
    thread_of_run,
)
from bot.slack.store.tickets import TicketState, latest_job_state, read_ticket, run_again
from bot.slack.views import Message
from bot.slack.words import answers
from bot.slack.words import threads as lines
from bot.slack.words.runs import STOP_PRESSED
from loop import Redactor
from tools import IdForms

__all__ = ["RunPresses"]

MAX_ASKED: Final = 1_000
SECOND_US: Final = 1_000_000


class RunPresses:
    """The handlers of a run's buttons and forms.

    Args:
        jobs: where another run is submitted.
        forms: of the shop's ids; what is asked is kept without secrets, and with these.
        now_us: the time.
    """

    def __init__(self, *, jobs: Jobs, forms: IdForms, now_us: Callable[[], int]) -> None:
        self._jobs = jobs
        self._redactor = Redactor(forms)
        self._now_us = now_us

    def handlers(self) -> Mapping[str, Handler]:
        """Return them by action id and callback id."""
        viewers = {
            ActionId.STOP: self._stop,
            ActionId.RETRY: self._retry,
            ActionId.DISCARD: self._noted(FeedbackKind.DISCARDED),
            ActionId.TAKE_OVER: self._take_over,
            ActionId.HELPFUL: self._noted(FeedbackKind.HELPFUL),
            ActionId.NOT_HELPFUL: self._noted(FeedbackKind.NOT_HELPFUL),
            CallbackId.EDIT_DRAFT: self._edit_draft,
            CallbackId.ASK_AGAIN: self._ask_again,
        }
        anybody = {CallbackId.COPY: self._copied}
        operators = {ActionId.PAUSE: self._pause, ActionId.RESUME: self._resume}
        return {
            **{str(name): Handler(Needs.NOTHING, each) for name, each in anybody.items()},
            **{str(name): Handler(Needs.VIEWER, each) for name, each in viewers.items()},
            **{str(name): Handler(Needs.OPERATOR, each) for name, each in operators.items()},
        }

    def _stop(self, db: Database, press: Press, person: Person) -> Effect:
        thread = _thread(db, press)

        def stop(w: Database) -> Message:
            if not stop_run(w, thread.run_id, cause=STOP_PRESSED):
                return note(answers.run_ended())
            self._note(w, thread, FeedbackKind.STOPPED, person)
            show_stopping(w, thread, self._now_us())
            return note(answers.stopping())

        return stop

    def _retry(self, db: Database, press: Press, person: Person) -> Effect:
        thread = _thread(db, press)

        def retry(w: Database) -> Message:
            if _is_begun_anew(w, thread):
                raise PressRefused(answers.run_begun_anew())
            self._run_again(w, thread)
            self._note(w, thread, FeedbackKind.RETRIED, person)
            return note(answers.run_queued())

        return retry

    def _noted(self, kind: FeedbackKind) -> Callable[[Database, Press, Person], Effect]:
        def prepare(db: Database, press: Press, person: Person) -> Effect:
            thread = _thread(db, press)

            def effect(w: Database) -> Message:
                self._note(w, thread, kind, person)
                self._draw(w, thread)
                return note(answers.said_thanks())

            return effect

        return prepare

    def _take_over(self, db: Database, press: Press, person: Person) -> Effect:
        thread = _thread(db, press)

        def take_over(w: Database) -> Message | None:
            holder = first_feedback(w, thread.run_id, FeedbackKind.TAKEN_OVER)
            if holder is not None:
                return note(answers.already_in_hand(holder))
            self._note(w, thread, FeedbackKind.TAKEN_OVER, person)
            self._draw(w, thread)
            return None

        return take_over

    def _edit_draft(self, db: Database, press: Press, person: Person) -> Effect:
        thread = _thread(db, press)
        text = _in_order(press.fields)

        def edit(w: Database) -> Message:
            if read_draft(w, thread.run_id) is None:
                raise PressRefused(answers.no_such_run(thread.run_id))
            now_us = self._now_us()
            keep_edit(w, thread.run_id, text, by=person.user_id, now_us=now_us)
            self._note(w, thread, FeedbackKind.EDITED, person)
            self._draw(w, thread)
            return note(answers.draft_kept())

        return edit

    def _ask_again(self, db: Database, press: Press, person: Person) -> Effect:
        """Say in the thread what was asked, keep it as part of its history, and run again."""
        thread = _thread(db, press)
        asked = self._redactor.text(press.fields.get(Field.TEXT, "").strip())

        def ask(w: Database) -> Message:
            now_us = self._now_us()
            keep_reply(
                w,
                channel=thread.channel,
                ts=f"{now_us // SECOND_US}.{now_us % SECOND_US:06d}",
                thread_ts=thread.thread_ts,
                user_id=person.user_id,
                text=asked,
                to_us=True,
            )
            said = lines.asks_again(person.user_id, asked, MAX_ASKED)
            post = message_post(
                note(said),
                channel=thread.channel,
                thread_ts=thread.thread_ts,
                key=f"asked:{thread.run_id}:{now_us}",
            )
            put_post(w, post, now_us=now_us)
            self._run_again(w, thread)
            self._note(w, thread, FeedbackKind.ASKED_AGAIN, person, text=asked)
            return note(answers.run_queued())

        return ask

    def _copied(self, _db: Database, _press: Press, _person: Person) -> Effect:
        """Do nothing: the form with the text to copy was closed by its button."""
        return lambda _w: None

    def _pause(self, _db: Database, _press: Press, person: Person) -> Effect:
        def pause(w: Database) -> Message:
            pause_runs(w, by=person.user_id, why="", now_us=self._now_us())
            return note(answers.paused())

        return pause

    def _resume(self, _db: Database, _press: Press, _person: Person) -> Effect:
        def resume(w: Database) -> Message:
            return note(answers.resumed() if resume_runs(w) else answers.not_paused())

        return resume

    def _run_again(self, db: Database, thread: RunThread) -> None:
        now_us = self._now_us()
        if run_again(db, self._jobs, thread.channel, thread.thread_ts, now_us=now_us):
            return
        ticket = read_ticket(db, thread.channel, thread.thread_ts)
        waits = ticket is not None and ticket.state is TicketState.WAITING_FOR_CUSTOMER_ID
        raise PressRefused(answers.customer_needed() if waits else answers.no_such_ticket())

    def _note(
        self,
        db: Database,
        thread: RunThread,
        kind: FeedbackKind,
        person: Person,
        text: str | None = None,
    ) -> None:
        give_feedback(db, thread.run_id, kind, by=person.user_id, now_us=self._now_us(), text=text)

    def _draw(self, db: Database, thread: RunThread) -> None:
        now_us = self._now_us()
        draw_draft(db, thread.run_id, f"press:{now_us}", now_us)


def _thread(db: Database, press: Press) -> RunThread:
    ref = read_run_ref(press.value)
    if ref is None:
        raise PressRefused(answers.old_button())
    thread = thread_of_run(db, ref.run_id)
    if thread is None:
        raise PressRefused(answers.no_such_run(ref.run_id))
    return thread


def _is_begun_anew(db: Database, thread: RunThread) -> bool:
    """Whether another run of the same ticket has followed this one, or is about to."""
    newest = newest_thread(db, thread.channel, thread.thread_ts)
    if newest is not None and newest.run_id != thread.run_id:
        return True
    at_work = (JobState.READY, JobState.RUNNING)
    return latest_job_state(db, thread.channel, thread.thread_ts) in at_work


def _in_order(fields: Mapping[str, str]) -> str:
    """Put a text together that the form had in several inputs, ``text-1`` and so on."""
    start = f"{Field.TEXT}-"
    parts = [(int(name.removeprefix(start)), text) for name, text in fields.items()]
    return "".join(text for _, text in sorted(parts))

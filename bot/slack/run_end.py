"""What a run posts, and what is stored in the one commit that ends it."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final

from sqlite_utils import Database

from approvals import Proposals
from approvals.store import Job, Jobs, tx
from bot.proposing import Proposer
from bot.slack.blocks import draft_messages, note, status_message, stop_message
from bot.slack.drafts import draft_proposals
from bot.slack.run_views import draft_view, status_view, stop_view
from bot.slack.status import put_status_edit, who_stopped
from bot.slack.store.outbox import put_post
from bot.slack.store.owed import owe_recording
from bot.slack.store.posts import Priority, message_post
from bot.slack.store.threads import RunThread, draft_key, end_thread, note_cost, status_key
from bot.slack.store.tickets import TicketState, read_ticket, submit_newer
from bot.slack.views import Message, StatusView
from bot.slack.words import threads as lines
from bot.story import Story
from loop import Ended, Entry, LoopError, Progress, Result

__all__ = ["RunEnd", "Status", "Task", "put_line", "put_status", "why_left"]

STATUS_EVERY_US: Final = 1_500_000
"""Between two edits of a status message; Slack takes about 50 edits a minute of an app."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One version of one ticket, and the job that is for it."""

    job: Job
    channel: str
    ts: str
    version: int

    @classmethod
    def of(cls, job: Job) -> Task:
        """Read the payload of a triage job."""
        return cls(job=job, **json.loads(job.payload))


class Status:
    """Shows where a run stands, not more often than Slack takes it."""

    def __init__(self, thread: RunThread, *, now_us: Callable[[], int]) -> None:
        self._thread = thread
        self._now_us = now_us
        self._next_us = now_us() + STATUS_EVERY_US

    def hear(self, db: Database, entries: Sequence[Entry], progress: Progress) -> None:
        """Show that the model writes its reply, or is asked once more after a failure."""
        match progress:
            case Progress.ASKED:
                return
            case Progress.WRITING:
                self.show(db, entries, note=lines.writing())
            case Progress.WAITING:
                self.show(db, entries, note=lines.asking_again())

    def show(self, db: Database, entries: Sequence[Entry], note: str | None = None) -> None:
        """Put the status as it is now into the outbox, if it is time for that."""
        now_us = self._now_us()
        if now_us < self._next_us:
            return
        story = Story.of(self._thread.run_id, entries)
        if story is None:
            return
        self._next_us = now_us + STATUS_EVERY_US
        moment = str(entries[-1].seq) if note is None else f"{entries[-1].seq}:{now_us}"
        with tx(db):
            put_status_edit(
                db,
                self._thread.channel,
                status_view(story, note=note, by=who_stopped(db, story.run_id)),
                key=f"{status_key(story.run_id)}:{moment}",
                priority=Priority.PROGRESS,
                now_us=now_us,
            )


class RunEnd:
    """Says what is stored with a run's end. Usable once.

    Args:
        task: what was worked on.
        proposer: makes the proposal of a valid run.
        proposals: ends those that a newer run does not ask for again.
        jobs: settles the job.
        now_us: microseconds since 1970.
        records: whether the run's recording is to be written.
    """

    def __init__(
        self,
        task: Task,
        *,
        proposer: Proposer,
        proposals: Proposals,
        jobs: Jobs,
        now_us: Callable[[], int],
        records: bool,
    ) -> None:
        self._task = task
        self._records = records
        self._proposer = proposer
        self._proposals = proposals
        self._jobs = jobs
        self._now_us = now_us

    def prepare(
        self, run_id: str, ended: Ended, entries: Collection[Entry]
    ) -> Callable[[Database], None]:
        """Return it. The shop is read here, and not inside the transaction."""
        propose = self._proposer.prepare(run_id, ended, entries)
        story = _told(run_id, ended, entries)

        def settle(db: Database) -> None:
            if why_left(db, self._task) is None:
                if propose is not None:
                    propose(db)
                elif story.result is Result.VALID and self._task.version > 1:
                    self._supersede(db, story)
                self._post_end(db, story)
            self._post_status(db, story)
            end_thread(db, run_id)
            if self._records:
                owe_recording(db, run_id)
            note_cost(db, run_id, story.figures.cost_usd)
            self._jobs.finish(db, self._task.job)
            submit_newer(
                db,
                self._jobs,
                self._task.channel,
                self._task.ts,
                than=self._task.version,
                now_us=self._now_us(),
            )

        return settle

    def _supersede(self, db: Database, story: Story) -> None:
        self._proposals.supersede_ticket(
            db, story.opened.ticket_id, cause=story.run_id, now_us=self._now_us()
        )

    def _post_end(self, db: Database, story: Story) -> None:
        """Post the draft or the stop; a card follows from the audit of its proposal."""
        proposals = draft_proposals(db, story.run_id)
        draft, stop = draft_view(story, proposals), stop_view(story)
        messages: tuple[Message, ...] = ()
        if draft is not None:
            messages = draft_messages(draft)
        elif stop is not None:
            messages = (stop_message(stop),)
        for part, message in enumerate(messages):
            post = message_post(
                message,
                channel=self._task.channel,
                thread_ts=self._task.ts,
                key=draft_key(story.run_id, part),
                priority=Priority.FINAL,
            )
            put_post(db, post, now_us=self._now_us())

    def _post_status(self, db: Database, story: Story) -> None:
        view = status_view(story, note=why_left(db, self._task), by=who_stopped(db, story.run_id))
        put_status_edit(
            db,
            self._task.channel,
            view,
            key=f"{status_key(story.run_id)}:end",
            priority=Priority.FINAL,
            now_us=self._now_us(),
        )


def why_left(db: Database, task: Task) -> str | None:
    """Say why nothing is shown of what a run came to: its ticket has moved on. Else None. A read.

    An answer to an older text is never shown.
    """
    ticket = read_ticket(db, task.channel, task.ts)
    if ticket is None or ticket.state is TicketState.CANCELLED:
        return lines.not_worked_on()
    if ticket.state is TicketState.WAITING_FOR_CUSTOMER_ID:
        return lines.customer_missing()
    return None if ticket.version == task.version else lines.newer_message()


def put_status(db: Database, task: Task, view: StatusView, now_us: int) -> None:
    """Put the status message of a run that begins into the outbox."""
    post = message_post(
        status_message(view),
        channel=task.channel,
        thread_ts=task.ts,
        key=status_key(view.run_id),
    )
    put_post(db, post, now_us=now_us)


def put_line(db: Database, task: Task, text: str, key: str, now_us: int) -> None:
    """Put one line for the thread into the outbox."""
    post = message_post(note(text), channel=task.channel, thread_ts=task.ts, key=key)
    put_post(db, post, now_us=now_us)


def _told(run_id: str, ended: Ended, entries: Collection[Entry]) -> Story:
    """Return the story of the run as it will stand once its closing entry is stored."""
    kept = tuple(entries)
    closing = Entry(seq=kept[-1].seq + 1, at_us=kept[-1].at_us, record=ended.closing())
    story = Story.of(run_id, (*kept, closing))
    if story is None:
        raise LoopError(f"the journal of run {run_id} does not hold its beginning")
    return story

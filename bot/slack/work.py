"""Working on a ticket: the job that takes it through the bounded loop and posts what it came to.

A run is begun once and resumed from its journal after a kill. Everything that it posts is put into
the outbox in the commit that causes it, and its end is one commit: the journal's last entry, the
proposal, the draft or the stop, the job, and the next version's job if there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sqlite_utils import Database

from approvals import Proposals
from approvals.store import Job, Jobs, tx
from bot.keeper import Keeper, run_ids
from bot.now import iso_text
from bot.plan import Plan, plan_again, plan_run
from bot.proposing import Proposer
from bot.settings import Settings
from bot.slack.drafts import last_draft
from bot.slack.history import case_of
from bot.slack.run_end import RunEnd, Status, Task, put_line, put_status, why_left
from bot.slack.status import put_status_edit, stored_status
from bot.slack.store.posts import Priority
from bot.slack.store.replies import ReplyRow, replies_of, requesters_of, use_replies
from bot.slack.store.threads import (
    Caps,
    RunThread,
    RunThreadState,
    end_thread,
    hold_ticket,
    note_cost,
    open_thread,
    pause_reason,
    running_thread,
    status_key,
    thread_of_run,
)
from bot.slack.store.tickets import TicketRow, TicketState, read_ticket, run_again, submit_newer
from bot.slack.views import Phase, StatusView
from bot.slack.words import threads as lines
from bot.slack.words.runs import DELETED, NEWER
from bot.story import Figures, record_of
from bot.supplies import Supplies
from bot.triage import carry_through
from loop import Clock, Entry, JournalDiverged, LiveModel, Model, Opened, Replied
from recordings import Runs, RunTaken, abandon_run
from tools import TicketCase

__all__ = ["Play", "TicketWork"]

Play = Callable[[Plan], tuple[Model, Clock]]
"""Makes the model that answers a run, and the clock that the run is timed by."""


class TicketWork:
    """Does triage jobs.

    Args:
        settings: profile, model and limits.
        supplies: the shop and the recordings.
        play: makes the models.
        jobs: settles the job in the commit that ends its run.
        proposals: stores what a run asks for.
        caps: how much may be run and spent.
        now_us: microseconds since 1970.
        records: whether recordings of the runs that ended are to be written.
    """

    def __init__(
        self,
        settings: Settings,
        supplies: Supplies,
        *,
        play: Play,
        jobs: Jobs,
        proposals: Proposals,
        caps: Caps,
        now_us: Callable[[], int],
        records: bool = False,
    ) -> None:
        self._settings = settings
        self._supplies = supplies
        self._play = play
        self._jobs = jobs
        self._proposals = proposals
        self._caps = caps
        self._records = records
        self._now_us = now_us

    def handle(self, db: Database, job: Job) -> None:
        """Take a ticket to its end, or note why it has to wait."""
        task = Task.of(job)
        ticket = read_ticket(db, task.channel, task.ts)
        if ticket is None:
            return
        thread = running_thread(db, task.channel, task.ts)
        while thread is None:
            if why_left(db, task) is not None:
                self._make_way(db, task)
                return
            if self._hold(db, task):
                return
            thread = self._begin(db, task, ticket)
        if ticket.customer_id is None:  # it was taken away while the run was interrupted
            self._start_over(db, task, thread)
        else:
            self._run(db, task, ticket, thread)

    def _make_way(self, db: Database, task: Task) -> None:
        """Leave a version before its run began: what came meanwhile has waited for this job."""
        with tx(db):
            self._jobs.finish(db, task.job)
            self._submit_newer(db, task)

    def _hold(self, db: Database, task: Task) -> bool:
        """Let the ticket wait where no run may begin now; its thread is told once."""
        with tx(db):
            reason = pause_reason(db, self._caps, now_us=self._now_us())
            if reason is None:
                return False
            if hold_ticket(db, task.channel, task.ts, reason=reason, now_us=self._now_us()):
                key = f"held:{task.job.key}:{reason}"
                put_line(db, task, lines.held(reason), key, self._now_us())
            self._jobs.finish(db, task.job)
        return True

    def _begin(self, db: Database, task: Task, ticket: TicketRow) -> RunThread | None:
        """Store that a run begins: its thread, who asked for it, and its status message.

        None where another run that began meanwhile has reached a cap.
        """
        plan = self._plan_new(db, ticket, replies_of(db, task.channel, task.ts))
        run_id = next(run_ids(plan, Runs(db)))
        profile = plan.profile
        status = StatusView(
            run_id=run_id,
            ticket_id=ticket.ticket_id,
            customer_id=ticket.customer_id or "",
            phase=Phase.RUNNING,
            profile=profile.name,
            model=plan.model,
            max_steps=profile.limits.max_steps,
        )
        with tx(db):
            if pause_reason(db, self._caps, now_us=self._now_us()) is not None:
                return None
            replies = replies_of(db, task.channel, task.ts)
            open_thread(
                db, run_id=run_id, channel=task.channel, thread_ts=task.ts, now_us=self._now_us()
            )
            use_replies(db, task.channel, replies, run_id)
            put_status(db, task, status, self._now_us())
        return RunThread(
            run_id=run_id,
            channel=task.channel,
            thread_ts=task.ts,
            state=RunThreadState.RUNNING,
            cause=None,
        )

    def _run(self, db: Database, task: Task, ticket: TicketRow, thread: RunThread) -> None:
        runs = Runs(db)
        replies = replies_of(db, task.channel, task.ts)
        used = [reply for reply in replies if reply.used_by_run is not None]
        plan, entries = self._plan(db, thread.run_id, ticket, used)
        status = Status(thread, now_us=self._now_us)
        keeper = _ShownKeeper(
            thread.run_id, runs, entries, show=lambda found: _follow(db, thread, status, found)
        )
        model, clock = self._play(plan)
        if isinstance(model, LiveModel):
            model = model.watched(
                lambda progress: status.hear(db, keeper.entries, progress),
                lambda: self._cause(db, task, thread.run_id) is not None,
            )
        try:
            carry_through(
                plan,
                self._supplies.shop,
                keeper,
                model=model,
                clock=clock,
                at_end=self._end(task, ticket, used),
                cancelled=lambda: self._cause(db, task, thread.run_id),
            )
        except JournalDiverged:
            self._start_over(db, task, thread)

    def _end(self, task: Task, ticket: TicketRow, used: Sequence[ReplyRow]) -> RunEnd:
        proposer = Proposer(
            self._proposals,
            self._supplies.shop,
            now_us=self._now_us,
            requesters=requesters_of(ticket, used),
            replaces=task.version > 1,
        )
        return RunEnd(
            task,
            proposer=proposer,
            proposals=self._proposals,
            jobs=self._jobs,
            now_us=self._now_us,
            records=self._records,
        )

    def _cause(self, db: Database, task: Task, run_id: str) -> str | None:
        """Return why a run is to end, None where it may go on."""
        ticket = read_ticket(db, task.channel, task.ts)
        if ticket is None or ticket.state is TicketState.CANCELLED:
            return DELETED
        if ticket.version != task.version:
            return NEWER
        thread = thread_of_run(db, run_id)
        return None if thread is None else thread.cause

    def _start_over(self, db: Database, task: Task, thread: RunThread) -> None:
        """Leave a run that cannot be resumed, and work on the ticket as it is now."""
        with tx(db):
            left = why_left(db, task) or lines.restarted()
            end_thread(db, thread.run_id)
            abandon_run(db, thread.run_id)
            put_status_edit(
                db,
                thread.channel,
                stored_status(db, thread, phase=Phase.ENDED, note=left),
                key=f"{status_key(thread.run_id)}:end",
                priority=Priority.FINAL,
                now_us=self._now_us(),
            )
            self._jobs.finish(db, task.job)
            if why_left(db, task) is not None:
                self._submit_newer(db, task)
            else:
                run_again(db, self._jobs, task.channel, task.ts, now_us=self._now_us())

    def _submit_newer(self, db: Database, task: Task) -> None:
        submit_newer(
            db, self._jobs, task.channel, task.ts, than=task.version, now_us=self._now_us()
        )

    def _plan(
        self, db: Database, run_id: str, ticket: TicketRow, used: Sequence[ReplyRow]
    ) -> tuple[Plan, Sequence[Entry]]:
        """Return the plan of a run and what its journal holds, starting it where it is new."""
        plan, runs = self._plan_new(db, ticket, used), Runs(db)
        try:
            runs.start(
                run_id=run_id,
                ticket_id=ticket.ticket_id,
                profile=plan.profile.name,
                model=plan.model,
                started_at=iso_text(self._now_us()),
            )
        except RunTaken:
            entries = runs.entries(run_id)
            opened = record_of(entries, Opened)
            if opened is None:
                return plan, entries
            return plan_again(self._with(plan.case), opened), entries
        return plan, ()

    def _plan_new(self, db: Database, ticket: TicketRow, replies: Sequence[ReplyRow]) -> Plan:
        draft = last_draft(db, ticket)
        case = case_of(ticket, replies, draft, tokens=self._settings.slack.history_tokens)
        known = self._supplies.cases.get(ticket.ticket_id)
        if known is not None and self._settings.shop.is_practice:
            case = replace(case, faults=known.faults)
        return plan_run(self._with(case), self._settings, ticket.ticket_id)

    def _with(self, case: TicketCase) -> Supplies:
        return replace(self._supplies, cases={case.ticket.ticket_id: case})


def _follow(db: Database, thread: RunThread, status: Status, entries: Sequence[Entry]) -> None:
    """Count what a run has cost so far, for the cap of the day, and show where it stands."""
    if isinstance(entries[-1].record, Replied):
        with tx(db):
            note_cost(db, thread.run_id, Figures.of(entries).cost_usd)
    status.show(db, entries)


class _ShownKeeper(Keeper):
    """Keeps a run's entries and has each shown once it is stored."""

    def __init__(
        self,
        run_id: str,
        runs: Runs,
        past: Sequence[Entry],
        *,
        show: Callable[[Sequence[Entry]], None],
    ) -> None:
        super().__init__(run_id, runs, past)
        self._show = show

    def append(self, entry: Entry) -> None:
        """Keep one entry and show where the run stands.

        Raises:
            RunTaken: another process owns the run.
        """
        super().append(entry)
        self._show(self.entries)

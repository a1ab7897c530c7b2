"""The one status message of a run, read from the store and changed in place."""

from __future__ import annotations

from dataclasses import replace

from sqlite_utils import Database

from bot.slack.blocks import status_message
from bot.slack.run_views import status_view
from bot.slack.store.drafts import FeedbackKind, first_feedback
from bot.slack.store.outbox import put_post
from bot.slack.store.posts import Priority, edit_of
from bot.slack.store.threads import RunThread, status_key
from bot.slack.store.tickets import read_ticket
from bot.slack.views import Phase, StatusView
from bot.story import Story
from recordings import Runs

__all__ = ["put_status_edit", "show_stopping", "stored_status", "ticket_ids", "who_stopped"]


def stored_status(
    db: Database, run: RunThread, *, phase: Phase, by: str | None = None, note: str | None = None
) -> StatusView:
    """Return where a run stands as the store has it, in the given phase. A read.

    A run whose journal does not begin yet has but the ids of its ticket.
    """
    story = Story.of(run.run_id, Runs(db).entries(run.run_id))
    if story is not None:
        return replace(status_view(story, by=by, note=note), phase=phase)
    ticket_id, customer_id = ticket_ids(db, run)
    return StatusView(
        run_id=run.run_id,
        ticket_id=ticket_id,
        customer_id=customer_id,
        phase=phase,
        by=by,
        note=note,
    )


def ticket_ids(db: Database, run: RunThread) -> tuple[str, str]:
    """Return the ids of a run's ticket and its customer, empty where they are not there. A read."""
    ticket = read_ticket(db, run.channel, run.thread_ts)
    return ("", "") if ticket is None else (ticket.ticket_id, ticket.customer_id or "")


def put_status_edit(
    db: Database, channel: str, view: StatusView, *, key: str, priority: int, now_us: int
) -> None:
    """Put a change of the status message into the outbox; ``key`` names the change."""
    post = edit_of(
        status_message(view),
        channel=channel,
        target_key=status_key(view.run_id),
        key=key,
        priority=priority,
    )
    put_post(db, post, now_us=now_us)


def show_stopping(db: Database, run: RunThread, now_us: int) -> None:
    """Say in the status who pressed Stop, though the step in flight is not over yet."""
    put_status_edit(
        db,
        run.channel,
        stored_status(db, run, phase=Phase.STOPPING, by=who_stopped(db, run.run_id)),
        key=f"{status_key(run.run_id)}:stopping",
        priority=Priority.FINAL,
        now_us=now_us,
    )


def who_stopped(db: Database, run_id: str) -> str | None:
    """Return who was the first to press Stop; None where nobody did. A read."""
    return first_feedback(db, run_id, FeedbackKind.STOPPED)

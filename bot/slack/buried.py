"""Runs that were given up: their threads are told once, and people can go on from there."""

from __future__ import annotations

from sqlite_utils import Database

from bot.slack.blocks import gave_up_message, note
from bot.slack.status import put_status_edit, stored_status, ticket_ids
from bot.slack.store.drafts import FeedbackKind, first_feedback
from bot.slack.store.outbox import is_put, put_post
from bot.slack.store.posts import Priority, message_post
from bot.slack.store.threads import RunThread, end_thread, gave_up_key, running_thread
from bot.slack.store.tickets import dead_jobs
from bot.slack.views import GaveUpView, Message, Phase
from bot.slack.words import threads as lines
from recordings import abandon_run

__all__ = ["buried_message", "bury_runs"]


def bury_runs(db: Database, now_us: int) -> None:
    """Tell each thread once, inside ``tx()``, of the work that was given up, and end its run."""
    for key, attempts, channel, ts in dead_jobs(db):
        told = f"dead:{key}"
        if is_put(db, told):
            continue
        run = running_thread(db, channel, ts)
        if run is None:  # it failed before a run began: there is none to take over or to retry
            message, post_key = note(lines.never_began(attempts)), told
        else:
            message, post_key = _given_up(db, run), gave_up_key(run.run_id)
            _end(db, run, told, now_us)
        post = message_post(
            message, channel=channel, thread_ts=ts, key=post_key, priority=Priority.FINAL
        )
        put_post(db, post, now_us=now_us)


def buried_message(db: Database, run: RunThread) -> Message | None:
    """Return what is told of a run that was given up, as it stands; None for any other. A read."""
    return _given_up(db, run) if is_put(db, gave_up_key(run.run_id)) else None


def _given_up(db: Database, run: RunThread) -> Message:
    view = GaveUpView(
        run_id=run.run_id,
        ticket_id=ticket_ids(db, run)[0],
        taken_by=first_feedback(db, run.run_id, FeedbackKind.TAKEN_OVER),
    )
    return gave_up_message(view)


def _end(db: Database, run: RunThread, key: str, now_us: int) -> None:
    """End a run, and its status: nobody may look at a Stop that stops nothing."""
    end_thread(db, run.run_id)
    abandon_run(db, run.run_id)
    put_status_edit(
        db,
        run.channel,
        stored_status(db, run, phase=Phase.ENDED, note=lines.given_up()),
        key=key,
        priority=Priority.FINAL,
        now_us=now_us,
    )

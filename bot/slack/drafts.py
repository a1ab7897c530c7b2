"""A run's draft as the store has it now: the model's text, what people made of it, its proposals.

Like a card it is a view: drawn anew from the store each time something of it changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Final

from sqlite_utils import Database

from approvals import OperationState, ProposalState, operations_of
from approvals.store import changed, rows
from bot.slack.blocks import draft_messages, note, stop_message
from bot.slack.outbox import Priority, edit_of, message_post, put_post
from bot.slack.run_views import draft_view, stop_view
from bot.slack.threads import draft_key, thread_of_run
from bot.slack.views import CopyView, DraftProposal, DraftView, Message, StopView
from bot.story import Story
from bot.texts import action_text
from recordings import Runs

__all__ = [
    "FeedbackKind",
    "copy_view",
    "draw_draft",
    "give_feedback",
    "has_feedback",
    "held_back_text",
    "keep_edit",
    "read_draft",
    "read_stop",
]


class FeedbackKind(StrEnum):
    """What somebody did with an answer. All of it is kept, with who and when."""

    HELPFUL = "helpful"
    NOT_HELPFUL = "not_helpful"
    DISCARDED = "discarded"
    TAKEN_OVER = "taken_over"
    EDITED = "edited"
    STOPPED = "stopped"
    ASKED_AGAIN = "asked_again"
    RETRIED = "retried"


_GONE: Final = "(This part is no longer in the answer.)"
_THUMBS: Final = (FeedbackKind.HELPFUL, FeedbackKind.NOT_HELPFUL)


def read_draft(db: Database, run_id: str) -> DraftView | None:
    """Return the draft of a run as it stands; None where it has none. A read."""
    story = _story(db, run_id)
    view = None if story is None else draft_view(story, _proposals(db, run_id))
    if view is None:
        return None
    edited = rows(db, "SELECT edited_text, edited_by FROM drafts WHERE run_id = ?", (run_id,))
    if edited:
        view = replace(view, reply=edited[0]["edited_text"], edited_by=edited[0]["edited_by"])
    return replace(
        view,
        discarded_by=_first(db, run_id, FeedbackKind.DISCARDED),
        taken_by=_first(db, run_id, FeedbackKind.TAKEN_OVER),
        helpful=_count(db, run_id, FeedbackKind.HELPFUL),
        not_helpful=_count(db, run_id, FeedbackKind.NOT_HELPFUL),
    )


def read_stop(db: Database, run_id: str) -> StopView | None:
    """Return how a run without a usable answer ended; None where it has one. A read."""
    story = _story(db, run_id)
    view = None if story is None else stop_view(story)
    if view is None:
        return None
    return replace(view, taken_by=_first(db, run_id, FeedbackKind.TAKEN_OVER))


def held_back_text(db: Database, run_id: str) -> str | None:
    """Return the draft that a gate objected to; None where there is none. A read."""
    story = _story(db, run_id)
    resolution = None if story is None else story.resolution
    return None if resolution is None else str(resolution["reply"])


def copy_view(view: DraftView) -> CopyView:
    """Return the text to copy. What was done is added to it, with amount and reference."""
    done = [line for each in view.proposals for line in each.settled]
    return CopyView(
        run_id=view.run_id,
        ticket_id=view.ticket_id,
        text="\n".join([view.reply, "", *done]) if done else view.reply,
        proposals=view.proposals,
    )


def draw_draft(db: Database, run_id: str, cause: str, now_us: int) -> None:
    """Put the draft, or the stop, as it stands now into the outbox, in place, inside ``tx()``."""
    thread = thread_of_run(db, run_id)
    if thread is None or not _is_posted(db, draft_key(run_id)):
        return
    for part, message in enumerate(_messages(db, run_id)):
        key = draft_key(run_id, part)
        first = message_post(
            message,
            channel=thread.channel,
            thread_ts=thread.thread_ts,
            key=key,
            priority=Priority.FINAL,
        )
        if not put_post(db, first, now_us=now_us):
            again = edit_of(
                message,
                channel=thread.channel,
                target_key=key,
                key=f"{key}:{cause}",
                priority=Priority.FINAL,
            )
            put_post(db, again, now_us=now_us)


def keep_edit(db: Database, run_id: str, text: str, *, by: str, now_us: int) -> None:
    """Keep a person's text beside the draft; the last one counts."""
    changed(
        db,
        "INSERT INTO drafts (run_id, edited_text, edited_by, at_us) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (run_id) DO UPDATE SET edited_text = excluded.edited_text,"
        " edited_by = excluded.edited_by, at_us = excluded.at_us",
        (run_id, text, by, now_us),
    )


def give_feedback(
    db: Database, run_id: str, kind: FeedbackKind, *, by: str, now_us: int, text: str | None = None
) -> None:
    """Keep what somebody did. A thumb takes the place of the same person's earlier one."""
    if kind in _THUMBS:
        changed(
            db,
            "DELETE FROM feedback WHERE run_id = ? AND user_id = ?"
            " AND kind IN ('helpful', 'not_helpful')",
            (run_id, by),
        )
    changed(
        db,
        "INSERT INTO feedback (run_id, user_id, kind, at_us, text) VALUES (?, ?, ?, ?, ?)",
        (run_id, by, kind.value, now_us, text),
    )


def has_feedback(db: Database, run_id: str, kind: FeedbackKind) -> str | None:
    """Return who was the first to do something with a run; None where nobody did. A read."""
    return _first(db, run_id, kind)


def _messages(db: Database, run_id: str) -> Sequence[Message]:
    """Return all parts. One that was posted and is not needed any more says so."""
    draft, stop = read_draft(db, run_id), read_stop(db, run_id)
    if draft is None:
        return () if stop is None else (stop_message(stop),)
    messages = list(draft_messages(draft))
    while _is_posted(db, draft_key(run_id, len(messages))):
        messages.append(note(_GONE))
    return messages


def _proposals(db: Database, run_id: str) -> tuple[DraftProposal, ...]:
    """Return the proposals of a run, those that were asked for again instead of their first."""
    sql = (
        "SELECT proposal_id, state FROM proposals WHERE run_id = ? AND proposal_id NOT IN"
        " (SELECT made_from FROM proposals WHERE made_from IS NOT NULL) ORDER BY created_us"
    )
    return tuple(
        DraftProposal(
            proposal_id=row["proposal_id"],
            state=ProposalState(row["state"]),
            settled=_settled(db, row["proposal_id"]),
        )
        for row in rows(db, sql, (run_id,))
    )


def _settled(db: Database, proposal_id: str) -> tuple[str, ...]:
    """Say each thing that was done, with the shop's reference."""
    told = []
    for operation in operations_of(db, proposal_id):
        if operation.state is OperationState.DONE:
            reference = (operation.result or {}).get("reference")
            behind = "" if reference is None else f" (reference {reference})"
            told.append(f"{action_text(operation.action)}{behind}")
    return tuple(told)


def _story(db: Database, run_id: str) -> Story | None:
    return Story.of(run_id, Runs(db).entries(run_id))


def _first(db: Database, run_id: str, kind: FeedbackKind) -> str | None:
    sql = (
        "SELECT user_id FROM feedback WHERE run_id = ? AND kind = ?"
        " ORDER BY at_us, feedback_id LIMIT 1"
    )
    found = rows(db, sql, (run_id, kind.value))
    return found[0]["user_id"] if found else None


def _count(db: Database, run_id: str, kind: FeedbackKind) -> int:
    sql = "SELECT count(*) AS n FROM feedback WHERE run_id = ? AND kind = ?"
    return int(rows(db, sql, (run_id, kind.value))[0]["n"])


def _is_posted(db: Database, key: str) -> bool:
    """Whether a message was put into the outbox, sent by now or not."""
    return bool(rows(db, "SELECT 1 FROM outbox WHERE key = ?", (key,)))

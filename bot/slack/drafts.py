"""A run's draft as the store has it now: the model's text, what people made of it, its proposals.

Like a card it is a view: drawn anew from the store each time something of it changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlite_utils import Database

from approvals import OperationState, operations_of, proposals_for_run
from bot.slack.blocks import draft_messages, note, stop_message
from bot.slack.buried import buried_message
from bot.slack.history import LastDraft
from bot.slack.run_views import draft_view, stop_view
from bot.slack.store.drafts import FeedbackKind, count_feedback, edited_text, first_feedback
from bot.slack.store.outbox import is_put, put_shown
from bot.slack.store.posts import Priority, message_post
from bot.slack.store.threads import RunThread, draft_key, gave_up_key, runs_of_thread, thread_of_run
from bot.slack.store.tickets import TicketRow
from bot.slack.views import CopyView, DraftProposal, DraftView, Message, StopView
from bot.slack.words.runs import GONE
from bot.story import Story
from bot.texts import action_text
from recordings import Runs

__all__ = [
    "copy_view",
    "draft_proposals",
    "draw_draft",
    "held_back_text",
    "last_draft",
    "read_draft",
    "read_stop",
]


def read_draft(db: Database, run_id: str) -> DraftView | None:
    """Return the draft of a run as it stands; None where it has none. A read."""
    story = _story(db, run_id)
    view = None if story is None else draft_view(story, draft_proposals(db, run_id))
    if view is None:
        return None
    edited = edited_text(db, run_id)
    if edited is not None:
        view = replace(view, reply=edited.text, edited_by=edited.by)
    return replace(
        view,
        discarded_by=first_feedback(db, run_id, FeedbackKind.DISCARDED),
        taken_by=first_feedback(db, run_id, FeedbackKind.TAKEN_OVER),
        helpful=count_feedback(db, run_id, FeedbackKind.HELPFUL),
        not_helpful=count_feedback(db, run_id, FeedbackKind.NOT_HELPFUL),
    )


def last_draft(db: Database, ticket: TicketRow) -> LastDraft | None:
    """Return the draft that a ticket's thread shows, as people left it; None where none was made.

    One that was made while the message was another ticket, or another customer's, is none of this
    one: it holds what was looked up of that customer. A read.
    """
    runs = runs_of_thread(db, ticket.channel, ticket.ts)
    for place, run_id in reversed(list(enumerate(runs, start=1))):
        draft = read_draft(db, run_id) if is_put(db, draft_key(run_id)) else None
        if draft is not None:
            if (draft.ticket_id, draft.customer_id) != (ticket.ticket_id, ticket.customer_id):
                return None
            return LastDraft(
                text=draft.reply, edited_by=draft.edited_by, runs=frozenset(runs[:place])
            )
    return None


def read_stop(db: Database, run_id: str) -> StopView | None:
    """Return how a run without a usable answer ended; None where it has one. A read."""
    story = _story(db, run_id)
    view = None if story is None else stop_view(story)
    if view is None:
        return None
    return replace(view, taken_by=first_feedback(db, run_id, FeedbackKind.TAKEN_OVER))


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


def draft_proposals(db: Database, run_id: str) -> tuple[DraftProposal, ...]:
    """Return what stands for what a run asked for, each by the newest that was made of it. A read.

    An earlier run's proposal that this one asked for as well is among it.
    """
    found = proposals_for_run(db, run_id)
    replaced = {each.made_from for each in found}
    return tuple(
        DraftProposal(
            proposal_id=each.proposal_id,
            state=each.state,
            settled=_settled(db, each.proposal_id),
        )
        for each in found
        if each.proposal_id not in replaced
    )


def draw_draft(db: Database, run_id: str, cause: str, now_us: int) -> None:
    """Put what was told of a run, draft or stop, as it stands now into the outbox, in place.

    Inside ``tx()``. A run that was given up has neither, and what was told of that is drawn.
    """
    thread = thread_of_run(db, run_id)
    if thread is None:
        return
    for key, message in _drawn(db, thread):
        post = message_post(
            message,
            channel=thread.channel,
            thread_ts=thread.thread_ts,
            key=key,
            priority=Priority.FINAL,
        )
        put_shown(db, post, cause=cause, edit_priority=Priority.FINAL, now_us=now_us)


def _drawn(db: Database, thread: RunThread) -> Iterator[tuple[str, Message]]:
    """Yield each message of a run's end with its key; none where nothing was told yet."""
    run_id = thread.run_id
    if is_put(db, draft_key(run_id)):
        for part, message in enumerate(_messages(db, run_id)):
            yield draft_key(run_id, part), message
    elif (buried := buried_message(db, thread)) is not None:
        yield gave_up_key(run_id), buried


def _messages(db: Database, run_id: str) -> Sequence[Message]:
    """Return all parts. One that was posted and is not needed any more says so."""
    draft, stop = read_draft(db, run_id), read_stop(db, run_id)
    if draft is None:
        return () if stop is None else (stop_message(stop),)
    messages = list(draft_messages(draft))
    while is_put(db, draft_key(run_id, len(messages))):
        messages.append(note(GONE))
    return messages


def _settled(db: Database, proposal_id: str) -> tuple[str, ...]:
    """Say each thing that was done, with the shop's reference."""
    told = []
    for operation in operations_of(db, proposal_id):
        if operation.state is OperationState.DONE:
            reference = operation.reference
            behind = "" if reference is None else f" (reference {reference})"
            told.append(f"{action_text(operation.action)}{behind}")
    return tuple(told)


def _story(db: Database, run_id: str) -> Story | None:
    return Story.of(run_id, Runs(db).entries(run_id))

"""Where a proposal's card stands, and what is to be posted so that it shows the store's facts.

A card is a view: nothing is read from it, and it is drawn anew from the store each time.
"""

from __future__ import annotations

from dataclasses import replace

from sqlite_utils import Database

from approvals import Policy, Proposal, ProposalState, ProposalView, proposals_of_run, view_proposal
from bot.slack.blocks import card_message, card_note
from bot.slack.store.cards import card_key, card_place, note_drawn
from bot.slack.store.outbox import put_post, put_shown, skip_unsent
from bot.slack.store.posts import Priority, message_post
from bot.slack.views import CardView, Message
from bot.story import Story
from loop import Opened
from recordings import Runs

__all__ = ["draw_card", "forget_note", "note_card", "read_card", "tell_state", "tell_thread"]


def read_card(db: Database, policy: Policy, proposal_id: str) -> CardView:
    """Return what the card of a proposal states now. A read.

    Raises:
        ProposalUnknown: there is none of this id.
    """
    facts = view_proposal(db, policy, proposal_id)
    card = CardView(
        facts=facts,
        why=_why(facts),
        offers_try_again=not _was_asked_again(db, facts.proposal),
        offers_reopen=facts.proposal.reopened_as is None,
        offers_settle=True,
        requesters_may_sign=policy.requesters_may_sign,
    )
    story = Story.of(facts.proposal.run_id, Runs(db).entries(facts.proposal.run_id))
    if story is None:
        return card  # the journal was erased, or the run was not ours
    opened: Opened = story.opened
    reason = None if story.resolution is None else story.resolution.get("reason")
    return replace(card, model=opened.head.model, profile=opened.profile, reason=reason)


def draw_card(db: Database, policy: Policy, proposal_id: str, *, cause: str, now_us: int) -> bool:
    """Put a card, or its new state, into the outbox inside ``tx()``; False where it has no thread.

    ``cause`` names what it is drawn for ("audit:17", "press:4"): the same is drawn once.
    """
    place = card_place(db, proposal_id)
    if place is None:
        return False
    view = read_card(db, policy, proposal_id)
    post = message_post(
        card_message(view),
        channel=place.channel,
        thread_ts=place.thread_ts,
        key=card_key(proposal_id),
        priority=Priority.FINAL,
    )
    urgent = Priority.ANSWER  # it is what somebody who pressed looks at
    put_shown(db, post, cause=cause, edit_priority=urgent, now_us=now_us)
    note_drawn(db, place, view.facts.proposal)
    return True


def note_card(db: Database, policy: Policy, proposal_id: str, *, cause: str, now_us: int) -> None:
    """Put the line about a new state into the outbox, for the thread of the card."""
    told = card_note(read_card(db, policy, proposal_id))
    if told is not None:
        tell_state(db, proposal_id, told, key=f"note:{proposal_id}:{cause}", now_us=now_us)


def forget_note(db: Database, proposal_id: str) -> None:
    """Leave out what the thread was to be told of an earlier state and was not told yet.

    A signature that was given must not be said to be missing below a card that says so.
    """
    skip_unsent(db, _stream(proposal_id))


def tell_state(db: Database, proposal_id: str, told: Message, *, key: str, now_us: int) -> None:
    """Tell a thread where a proposal stands, in place of what it was not told yet of that."""
    tell_thread(db, proposal_id, told, key=key, now_us=now_us, stream=_stream(proposal_id))


def tell_thread(
    db: Database,
    proposal_id: str,
    told: Message,
    *,
    key: str,
    now_us: int,
    stream: str | None = None,
) -> None:
    """Put a message about a proposal into the outbox, for its thread, once for its key."""
    place = card_place(db, proposal_id)
    if place is not None:
        post = message_post(
            told,
            channel=place.channel,
            thread_ts=place.thread_ts,
            key=key,
            stream=stream,
            priority=Priority.FINAL,
        )
        put_post(db, post, now_us=now_us)


def _stream(proposal_id: str) -> str:
    return f"state:{proposal_id}"


def _was_asked_again(db: Database, proposal: Proposal) -> bool:
    """Whether a newer proposal came of this one, which is the one to go on with."""
    made = proposals_of_run(db, proposal.run_id)
    return any(each.made_from == proposal.proposal_id for each in made)


def _why(facts: ProposalView) -> str | None:
    """Return the reason of a rejection: the last that anybody gave."""
    if facts.proposal.state is not ProposalState.REJECTED or not facts.reasons:
        return None
    return facts.reasons[-1]

"""Where a proposal's card stands, and what is to be posted so that it shows the store's facts.

A card is a view: nothing is read from it, and it is drawn anew from the store each time.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

from sqlite_utils import Database

from approvals import Policy, ProposalState, ProposalView, view_proposal
from approvals.store import changed, rows
from bot.slack.blocks import card_message, card_note
from bot.slack.outbox import PostRow, Priority, edit_of, message_post, put_post, ts_of
from bot.slack.views import CardView
from bot.story import Story
from loop import Opened
from recordings import Runs

__all__ = [
    "Place",
    "card_place",
    "card_sent",
    "draw_card",
    "note_card",
    "read_card",
    "stale_cards",
]

_KEY: Final = "card:"


class Place(NamedTuple):
    """A thread of a channel; without ``thread_ts`` the channel itself."""

    channel: str
    thread_ts: str | None


def read_card(db: Database, policy: Policy, proposal_id: str) -> CardView:
    """Return what the card of a proposal states now. A read.

    Raises:
        ProposalUnknown: there is none of this id.
    """
    facts = view_proposal(db, policy, proposal_id)
    card = CardView(
        facts=facts,
        why=_why(facts),
        offers_try_again=not _was_asked_again(db, proposal_id),
        offers_reopen=facts.proposal.reopened_as is None,
        offers_settle=True,
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
    key = f"{_KEY}{proposal_id}"
    first = message_post(
        card_message(view),
        channel=place.channel,
        thread_ts=place.thread_ts,
        key=key,
        priority=Priority.FINAL,
    )
    if not put_post(db, first, now_us=now_us):
        again = edit_of(
            card_message(view),
            channel=place.channel,
            target_key=key,
            key=f"{key}:{cause}",
            priority=Priority.FINAL,
        )
        put_post(db, again, now_us=now_us)
    proposal = view.facts.proposal
    changed(
        db,
        "INSERT INTO cards (proposal_id, channel, thread_ts, shown_version, shown_state)"
        " VALUES (?, ?, ?, ?, ?) ON CONFLICT (proposal_id) DO UPDATE SET"
        " shown_version = excluded.shown_version, shown_state = excluded.shown_state",
        (proposal_id, place.channel, place.thread_ts, proposal.version, proposal.state.value),
    )
    return True


def note_card(db: Database, policy: Policy, proposal_id: str, *, cause: str, now_us: int) -> None:
    """Put the line about a new state into the outbox, for the thread of the card."""
    place = card_place(db, proposal_id)
    told = card_note(read_card(db, policy, proposal_id))
    if place is not None and told is not None:
        post = message_post(
            told,
            channel=place.channel,
            thread_ts=place.thread_ts,
            key=f"note:{proposal_id}:{cause}",
        )
        put_post(db, post, now_us=now_us)


def card_place(db: Database, proposal_id: str) -> Place | None:
    """Return the thread that a proposal belongs to; None for one of a run outside Slack. A read."""
    found = rows(
        db, "SELECT channel, thread_ts FROM cards WHERE proposal_id = ?", (proposal_id,)
    ) or rows(
        db,
        "SELECT t.channel, t.thread_ts FROM proposals p JOIN threads t ON t.run_id = p.run_id"
        " WHERE p.proposal_id = ?",
        (proposal_id,),
    )
    return Place(**found[0]) if found else None


def card_sent(db: Database, row: PostRow, ts: str) -> None:
    """Note the name of a card's message, as the poster posts it."""
    proposal_id = row.key.removeprefix(_KEY)
    if row.key.startswith(_KEY) and ts_of(db, row.key) == ts:
        changed(db, "UPDATE cards SET ts = ? WHERE proposal_id = ?", (ts, proposal_id))


def stale_cards(db: Database) -> list[str]:
    """Return the proposals whose card was last drawn in another version or state. A read."""
    sql = (
        "SELECT c.proposal_id FROM cards c JOIN proposals p USING (proposal_id)"
        " WHERE c.shown_version != p.version OR c.shown_state != p.state ORDER BY 1"
    )
    return [row["proposal_id"] for row in rows(db, sql)]


def _was_asked_again(db: Database, proposal_id: str) -> bool:
    """Whether a newer proposal came of this one, which is the one to go on with."""
    return bool(rows(db, "SELECT 1 FROM proposals WHERE made_from = ?", (proposal_id,)))


def _why(facts: ProposalView) -> str | None:
    """Return the reason of a rejection: the last that anybody gave."""
    if facts.proposal.state is not ProposalState.REJECTED or not facts.reasons:
        return None
    return facts.reasons[-1]

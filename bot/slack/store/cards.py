"""Where the card of a proposal stands, and the state that it was last drawn in.

Verbs that write are called inside the caller's ``tx()``.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from sqlite_utils import Database

from approvals import Proposal
from approvals.store import changed, rows
from bot.slack.store.outbox import ts_of
from bot.slack.store.posts import PostRow

__all__ = [
    "Place",
    "card_key",
    "card_message",
    "card_place",
    "card_sent",
    "note_drawn",
    "stale_cards",
]

_KEY: Final = "card:"


class Place(NamedTuple):
    """A thread of a channel; without ``thread_ts`` the channel itself."""

    channel: str
    thread_ts: str | None


def card_key(proposal_id: str) -> str:
    """Return the outbox key of a proposal's one card."""
    return f"{_KEY}{proposal_id}"


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


def card_message(db: Database, proposal_id: str) -> tuple[str, str] | None:
    """Return channel and time stamp of a posted card; None where it is not posted. A read."""
    sql = "SELECT channel, ts FROM cards WHERE proposal_id = ? AND ts IS NOT NULL"
    found = rows(db, sql, (proposal_id,))
    return (found[0]["channel"], found[0]["ts"]) if found else None


def note_drawn(db: Database, place: Place, proposal: Proposal) -> None:
    """Note the version and state in which a card was drawn."""
    changed(
        db,
        "INSERT INTO cards (proposal_id, channel, thread_ts, shown_version, shown_state)"
        " VALUES (?, ?, ?, ?, ?) ON CONFLICT (proposal_id) DO UPDATE SET"
        " shown_version = excluded.shown_version, shown_state = excluded.shown_state",
        (
            proposal.proposal_id,
            place.channel,
            place.thread_ts,
            proposal.version,
            proposal.state.value,
        ),
    )


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

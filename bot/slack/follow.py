"""The follower: makes posts of what the audit tells, so that cards follow decisions from anywhere.

A decision at the command line, in App Home or in another process, an expiry, and each step of an
execution are rows of the audit. Their cards are drawn from what the store holds by then, in the
commit that moves the cursor on: each row is followed once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from sqlite_utils import Database

from approvals import (
    UNKNOWN_REQUESTER,
    AuditRow,
    Event,
    Policy,
    Role,
    audit_rows,
    read_proposal,
    runs_of_proposal,
)
from approvals.store import Writer
from bot.slack.blocks import edit_note, note, reminder
from bot.slack.cards import draw_card, forget_note, note_card, read_card, tell_state, tell_thread
from bot.slack.store.cards import stale_cards
from bot.slack.store.cursors import move_cursor, read_cursor
from bot.slack.words.proposals import FILLER_UNKNOWN

__all__ = ["Follower", "OnChange"]

_CURSOR: Final = "cards"
BATCH: Final = 50
"""Rows of one commit."""
_TOLD: Final = frozenset(
    {
        Event.SIGNED,
        Event.REJECTED,
        Event.EXPIRED,
        Event.WITHDRAWN,
        Event.SUPERSEDED,
        Event.NO_LONGER_ALLOWED,
        Event.ENDED,
    }
)
"""What the thread is told in a line of its own; the rest shows on the card alone."""

OnChange = Callable[[Database, str, str, int], None]
"""Told, inside the transaction, of each run that a changed proposal stands for: id, cause, time."""


class Follower:
    """Follows the audit. One of a store, where the serve lock is held.

    Args:
        policy: in force.
        writer: commits.
        now_us: the time.
        on_change: draws what else shows a proposal, such as the drafts of its runs.
    """

    def __init__(
        self,
        policy: Policy,
        *,
        writer: Writer,
        now_us: Callable[[], int],
        on_change: OnChange | None = None,
    ) -> None:
        self._policy = policy
        self._writer = writer
        self._now_us = now_us
        self._on_change = on_change

    def step(self, db: Database) -> int | None:
        """Follow everything that is new; nothing of it waits for a time."""
        while audit_rows(db, after=read_cursor(db, _CURSOR) or 0, limit=1):
            self._writer.run(self._follow)
        return None

    def repair(self) -> None:
        """Draw each card anew that was last drawn for another state: once, at the start."""
        self._writer.run(self._repair)

    def _follow(self, db: Database) -> None:
        found = audit_rows(db, after=read_cursor(db, _CURSOR) or 0, limit=BATCH)
        if not found:
            return  # another thread was first
        move_cursor(db, _CURSOR, found[-1].seq)
        for proposal_id in dict.fromkeys(row.proposal_id for row in found):
            news = [row for row in found if row.proposal_id == proposal_id]
            self._draw(db, proposal_id, news)
            self._draw_source(db, proposal_id, news)

    def _draw(self, db: Database, proposal_id: str, news: Sequence[AuditRow]) -> None:
        cause, now_us = f"audit:{news[-1].seq}", self._now_us()
        draw_card(db, self._policy, proposal_id, cause=cause, now_us=now_us)
        events = {row.event for row in news}
        if Event.APPROVED in events:
            forget_note(db, proposal_id)
        if events & _TOLD:
            note_card(db, self._policy, proposal_id, cause=cause, now_us=now_us)
        for row in news:
            if row.event == Event.EDITED:
                self._tell_edit(db, row)
        if events & {Event.CREATED, Event.REOPENED}:
            self._tell_unknown(db, proposal_id)
        if Event.WARNED in events:
            self._remind(db, proposal_id, cause, now_us)
        if self._on_change is not None:
            for run_id in runs_of_proposal(db, proposal_id):
                self._on_change(db, run_id, cause, now_us)

    def _draw_source(self, db: Database, proposal_id: str, news: Sequence[AuditRow]) -> None:
        """Draw the card of the proposal that this one was made from: it offers that no more."""
        source = read_proposal(db, proposal_id).made_from
        if source is not None and any(row.event == Event.REOPENED for row in news):
            cause = f"audit:{news[-1].seq}"
            draw_card(db, self._policy, source, cause=cause, now_us=self._now_us())

    def _remind(self, db: Database, proposal_id: str, cause: str, now_us: int) -> None:
        view = read_card(db, self._policy, proposal_id)
        told = reminder(view, self._called(view.facts.needed_role))
        tell_state(db, proposal_id, told, key=f"reminder:{proposal_id}:{cause}", now_us=now_us)

    def _tell_unknown(self, db: Database, proposal_id: str) -> None:
        """Say in the thread that nobody can approve what an unknown person asked for."""
        requesters = read_proposal(db, proposal_id).requesters
        if UNKNOWN_REQUESTER in requesters and not self._policy.requesters_may_sign:
            key = f"filler:{proposal_id}"
            tell_thread(db, proposal_id, note(FILLER_UNKNOWN), key=key, now_us=self._now_us())

    def _tell_edit(self, db: Database, row: AuditRow) -> None:
        told = edit_note(read_card(db, self._policy, row.proposal_id), row.who)
        key = f"edit:{row.proposal_id}:{row.version}"
        tell_thread(db, row.proposal_id, told, key=key, now_us=self._now_us())

    def _called(self, role_name: str | None) -> list[str]:
        """Return the ids of the role that should look: its groups, and its users."""
        found: list[Role] = [role for role in self._policy.roles if role.name == role_name]
        return [each for role in found for each in (*sorted(role.groups), *sorted(role.users))]

    def _repair(self, db: Database) -> None:
        for proposal_id in stale_cards(db):
            now_us = self._now_us()
            draw_card(db, self._policy, proposal_id, cause=f"repair:{now_us}", now_us=now_us)

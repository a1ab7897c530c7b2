"""The first reminder of what nobody has decided: in its thread, long before the role is called.

The second one calls the role by name and follows the audit (``bot.slack.follow``), at the time
that the approvals table sets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sqlite_utils import Database

from approvals import Policy, Proposal, expiring_proposals
from approvals.store import Writer
from bot.slack.blocks import reminder
from bot.slack.cards import read_card, tell_state
from bot.slack.steady import every
from bot.slack.store.cards import card_place
from bot.slack.store.outbox import is_put
from bot.slack.store.threads import HOUR_US

__all__ = ["Reminders"]

EVERY_US: Final = 30_000_000
"""How often it looks."""


class Reminders:
    """Reminds threads. One of a store, where the serve lock is held.

    Args:
        hours: how long before a proposal expires; 0 is never. One whose whole time is shorter
            is reminded of when half of it is over.
        policy: says when the role is called; from then on there is no first reminder.
        writer: commits.
        now_us: microseconds since 1970.
    """

    def __init__(
        self, hours: int, *, policy: Policy, writer: Writer, now_us: Callable[[], int]
    ) -> None:
        self._before_us = hours * HOUR_US
        self._policy = policy
        self._writer = writer
        self._now_us = now_us
        self.step = every(EVERY_US, self._look, now_us=now_us)

    def _look(self, db: Database) -> None:
        now_us = self._now_us()
        due = [each for each in self._expiring(db, now_us) if self._is_due(db, each, now_us)]
        if due:
            self._writer.run(lambda w: self._remind(w, due))

    def _expiring(self, db: Database, now_us: int) -> list[Proposal]:
        after_us = now_us + self._policy.warn_before_hours * HOUR_US
        return expiring_proposals(db, after_us=after_us, until_us=now_us + self._before_us)

    def _is_due(self, db: Database, proposal: Proposal, now_us: int) -> bool:
        half_us = (proposal.created_us + proposal.expires_us) // 2
        if now_us < half_us or is_put(db, _key(proposal)):
            return False
        return card_place(db, proposal.proposal_id) is not None

    def _remind(self, db: Database, due: list[Proposal]) -> None:
        for proposal in due:
            told = reminder(read_card(db, self._policy, proposal.proposal_id))
            key, now_us = _key(proposal), self._now_us()
            tell_state(db, proposal.proposal_id, told, key=key, now_us=now_us)


def _key(proposal: Proposal) -> str:
    return f"reminder:{proposal.proposal_id}:first"

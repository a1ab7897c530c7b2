"""What comes due by itself: expiries, warnings, tickets that waited, dead letters to be seen."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from sqlite_utils import Database

from approvals import Proposals
from approvals.store import Jobs, Writer
from bot.slack.buried import bury_runs
from bot.slack.steady import every
from bot.slack.store.threads import (
    Caps,
    held_tickets,
    pause_reason,
    release_ticket,
)
from bot.slack.store.tickets import run_again

__all__ = ["Upkeep"]

EVERY_US: Final = 5_000_000
"""How often it looks."""


class Upkeep:
    """Does what comes due. One of a store, where the serve lock is held.

    Args:
        proposals: expire and warn.
        jobs: where a ticket that waited is submitted.
        caps: how much may be run and spent.
        writer: commits.
        now_us: microseconds since 1970.
    """

    def __init__(
        self,
        proposals: Proposals,
        *,
        jobs: Jobs,
        caps: Caps,
        writer: Writer,
        now_us: Callable[[], int],
    ) -> None:
        self._proposals = proposals
        self._jobs = jobs
        self._caps = caps
        self._writer = writer
        self._now_us = now_us
        self.step = every(EVERY_US, self._look, now_us=now_us)

    def _look(self, db: Database) -> None:
        now_us = self._now_us()
        self._writer.run(lambda w: self._proposals.warn_due(w, now_us=now_us))
        self._writer.run(lambda w: self._proposals.expire_due(w, now_us=now_us))
        self._writer.run(lambda w: bury_runs(w, now_us))
        self._release(db)

    def _release(self, db: Database) -> None:
        """Let tickets that waited begin, the longest first: one a turn, as each that begins counts.

        Where there are no caps, all that waited for a pause to end.
        """
        limit = 50 if self._caps == Caps() else 1
        for channel, ts in held_tickets(db, limit=limit):
            if pause_reason(db, self._caps, now_us=self._now_us()) is not None:
                return
            self._writer.run(partial(self._begin, channel=channel, ts=ts))

    def _begin(self, db: Database, channel: str, ts: str) -> None:
        if release_ticket(db, channel, ts):
            run_again(db, self._jobs, channel, ts, now_us=self._now_us())

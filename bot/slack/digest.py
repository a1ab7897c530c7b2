"""The daily digest: one message in each ticket channel about the day that ended (UTC)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime
from typing import Final

from sqlite_utils import Database

from approvals import (
    OperationState,
    ProposalState,
    audit_head,
    count_proposals,
    list_proposals,
    operations_in,
)
from approvals.store import Writer
from bot.slack.blocks import digest_message
from bot.slack.overview import count_stops
from bot.slack.store.letters import count_letters
from bot.slack.store.outbox import put_post
from bot.slack.store.posts import message_post
from bot.slack.store.threads import DAY_US, spent_usd
from bot.slack.store.tickets import count_tickets, first_ticket_us
from bot.slack.views import DigestView
from bot.texts import cost_text
from loop import Result
from recordings import RunRow, Runs
from tools import Money, RequestRefund

__all__ = ["Digest", "digest_of"]

AT_US: Final = 7 * 3_600 * 1_000_000
"""When it is posted: seven in the morning, UTC."""
MOST_RUNS: Final = 10_000


class Digest:
    """Posts the digest once a day. One of a store, where the serve lock is held.

    Args:
        channels: that get it.
        writer: commits.
        now_us: the time.
    """

    def __init__(
        self,
        channels: Collection[str],
        *,
        writer: Writer,
        now_us: Callable[[], int],
    ) -> None:
        self._channels = sorted(channels)
        self._writer = writer
        self._now_us = now_us
        self._next_us = 0

    def step(self, db: Database) -> int:
        """Post what is due, and return when to come again."""
        now_us = self._now_us()
        if now_us >= self._next_us:
            today_us = now_us - now_us % DAY_US
            if now_us >= today_us + AT_US and _had_tickets_before(db, today_us):
                self._writer.run(lambda w: self._post(w, today_us - DAY_US))
            self._next_us = today_us + AT_US + (DAY_US if now_us >= today_us + AT_US else 0)
        return self._next_us

    def _post(self, db: Database, day_us: int) -> None:
        view = digest_of(db, day_us)
        message = digest_message(view)
        for channel in self._channels:
            post = message_post(
                message, channel=channel, thread_ts=None, key=f"digest:{view.day}:{channel}"
            )
            put_post(db, post, now_us=self._now_us())


def digest_of(db: Database, day_us: int) -> DigestView:
    """Return the day that began at a moment, in microseconds since 1970. A read."""
    end_us = day_us + DAY_US
    day = datetime.fromtimestamp(day_us / 1_000_000, UTC).date().isoformat()
    runs = [run for run in Runs(db).recent(MOST_RUNS) if run.started_at.startswith(day)]
    decided = [
        each
        for each in list_proposals(db)
        if each.decided_us is not None and day_us <= each.decided_us < end_us
    ]
    return DigestView(
        day=day,
        tickets=count_tickets(db, day_us, end_us),
        drafts=_ended(runs, Result.VALID),
        rejected_drafts=_ended(runs, Result.REJECTED),
        stops=count_stops(runs),
        proposals=Counter(each.state for each in decided),
        refunded=_refunded(db, day_us, end_us),
        cost=cost_text(spent_usd(db, day_us, end_us)),
        waiting=count_proposals(db, ProposalState.WAITING),
        dead_letters=count_letters(db),
        audit=audit_head(db),
    )


def _ended(runs: Iterable[RunRow], result: Result) -> int:
    return sum(run.result == result.value for run in runs)


def _refunded(db: Database, start_us: int, end_us: int) -> tuple[Money, ...]:
    """Return what was paid back, one sum for each currency."""
    sums: dict[str, Money] = {}
    for operation in operations_in(db, OperationState.DONE):
        settled_us, action = operation.settled_us, operation.action
        if settled_us is None or not start_us <= settled_us < end_us:
            continue
        if isinstance(action, RequestRefund):
            currency = action.currency
            sums[currency] = sums.get(currency, Money(0, currency)) + action.money
    return tuple(sums[currency] for currency in sorted(sums))


def _had_tickets_before(db: Database, moment_us: int) -> bool:
    """Whether there is anything to tell: a new store has nothing of the day that ended."""
    first_us = first_ticket_us(db)
    return first_us is not None and first_us < moment_us

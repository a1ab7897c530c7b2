"""What App Home, the commands and the digest state, read from the store. Reads only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Final

from sqlite_utils import Database

from approvals import (
    UNKNOWN_REQUESTER,
    Grant,
    OperationState,
    Person,
    PersonKind,
    Policy,
    ProposalState,
    ProposalView,
    count_proposals,
    list_proposals,
    operations_in,
    view_proposal,
)
from approvals.store import Jobs, JobState
from bot.slack.blocks.home import MAX_LETTERS, MAX_RUNS
from bot.slack.markup import message_link
from bot.slack.store.cards import card_message
from bot.slack.store.inbox import DeliveryState, count_deliveries
from bot.slack.store.letters import count_letters, letters
from bot.slack.store.outbox import count_posts, failed_posts
from bot.slack.store.posts import PostState
from bot.slack.store.threads import paused_by, thread_of_run
from bot.slack.views import HealthLine, HomeView, RunLine, WaitingLine
from bot.slack.words import home as words
from loop import Result, StopReason
from recordings import RunRow, Runs

__all__ = [
    "count_stops",
    "count_waiting",
    "health_lines",
    "home_of",
    "waiting_lines",
]

COUNTED_RUNS: Final = 200
"""How many of the newest runs the ends are counted over."""
MOST_WAITING: Final = 100
"""How many of the oldest are looked at closely; all are counted."""


def home_of(
    db: Database,
    policy: Policy,
    person: Person,
    *,
    viewer: bool,
    operator: bool,
    now_us: int,
) -> HomeView:
    """Return App Home of a person. Who is no viewer and has no role sees that there is nothing."""
    grant = _grant(policy, person)
    if grant is None and not viewer and not operator:
        return HomeView()
    runs = Runs(db).recent(COUNTED_RUNS)
    return HomeView(
        role=None if grant is None else grant.role.name,
        operator=operator,
        waiting=waiting_lines(db, policy, person),
        waiting_count=count_waiting(db),
        runs=tuple(_run_line(db, run) for run in runs[:MAX_RUNS]),
        stops=count_stops(runs),
        health=health_lines(db, now_us=now_us),
        paused_by=paused_by(db),
        letters=tuple(letters(db, limit=MAX_LETTERS)) if operator else (),
        letter_count=count_letters(db) if operator else 0,
    )


def waiting_lines(db: Database, policy: Policy, person: Person) -> tuple[WaitingLine, ...]:
    """Return the oldest that wait for a decision, and whether this person could sign them."""
    waiting = list_proposals(db, ProposalState.WAITING, limit=MOST_WAITING)
    views = (view_proposal(db, policy, each.proposal_id) for each in waiting)
    return tuple(_waiting_line(db, policy, person, view) for view in views)


def count_waiting(db: Database) -> int:
    """Count all that wait for a decision."""
    return count_proposals(db, ProposalState.WAITING)


def count_stops(runs: Iterable[RunRow]) -> Mapping[StopReason, int]:
    """Count the ends of runs by reason."""
    found = Counter(StopReason(run.reason) for run in runs if run.reason is not None)
    return {reason: found[reason] for reason in StopReason if found[reason]}


def health_lines(db: Database, *, now_us: int) -> tuple[HealthLine, ...]:
    """Return what is looked after, and what to do where it is not well."""
    return tuple(_health(db, now_us))


def _health(db: Database, now_us: int) -> Iterator[HealthLine]:
    jobs = Jobs().health(db, now_us=now_us)
    ready, running = jobs.counts[JobState.READY], jobs.counts[JobState.RUNNING]
    yield HealthLine(
        name="Jobs",
        well=jobs.counts[JobState.DEAD] == 0,
        words=words.jobs_words(ready, running, jobs.counts[JobState.DEAD]),
    )
    inbox = count_deliveries(db)
    yield HealthLine(
        name="Inbox",
        well=inbox[DeliveryState.DEAD] == 0,
        words=words.inbox_words(inbox[DeliveryState.NEW], inbox[DeliveryState.DEAD]),
    )
    posts = count_posts(db)
    yield HealthLine(
        name="Posts",
        well=posts[PostState.FAILED] == 0,
        words=words.posts_words(posts[PostState.READY], posts[PostState.FAILED], _failures(db)),
    )
    unknown = len(operations_in(db, OperationState.UNKNOWN))
    yield HealthLine(
        name="Changes",
        well=unknown == 0,
        words=words.changes_words(unknown),
    )


def _failures(db: Database) -> list[str]:
    """Return Slack's names for why posts were given up."""
    return sorted({each.error or "unknown" for each in failed_posts(db)})


def _waiting_line(db: Database, policy: Policy, person: Person, view: ProposalView) -> WaitingLine:
    card = card_message(db, view.proposal.proposal_id)
    return WaitingLine(
        facts=view,
        link=None if card is None else message_link(*card),
        mine=_could_sign(policy, person, view),
    )


def _could_sign(policy: Policy, person: Person, view: ProposalView) -> bool:
    """Whether it waits for this person. A hint for a list: the decision checks all of it again."""
    grant = _grant(policy, person)
    signed = {signature.user_id for signature in view.signatures}
    closed = {person.user_id, UNKNOWN_REQUESTER} & view.proposal.requesters
    asked = bool(closed) and not policy.requesters_may_sign
    if grant is None or asked or person.user_id in signed:
        return False
    return grant.role.covers(view.total) or view.signatures_needed > 1


def _grant(policy: Policy, person: Person) -> Grant | None:
    if person.kind is not PersonKind.MEMBER:
        return None
    return policy.grant(person.user_id, person.groups)


def _run_line(db: Database, run: RunRow) -> RunLine:
    thread = thread_of_run(db, run.run_id)
    at = datetime.fromisoformat(run.started_at)
    return RunLine(
        run_id=run.run_id,
        ticket_id=run.ticket_id,
        result=None if run.result is None else Result(run.result),
        stop=None if run.reason is None else StopReason(run.reason),
        at_us=int(at.timestamp() * 1_000_000),
        link=None if thread is None else message_link(thread.channel, thread.thread_ts),
    )

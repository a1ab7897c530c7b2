"""One evaluated run: the loop over recorded replies, a stand-in for the approver, the real writes.

Each run has a shop and a store of its own, copied from ones that were built once, so that nothing
that one run changes is seen by another. What the stand-in approves goes the way of every approval:
proposal, signature, executor, gateway.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Final

from sqlite_utils import Database

from approvals import (
    APPROVAL_MIGRATIONS,
    Asked,
    Decisions,
    Executes,
    Executor,
    Operations,
    Person,
    Policy,
    Proposals,
    ProposalState,
    read_policy,
    read_proposal,
)
from approvals.store import JOB_MIGRATIONS, Jobs, Writer, connect, migrate, tx
from bot.evaluation_runs import Planned
from bot.models import Models
from bot.plan import Plan
from bot.story import Story
from bot.triage import triage
from loop import Outcome, Price, Profile, Replied, RequestHead, Result, StopReason, head_value
from recordings import Approve, Judged, Observed, approves, judge
from tools import (
    Action,
    Change,
    FaultyGateway,
    Kind,
    PracticeGateway,
    RequestRefund,
    TicketCase,
    build_lasting,
    canonical,
    digest,
    open_lasting,
)

__all__ = ["Evaluated", "Evaluator", "data_digest", "price_digest", "prompt_digest"]

SECOND_US: Final = 1_000_000
START_US: Final = 1_790_000_000 * SECOND_US
"""Where the clock of approvals stands when a run's writes begin; it moves by their waits alone."""
MOST_TURNS: Final = 1000
"""Turns of the executor before a run's writes are given up; its attempts are bounded far below."""
_APPROVER: Final = Person(user_id="UEVALUATION")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """One run with its verdict and its story, for those who want to read on."""

    judged: Judged
    story: Story
    case: TicketCase


class Evaluator:
    """Runs tickets and judges what comes of them.

    Args:
        folder: where each run's files are made; the caller deletes it.
        data: the folder of the practice shop's data.
        approve: who stands in for the approver.

    Raises:
        DataError: the practice shop cannot be made.
    """

    def __init__(self, folder: Path, data: Path, *, approve: Approve) -> None:
        self._folder = folder
        self._approve = approve
        self._shop = folder / "shop.sqlite"
        self._store = folder / "store.sqlite"
        build_lasting(self._shop, data)
        with closing(connect(self._store)) as db:
            migrate(db, [JOB_MIGRATIONS, APPROVAL_MIGRATIONS])

    def evaluate(self, planned: Planned, models: Models | None = None) -> Evaluated:
        """Run one plan, write what the stand-in approves, and judge both.

        ``models`` are asked by a live plan.

        Raises:
            SettingRefused, PluginError: the model of a live plan cannot be asked.
        """
        plan = planned.plan
        shop_file = self._folder / "run-shop.sqlite"
        _copy(self._shop, shop_file)
        with closing(open_lasting(shop_file)) as shop:
            story = triage(plan, shop, planned.begin(), models=models).story
        case = plan.case
        done = False
        changes: tuple[Change, ...] = ()
        if story.actions and approves(self._approve, case, story.actions):
            done, changes = self._write(plan, story.actions, shop_file)
        seen = _observed(story, done=done, changes=changes)
        judged = Judged.of(
            planned.ticket_id,
            planned.run,
            seen,
            judge(case, seen),
            expected=case.expected.outcome,
            slice_name=case.slice,
            constructed=planned.constructed,
        )
        return Evaluated(judged=judged, story=story, case=case)

    def _write(
        self, plan: Plan, actions: tuple[Action, ...], shop_file: Path
    ) -> tuple[bool, tuple[Change, ...]]:
        """Approve and carry out; return whether all of it was done, and what changed."""
        store = self._folder / "run-store.sqlite"
        _copy(self._store, store)
        policy = _policy(actions)
        today = plan.today
        with (
            PracticeGateway(shop_file, today=lambda: today) as practice,
            closing(open_lasting(shop_file)) as shop,
            closing(connect(store)) as db,
            Writer(store) as writer,
        ):
            gateway = FaultyGateway(practice, plan.faults)
            clock = _Clock()
            jobs = Jobs()
            proposal_id = _sign(db, policy, plan, actions, gateway, jobs, clock)
            executor = Executor(
                operations=Operations(policy),
                jobs=jobs,
                shop=shop,
                gateways={gateway.traits.name: gateway},
                writer=writer,
                owner="evaluation",
                now_us=clock,
            )
            for _ in range(MOST_TURNS):
                again = executor.execute(db, proposal_id)
                if again is None:
                    break
                clock.move_to(again)
            done = read_proposal(db, proposal_id).state is ProposalState.DONE
            return done, practice.changes()


def prompt_digest(profile: Profile, heads: Iterable[RequestHead]) -> str:
    """Return the digest of what a profile tells its model: instructions, tools and schemas.

    ``heads`` are those of the runs; the model that each names does not count.
    """
    told = {canonical(head_value(replace(head, model=""))) for head in heads}
    return digest(
        "evaluation prompt", {"instructions": profile.instructions, "heads": sorted(told)}
    )


def data_digest(folder: Path) -> str:
    """Return the digest of a data folder: every file by name and content."""
    whole = sha256(b"handrail/data/1\n")
    for file in sorted(folder.iterdir()):
        if file.is_file():
            whole.update(f"{file.name} {sha256(file.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()


def price_digest(prices: Mapping[str, Price]) -> str:
    """Return the digest of a price table."""
    return digest("evaluation prices", {name: str(price) for name, price in prices.items()})


def _policy(actions: tuple[Action, ...]) -> Policy:
    """Return a policy by which the stand-in may sign anything."""
    currencies = [each.currency for each in actions if isinstance(each, RequestRefund)]
    return read_policy(
        {
            "currency": currencies[0] if currencies else "CAD",
            "roles": {"approver": {"limit": "none", "users": [_APPROVER.user_id]}},
            "expiry_hours": 72,
        },
        file="the evaluation's policy",
    )


def _sign(
    db: Database,
    policy: Policy,
    plan: Plan,
    actions: tuple[Action, ...],
    gateway: FaultyGateway,
    jobs: Jobs,
    clock: Callable[[], int],
) -> str:
    ticket = plan.case.ticket
    asked = Asked(
        run_id=f"{ticket.ticket_id}-evaluation",
        ticket_id=ticket.ticket_id,
        customer_id=ticket.customer_id,
        actions=actions,
        requesters=frozenset(),
    )
    executes = Executes(gateway=gateway.traits.name, prepare=gateway.prepare, jobs=jobs)
    with tx(db):
        proposal = Proposals(policy).create(db, asked, now_us=clock()).proposal
        Decisions(policy, executes).approve(
            db,
            proposal_id=proposal.proposal_id,
            version=proposal.version,
            person=_APPROVER,
            now_us=clock(),
            second=True,
        )
    return proposal.proposal_id


class _Clock:
    """Microseconds since 1970 that stand still until they are moved."""

    def __init__(self) -> None:
        self._now_us = START_US

    def __call__(self) -> int:
        return self._now_us

    def move_to(self, us: int) -> None:
        self._now_us = max(self._now_us, us)


def _observed(story: Story, *, done: bool, changes: tuple[Change, ...]) -> Observed:
    figures, resolution = story.figures, story.resolution or {}
    outcome = resolution.get("outcome")
    return Observed(
        result=story.result or Result.FAILED,
        stop=(story.stop.reason if story.stop else StopReason.NO_RECORDING).value,
        outcome=None if outcome is None else Outcome(outcome),
        team=resolution.get("team"),
        reply=resolution.get("reply"),
        actions=story.actions,
        changes=changes,
        done=done,
        steps=figures.model_calls,
        tool_calls=figures.tool_calls,
        refused_calls=sum(called.result is Kind.REFUSED for called in story.calls()),
        tokens_in=figures.tokens_in,
        tokens_out=figures.tokens_out,
        cost_usd=figures.cost_usd if figures.cost_complete or figures.cost_usd else None,
        cost_complete=figures.cost_complete,
        seconds=_seconds(story),
    )


def _seconds(story: Story) -> Decimal | None:
    """Return the run's time; None where a reply's latency was not recorded."""
    replies = (e.record.reply for e in story.entries if isinstance(e.record, Replied))
    if any(reply.latency_us is None for reply in replies):
        return None
    return Decimal(story.figures.seconds_us) / SECOND_US


def _copy(template: Path, file: Path) -> None:
    """Put a fresh copy in place of what an earlier run left, its log included."""
    for suffix in ("-wal", "-shm"):
        file.with_name(file.name + suffix).unlink(missing_ok=True)
    shutil.copyfile(template, file)

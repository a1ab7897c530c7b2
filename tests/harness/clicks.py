"""People at work: a process whose threads ask for changes and click on them, often twice."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sqlite_utils import Database

from approvals import (
    AlreadyDecided,
    Asked,
    Decisions,
    Executes,
    Policy,
    Prepare,
    Proposal,
    Proposals,
    ProposalState,
)
from approvals.store import Jobs, connect, rows, tx
from tests.approvals.execution_desk import HEAD
from tests.harness.effects import EffectLog
from tests.harness.stock import actions, customer

THREADS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Clicks:
    """What is needed to decide: the store, the policy, the clock, and the log of what was told."""

    store: Path
    policy: Policy
    prepare: Prepare
    now_us: Callable[[], int]
    told: EffectLog
    pause: Callable[[], None]
    """Called while too much is still to be carried out."""
    backlog: int

    def work_off(self, orders: range, chance: random.Random) -> None:
        """Ask for changes of each order, and decide them from several threads at once."""
        with connect(self.store) as db, ThreadPoolExecutor(THREADS) as pool:
            for number in orders:
                while self._on_its_way(db) > self.backlog:
                    self.pause()
                proposal = self._ask(db, number, chance.randint(1, 2))
                verbs = [self.approve, self.approve]
                if chance.random() < 0.3:
                    verbs.append(chance.choice([self.reject, self.withdraw]))
                chance.shuffle(verbs)
                for click in [pool.submit(verb, proposal) for verb in verbs]:
                    click.result()

    def approve(self, proposal: Proposal) -> None:
        """Click on Approve; what the person is told is noted."""
        with suppress(AlreadyDecided), connect(self.store) as db:
            with tx(db):
                signed = self._decisions().approve(
                    db,
                    proposal_id=proposal.proposal_id,
                    version=proposal.version,
                    person=HEAD,
                    now_us=self.now_us(),
                )
            if signed.proposal.state is ProposalState.APPROVED:
                self.told.add(approved=proposal.proposal_id)

    def reject(self, proposal: Proposal) -> None:
        """Click on Reject."""
        with suppress(AlreadyDecided), connect(self.store) as db, tx(db):
            self._decisions().reject(
                db,
                proposal_id=proposal.proposal_id,
                version=proposal.version,
                person=HEAD,
                why="not due",
                now_us=self.now_us(),
            )

    def withdraw(self, proposal: Proposal) -> None:
        """Take it back."""
        with suppress(AlreadyDecided), connect(self.store) as db, tx(db):
            Proposals(self.policy).withdraw(
                db, proposal.proposal_id, actor=HEAD.actor, now_us=self.now_us()
            )

    def _ask(self, db: Database, number: int, count: int) -> Proposal:
        asked = Asked(
            run_id=f"run-{number}",
            ticket_id=f"T-{number}",
            customer_id=customer(number),
            actions=actions(number, count),
            requesters=frozenset({"UASK"}),
        )
        with tx(db):
            return Proposals(self.policy).create(db, asked, now_us=self.now_us()).proposal

    def _decisions(self) -> Decisions:
        executes = Executes(gateway="http", prepare=self.prepare, jobs=Jobs())
        return Decisions(self.policy, executes)

    def _on_its_way(self, db: Database) -> int:
        sql = "SELECT count(*) AS n FROM proposals WHERE state IN ('approved', 'executing')"
        return int(rows(db, sql)[0]["n"])

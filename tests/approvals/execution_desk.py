"""Everything between an approval and the shop on real files: a store, a shop, a clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from sqlite_utils import Database

from approvals import (
    APPROVAL_MIGRATIONS,
    Asked,
    Decisions,
    Executes,
    Executor,
    Operation,
    Operations,
    Pace,
    Person,
    Policy,
    Proposal,
    Proposals,
    operations_of,
    random_code,
    read_policy,
    read_proposal,
)
from approvals.store import JOB_MIGRATIONS, Jobs, Writer, connect, migrate, tx
from tests.approvals.shop_double import Crash
from tools import PRACTICE_TODAY, Action, Gateway, PracticeGateway, PracticeShop, Shop

T = TypeVar("T")
SECOND = 1_000_000
START_US = 1_790_000_000 * SECOND
HEAD = Person(user_id="UHEAD")
POLICY = read_policy(
    {
        "currency": "CAD",
        "roles": {"head": {"limit": "none", "users": [HEAD.user_id]}},
        "expiry_hours": 72,
    },
    file="handrail.toml",
)
NOBODY = replace(POLICY, roles=(replace(POLICY.roles[0], users=frozenset()),))
"""The same policy when everybody has lost their role."""


class Clock:
    """Microseconds since 1970 that stand still until they are moved."""

    def __init__(self) -> None:
        self.now_us = START_US

    def __call__(self) -> int:
        return self.now_us

    def move(self, seconds: float) -> None:
        self.now_us += int(seconds * SECOND)


class Desk:
    """One store with its executor, before one shop."""

    def __init__(self, path: Path, shop: Shop, gateway: Gateway) -> None:
        self.path = path
        self.shop = shop
        self.gateway = gateway
        self.clock = Clock()
        self.jobs = Jobs()
        self.db: Database = connect(path)
        migrate(self.db, [JOB_MIGRATIONS, APPROVAL_MIGRATIONS])
        self.writer = Writer(path)

    def close(self) -> None:
        self.writer.close()
        self.db.close()

    def executor(
        self,
        *,
        gateway: Gateway | None = None,
        owner: str = "process-1",
        pace: Pace | None = None,
        policy: Policy = POLICY,
        writer: Writer | None = None,
    ) -> Executor:
        """Return an executor; another owner is another process."""
        used = gateway or self.gateway
        return Executor(
            operations=Operations(policy),
            jobs=self.jobs,
            shop=self.shop,
            gateways={used.traits.name: used},
            writer=writer or self.writer,
            owner=owner,
            now_us=self.clock,
            pace=pace,
        )

    def propose(
        self,
        *actions: Action,
        customer: str,
        ticket: str = "T-90001",
        new_code: Callable[[], str] = random_code,
    ) -> Proposal:
        """Propose actions and return what waits."""
        asked = Asked(
            run_id="run-1",
            ticket_id=ticket,
            customer_id=customer,
            actions=actions,
            requesters=frozenset({"UASK"}),
        )
        with tx(self.db):
            proposals = Proposals(POLICY, new_code=new_code)
            return proposals.create(self.db, asked, now_us=self.clock()).proposal

    def sign(self, proposal: Proposal, *, second: bool = False) -> None:
        """Approve what waits."""
        executes = Executes(
            gateway=self.gateway.traits.name, prepare=self.gateway.prepare, jobs=self.jobs
        )
        with tx(self.db):
            Decisions(POLICY, executes).approve(
                self.db,
                proposal_id=proposal.proposal_id,
                version=proposal.version,
                person=HEAD,
                now_us=self.clock(),
                second=second,
            )

    def approve(
        self, *actions: Action, customer: str, ticket: str = "T-90001", second: bool = False
    ) -> str:
        """Propose actions, have them approved, and return the proposal's id."""
        proposal = self.propose(*actions, customer=customer, ticket=ticket)
        self.sign(proposal, second=second)
        return proposal.proposal_id

    def finish(self, executor: Executor, proposal_id: str, *, turns: int = 200) -> None:
        """Carry a proposal out, moving the clock to each time that it asks for."""
        for _ in range(turns):
            again = executor.execute(self.db, proposal_id)
            if again is None:
                return
            self.clock.now_us = max(self.clock.now_us, again)
        raise AssertionError("the proposal came to no end")

    def proposal(self, proposal_id: str) -> Proposal:
        return read_proposal(self.db, proposal_id)

    def operations(self, proposal_id: str) -> list[Operation]:
        return operations_of(self.db, proposal_id)

    def operation(self, proposal_id: str) -> Operation:
        (only,) = self.operations(proposal_id)
        return only


class DyingWriter(Writer):
    """A writer whose process ends right behind the given commit, counted from 1; 0 is never."""

    def __init__(self, path: Path, commits: int) -> None:
        super().__init__(path)
        self._left = commits

    def run(self, work: Callable[[Database], T]) -> T:
        """Run and commit; the result of the last commit reaches nobody."""
        result = super().run(work)
        self._left -= 1
        if self._left == 0:
            raise Crash
        return result


@contextmanager
def open_desk(path: Path, shop: Shop, gateway: Gateway) -> Iterator[Desk]:
    """Open a desk before any shop."""
    desk = Desk(path, shop, gateway)
    try:
        yield desk
    finally:
        desk.close()


@contextmanager
def practice_desk(path: Path, folder: Path) -> Iterator[tuple[Desk, PracticeGateway]]:
    """Open a desk before a practice shop built from a folder."""
    with (
        PracticeShop.from_folder(folder) as shop,
        PracticeGateway(shop.path, today=lambda: PRACTICE_TODAY) as gateway,
        open_desk(path, shop, gateway) as desk,
    ):
        yield desk, gateway

"""A store with all of approvals on it, people to decide, and a clock that is set by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from approvals import (
    APPROVAL_MIGRATIONS,
    Asked,
    Claim,
    Created,
    Decisions,
    Done,
    Executes,
    Operation,
    Operations,
    Outcome,
    Person,
    Policy,
    Proposal,
    Proposals,
    Revisions,
    Signed,
    operations_of,
    read_policy,
    read_proposal,
)
from approvals.store import JOB_MIGRATIONS, Jobs, connect, migrate, tx
from tools import (
    Action,
    CreateReturnLabel,
    LabelReason,
    RefundReason,
    RequestRefund,
    ReshipItem,
    action_to_dict,
    canonical,
)

START_US = 1_790_000_000_000_000
HOUR_US = 3_600_000_000
AGENT = Person(user_id="UANN")
AGENT_2 = Person(user_id="UART")
LEAD = Person(user_id="ULEA")
HEAD = Person(user_id="UHED")
OUTSIDE = Person(user_id="UNONE")
ROLES = {
    "agent": {"limit": "100.00", "users": ["UANN", "UART"], "groups": ["SAGENTS"]},
    "team_lead": {"limit": "500.00", "users": ["ULEA"]},
    "head": {"limit": "none", "users": ["UHED"]},
}


def policy(**settings: Any) -> Policy:
    """Return the policy of the design, with settings changed."""
    table = {"currency": "CAD", "roles": ROLES, "expiry_hours": 48, **settings}
    return read_policy(table, file="handrail.toml")


def refund(
    amount: str = "119.00",
    *,
    order_id: str = "LK-507862",
    payment_id: str | None = "PAY-507862-2",
    reason: RefundReason = RefundReason.DOUBLE,
    currency: str = "CAD",
    sku: str | None = None,
    quantity: int | None = None,
) -> RequestRefund:
    """Return a refund; amounts have two decimals."""
    return RequestRefund(
        order_id=order_id,
        amount_minor=int(amount.replace(".", "")),
        currency=currency,
        reason_code=reason,
        payment_id=payment_id,
        sku=sku,
        quantity=quantity,
    )


def late_fee(amount: str = "9.95", order_id: str = "LK-643556") -> RequestRefund:
    """Return the refund of a delivery fee."""
    return refund(amount, order_id=order_id, payment_id=None, reason=RefundReason.LATE)


def label(sku: str = "PLANTER", reason: LabelReason = LabelReason.DAMAGED) -> CreateReturnLabel:
    """Return a label for one item."""
    return CreateReturnLabel(order_id="LK-640436", sku=sku, reason=reason)


def reship(sku: str = "PLANTER", quantity: int = 1) -> ReshipItem:
    """Return a reshipment of one item."""
    return ReshipItem(order_id="LK-640436", sku=sku, quantity=quantity)


def prepare(action: Action, *, ticket_id: str, operation_id: str, key: str) -> bytes:
    """Write a request as a gateway would."""
    value = {
        "action": action_to_dict(action),
        "key": key,
        "operation_id": operation_id,
        "ticket_id": ticket_id,
    }
    return canonical(value).encode()


def codes() -> Callable[[], str]:
    """Return codes that count up from 1."""
    numbers = count(1)
    return lambda: str(next(numbers))


class Desk:
    """One connection to a store, and short ways to do what tests do over and over."""

    def __init__(self, path: Path, db: Database, rules: Policy) -> None:
        self.path = path
        self.db = db
        self.now_us = START_US
        self.new_code = codes()
        self.jobs = Jobs()
        self.under(rules)

    def under(self, rules: Policy, *, practice_shop: bool = False) -> None:
        """Go on under another policy."""
        self.policy = rules
        self.executes = Executes(
            gateway="practice", prepare=prepare, jobs=self.jobs, practice_shop=practice_shop
        )
        self.proposals = Proposals(rules, new_code=self.new_code, new_salt=lambda: "salt")
        self.decisions = Decisions(rules, self.executes, new_salt=lambda: "salt")
        self.operations = Operations(rules)
        self.revisions = Revisions(rules, self.proposals, practice_shop=practice_shop)

    def pass_hours(self, hours: float) -> None:
        """Set the clock on."""
        self.now_us += int(hours * HOUR_US)

    def create(self, *actions: Action, replaces: bool = False, **asked: Any) -> Created:
        """Ask for actions, for ticket T-1 of customer C-1 unless said otherwise."""
        facts: dict[str, Any] = {
            "run_id": "run-1",
            "ticket_id": "T-1",
            "customer_id": "C-1",
            "requesters": frozenset({"UASKER"}),
            "rule": "W7",
        }
        wanted = Asked(actions=actions or (refund(),), **(facts | asked))
        with tx(self.db):
            return self.proposals.create(self.db, wanted, now_us=self.now_us, replaces=replaces)

    def ask(self, *actions: Action, **asked: Any) -> Proposal:
        """Ask for actions and return the proposal."""
        return self.create(*actions, **asked).proposal

    def approve(
        self, proposal: Proposal, person: Person = HEAD, *, second: bool = False, why: str = ""
    ) -> Signed:
        """Approve the version that is given."""
        with tx(self.db):
            return self.decisions.approve(
                self.db,
                proposal_id=proposal.proposal_id,
                version=proposal.version,
                person=person,
                now_us=self.now_us,
                second=second,
                why=why,
            )

    def reject(self, proposal: Proposal, person: Person = AGENT, why: str = "not due") -> Signed:
        """Reject the version that is given."""
        with tx(self.db):
            return self.decisions.reject(
                self.db,
                proposal_id=proposal.proposal_id,
                version=proposal.version,
                person=person,
                why=why,
                now_us=self.now_us,
            )

    def withdraw(self, proposal: Proposal, person: Person = AGENT) -> None:
        """Take a proposal back."""
        with tx(self.db):
            self.proposals.withdraw(
                self.db, proposal.proposal_id, actor=person.actor, now_us=self.now_us
            )

    def edit(self, proposal: Proposal, person: Person = AGENT, **amounts: int) -> Proposal:
        """Edit amounts, given as ``at_1=…`` in minor units."""
        with tx(self.db):
            return self.revisions.edit(
                self.db,
                proposal_id=proposal.proposal_id,
                version=proposal.version,
                amounts={int(name.removeprefix("at_")): minor for name, minor in amounts.items()},
                person=person,
                now_us=self.now_us,
            )

    def expire_due(self) -> tuple[str, ...]:
        """Run the sweep."""
        with tx(self.db):
            return self.proposals.expire_due(self.db, now_us=self.now_us)

    def claim(self, operation: Operation, owner: str = "me") -> Operation:
        """Take an operation up."""
        with tx(self.db):
            return self.operations.claim(
                self.db, operation.operation_id, owner=owner, now_us=self.now_us
            )

    def settle(self, claim: Claim, outcome: Outcome) -> Operation:
        """Store what an attempt came to."""
        with tx(self.db):
            return self.operations.settle(self.db, claim, outcome, now_us=self.now_us)

    def carry_out(self, proposal: Proposal) -> Proposal:
        """Carry out an approved proposal with a shop that does everything."""
        for operation in self.operations_of(proposal):
            claimed = self.claim(operation)
            self.settle(claimed.claim, Done(result={"reference": "RF-1"}))
        return self.again(proposal)

    def finish(self, *actions: Action, **asked: Any) -> Proposal:
        """Ask, approve by the head, and carry out."""
        proposal = self.ask(*actions, **asked)
        self.approve(proposal, second=True)
        return self.carry_out(proposal)

    def again(self, proposal: Proposal) -> Proposal:
        """Return the row as it stands now."""
        return read_proposal(self.db, proposal.proposal_id)

    def operations_of(self, proposal: Proposal) -> list[Operation]:
        """Return the operations of a proposal."""
        return operations_of(self.db, proposal.proposal_id)

    def states(self, proposal: Proposal) -> list[str]:
        """Return the states of a proposal's operations."""
        return [operation.state.value for operation in self.operations_of(proposal)]


def open_desk(path: Path, rules: Policy | None = None) -> Iterator[Desk]:
    """Yield a desk on a new store."""
    with connect(path) as db:
        migrate(db, [JOB_MIGRATIONS, APPROVAL_MIGRATIONS])
        yield Desk(path, db, rules or policy())


def elsewhere(person: Person, **changes: Any) -> Person:
    """Return a person with facts changed."""
    return replace(person, **changes)

"""Any order of events keeps the invariants of proposals, operations and audit."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from approvals import (
    ActionsRefused,
    AlreadyDecided,
    Claim,
    ClaimLost,
    Done,
    EqualProposal,
    Failed,
    NotAllowed,
    Operation,
    OperationState,
    Proposal,
    ProposalState,
    Retry,
    SecondNeeded,
    Unknown,
    VersionChanged,
    audit_rows,
    list_proposals,
    operations_in,
    operations_of,
    read_operation,
    verify_audit,
    view_proposal,
)
from approvals.policy import Policy
from approvals.standing import is_enough, signatures_of, standing_roles
from approvals.states import EXITS, LIVE
from approvals.store import rows, tx
from approvals.sums import own_amount, ticket_amount
from tests.approvals.desk import (
    AGENT,
    AGENT_2,
    HEAD,
    LEAD,
    label,
    late_fee,
    open_desk,
    policy,
    prepare,
    refund,
)
from tools import Money

PEOPLE = st.sampled_from([AGENT, AGENT_2, LEAD, HEAD])
ACTIONS = st.sampled_from(
    [
        (refund("60.00"),),
        (refund("60.00"), label()),
        (label(), refund("60.00")),
        (late_fee("45.00"),),
        (refund("240.00", payment_id="PAY-507862-1"),),
        (label(), late_fee("45.00"), refund("60.00")),
    ]
)
OUTCOMES = st.sampled_from(
    [
        Done(result={"reference": "RF-1"}),
        Done(result={"reference": "RF-1"}, pending=True),
        Failed(code="denied", words="refused"),
        Unknown(code="timeout", words="nobody knows"),
        Retry(at_us=0, code="timeout", words="no answer"),
    ]
)
FINAL = st.sampled_from([Done(result={}), Failed(code="canceled", words="canceled")])
NUMBER = st.integers(0, 11)
SELDOM = st.sampled_from([False, False, False, False, True])
REFUSED = (
    ActionsRefused,
    AlreadyDecided,
    ClaimLost,
    EqualProposal,
    NotAllowed,
    SecondNeeded,
    VersionChanged,
)


class Approvals(RuleBasedStateMachine):
    """Runs, people, an executor with ghosts, a sweep and a clock that jumps, on one store."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        rules = policy(two_people_above="200.00")
        self.opened = open_desk(Path(self.folder.name) / "handrail.db", rules)
        self.desk = next(self.opened)
        self.claims: list[Claim] = []
        self.keys: dict[str, tuple[str, bytes]] = {}

    def teardown(self) -> None:
        self.opened.close()  # type: ignore[attr-defined]
        self.folder.cleanup()

    def pick(self, number: int) -> Proposal:
        """Return one of the proposals, the newest for 0; asks for a first one if there is none."""
        found = list_proposals(self.desk.db) or [self.desk.ask(refund("60.00"))]
        return found[-1 - number % len(found)]

    def operation(self, number: int, *states: OperationState) -> Operation | None:
        """Return one of the operations in these states."""
        found = operations_in(self.desk.db, *states)
        return found[number % len(found)] if found else None

    @rule(actions=ACTIONS, ticket=st.sampled_from(["T-1", "T-2", "T-3"]), replaces=SELDOM)
    def run_ends(self, actions: Any, ticket: str, replaces: bool) -> None:
        self.desk.create(*actions, ticket_id=ticket, replaces=replaces)

    @rule(number=NUMBER, person=PEOPLE, second=st.booleans())
    def approve(self, number: int, person: Any, second: bool) -> None:
        with suppress(*REFUSED):
            self.desk.approve(self.pick(number), person, second=second)

    @rule(number=NUMBER)
    def approve_for_sure(self, number: int) -> None:
        for person in (HEAD, LEAD):
            self.approve(number, person, second=True)

    @rule(actions=ACTIONS, ticket=st.sampled_from(["T-1", "T-2", "T-3"]))
    def agents_sign_what_they_can(self, actions: Any, ticket: str) -> None:
        """Small amounts that add up over a ticket: each is within an agent's limit."""
        proposal = self.desk.create(*actions, ticket_id=ticket).proposal
        for person in (AGENT, AGENT_2):
            with suppress(*REFUSED):
                self.desk.approve(proposal, person, second=True)

    @rule(number=NUMBER, person=PEOPLE)
    def reject(self, number: int, person: Any) -> None:
        with suppress(*REFUSED):
            self.desk.reject(self.pick(number), person)

    @rule(number=NUMBER, sure=SELDOM)
    def withdraw(self, number: int, sure: bool) -> None:
        if not sure:
            return
        with suppress(*REFUSED):
            self.desk.withdraw(self.pick(number))

    @rule(number=NUMBER, person=PEOPLE, minor=st.sampled_from([1000, 6000, 24000]))
    def edit(self, number: int, person: Any, minor: int) -> None:
        with suppress(*REFUSED):
            self.desk.edit(self.pick(number), person, at_1=minor)

    @rule(number=NUMBER, verb=st.sampled_from(["reopen", "try_again", "repeat"]), person=PEOPLE)
    def once_more(self, number: int, verb: str, person: Any) -> None:
        proposal = self.pick(number)
        with suppress(*REFUSED), tx(self.desk.db):
            getattr(self.desk.revisions, verb)(
                self.desk.db,
                proposal_id=proposal.proposal_id,
                person=person,
                now_us=self.desk.now_us,
            )

    @rule(hours=st.sampled_from([1, 30, 49, -30]))
    def clock_moves(self, hours: int) -> None:
        self.desk.pass_hours(hours)

    @rule()
    def sweep(self) -> None:
        self.desk.expire_due()

    @rule(number=NUMBER, owner=st.sampled_from(["host-1", "host-2"]))
    def claim(self, number: int, owner: str) -> None:
        ready = self.operation(number, OperationState.READY, OperationState.RETRY)
        if ready is not None:
            with suppress(*REFUSED):
                claimed = self.desk.claim(ready, owner)
                if claimed.state is OperationState.EXECUTING:
                    self.claims.append(claimed.claim)

    @rule(actions=ACTIONS, ticket=st.sampled_from(["T-1", "T-2", "T-3"]), outcome=OUTCOMES)
    def all_the_way(self, actions: Any, ticket: str, outcome: Any) -> None:
        """Ask, approve with an explicit yes, and take each action to an outcome."""
        proposal = self.desk.create(*actions, ticket_id=ticket).proposal
        for person in (HEAD, LEAD):
            with suppress(*REFUSED):
                self.desk.approve(proposal, person, second=True)
        for operation in self.desk.operations_of(proposal):
            with suppress(*REFUSED):
                claimed = self.desk.claim(operation)
                if claimed.state is OperationState.EXECUTING:
                    self.claims.append(claimed.claim)
                    self.desk.settle(claimed.claim, outcome)

    @precondition(lambda self: self.claims)
    @rule(number=NUMBER, outcome=OUTCOMES)
    def settle(self, number: int, outcome: Any) -> None:
        """Settle any claim that ever was: most are ghosts by now, and change nothing."""
        claim = self.claims[-1 - number % len(self.claims)]
        before = read_operation(self.desk.db, claim.operation_id)
        is_current = before.owner is not None and before.claim == claim
        try:
            self.desk.settle(claim, outcome)
        except ClaimLost:
            assert not is_current
            assert read_operation(self.desk.db, claim.operation_id) == before
        else:
            assert is_current

    @rule(number=NUMBER, owner=st.sampled_from(["host-3", "host-4"]), outcome=OUTCOMES)
    def restart(self, number: int, owner: str, outcome: Any) -> None:
        """Take over what is executing; whoever had it wakes, and is not heard."""
        left = self.operation(number, OperationState.EXECUTING)
        if left is not None:
            with tx(self.desk.db):
                taken = self.desk.operations.adopt(
                    self.desk.db, left.claim, owner=owner, now_us=self.desk.now_us
                )
            self.claims.append(taken.claim)
            if left.owner != owner:
                with pytest.raises(ClaimLost):
                    self.desk.settle(left.claim, outcome)

    @rule(number=NUMBER, outcome=OUTCOMES)
    def look_up_finds(self, number: int, outcome: Any) -> None:
        open_one = self.operation(number, OperationState.READY, OperationState.RETRY)
        if open_one is not None:
            with suppress(*REFUSED), tx(self.desk.db):
                self.desk.operations.settle_unclaimed(
                    self.desk.db, open_one.operation_id, outcome, now_us=self.desk.now_us
                )

    @rule(number=NUMBER, outcome=FINAL, state=st.sampled_from(["unknown", "done"]))
    def resolve(self, number: int, outcome: Any, state: str) -> None:
        found = self.operation(number, OperationState(state))
        operations = self.desk.operations
        verb = operations.resolve if state == "unknown" else operations.resolve_pending
        if found is not None:
            with suppress(*REFUSED), tx(self.desk.db):
                verb(self.desk.db, found.operation_id, outcome, now_us=self.desk.now_us)

    @invariant()
    def every_state_is_left_by_an_exit_of_it(self) -> None:
        moves = [row for row in audit_rows(self.desk.db, limit=10_000) if not row.operation_id]
        at: dict[str, str] = {}
        for row in moves:
            if row.to_state is not None:
                if row.from_state is not None:
                    assert at[row.proposal_id] == row.from_state
                    exits = EXITS[ProposalState(row.from_state)]
                    assert ProposalState(row.to_state) in exits
                at[row.proposal_id] = row.to_state
        assert at == {p.proposal_id: p.state.value for p in list_proposals(self.desk.db)}

    @invariant()
    def what_was_decided_is_what_is_stored(self) -> None:
        for proposal in list_proposals(self.desk.db):
            assert proposal.facts_digest == proposal.digest
            for operation in operations_of(self.desk.db, proposal.proposal_id):
                action = proposal.actions[operation.position - 1]
                assert operation.action == action
                assert operation.request == prepare(
                    action,
                    ticket_id=proposal.ticket_id,
                    operation_id=operation.operation_id,
                    key=operation.key,
                )

    @invariant()
    def a_key_belongs_to_one_operation_for_ever(self) -> None:
        for operation in operations_in(self.desk.db, *OperationState):
            known = self.keys.setdefault(operation.operation_id, (operation.key, operation.request))
            assert known == (operation.key, operation.request)
        keys = [key for key, _ in self.keys.values()]
        assert len(set(keys)) == len(keys)

    @invariant()
    def at_most_one_equal_proposal_is_on_its_way(self) -> None:
        for row in rows(
            self.desk.db,
            "SELECT count(*) AS n FROM proposals WHERE state IN"
            " ('waiting', 'approved', 'executing', 'unknown') GROUP BY fingerprint",
        ):
            assert row["n"] == 1

    @invariant()
    def nothing_is_approved_beyond_what_its_signatures_cover(self) -> None:
        rules: Policy = self.desk.policy
        spent: dict[str, Money] = {}
        granted = [p for p in list_proposals(self.desk.db) if p.approved_seq is not None]
        for proposal in sorted(granted, key=lambda p: p.approved_seq or 0):
            roles = standing_roles(rules, proposal, signatures_of(self.desk.db, proposal))
            assert is_enough(rules, roles, ticket_amount(self.desk.db, rules, proposal))
            if proposal.state in LIVE:
                before = spent.get(proposal.ticket_id, Money(0, "CAD"))
                total = before + own_amount(rules, proposal).known
                spent[proposal.ticket_id] = total
                covering = max(10**9 if role.limit is None else role.limit.minor for role in roles)
                assert total.minor <= covering

    @invariant()
    def a_proposal_stands_where_its_operations_do(self) -> None:
        for proposal in list_proposals(self.desk.db):
            states = {o.state.value for o in operations_of(self.desk.db, proposal.proposal_id)}
            match proposal.state:
                case ProposalState.DONE:
                    assert states == {"done"}
                case ProposalState.EXECUTING:
                    assert states <= {"ready", "executing", "retry", "done"}
                case ProposalState.APPROVED:
                    assert states <= {"ready", "retry"}
                    assert view_proposal(
                        self.desk.db, self.desk.policy, proposal.proposal_id
                    ).nothing_has_happened
                case ProposalState.UNKNOWN:
                    assert "unknown" in states
                case ProposalState.FAILED:
                    assert states & {"failed", "not_run"}
                    assert not states & {"ready"}
                case _:
                    assert states == set()

    @invariant()
    def the_audit_verifies(self) -> None:
        verify_audit(self.desk.db)


Approvals.TestCase.settings = settings(
    max_examples=25,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
TestApprovals = Approvals.TestCase

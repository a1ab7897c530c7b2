"""Any order of calls, faults and crashes: one write at most for each key, and no untrue state."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from approvals import (
    Executor,
    OperationState,
    Policy,
    ProposalState,
    audit_rows,
    list_proposals,
    operations_in,
    verify_audit,
)
from approvals.states import EXITS
from tests.approvals.execution_desk import NOBODY, POLICY, SECOND, DyingWriter, open_desk
from tests.approvals.shop_double import Crash, Does, ShopDouble
from tests.approvals.test_executor import SHOPS
from tests.harness.stock import actions, customer, write_stock
from tools import (
    PracticeShop,
    ReceiptState,
    ShopBroke,
    ShopDenied,
    ShopError,
    ShopTimeout,
    ShopUnavailable,
)

ORDERS = 100
NUMBER = st.integers(0, 7)
MEETS = st.lists(st.sampled_from(Does), max_size=2)
LOOK_UP_ERRORS = st.lists(
    st.sampled_from(
        [None, ShopTimeout("slow"), ShopUnavailable("down"), ShopBroke("500"), ShopDenied("403")]
    ),
    max_size=2,
)
DOUBTS = st.sampled_from([Does.LATE, Does.LATE, Does.UNCLEAR, Does.CRASH, Does.LOST_AFTER])
ANSWERS = st.sampled_from(
    [*Does, *[Does.DENIED, Does.INVALID, Does.MISMATCH, Does.BROKE_BEFORE] * 3]
)
JUMPS = st.sampled_from([1, 10, 31, 100, 3_600, 90_000, -20, -4_000])
ON_ITS_WAY_S = 30
"""A call that got no answer arrives within this time, or never: less than any settle time."""
KEY_LIFE_S = 86_400


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PracticeShop]:
    """What is read before a first call; the double never changes it."""
    folder = tmp_path_factory.mktemp("stock") / "files"
    write_stock(folder, ORDERS)
    with PracticeShop.from_folder(folder) as built:
        yield built


class Execution(RuleBasedStateMachine):
    """An executor that crashes, before a shop that fails, under a clock that jumps."""

    shop: PracticeShop

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.asked = 0
        self.process = 1

    @initialize(promises=st.sampled_from(sorted(SHOPS)))
    def open(self, promises: str) -> None:
        self.double = ShopDouble(SHOPS[promises])
        self.opened = open_desk(Path(self.folder.name) / "store.db", self.shop, self.double)
        self.desk = self.opened.__enter__()

    def teardown(self) -> None:
        self.opened.__exit__(None, None, None)
        self.folder.cleanup()

    @contextmanager
    def executor(self, policy: Policy, dies_behind: int = 0) -> Iterator[Executor]:
        """Give an executor of the process that lives now; a crash starts the next one."""
        with DyingWriter(self.desk.path, dies_behind) as writer:
            owner = f"process-{self.process}"
            try:
                yield self.desk.executor(owner=owner, policy=policy, writer=writer)
            except Crash:
                self.process += 1
            finally:
                self.double.script.clear()
                self.double.look_up_errors.clear()

    def pick(self, number: int) -> str:
        """Return one of the proposals that are to be carried out; approves one if there is none."""
        found = list_proposals(self.desk.db, ProposalState.APPROVED, ProposalState.EXECUTING)
        return found[number % len(found)].proposal_id if found else self.approved(1)

    @rule(count=st.integers(1, 2))
    def approve(self, count: int) -> None:
        self.approved(count)

    def approved(self, count: int) -> str:
        """Approve so many actions of an order that nobody asked anything of yet."""
        number, self.asked = self.asked, self.asked + 1
        asked = actions(number, count)
        return self.desk.approve(*asked, customer=customer(number), ticket=f"T-{number}")

    @rule(number=NUMBER, meets=MEETS, errors=LOOK_UP_ERRORS, dies_behind=st.integers(0, 5))
    def turn(
        self, number: int, meets: list[Does], errors: list[ShopError | None], dies_behind: int
    ) -> None:
        """Carry one proposal on; the process may die at the call or behind a commit."""
        proposal_id = self.pick(number)
        self.double.then(*meets)
        self.double.look_up_errors.extend(errors)
        with self.executor(POLICY, dies_behind) as executor:
            executor.execute(self.desk.db, proposal_id)

    @rule(number=NUMBER, meets=st.lists(st.sampled_from(Does), min_size=1, max_size=4))
    def go_on(self, number: int, meets: list[Does]) -> None:
        """Carry one proposal on, again and again at the times that it asks for, if that is soon."""
        proposal_id = self.pick(number)
        until = self.desk.clock() + ON_ITS_WAY_S * SECOND
        for does in meets:
            self.double.then(does)
            with self.executor(POLICY) as executor:
                again = executor.execute(self.desk.db, proposal_id)
                self.desk.clock.now_us = max(self.desk.clock(), min(until, again or 0))

    @rule(number=NUMBER, first=DOUBTS, later=st.lists(ANSWERS, max_size=3), seconds=JUMPS)
    def in_doubt(self, number: int, first: Does, later: list[Does], seconds: int) -> None:
        """A call with no certain end, others behind it, time, and a start that asks the shop."""
        self.go_on(number, [first, *later])
        self.clock_moves(seconds)
        self.reconcile([], 0, adopt=True)

    @rule(errors=LOOK_UP_ERRORS, dies_behind=st.integers(0, 3), adopt=st.booleans())
    def reconcile(self, errors: list[ShopError | None], dies_behind: int, adopt: bool) -> None:
        """As at a start, or as by command; adopting is for a new process."""
        self.process += adopt
        self.double.look_up_errors.extend(errors)
        with self.executor(POLICY, dies_behind) as executor:
            executor.reconcile(self.desk.db, adopt=adopt)

    @rule(number=NUMBER)
    def turn_under_a_policy_that_allows_nobody(self, number: int) -> None:
        proposal_id = self.pick(number)
        with self.executor(NOBODY) as executor:
            executor.execute(self.desk.db, proposal_id)

    @rule(seconds=JUMPS)
    def clock_moves(self, seconds: int) -> None:
        if seconds > ON_ITS_WAY_S:
            self.double.arrive()
        if seconds > KEY_LIFE_S and self.double.traits.key_lifetime_s is not None:
            self.double.forget_keys()
        self.desk.clock.move(seconds)

    @precondition(lambda self: self.double.late)
    @rule()
    def what_is_late_arrives(self) -> None:
        self.double.arrive()

    @invariant()
    def each_key_is_carried_out_once_at_most(self) -> None:
        assert set(Counter(self.double.effects).values()) <= {1}

    @invariant()
    def what_is_sent_is_what_was_approved(self) -> None:
        proposals = {each.proposal_id: each for each in list_proposals(self.desk.db)}
        approved = {}
        for operation in operations_in(self.desk.db, *OperationState):
            proposal = proposals[operation.proposal_id]
            approved[operation.key] = self.double.prepare(
                proposal.actions[operation.position - 1],
                ticket_id=proposal.ticket_id,
                operation_id=operation.operation_id,
                key=operation.key,
            )
        assert all(approved[key] == request for key, request in self.double.sent)

    @invariant()
    def no_state_is_untrue(self) -> None:
        for operation in operations_in(self.desk.db, *OperationState):
            written = operation.key in self.double.effects
            match operation.state:
                case OperationState.DONE:
                    assert written
                case OperationState.NOT_RUN | OperationState.READY:
                    assert not written
                case OperationState.FAILED:
                    state = self.double.states.get(operation.key)
                    assert not written or state is ReceiptState.FAILED
                case OperationState.EXECUTING | OperationState.RETRY | OperationState.UNKNOWN:
                    continue  # these say that it is not known

    @invariant()
    def every_state_is_left_by_an_exit_of_it(self) -> None:
        at: dict[str, str] = {}
        for row in audit_rows(self.desk.db, limit=10_000):
            if row.operation_id is None and row.to_state is not None:
                if row.from_state is not None:
                    assert at[row.proposal_id] == row.from_state
                    assert ProposalState(row.to_state) in EXITS[ProposalState(row.from_state)]
                at[row.proposal_id] = row.to_state
        assert at == {p.proposal_id: p.state.value for p in list_proposals(self.desk.db)}

    @invariant()
    def the_audit_verifies(self) -> None:
        verify_audit(self.desk.db)


@given(
    promises=st.sampled_from(sorted(SHOPS)),
    first=DOUBTS,
    later=st.lists(ANSWERS, max_size=3),
    seconds=JUMPS,
)
@settings(max_examples=150, suppress_health_check=list(HealthCheck))
def test_whatever_follows_a_call_without_a_certain_end_no_state_is_untrue(
    shop: PracticeShop, promises: str, first: Does, later: list[Does], seconds: int
) -> None:
    machine = Execution()
    machine.shop = shop
    machine.open(promises)
    try:
        machine.in_doubt(0, first, later, seconds)
        machine.double.arrive()
        machine.no_state_is_untrue()
        machine.each_key_is_carried_out_once_at_most()
    finally:
        machine.teardown()


def test_any_order_of_calls_faults_and_crashes(shop: PracticeShop) -> None:
    class Here(Execution):
        pass

    Here.shop = shop
    run_state_machine_as_test(
        Here,
        settings=settings(
            max_examples=60,
            stateful_step_count=10,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )

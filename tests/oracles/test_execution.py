"""Execution and the shop's writes, B80 to B98, on the shipped shop.

Kept, but for these, which the design changes:

- B80, B81: what the reference calls pending after a crash is ``executing`` here, and a start
  looks it up before anything else. The record is written before the call, so that a crash during
  the call is known as one.
- B86: the ticket goes to a person as ``failed``; B90: as ``unknown``.
- B88, B89: an operation's id is its proposal's with a position, and the key is a hash of ours; the
  shop's own id follows from the operation's id as in the reference.
- B92: the bodies are compared as well.
- B94, B97: refused before a call too; here at the shop itself, the last guard.
- B98: a weakness of the reference. Another ticket's refund of the same fee is told as a second
  one and needs an explicit yes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from approvals import OperationState, Pace, ProposalState, SecondNeeded
from tests.approvals.execution_desk import Desk, practice_desk
from tests.approvals.shop_double import Crash, Through
from tools import (
    SHIPPED_DATA,
    Action,
    CreateReturnLabel,
    Fault,
    FaultyGateway,
    LabelReason,
    PracticeGateway,
    RefundReason,
    RequestRefund,
    ReshipItem,
    ShopInvalid,
    ShopTimeout,
)
from tools.practice.ledger import reference_of

LATE_FEE = RequestRefund(
    order_id="LK-793996", amount_minor=995, currency="CAD", reason_code=RefundReason.LATE
)
"""T-90104, customer C-61975."""
DOUBLE = RequestRefund(
    order_id="LK-645223",
    amount_minor=4595,
    currency="CAD",
    reason_code=RefundReason.DOUBLE,
    payment_id="PAY-645223-2",
)
"""T-90603, customer C-55223."""
LADDER = CreateReturnLabel(order_id="LK-645334", sku="LADDER-3", reason=LabelReason.CHANGE_OF_MIND)
"""T-90604, customer C-55334."""
TROWEL = ReshipItem(order_id="LK-645445", sku="TROWEL", quantity=1)
"""T-90605, customer C-55445."""
FEE_606 = LATE_FEE.model_copy(update={"order_id": "LK-645556"})
"""T-90606, customer C-55556."""


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[tuple[Desk, PracticeGateway]]:
    with practice_desk(tmp_path / "store.db", SHIPPED_DATA) as both:
        yield both


@pytest.fixture
def desk(opened: tuple[Desk, PracticeGateway]) -> Desk:
    return opened[0]


@pytest.fixture
def gateway(opened: tuple[Desk, PracticeGateway]) -> PracticeGateway:
    return opened[1]


def run(desk: Desk, proposal_id: str, *faults: str, pace: Pace | None = None) -> OperationState:
    """Carry out a proposal of one action with faults before the shop."""
    faulty = FaultyGateway(desk.gateway, [Fault.parse(fault) for fault in faults])
    desk.finish(desk.executor(gateway=faulty, pace=pace), proposal_id)
    return desk.operation(proposal_id).state


def crash(desk: Desk, gateway: Through) -> str:
    """Approve the late fee of T-90104 and end the process around the call."""
    proposal_id = desk.approve(LATE_FEE, customer="C-61975", ticket="T-90104")
    with pytest.raises(Crash):
        desk.executor(gateway=gateway).execute(desk.db, proposal_id)
    assert desk.operation(proposal_id).state is OperationState.EXECUTING
    return proposal_id


def end_process() -> None:
    raise Crash


def test_b80_a_crash_before_the_write_changes_nothing_and_the_next_process_writes_once(
    desk: Desk, gateway: PracticeGateway
) -> None:
    proposal_id = crash(desk, Through(gateway, before_send=end_process))
    assert gateway.changes() == ()

    later = desk.executor(owner="process-2")
    later.reconcile(desk.db, adopt=True)
    desk.finish(later, proposal_id)

    assert len(gateway.changes()) == 1
    assert desk.operation(proposal_id).state is OperationState.DONE


def test_b81_a_crash_after_the_write_is_reconciled_as_found(
    desk: Desk, gateway: PracticeGateway
) -> None:
    proposal_id = crash(desk, Through(gateway, behind_send=end_process))
    assert len(gateway.changes()) == 1

    (finding,) = desk.executor(owner="process-2").reconcile(desk.db, adopt=True)

    assert finding.operation.state is OperationState.DONE
    assert len(gateway.changes()) == 1
    assert desk.proposal(proposal_id).state is ProposalState.DONE


def test_b82_a_time_out_after_the_write_is_one_change(desk: Desk, gateway: PracticeGateway) -> None:
    proposal_id = desk.approve(DOUBLE, customer="C-55223", ticket="T-90603")

    assert run(desk, proposal_id, "request_refund:timeout_after_write") is OperationState.DONE
    assert len(gateway.changes()) == 1
    assert desk.operation(proposal_id).attempt == 1


def test_b84_a_time_out_before_the_write_is_one_change_at_the_second_attempt(
    desk: Desk, gateway: PracticeGateway
) -> None:
    proposal_id = desk.approve(LADDER, customer="C-55334", ticket="T-90604")
    before = desk.operation(proposal_id)

    assert run(desk, proposal_id, "create_return_label:timeout_before_write") == "done"
    assert len(gateway.changes()) == 1
    after = desk.operation(proposal_id)
    assert (after.attempt, after.key, after.request) == (2, before.key, before.request)


def test_b85_a_service_that_is_not_available_once_is_one_change(
    desk: Desk, gateway: PracticeGateway
) -> None:
    proposal_id = desk.approve(FEE_606, customer="C-55556", ticket="T-90606")

    assert run(desk, proposal_id, "request_refund:unavailable") is OperationState.DONE
    assert len(gateway.changes()) == 1


def test_b86_a_refusal_of_the_service_is_one_attempt_and_no_change(
    desk: Desk, gateway: PracticeGateway
) -> None:
    proposal_id = desk.approve(TROWEL, customer="C-55445", ticket="T-90605")

    assert run(desk, proposal_id, "reship_item:denied:99") is OperationState.FAILED
    assert gateway.changes() == ()
    operation = desk.operation(proposal_id)
    assert (operation.attempt, operation.error_code) == (1, "denied")


def test_b88_the_shop_s_id_follows_from_the_operation_s_id(
    desk: Desk, gateway: PracticeGateway
) -> None:
    assert reference_of("request_refund", "797fbb5bbb9f8a7e") == "RF-A558CC9D"

    proposal_id = desk.approve(LATE_FEE, customer="C-61975", ticket="T-90104")
    run(desk, proposal_id)

    (change,) = gateway.changes()
    assert change.operation_id == f"{proposal_id}-1"
    assert change.reference == reference_of("request_refund", change.operation_id)


def test_b89_two_actions_of_one_ticket_have_ids_and_keys_of_their_own_and_run_in_order(
    desk: Desk, gateway: PracticeGateway
) -> None:
    reship = ReshipItem(order_id="LK-640436", sku="PLANTER", quantity=1)
    label = CreateReturnLabel(order_id="LK-640436", sku="PLANTER", reason=LabelReason.DAMAGED)
    proposal_id = desk.approve(reship, label, customer="C-50533", ticket="T-90103")
    desk.finish(desk.executor(), proposal_id)

    first, second = desk.operations(proposal_id)
    assert (first.operation_id, second.operation_id) == (f"{proposal_id}-1", f"{proposal_id}-2")
    assert first.key != second.key
    assert [change.reference[:3] for change in gateway.changes()] == ["RS-", "RL-"]


def test_b90_three_time_outs_that_never_happened_are_unknown_and_no_change(
    desk: Desk, gateway: PracticeGateway
) -> None:
    proposal_id = desk.approve(LATE_FEE, customer="C-61975", ticket="T-90104")

    three = Pace(waits_s=(2, 8))
    state = run(desk, proposal_id, "request_refund:timeout_before_write:99", pace=three)

    assert state is OperationState.UNKNOWN
    assert desk.operation(proposal_id).attempt == 3
    assert gateway.changes() == ()


def send(gateway: PracticeGateway, action: Action, name: str = "op-1") -> str:
    """Send an action to the shop itself; return the shop's id of the change."""
    request = gateway.prepare(action, ticket_id="T-1", operation_id=name, key=f"key-{name}")
    return gateway.send(action.tool, request, f"key-{name}", timeout_s=1).reference


def test_b92_the_same_operation_twice_is_one_change_and_a_repeated_result(
    gateway: PracticeGateway,
) -> None:
    assert send(gateway, LATE_FEE) == send(gateway, LATE_FEE)
    found = gateway.look_up("key-op-1", "op-1", LATE_FEE)

    assert found is not None
    assert found.repeated
    assert len(gateway.changes()) == 1


def test_b93_after_a_time_out_the_look_up_finds_what_was_written(
    gateway: PracticeGateway,
) -> None:
    faulty = FaultyGateway(gateway, [Fault.parse("request_refund:timeout_after_write")])
    request = faulty.prepare(DOUBLE, ticket_id="T-90603", operation_id="op-1", key="k")

    with pytest.raises(ShopTimeout):
        faulty.send("request_refund", request, "k", timeout_s=1)

    found = faulty.look_up("k", "op-1", DOUBLE)
    assert found is not None
    assert found.summary["amount"] == "45.95"
    assert len(gateway.changes()) == 1
    assert faulty.look_up("other", "op-2", DOUBLE) is None


@pytest.mark.parametrize(
    "action",
    [
        LATE_FEE.model_copy(update={"amount_minor": 50_000}),
        DOUBLE.model_copy(
            update={
                "order_id": "LK-641876",
                "payment_id": "PAY-641876-2",
                "amount_minor": 7_395,
            }
        ),
    ],
)
def test_b94_the_shop_refuses_what_is_too_much_or_refunded_already(
    gateway: PracticeGateway, action: RequestRefund
) -> None:
    with pytest.raises(ShopInvalid):
        send(gateway, action)
    assert gateway.changes() == ()


def test_b96_a_fresh_shop_has_no_changes(gateway: PracticeGateway) -> None:
    assert gateway.changes() == ()


def test_b97_a_label_is_free_for_damage_costs_a_changed_mind_and_needs_a_delivery(
    gateway: PracticeGateway,
) -> None:
    damaged = LADDER.model_copy(update={"reason": LabelReason.DAMAGED})
    send(gateway, damaged, "a")
    send(gateway, LADDER, "b")

    assert [change.summary["fee"] for change in gateway.changes()] == ["0.00", "12.95"]
    undelivered = CreateReturnLabel(order_id="LK-793996", sku="CAN-10", reason=LabelReason.DAMAGED)
    with pytest.raises(ShopInvalid, match="not been delivered"):
        send(gateway, undelivered, "c")


def test_b98_the_same_fee_from_a_second_ticket_needs_an_explicit_yes(
    desk: Desk, gateway: PracticeGateway
) -> None:
    first = desk.approve(LATE_FEE, customer="C-61975", ticket="T-90104")
    run(desk, first)

    with pytest.raises(SecondNeeded):
        desk.approve(LATE_FEE, customer="C-61975", ticket="T-90999")
    second = desk.approve(LATE_FEE, customer="C-61975", ticket="T-90998", second=True)
    run(desk, second)

    keys = [desk.operation(proposal_id).key for proposal_id in (first, second)]
    assert len(set(keys)) == 2
    assert len(gateway.changes()) == 2

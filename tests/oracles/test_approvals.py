"""Oracle cases B65 to B77: approvals, as the reference systems do them or as we do better.

Kept as they are: B65, B66, B74 to B76. A relation kept for the reference's hashes: B70, B71, B72.
Changed on purpose: B68, where two refunds of one proposal now add up, and the role of B67 that
the reference calls by a person's name. B76 stops where the executor begins: the shop's answer is
given here.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from approvals import (
    AlreadyDecided,
    ClaimLost,
    Failed,
    NotAllowed,
    OperationUnknown,
    Person,
    ProposalState,
    proposal_lines,
    view_proposal,
)
from approvals.forms import proposal_digest
from approvals.store import changed, rows, tx
from tests.approvals.desk import AGENT, HEAD, LEAD, OUTSIDE, Desk, label, open_desk, refund, reship
from tools import Action, Money

FACTS = {"ticket_id": "T-65273", "customer_id": "C-10507", "rule": "W7"}
DOUBLE = refund("119.00", order_id="LK-507862", payment_id="PAY-507862-2")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A desk under the policy of the design."""
    yield from open_desk(tmp_path / "handrail.db")


def digest(*actions: Action, worth: tuple[Money | None, ...] | None = None) -> str:
    """Return the digest of actions on one ticket."""
    counted = worth if worth is not None else (None,) * len(actions)
    return proposal_digest(
        ticket_id="T-65273", customer_id="C-10507", rule="W7", actions=actions, worth=counted
    )


def test_b65_execution_without_approval_is_refused(desk: Desk) -> None:
    proposal = desk.ask(DOUBLE)

    assert desk.operations.next_of(desk.db, proposal.proposal_id) is None
    with pytest.raises(OperationUnknown), tx(desk.db):
        desk.operations.claim(desk.db, f"{proposal.proposal_id}-1", owner="me", now_us=desk.now_us)


def test_b65_an_operation_smuggled_in_under_a_waiting_proposal_is_refused_too(
    desk: Desk,
) -> None:
    approved, waiting = desk.ask(DOUBLE), desk.ask(label())
    desk.approve(approved)
    (operation,) = desk.operations_of(approved)
    with tx(desk.db):
        changed(desk.db, "UPDATE operations SET proposal_id = ?", (waiting.proposal_id,))

    with pytest.raises(ClaimLost, match="waiting"):
        desk.claim(operation)


def test_b66_119_needs_a_team_lead_and_then_is_carried_out(desk: Desk) -> None:
    proposal = desk.ask(DOUBLE)

    with pytest.raises(NotAllowed) as caught:
        desk.approve(proposal, AGENT)
    assert caught.value.needed_role == "team_lead"
    desk.approve(proposal, LEAD)
    desk.claim(desk.operations_of(proposal)[0])

    assert desk.again(proposal).state is ProposalState.EXECUTING


@pytest.mark.parametrize(
    ("actions", "role"),
    [
        ((refund("100.00"),), "agent"),
        ((refund("100.01"),), "team_lead"),
        ((refund("500.00"),), "team_lead"),
        ((refund("500.01"),), "head"),
        ((label(), reship()), "agent"),
    ],
)
def test_b67_limits_are_inclusive_and_labels_and_reships_need_an_agent(
    desk: Desk, actions: tuple[Action, ...], role: str
) -> None:
    desk.ask(*actions)

    assert view_proposal(desk.db, desk.policy, "P-1").needed_role == role


def test_b68_changed_two_refunds_of_100_add_up_and_need_a_team_lead(desk: Desk) -> None:
    proposal = desk.ask(refund("100.00"), refund("100.00", payment_id="PAY-507862-1"))

    with pytest.raises(NotAllowed, match=r"200\.00"):
        desk.approve(proposal, AGENT)

    assert desk.approve(proposal, LEAD).proposal.state is ProposalState.APPROVED


def test_b70_the_digest_is_stable_and_differs_with_the_amount() -> None:
    assert digest(DOUBLE) == digest(DOUBLE)
    assert digest(refund("238.00")) != digest(DOUBLE)
    assert len({digest(), digest(DOUBLE), digest(refund("238.00"))}) == 3


def test_b71_swapping_two_actions_changes_the_digest() -> None:
    assert digest(reship(), label()) != digest(label(), reship())


def test_b72_the_reply_is_no_fact_it_changes_nothing_about_what_runs(desk: Desk) -> None:
    proposal = desk.ask(DOUBLE, draft="We refunded you.")
    desk.approve(proposal)
    with tx(desk.db):
        changed(desk.db, "UPDATE texts SET text = 'Another reply.'")

    assert desk.carry_out(proposal).state is ProposalState.DONE


def test_b74_what_does_not_wait_is_not_decided_and_a_stranger_decides_nothing(
    desk: Desk,
) -> None:
    proposal = desk.ask(DOUBLE)
    for stranger in (OUTSIDE, Person(user_id="")):
        with pytest.raises(NotAllowed):
            desk.approve(proposal, stranger)
    desk.reject(proposal)

    with pytest.raises(AlreadyDecided):
        desk.approve(proposal, HEAD)


def test_b75_the_approver_sees_what_would_happen_and_that_nothing_has(desk: Desk) -> None:
    desk.ask(DOUBLE, ticket_id="T-65273", customer_id="C-10507")

    text = "\n".join(proposal_lines(view_proposal(desk.db, desk.policy, "P-1")))

    for word in (
        "request_refund",
        "LK-507862",
        "119.00 CAD",
        "RFD-DOUBLE",
        "payment PAY-507862-2",
        "team_lead",
        "nothing has happened yet",
    ):
        assert word in text


def test_b76_an_order_of_another_customer_is_refused_after_approval_with_no_change(
    desk: Desk,
) -> None:
    theirs = reship().model_copy(update={"order_id": "LK-644334"})
    proposal = desk.ask(theirs, ticket_id="T-90503", customer_id="C-54223")
    desk.approve(proposal, HEAD)
    (operation,) = desk.operations_of(proposal)

    with tx(desk.db):
        desk.operations.settle_unclaimed(
            desk.db,
            operation.operation_id,
            Failed(code="not_yours", words="the order is not this customer's"),
            now_us=desk.now_us,
        )

    assert desk.again(proposal).state is ProposalState.FAILED
    assert rows(desk.db, "SELECT attempt FROM operations") == [{"attempt": 0}]

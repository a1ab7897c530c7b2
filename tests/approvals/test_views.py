"""What is stated about a proposal, always from the store."""

from __future__ import annotations

import pytest

from approvals import (
    Done,
    Failed,
    OperationState,
    ProposalUnknown,
    ProposalView,
    Retry,
    Unknown,
    proposal_lines,
    view_proposal,
)
from tests.approvals.desk import (
    AGENT,
    HEAD,
    LEAD,
    ROLES,
    Desk,
    label,
    late_fee,
    policy,
    refund,
    reship,
)
from tools import LabelReason, Money, RefundReason


def view(desk: Desk, proposal_id: str = "P-1") -> ProposalView:
    """Return the view of a proposal."""
    return view_proposal(desk.db, desk.policy, proposal_id)


def told(desk: Desk, proposal_id: str = "P-1") -> str:
    """Return the view in words."""
    return "\n".join(proposal_lines(view(desk, proposal_id)))


def test_it_states_what_for_whom_how_much_by_which_rule_who_may_and_until_when(
    desk: Desk,
) -> None:
    desk.ask(refund(), label(), ticket_id="T-65273", customer_id="C-10507")

    assert told(desk).splitlines() == [
        "P-1: waiting, version 1",
        "for customer C-10507, ticket T-65273",
        "rule: W7",
        "1. request_refund LK-507862: 119.00 CAD, RFD-DOUBLE, payment PAY-507862-2",
        "2. create_return_label LK-640436: PLANTER, damaged, free",
        "counts: 119.00 CAD; with the ticket's other proposals: 119.00 CAD",
        "may approve: team_lead",
        "until: 2026-09-23 14:13 UTC",
        "nothing has happened yet",
    ]


def test_each_kind_of_action_is_stated_exactly(desk: Desk) -> None:
    item = refund("20.00", payment_id=None, reason=RefundReason.DAMAGE, sku="CUP", quantity=2)
    back = label(reason=LabelReason.CHANGE_OF_MIND)
    desk.ask(item, late_fee(), reship(quantity=2), back, rule=None)

    lines = told(desk)

    assert "request_refund LK-507862: 20.00 CAD, RFD-DAMAGE, 2 of CUP" in lines
    assert "request_refund LK-643556: 9.95 CAD, RFD-LATE" in lines
    assert "reship_item LK-640436: 2 of PLANTER" in lines
    assert "PLANTER, change_of_mind, a return fee is deducted" in lines
    assert "rule: none given" in lines


def test_evidence_and_draft_are_shown_beside_the_facts(desk: Desk) -> None:
    desk.ask(evidence=("get_order ok", "get_payments ok"), draft="Dear customer")

    shown = view(desk)

    assert shown.evidence == ("get_order ok", "get_payments ok")
    assert shown.draft == "Dear customer"
    assert "Dear customer" not in told(desk)


def test_the_amount_that_counts_is_shown_with_the_tickets_others(desk: Desk) -> None:
    desk.ask(refund("60.00"))
    desk.ask(late_fee("40.01"))

    shown = view(desk, "P-2")

    assert shown.own.known == Money.of("40.01", "CAD")
    assert shown.total.known == Money.of("100.01", "CAD")
    assert shown.needed_role == "team_lead"


def test_signatures_so_far_are_shown(desk: Desk) -> None:
    desk.under(policy(two_people_above="100.00"))
    desk.approve(desk.ask(), LEAD)

    assert "may approve: two different people, one of them team_lead; signed so far: ULEA" in told(
        desk
    )


def test_nobody_is_said(desk: Desk) -> None:
    desk.under(policy(roles={**ROLES, "head": {"limit": "none", "users": []}}))
    desk.ask(refund("1.00", currency="USD"))

    assert "may approve: nobody" in told(desk)
    assert "counts: 0.00 CAD and more that no limit covers" in told(desk)


def test_an_earlier_equal_effect_is_marked(desk: Desk) -> None:
    desk.finish(ticket_id="T-1")
    desk.pass_hours(1)
    desk.ask(ticket_id="T-2")

    shown = view(desk, "P-2")

    (mark,) = shown.actions[0].marks
    assert (mark.operation_id, mark.approved_by, mark.state) == (
        "P-1-1",
        "UHED",
        OperationState.DONE,
    )
    assert shown.second_needed
    assert "119.00 CAD was carried out on 2026-09-21 14:13 UTC by UHED (P-1, ticket T-1)" in told(
        desk, "P-2"
    )


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Unknown(code="timeout", words="nobody knows"), "may have been carried out"),
        (Retry(at_us=0, code="timeout", words="no answer"), "is being carried out"),
    ],
)
def test_one_that_is_under_way_or_unknown_is_marked_too(
    desk: Desk, outcome: Unknown | Retry, words: str
) -> None:
    first = desk.ask()
    desk.approve(first)
    desk.settle(desk.claim(desk.operations_of(first)[0]).claim, outcome)
    desk.ask(ticket_id="T-2")

    assert words in told(desk, "P-2")


def test_a_proposal_does_not_mark_itself(desk: Desk) -> None:
    desk.finish()

    assert view(desk).actions[0].marks == ()


def test_refunds_that_the_shop_does_not_know_yet_are_held(desk: Desk) -> None:
    desk.ask(refund("20.00"))
    approved = desk.ask(refund("30.00"))
    desk.approve(approved)
    desk.finish(refund("7.00"))
    desk.ask(refund("40.00", payment_id="PAY-507862-1"), ticket_id="T-2")
    desk.ask(late_fee(), ticket_id="T-2")

    held = view(desk, "P-4").actions[0].held

    assert held == (Money.of(20, "CAD"), Money.of(30, "CAD"))


def test_the_card_says_which_was_done_and_which_was_not(desk: Desk) -> None:
    proposal = desk.ask(late_fee(), refund(), label())
    desk.approve(proposal, HEAD)
    first, second, _ = desk.operations_of(proposal)
    desk.settle(desk.claim(first).claim, Done(result={}))
    desk.settle(desk.claim(second).claim, Failed(code="denied", words="the shop refuses"))

    lines = told(desk).splitlines()

    assert [line.partition(" — ")[2] for line in lines if line[0] in "123"] == [
        "done",
        "failed (the shop refuses)",
        "not_run (behind)",
    ]
    assert "nothing has happened yet" not in lines


def test_nothing_has_happened_until_something_was_sent(desk: Desk) -> None:
    proposal = desk.ask()
    assert view(desk).nothing_has_happened
    desk.approve(proposal)
    assert view(desk).nothing_has_happened
    desk.claim(desk.operations_of(proposal)[0])
    assert not view(desk).nothing_has_happened


def test_a_view_writes_nothing(desk: Desk) -> None:
    desk.ask()
    before = desk.db.conn.total_changes

    view(desk)

    assert desk.db.conn.total_changes == before


def test_an_unknown_proposal_is_named(desk: Desk) -> None:
    with pytest.raises(ProposalUnknown):
        view(desk, "P-404")


def test_one_person_without_a_role_is_not_shown_as_an_approver(desk: Desk) -> None:
    desk.ask(late_fee())

    assert f"may approve: {AGENT.user_id}" not in told(desk)
    assert "may approve: agent" in told(desk)

"""Who may sign what, what a decision sets going, and what the loser of a race is told."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from approvals import (
    EXECUTE_JOB,
    UNKNOWN_REQUESTER,
    AlreadyDecided,
    Decisions,
    DigestMismatch,
    Executes,
    Failed,
    NotAllowed,
    OperationState,
    Person,
    PersonKind,
    ProposalState,
    ProposalUnknown,
    ReasonMissing,
    Refusal,
    SecondNeeded,
    Surface,
    VersionChanged,
    audit_rows,
    signatures_of,
)
from approvals.store import changed, rows, tx
from tests.approvals.desk import (
    AGENT,
    AGENT_2,
    HEAD,
    LEAD,
    OUTSIDE,
    ROLES,
    Desk,
    elsewhere,
    label,
    late_fee,
    policy,
    prepare,
    refund,
    reship,
)
from tools import Money, RefundReason, ShopInvalid

WAITING, APPROVED = ProposalState.WAITING, ProposalState.APPROVED
IN_GROUP = Person(user_id="UGRP", groups=frozenset({"SAGENTS"}))
TERMINAL = Surface.COMMAND_LINE


def refusal(desk: Desk, proposal: Any, person: Person, **how: Any) -> Refusal:
    """Return why an approval is refused, and see that nothing was written."""
    before = audit_rows(desk.db)
    with pytest.raises(NotAllowed) as caught:
        desk.approve(proposal, person, **how)
    assert audit_rows(desk.db) == before
    assert desk.again(proposal).state is WAITING
    return caught.value.reason


def test_the_last_signature_writes_state_operations_job_and_audit_in_one_commit(
    desk: Desk,
) -> None:
    proposal = desk.ask(refund(), label())

    signed = desk.approve(proposal, LEAD)

    assert signed.proposal.state is APPROVED
    assert (signed.proposal.decided_by, signed.proposal.decided_us) == ("ULEA", desk.now_us)
    first, second = desk.operations_of(proposal)
    assert [first.state, second.state] == [OperationState.READY] * 2
    assert first.operation_id == f"{proposal.proposal_id}-1"
    assert first.attempt == 0
    job = desk.jobs.get(desk.db, kind=EXECUTE_JOB, key=proposal.proposal_id)
    assert job is not None
    assert job.payload == proposal.proposal_id
    row = audit_rows(desk.db)[-1]
    assert (row.who, row.via, row.event) == ("ULEA", "slack", "approved")
    assert (row.from_state, row.to_state) == ("waiting", "approved")
    assert (row.digest, row.policy_version) == (proposal.digest, desk.policy.version)


def test_the_request_is_stored_byte_for_byte_with_its_digest(desk: Desk) -> None:
    proposal = desk.ask(refund())
    desk.approve(proposal)

    (operation,) = desk.operations_of(proposal)

    expected = prepare(
        refund(), ticket_id="T-1", operation_id=operation.operation_id, key=operation.key
    )
    assert operation.request == expected
    assert operation.request_sha256 == hashlib.sha256(expected).hexdigest()


def test_an_action_that_the_gateway_cannot_carry_out_leaves_nothing_half_written(
    desk: Desk,
) -> None:
    def cannot(*_: object, **__: object) -> bytes:
        raise ShopInvalid("no labels here")

    proposal = desk.ask(label())
    executes = Executes(gateway="stripe", prepare=cannot, jobs=desk.jobs)
    decisions = Decisions(desk.policy, executes)

    with pytest.raises(ShopInvalid), tx(desk.db):
        decisions.approve(desk.db, proposal_id="P-1", version=1, person=HEAD, now_us=desk.now_us)

    assert desk.again(proposal).state is WAITING
    assert desk.operations_of(proposal) == []
    assert signatures_of(desk.db, proposal) == []


@pytest.mark.parametrize(
    ("amount", "person", "reason"),
    [
        ("99.99", AGENT, None),
        ("100.00", AGENT, None),
        ("100.01", AGENT, Refusal.OVER_LIMIT),
        ("499.99", LEAD, None),
        ("500.00", LEAD, None),
        ("500.01", LEAD, Refusal.OVER_LIMIT),
        ("5000.00", HEAD, None),
    ],
)
def test_a_limit_is_inclusive(
    desk: Desk, amount: str, person: Person, reason: Refusal | None
) -> None:
    proposal = desk.ask(refund(amount))

    if reason is None:
        assert desk.approve(proposal, person).proposal.state is APPROVED
    else:
        assert refusal(desk, proposal, person) is reason


def test_a_refusal_names_the_role_that_could(desk: Desk) -> None:
    proposal = desk.ask(refund("119.00"))

    with pytest.raises(NotAllowed, match=r"119\.00 CAD.*team_lead") as caught:
        desk.approve(proposal, AGENT)

    assert caught.value.needed_role == "team_lead"


def test_another_currency_needs_the_role_without_a_limit(desk: Desk) -> None:
    proposal = desk.ask(refund("1.00", currency="USD"))

    assert refusal(desk, proposal, LEAD) is Refusal.OVER_LIMIT
    assert desk.approve(proposal, HEAD).proposal.state is APPROVED


@pytest.mark.parametrize("state", ["waiting", "approved", "executing", "unknown", "done"])
def test_amounts_add_up_over_the_ticket_in_every_live_state(desk: Desk, state: str) -> None:
    other = desk.ask(refund("60.00"))
    if state != "waiting":
        desk.approve(other, AGENT)
    with tx(desk.db):
        changed(desk.db, "UPDATE proposals SET state = ? WHERE proposal_id = 'P-1'", (state,))
    proposal = desk.ask(late_fee("40.01"))

    assert refusal(desk, proposal, AGENT) is Refusal.OVER_LIMIT
    assert desk.approve(proposal, LEAD).proposal.state is APPROVED


@pytest.mark.parametrize("ended", ["rejected", "expired", "withdrawn", "superseded"])
def test_amounts_of_dead_proposals_do_not_count(desk: Desk, ended: str) -> None:
    desk.reject(desk.ask(refund("60.00")))
    with tx(desk.db):
        changed(desk.db, "UPDATE proposals SET state = ? WHERE proposal_id = 'P-1'", (ended,))
    proposal = desk.ask(late_fee("40.01"))

    assert desk.approve(proposal, AGENT).proposal.state is APPROVED


def test_amounts_of_another_ticket_do_not_count(desk: Desk) -> None:
    desk.ask(refund("90.00"), ticket_id="T-2")
    proposal = desk.ask(late_fee("90.00"))

    assert desk.approve(proposal, AGENT).proposal.state is APPROVED


def test_a_ticket_with_money_in_another_currency_needs_the_role_without_a_limit(
    desk: Desk,
) -> None:
    desk.ask(refund("1.00", currency="USD"))
    proposal = desk.ask(late_fee("1.00"))

    assert refusal(desk, proposal, LEAD) is Refusal.OVER_LIMIT


def test_a_label_needs_no_more_than_any_role_whatever_its_ticket_received(desk: Desk) -> None:
    desk.finish(refund("480.00"))

    assert desk.approve(desk.ask(label()), AGENT).proposal.state is APPROVED


def test_a_reshipment_counts_with_price_times_quantity_only_where_that_is_set(desk: Desk) -> None:
    prices = {("LK-640436", "PLANTER"): Money.of("89.00", "CAD")}
    free = desk.ask(reship(quantity=2), prices=prices)
    assert desk.approve(free, AGENT).proposal.state is APPROVED

    desk.under(policy(count_reships=True))
    counted = desk.ask(reship(quantity=3), ticket_id="T-2", prices=prices)
    assert refusal(desk, counted, AGENT, second=True) is Refusal.OVER_LIMIT
    assert desk.approve(counted, LEAD, second=True).proposal.state is APPROVED


def test_a_reshipment_of_unknown_price_needs_the_role_without_a_limit(desk: Desk) -> None:
    desk.under(policy(count_reships=True))
    proposal = desk.ask(reship())

    assert refusal(desk, proposal, LEAD) is Refusal.OVER_LIMIT
    assert desk.approve(proposal, HEAD).proposal.state is APPROVED


@pytest.mark.parametrize(
    ("person", "reason"),
    [
        (OUTSIDE, Refusal.NO_ROLE),
        (elsewhere(HEAD, kind=PersonKind.GUEST), Refusal.NOT_A_MEMBER),
        (elsewhere(HEAD, kind=PersonKind.OUTSIDER), Refusal.NOT_A_MEMBER),
        (elsewhere(HEAD, kind=PersonKind.BOT), Refusal.NOT_A_MEMBER),
        (elsewhere(HEAD, surface=TERMINAL), Refusal.COMMAND_LINE),
        (elsewhere(OUTSIDE, groups_known=False), Refusal.GROUP_UNAVAILABLE),
        (elsewhere(AGENT, groups_known=False), Refusal.GROUP_UNAVAILABLE),
        (IN_GROUP, Refusal.OVER_LIMIT),
    ],
)
def test_who_may_not_is_told_why(desk: Desk, person: Person, reason: Refusal) -> None:
    assert refusal(desk, desk.ask(refund()), person) is reason


def test_a_member_of_a_user_group_has_its_role(desk: Desk) -> None:
    proposal = desk.ask(refund("100.00"))

    assert desk.approve(proposal, IN_GROUP).proposal.state is APPROVED
    (signature,) = signatures_of(desk.db, proposal)
    assert (signature.role, signature.granted_by) == ("agent", "SAGENTS")


def test_the_highest_role_of_a_person_counts(desk: Desk) -> None:
    both = {**ROLES, "head": {"limit": "none", "users": ["UANN"]}}
    desk.under(policy(roles=both))

    assert desk.approve(desk.ask(refund("4000.00")), AGENT).proposal.state is APPROVED


def test_the_command_line_decides_where_it_may_and_is_named(desk: Desk) -> None:
    desk.under(policy(command_line="allow"))
    person = elsewhere(HEAD, surface=TERMINAL, place="ann@box")

    desk.approve(desk.ask(), person)

    assert audit_rows(desk.db)[-1].via == "command line ann@box"


def test_the_command_line_decides_over_practice_data_unless_denied(desk: Desk) -> None:
    person = elsewhere(HEAD, surface=TERMINAL)
    desk.under(policy(command_line="deny"), practice_shop=True)
    assert refusal(desk, desk.ask(), person) is Refusal.COMMAND_LINE

    desk.under(policy(), practice_shop=True)
    assert desk.approve(desk.ask(), person).proposal.state is APPROVED


def test_an_empty_approver_set_means_nobody(desk: Desk) -> None:
    empty = {name: {"limit": role["limit"], "users": []} for name, role in ROLES.items()}
    desk.under(policy(roles=empty))
    assert refusal(desk, desk.ask(label()), HEAD) is Refusal.NOBODY

    no_head = {**ROLES, "head": {"limit": "none", "users": []}}
    desk.under(policy(roles=no_head))
    assert refusal(desk, desk.ask(refund("500.01")), LEAD) is Refusal.NOBODY


def test_a_requester_never_signs(desk: Desk) -> None:
    proposal = desk.ask(requesters=frozenset({"UHED"}))

    assert refusal(desk, proposal, HEAD) is Refusal.REQUESTER


def test_nobody_signs_where_it_is_not_known_who_asked_and_anybody_may_reject(desk: Desk) -> None:
    proposal = desk.ask(requesters=frozenset({UNKNOWN_REQUESTER}))

    for person in (AGENT, LEAD, HEAD):
        assert refusal(desk, proposal, person) is Refusal.REQUESTER_UNKNOWN
    assert desk.reject(proposal, HEAD).proposal.state is ProposalState.REJECTED


def test_small_teams_may_let_requesters_sign(desk: Desk) -> None:
    desk.under(policy(requesters_may_sign=True))
    proposal = desk.ask(requesters=frozenset({"UHED"}))

    assert desk.approve(proposal, HEAD).proposal.state is APPROVED


def test_a_requester_of_a_later_equal_run_does_not_sign_either(desk: Desk) -> None:
    desk.ask()
    proposal = desk.ask(run_id="run-2", requesters=frozenset({"UHED"}))

    assert proposal.proposal_id == "P-1"
    assert proposal.requesters == {"UASKER", "UHED"}
    assert refusal(desk, proposal, HEAD) is Refusal.REQUESTER


class TestTwoPeople:
    """Two different people above an amount; one of the two covers it."""

    @pytest.fixture(autouse=True)
    def two_people(self, desk: Desk) -> None:
        desk.under(policy(two_people_above="200.00"))

    def test_up_to_the_amount_one_is_enough(self, desk: Desk) -> None:
        assert desk.approve(desk.ask(refund("200.00")), LEAD).proposal.state is APPROVED

    def test_above_it_the_first_signature_leaves_it_waiting(self, desk: Desk) -> None:
        proposal = desk.ask(refund("200.01"))

        signed = desk.approve(proposal, LEAD)

        assert (signed.proposal.state, signed.missing) == (WAITING, 1)
        assert desk.operations_of(proposal) == []
        row = audit_rows(desk.db)[-1]
        assert (row.event, row.from_state, row.to_state) == ("signed", None, None)
        assert desk.approve(proposal, AGENT).proposal.state is APPROVED

    def test_the_covering_signature_may_come_last(self, desk: Desk) -> None:
        proposal = desk.ask(refund("200.01"))

        assert desk.approve(proposal, AGENT).missing == 1
        assert desk.approve(proposal, LEAD).proposal.state is APPROVED

    def test_two_that_do_not_cover_are_not_enough(self, desk: Desk) -> None:
        proposal = desk.ask(refund("200.01"))
        desk.approve(proposal, AGENT)

        assert refusal(desk, proposal, AGENT_2) is Refusal.OVER_LIMIT

    def test_one_person_does_not_sign_twice(self, desk: Desk) -> None:
        proposal = desk.ask(refund("200.01"))
        desk.approve(proposal, LEAD)

        assert refusal(desk, proposal, LEAD) is Refusal.ALREADY_SIGNED

    def test_a_signature_of_somebody_who_lost_the_role_does_not_count(self, desk: Desk) -> None:
        proposal = desk.ask(refund("200.01"))
        desk.approve(proposal, AGENT)
        roles = {**ROLES, "agent": {"limit": "100.00", "users": ["UART"]}}
        desk.under(policy(two_people_above="200.00", roles=roles))

        assert desk.approve(proposal, LEAD).missing == 1

    def test_a_signature_of_somebody_who_became_a_requester_does_not_count(
        self, desk: Desk
    ) -> None:
        proposal = desk.ask(refund("200.01"))
        desk.approve(proposal, LEAD)
        desk.ask(refund("200.01"), requesters=frozenset({"ULEA"}))

        assert desk.approve(proposal, HEAD).missing == 1
        assert desk.approve(proposal, AGENT).proposal.state is APPROVED

    def test_another_currency_always_needs_two(self, desk: Desk) -> None:
        proposal = desk.ask(refund("1.00", currency="USD"))

        assert desk.approve(proposal, HEAD).missing == 1
        assert desk.approve(proposal, AGENT).proposal.state is APPROVED

    def test_a_reject_by_any_approver_ends_it_between_the_signatures(self, desk: Desk) -> None:
        proposal = desk.ask(refund("200.01"))
        desk.approve(proposal, LEAD)

        assert desk.reject(proposal, AGENT).proposal.state is ProposalState.REJECTED

    def test_a_new_version_voids_the_signatures(self, desk: Desk) -> None:
        proposal = desk.ask(refund("300.00"))
        desk.approve(proposal, LEAD)

        edited = desk.edit(proposal, AGENT, at_1=25000)

        assert signatures_of(desk.db, edited) == []
        assert desk.approve(edited, LEAD).missing == 1


class TestCaps:
    """Optional caps over 24 hours, inclusive, per approver and per customer."""

    def test_an_approver_signs_up_to_the_cap_in_a_day(self, desk: Desk) -> None:
        desk.under(policy(approver_daily_cap="150.00"))
        desk.approve(desk.ask(late_fee("100.00")), AGENT)
        over = desk.ask(refund("50.01"), ticket_id="T-2")
        exact = desk.ask(refund("50.00"), ticket_id="T-3")

        assert refusal(desk, over, AGENT, second=True) is Refusal.APPROVER_CAP
        assert desk.approve(exact, AGENT, second=True).proposal.state is APPROVED
        desk.pass_hours(24)
        assert desk.approve(over, AGENT, second=True).proposal.state is APPROVED

    def test_a_customer_receives_up_to_the_cap_in_a_day(self, desk: Desk) -> None:
        desk.under(policy(customer_daily_cap="150.00"))
        desk.approve(desk.ask(late_fee("100.00")), AGENT)
        over = desk.ask(refund("50.01"), ticket_id="T-2")
        other = desk.ask(refund("50.01"), ticket_id="T-3", customer_id="C-2")

        assert refusal(desk, over, HEAD) is Refusal.CUSTOMER_CAP
        assert desk.approve(other, HEAD).proposal.state is APPROVED
        desk.pass_hours(24)
        assert desk.approve(over, HEAD, second=True).proposal.state is APPROVED

    def test_labels_are_not_held_up_by_a_cap(self, desk: Desk) -> None:
        desk.under(policy(approver_daily_cap="0.00", customer_daily_cap="0.00"))

        assert desk.approve(desk.ask(label()), AGENT).proposal.state is APPROVED


class TestExpiry:
    """Checked at the decision, by the store's clock; an outcome of its own."""

    def test_the_last_moment_still_counts(self, desk: Desk) -> None:
        proposal = desk.ask()
        desk.now_us = proposal.expires_us - 1

        assert desk.approve(proposal).proposal.state is APPROVED

    @pytest.mark.parametrize("late_us", [0, 1])
    def test_a_decision_that_comes_too_late_ends_it_as_expired(
        self, desk: Desk, late_us: int
    ) -> None:
        first, second = desk.ask(), desk.ask(late_fee())
        desk.now_us = first.expires_us + late_us

        assert desk.approve(first).proposal.state is ProposalState.EXPIRED
        assert desk.reject(second).proposal.state is ProposalState.EXPIRED
        assert desk.operations_of(first) == []
        assert signatures_of(desk.db, first) == []


def test_the_loser_learns_who_won_what_and_when(desk: Desk) -> None:
    proposal = desk.ask()
    desk.approve(proposal, LEAD)
    desk.now_us += 5

    with pytest.raises(AlreadyDecided, match=r"approved \(ULEA, 2026-09-21 .* UTC\)") as caught:
        desk.reject(proposal, HEAD)

    error = caught.value
    assert (error.state, error.who, error.when_us) == (APPROVED, "ULEA", desk.now_us - 5)


def test_a_second_click_of_the_same_person_changes_nothing(desk: Desk) -> None:
    proposal = desk.ask()
    desk.approve(proposal, LEAD)

    with pytest.raises(AlreadyDecided):
        desk.approve(proposal, LEAD)

    assert len(desk.operations_of(proposal)) == 1


def test_an_unknown_proposal_is_named(desk: Desk) -> None:
    with pytest.raises(ProposalUnknown, match="no proposal P-9"), tx(desk.db):
        desk.decisions.approve(
            desk.db, proposal_id="P-9", version=1, person=HEAD, now_us=desk.now_us
        )


def test_the_version_that_was_shown_is_the_one_that_is_decided(desk: Desk) -> None:
    proposal = desk.ask(refund("90.00"))
    desk.edit(proposal, LEAD, at_1=8000)

    with pytest.raises(VersionChanged, match="version 1 was shown, version 2"):
        desk.approve(proposal)
    with pytest.raises(VersionChanged):
        desk.reject(proposal)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("actions", '[{"tool":"create_return_label","order_id":"LK-1","sku":"XX",'),
        ("customer_id", "C-2"),
        ("rule", "W1"),
        ("worth", "[null]"),
        ("ticket_id", "T-9"),
        ("digest", "0"),
    ],
)
def test_a_fact_changed_in_the_store_cannot_be_approved(
    desk: Desk, column: str, value: str
) -> None:
    proposal = desk.ask()
    with tx(desk.db):
        changed(desk.db, f"UPDATE proposals SET {column} = ?", (value,))

    with pytest.raises(DigestMismatch):
        desk.approve(proposal)

    assert rows(desk.db, "SELECT * FROM operations") == []


@pytest.mark.parametrize("why", ["", "  \n"])
def test_rejecting_asks_for_a_reason(desk: Desk, why: str) -> None:
    proposal = desk.ask()

    with pytest.raises(ReasonMissing):
        desk.reject(proposal, why=why)

    assert desk.again(proposal).state is WAITING


def test_a_reject_by_any_role_ends_it_whatever_the_amount(desk: Desk) -> None:
    proposal = desk.ask(refund("4000.00"), requesters=frozenset({"UANN"}))

    assert desk.reject(proposal, AGENT).proposal.state is ProposalState.REJECTED
    assert audit_rows(desk.db)[-1].text_digest is not None


def test_a_reject_by_somebody_without_a_role_is_refused(desk: Desk) -> None:
    proposal = desk.ask()

    with pytest.raises(NotAllowed):
        desk.reject(proposal, OUTSIDE)


class TestSecond:
    """An effect that was asked for before needs an explicit yes and gets the next generation."""

    def test_the_same_fee_from_two_tickets(self, desk: Desk) -> None:
        first = desk.finish(late_fee())
        second = desk.ask(late_fee(), ticket_id="T-2")

        with pytest.raises(SecondNeeded, match="P-1-1") as caught:
            desk.approve(second, AGENT)
        assert caught.value.operations == ("P-1-1",)
        assert desk.approve(second, AGENT, second=True).proposal.state is APPROVED

        (one,), (two,) = desk.operations_of(first), desk.operations_of(second)
        assert (one.generation, two.generation) == (1, 2)
        assert one.key != two.key

    def test_two_partial_refunds_of_one_payment(self, desk: Desk) -> None:
        desk.finish(refund("20.00"))

        proposal = desk.ask(refund("30.00"))

        assert desk.approve(proposal, AGENT, second=True).proposal.state is APPROVED

    def test_two_partial_refunds_on_one_card_need_no_second_yes(self, desk: Desk) -> None:
        proposal = desk.ask(refund("20.00"), refund("30.00"))

        desk.approve(proposal, AGENT)

        assert [each.generation for each in desk.operations_of(proposal)] == [1, 2]

    def test_two_damaged_items_at_one_price_are_two_effects(self, desk: Desk) -> None:
        first, second = (
            refund("20.00", payment_id=None, reason=RefundReason.DAMAGE, sku=sku, quantity=1)
            for sku in ("CUP-A", "CUP-B")
        )
        desk.finish(first)

        assert desk.approve(desk.ask(second), AGENT).proposal.state is APPROVED

    def test_what_failed_needs_no_second_yes_and_gets_a_new_key(self, desk: Desk) -> None:
        first = desk.ask(late_fee())
        desk.approve(first)
        claimed = desk.claim(desk.operations_of(first)[0])
        desk.settle(claimed.claim, Failed(code="denied", words="refused"))

        second = desk.ask(late_fee())
        desk.approve(second)

        (one,), (two,) = desk.operations_of(first), desk.operations_of(second)
        assert two.generation == 2
        assert one.key != two.key

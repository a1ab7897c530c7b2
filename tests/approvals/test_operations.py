"""From an approved row to its verdict: claims, outcomes, and how the proposal follows."""

from __future__ import annotations

from typing import Any

import pytest

from approvals import (
    Claim,
    ClaimLost,
    DigestMismatch,
    Done,
    Failed,
    NotAllowed,
    Operation,
    OperationState,
    OperationUnknown,
    Outcome,
    Proposal,
    ProposalState,
    ReasonMissing,
    Retry,
    Unknown,
    audit_rows,
    operations_in,
    pending_operations,
    read_operation,
    verify_audit,
)
from approvals.store import changed, tx
from tests.approvals.desk import AGENT, HEAD, LEAD, ROLES, Desk, label, late_fee, policy, refund

DONE = Done(result={"reference": "RF-1"})
FAILED = Failed(code="denied", words="the shop refuses")
UNKNOWN = Unknown(code="timeout", words="nobody can say")


def approved(desk: Desk, *actions: Any) -> tuple[Proposal, list[Operation]]:
    """Return an approved proposal with its operations."""
    proposal = desk.ask(*actions)
    desk.approve(proposal)
    return desk.again(proposal), desk.operations_of(proposal)


def unclaimed(desk: Desk, operation: Operation, outcome: Outcome) -> Operation:
    """Settle without a claim."""
    with tx(desk.db):
        return desk.operations.settle_unclaimed(
            desk.db, operation.operation_id, outcome, now_us=desk.now_us
        )


def unknown(desk: Desk) -> tuple[Proposal, Operation]:
    """Return a proposal whose one operation is unknown."""
    proposal, (operation,) = approved(desk)
    desk.settle(desk.claim(operation).claim, UNKNOWN)
    return desk.again(proposal), read_operation(desk.db, operation.operation_id)


def test_a_claim_counts_the_attempt_and_names_the_owner(desk: Desk) -> None:
    proposal, (operation,) = approved(desk)

    claimed = desk.claim(operation, owner="host-1")

    assert claimed.state is OperationState.EXECUTING
    assert claimed.claim == Claim(operation_id=operation.operation_id, owner="host-1", attempt=1)
    assert claimed.first_attempt_us == desk.now_us
    assert read_operation(desk.db, operation.operation_id) == claimed
    assert desk.again(proposal).state is ProposalState.EXECUTING


def test_a_claimed_operation_is_not_claimed_again(desk: Desk) -> None:
    _, (operation,) = approved(desk)
    desk.claim(operation)

    with pytest.raises(ClaimLost, match="executing, attempt 1 of me"):
        desk.claim(operation, owner="other")


def test_a_later_claim_keeps_the_time_of_the_first_attempt(desk: Desk) -> None:
    _, (operation,) = approved(desk)
    started = desk.now_us
    retry = Retry(at_us=started + 1, code="timeout", words="no answer")
    desk.settle(desk.claim(operation).claim, retry)
    desk.pass_hours(1)

    claimed = desk.claim(operation)

    assert (claimed.attempt, claimed.first_attempt_us) == (2, started)
    assert (claimed.key, claimed.request) == (operation.key, operation.request)


def test_an_unknown_operation_is_named(desk: Desk) -> None:
    with pytest.raises(OperationUnknown, match="P-9-1"), tx(desk.db):
        desk.operations.claim(desk.db, "P-9-1", owner="me", now_us=desk.now_us)


def test_a_proposal_is_done_when_all_its_operations_are(desk: Desk) -> None:
    proposal, (first, second) = approved(desk, refund(), label())

    desk.settle(desk.claim(first).claim, DONE)
    assert desk.again(proposal).state is ProposalState.EXECUTING
    desk.settle(desk.claim(second).claim, DONE)

    assert desk.again(proposal).state is ProposalState.DONE
    assert desk.operations.next_of(desk.db, proposal.proposal_id) is None


@pytest.mark.parametrize(
    ("outcome", "state"), [(FAILED, ProposalState.FAILED), (UNKNOWN, ProposalState.UNKNOWN)]
)
def test_the_first_that_fails_stops_the_rest(
    desk: Desk, outcome: Outcome, state: ProposalState
) -> None:
    proposal, (first, second, _) = approved(desk, late_fee(), refund(), label())
    desk.settle(desk.claim(first).claim, DONE)

    desk.settle(desk.claim(second).claim, outcome)

    assert desk.again(proposal).state is state
    assert desk.states(proposal) == ["done", state.value, "not_run"]
    assert desk.again(proposal).cause in ("denied", "timeout")
    assert desk.operations.next_of(desk.db, proposal.proposal_id) is None


def test_operations_are_taken_in_their_order(desk: Desk) -> None:
    proposal, (first, second) = approved(desk, refund(), label())

    with pytest.raises(ClaimLost, match="behind one that is not done"):
        desk.claim(second)

    assert desk.operations.next_of(desk.db, proposal.proposal_id) == first


def test_the_next_one_is_the_one_that_is_executing(desk: Desk) -> None:
    proposal, (first, _) = approved(desk, refund(), label())
    claimed = desk.claim(first)

    assert desk.operations.next_of(desk.db, proposal.proposal_id) == claimed


@pytest.mark.parametrize(("owner", "attempt"), [("ghost", 1), ("me", 0), ("me", 2)])
def test_only_owner_and_attempt_of_the_claim_settle_it(
    desk: Desk, owner: str, attempt: int
) -> None:
    _, (operation,) = approved(desk)
    claimed = desk.claim(operation)
    wrong = Claim(operation_id=operation.operation_id, owner=owner, attempt=attempt)

    with pytest.raises(ClaimLost):
        desk.settle(wrong, DONE)

    assert read_operation(desk.db, operation.operation_id) == claimed


def test_one_that_was_given_up_and_wakes_does_not_overwrite_a_newer_verdict(
    desk: Desk,
) -> None:
    _, (operation,) = approved(desk)
    sleeper = desk.claim(operation, owner="old").claim
    with tx(desk.db):
        taken = desk.operations.adopt(desk.db, sleeper, owner="new", now_us=desk.now_us)
    assert (taken.owner, taken.attempt) == ("new", 1)
    desk.settle(taken.claim, DONE)

    with pytest.raises(ClaimLost):
        desk.settle(sleeper, FAILED)

    assert read_operation(desk.db, operation.operation_id).state is OperationState.DONE


def test_what_an_earlier_process_left_executing_is_found_at_start(desk: Desk) -> None:
    _, (operation,) = approved(desk)
    claimed = desk.claim(operation)

    assert operations_in(desk.db, OperationState.EXECUTING) == [claimed]


def test_a_retry_waits_with_its_reason_and_the_proposal_goes_on_executing(desk: Desk) -> None:
    proposal, (operation,) = approved(desk)
    retry = Retry(at_us=desk.now_us + 9, code="timeout", words="no answer")

    after = desk.settle(desk.claim(operation).claim, retry)

    assert (after.state, after.next_at_us, after.owner) == (
        OperationState.RETRY,
        desk.now_us + 9,
        None,
    )
    assert (after.error_code, after.error_words) == ("timeout", "no answer")
    assert desk.again(proposal).state is ProposalState.EXECUTING


def test_what_the_shop_holds_already_is_done_without_being_sent(desk: Desk) -> None:
    proposal, (operation,) = approved(desk)

    after = unclaimed(desk, operation, DONE)

    assert (after.state, after.attempt) == (OperationState.DONE, 0)
    assert desk.again(proposal).state is ProposalState.DONE
    moves = [(r.from_state, r.to_state) for r in audit_rows(desk.db) if not r.operation_id]
    assert moves[-2:] == [("approved", "executing"), ("executing", "done")]


def test_while_the_shop_could_not_even_be_asked_nothing_has_begun(desk: Desk) -> None:
    proposal, (operation,) = approved(desk)

    after = unclaimed(desk, operation, Retry(at_us=5, code="unasked", words="not reached"))

    assert (after.state, after.attempt) == (OperationState.RETRY, 0)
    assert desk.again(proposal).state is ProposalState.APPROVED
    desk.now_us = proposal.expires_us
    assert desk.claim(operation).state is OperationState.NOT_RUN


def test_what_is_not_possible_fails_before_it_is_sent(desk: Desk) -> None:
    proposal, (operation, _) = approved(desk, refund(), label())

    unclaimed(desk, operation, Failed(code="not_possible", words="nothing is left"))

    assert desk.again(proposal).state is ProposalState.FAILED
    assert desk.states(proposal) == ["failed", "not_run"]


def test_a_claimed_operation_is_settled_by_its_claim_alone(desk: Desk) -> None:
    _, (operation,) = approved(desk)
    desk.claim(operation)

    with pytest.raises(ClaimLost):
        unclaimed(desk, operation, DONE)


class TestNoLongerAllowed:
    """Checked at the claim, against the store alone, before anything was sent."""

    def check(self, desk: Desk, proposal: Proposal, operation: Operation, code: str) -> None:
        after = desk.claim(operation)

        assert after.state is OperationState.NOT_RUN
        assert after.attempt == 0
        ended = desk.again(proposal)
        assert (ended.state, ended.cause) == (
            ProposalState.FAILED,
            f"no longer allowed: {code}",
        )
        row = audit_rows(desk.db)[-1]
        assert (row.event, row.from_state, row.to_state) == (
            "no_longer_allowed",
            "approved",
            "failed",
        )

    @pytest.mark.parametrize("late_us", [0, 1])
    def test_it_expired_before_it_was_sent(self, desk: Desk, late_us: int) -> None:
        proposal, (operation, _) = approved(desk, refund(), label())
        desk.now_us = proposal.expires_us + late_us
        self.check(desk, proposal, operation, "expired")
        assert desk.states(proposal) == ["not_run", "not_run"]

    def test_its_facts_were_changed(self, desk: Desk) -> None:
        proposal, (operation,) = approved(desk)
        with tx(desk.db):
            changed(desk.db, "UPDATE proposals SET actions = replace(actions, '11900', '11901')")
        self.check(desk, proposal, operation, "changed")

    @pytest.mark.parametrize(
        "assignment",
        ["action = replace(action, '11900', '11901')", "request = CAST('{}' AS BLOB)"],
    )
    def test_its_operation_was_changed(self, desk: Desk, assignment: str) -> None:
        proposal, (operation,) = approved(desk)
        with tx(desk.db):
            changed(desk.db, f"UPDATE operations SET {assignment}")
        self.check(desk, proposal, operation, "changed")

    def test_its_operation_can_no_longer_be_read(self, desk: Desk) -> None:
        proposal, (operation,) = approved(desk)
        with tx(desk.db):
            changed(desk.db, "UPDATE operations SET action = '{}'")

        with pytest.raises(DigestMismatch, match=proposal.proposal_id):
            desk.claim(operation)

    def test_facts_and_digest_were_changed_together(self, desk: Desk) -> None:
        proposal, (operation,) = approved(desk)
        other = desk.ask(refund("118.00"), ticket_id="T-2")
        with tx(desk.db):
            changed(
                desk.db,
                "UPDATE proposals SET (ticket_id, actions, worth, digest) = (SELECT ticket_id,"
                " actions, worth, digest FROM proposals WHERE proposal_id = ?)"
                " WHERE proposal_id = ?",
                (other.proposal_id, proposal.proposal_id),
            )
            changed(
                desk.db,
                "UPDATE operations SET action = replace(action, '11900', '11800')",
            )
        self.check(desk, proposal, operation, "signatures")

    def test_a_stricter_policy_blocks(self, desk: Desk) -> None:
        proposal = desk.ask(refund("119.00"))
        desk.approve(proposal, LEAD)
        stricter = {**ROLES, "team_lead": {"limit": "110.00", "users": ["ULEA"]}}
        desk.under(policy(roles=stricter))
        self.check(desk, proposal, desk.operations_of(proposal)[0], "signatures")

    def test_a_policy_that_asks_for_two_blocks_what_one_signed(self, desk: Desk) -> None:
        proposal, (operation,) = approved(desk)
        desk.under(policy(two_people_above="100.00"))
        self.check(desk, proposal, operation, "signatures")

    def test_an_approver_who_was_removed_blocks(self, desk: Desk) -> None:
        proposal, (operation,) = approved(desk)
        desk.under(policy(roles={**ROLES, "head": {"limit": "none", "users": ["UNEW"]}}))
        self.check(desk, proposal, operation, "signatures")

    def test_what_came_later_on_the_ticket_does_not_block(self, desk: Desk) -> None:
        proposal = desk.ask(late_fee("90.00"))
        desk.approve(proposal, AGENT)
        later = desk.ask(refund("90.00"))
        desk.approve(later, LEAD)
        desk.ask(label())

        assert desk.carry_out(proposal).state is ProposalState.DONE

    def test_after_something_was_sent_only_a_changed_operation_stops(self, desk: Desk) -> None:
        proposal, (first, second) = approved(desk, refund(), label())
        desk.settle(desk.claim(first).claim, DONE)
        desk.now_us = proposal.expires_us + 1
        desk.under(policy(roles={**ROLES, "head": {"limit": "none", "users": []}}))

        desk.settle(desk.claim(second).claim, DONE)

        assert desk.again(proposal).state is ProposalState.DONE

    def test_a_later_operation_that_was_changed_fails(self, desk: Desk) -> None:
        proposal, (first, second) = approved(desk, refund(), label())
        desk.settle(desk.claim(first).claim, DONE)
        with tx(desk.db):
            changed(desk.db, "UPDATE operations SET request = X'00' WHERE position = 2")

        after = desk.claim(second)

        assert (after.state, after.error_code) == (OperationState.FAILED, "changed")
        assert desk.again(proposal).state is ProposalState.FAILED


class TestUnknown:
    """Left by reconciliation or by a person, and by nothing else."""

    def test_it_is_neither_claimed_nor_settled_nor_expired(self, desk: Desk) -> None:
        proposal, operation = unknown(desk)
        desk.pass_hours(100)

        with pytest.raises(ClaimLost):
            desk.claim(operation)
        with pytest.raises(ClaimLost):
            unclaimed(desk, operation, FAILED)
        assert desk.expire_due() == ()
        assert desk.again(proposal).state is ProposalState.UNKNOWN

    @pytest.mark.parametrize(
        ("outcome", "state"), [(DONE, ProposalState.DONE), (FAILED, ProposalState.FAILED)]
    )
    def test_a_look_up_settles_it(
        self, desk: Desk, outcome: Done | Failed, state: ProposalState
    ) -> None:
        proposal, operation = unknown(desk)

        with tx(desk.db):
            desk.operations.resolve(desk.db, operation.operation_id, outcome, now_us=desk.now_us)

        assert desk.again(proposal).state is state
        assert audit_rows(desk.db)[-1].who == "system"

    def test_a_person_settles_it_with_a_reason(self, desk: Desk) -> None:
        proposal, operation = unknown(desk)

        with tx(desk.db):
            desk.decisions.settle_unknown(
                desk.db,
                operation_id=operation.operation_id,
                outcome=DONE,
                person=LEAD,
                why="seen in the shop",
                now_us=desk.now_us,
            )

        assert desk.again(proposal).state is ProposalState.DONE
        assert audit_rows(desk.db)[-2].who == "ULEA"
        assert audit_rows(desk.db)[-2].text_digest is not None

    @pytest.mark.parametrize(
        ("person", "why", "error"),
        [(AGENT, "seen", NotAllowed), (HEAD, " ", ReasonMissing)],
    )
    def test_not_by_everybody_and_not_without_a_reason(
        self, desk: Desk, person: Any, why: str, error: type[Exception]
    ) -> None:
        _, operation = unknown(desk)

        with pytest.raises(error), tx(desk.db):
            desk.decisions.settle_unknown(
                desk.db,
                operation_id=operation.operation_id,
                outcome=DONE,
                person=person,
                why=why,
                now_us=desk.now_us,
            )

    def test_what_is_not_unknown_is_not_resolved(self, desk: Desk) -> None:
        _, (operation,) = approved(desk)

        with pytest.raises(ClaimLost, match="ready"), tx(desk.db):
            desk.operations.resolve(desk.db, operation.operation_id, DONE, now_us=1)

    def test_with_others_behind_it_not_run_the_proposal_is_failed(self, desk: Desk) -> None:
        proposal, (first, _) = approved(desk, refund(), label())
        desk.settle(desk.claim(first).claim, UNKNOWN)

        with tx(desk.db):
            desk.operations.resolve(desk.db, first.operation_id, DONE, now_us=desk.now_us)

        assert desk.states(proposal) == ["done", "not_run"]
        assert desk.again(proposal).state is ProposalState.FAILED


class TestPending:
    """Done as far as the shop says now; polled until it is final."""

    def pending(self, desk: Desk) -> tuple[Proposal, Operation]:
        proposal, (operation,) = approved(desk)
        claim = desk.claim(operation).claim
        desk.settle(claim, Done(result={"reference": "re_1"}, pending=True))
        (found,) = pending_operations(desk.db)
        return proposal, found

    def test_it_counts_as_done_until_it_is_final(self, desk: Desk) -> None:
        proposal, operation = self.pending(desk)
        assert desk.again(proposal).state is ProposalState.DONE

        with tx(desk.db):
            desk.operations.resolve_pending(
                desk.db, operation.operation_id, DONE, now_us=desk.now_us
            )

        assert pending_operations(desk.db) == []
        assert desk.again(proposal).state is ProposalState.DONE

    def test_a_late_failure_moves_the_proposal_and_is_audited(self, desk: Desk) -> None:
        proposal, operation = self.pending(desk)

        with tx(desk.db):
            desk.operations.resolve_pending(
                desk.db, operation.operation_id, FAILED, now_us=desk.now_us
            )

        assert desk.again(proposal).state is ProposalState.FAILED
        row = audit_rows(desk.db)[-1]
        assert (row.event, row.from_state, row.to_state) == ("ended", "done", "failed")

    def test_what_is_final_does_not_fail_later(self, desk: Desk) -> None:
        done = desk.finish()
        (operation,) = desk.operations_of(done)

        with pytest.raises(ClaimLost, match="not pending"), tx(desk.db):
            desk.operations.resolve_pending(desk.db, operation.operation_id, FAILED, now_us=1)

    def test_a_late_failure_leaves_what_was_sent_behind_it_to_a_person(self, desk: Desk) -> None:
        proposal, (first, second) = approved(desk, refund(), label())
        desk.settle(desk.claim(first).claim, Done(result={}, pending=True))
        retry = Retry(at_us=0, code="timeout", words="no answer")
        desk.settle(desk.claim(second).claim, retry)

        with tx(desk.db):
            desk.operations.resolve_pending(desk.db, first.operation_id, FAILED, now_us=desk.now_us)

        assert desk.states(proposal) == ["failed", "unknown"]
        assert desk.again(proposal).state is ProposalState.FAILED


def test_every_move_of_an_operation_is_audited_and_the_chain_holds(desk: Desk) -> None:
    proposal, (operation,) = approved(desk)
    retry = Retry(at_us=0, code="timeout", words="no answer")
    desk.settle(desk.claim(operation).claim, retry)
    desk.settle(desk.claim(operation).claim, DONE)

    moves = [
        (row.attempt, row.from_state, row.to_state)
        for row in audit_rows(desk.db)
        if row.operation_id == operation.operation_id
    ]

    assert moves == [
        (1, "ready", "executing"),
        (1, "executing", "retry"),
        (2, "retry", "executing"),
        (2, "executing", "done"),
    ]
    assert {row.digest for row in audit_rows(desk.db)} == {proposal.digest}
    verify_audit(desk.db)

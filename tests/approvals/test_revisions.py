"""Edits, and second lives of what was rejected, failed or done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from approvals import (
    ActionsRefused,
    AlreadyDecided,
    Creation,
    Done,
    EqualProposal,
    Failed,
    NotAllowed,
    Person,
    Proposal,
    ProposalState,
    Refusal,
    Unknown,
    VersionChanged,
    audit_rows,
)
from approvals.store import rows, tx
from tests.approvals.desk import AGENT, HEAD, LEAD, OUTSIDE, Desk, label, late_fee, refund

Verb = Callable[..., Proposal]


def again(desk: Desk, verb: Verb, proposal: Proposal, person: Person = LEAD) -> Proposal:
    """Call one of the verbs that make a new proposal."""
    with tx(desk.db):
        return verb(desk.db, proposal_id=proposal.proposal_id, person=person, now_us=desk.now_us)


def failed(desk: Desk, *actions: Any) -> Proposal:
    """Return a proposal whose first action is done and whose second failed."""
    proposal = desk.ask(*actions)
    desk.approve(proposal)
    operations = desk.operations_of(proposal)
    desk.settle(desk.claim(operations[0]).claim, Done(result={}))
    refused = Failed(code="denied", words="refused")
    desk.settle(desk.claim(operations[1]).claim, refused)
    return desk.again(proposal)


class TestEdit:
    """An edited amount is a new version: validated, digested and signed anew."""

    def test_it_is_a_new_version_of_the_same_proposal(self, desk: Desk) -> None:
        proposal = desk.ask(refund("90.00"), label())

        edited = desk.edit(proposal, AGENT, at_1=8000)

        assert (edited.proposal_id, edited.version) == (proposal.proposal_id, 2)
        assert edited.actions == (refund("80.00"), label())
        assert edited.worth[0] == refund("80.00").money
        assert edited.digest == edited.facts_digest != proposal.digest
        assert edited.fingerprint != proposal.fingerprint
        assert edited.state is ProposalState.WAITING
        row = audit_rows(desk.db)[-1]
        assert (row.who, row.event, row.version, row.digest) == (
            "UANN",
            "edited",
            2,
            edited.digest,
        )
        assert row.detail == f"from {proposal.digest}"
        (kept,) = rows(desk.db, "SELECT * FROM earlier_versions")
        assert (kept["version"], kept["digest"]) == (1, proposal.digest)

    def test_what_runs_is_the_version_that_was_approved(self, desk: Desk) -> None:
        edited = desk.edit(desk.ask(refund("90.00")), AGENT, at_1=8000)

        desk.approve(edited, LEAD)

        (operation,) = desk.operations_of(edited)
        assert operation.action == refund("80.00")
        assert b'"amount_minor":8000' in operation.request

    def test_whoever_raises_an_amount_becomes_a_requester(self, desk: Desk) -> None:
        raised = desk.edit(desk.ask(refund("90.00")), LEAD, at_1=9001)

        assert "ULEA" in raised.requesters
        with pytest.raises(NotAllowed) as caught:
            desk.approve(raised, LEAD)
        assert caught.value.reason is Refusal.REQUESTER

    def test_whoever_lowers_an_amount_may_sign(self, desk: Desk) -> None:
        lowered = desk.edit(desk.ask(refund("90.00"), late_fee()), LEAD, at_1=8999)

        assert desk.approve(lowered, LEAD).proposal.state is ProposalState.APPROVED

    def test_the_limits_count_for_the_new_amount(self, desk: Desk) -> None:
        raised = desk.edit(desk.ask(refund("90.00")), HEAD, at_1=10001)

        with pytest.raises(NotAllowed, match="team_lead"):
            desk.approve(raised, AGENT)

    def test_an_old_version_is_not_edited(self, desk: Desk) -> None:
        proposal = desk.ask(refund("90.00"))
        desk.edit(proposal, AGENT, at_1=8000)

        with pytest.raises(VersionChanged):
            desk.edit(proposal, AGENT, at_1=7000)

    @pytest.mark.parametrize(
        "amounts",
        [{"at_1": 0}, {"at_1": -1}, {"at_1": 500001}, {"at_1": 9000}, {"at_2": 1}, {"at_3": 1}],
    )
    def test_what_cannot_be_is_refused(self, desk: Desk, amounts: dict[str, int]) -> None:
        proposal = desk.ask(refund("90.00"), label())

        with pytest.raises(ActionsRefused):
            desk.edit(proposal, AGENT, **amounts)

        assert desk.again(proposal) == proposal

    def test_an_edit_does_not_make_a_second_equal_one(self, desk: Desk) -> None:
        desk.ask(refund("80.00"))
        proposal = desk.ask(refund("90.00"))

        with pytest.raises(EqualProposal, match="P-1"):
            desk.edit(proposal, AGENT, at_1=8000)

    def test_only_people_with_a_role_edit(self, desk: Desk) -> None:
        with pytest.raises(NotAllowed):
            desk.edit(desk.ask(refund("90.00")), OUTSIDE, at_1=8000)

    def test_what_was_decided_or_is_over_is_not_edited(self, desk: Desk) -> None:
        decided, over = desk.ask(refund("90.00")), desk.ask(refund("80.00"))
        desk.approve(decided, LEAD)
        desk.now_us = over.expires_us

        with pytest.raises(AlreadyDecided, match="approved"):
            desk.edit(decided, AGENT, at_1=1)
        with pytest.raises(AlreadyDecided, match="expired"):
            desk.edit(over, AGENT, at_1=1)


class TestReopen:
    """A rejected proposal blocks until a person with the needed role reopens it."""

    def test_it_makes_a_new_proposal_that_waits(self, desk: Desk) -> None:
        rejected = desk.ask(evidence=("get_order ok",), draft="Dear")
        desk.reject(rejected)

        new = again(desk, desk.revisions.reopen, rejected)

        assert new.proposal_id != rejected.proposal_id
        assert new.state is ProposalState.WAITING
        assert (new.actions, new.digest) == (rejected.actions, rejected.digest)
        assert new.made_from == rejected.proposal_id
        assert new.requesters == rejected.requesters
        assert desk.again(rejected).state is ProposalState.REJECTED
        assert audit_rows(desk.db)[-1].who == "ULEA"
        assert rows(desk.db, "SELECT count(*) AS n FROM texts WHERE proposal_id = 'P-2'") == [
            {"n": 2}
        ]

    def test_after_it_the_rejected_one_blocks_no_more(self, desk: Desk) -> None:
        rejected = desk.ask()
        desk.reject(rejected)
        desk.withdraw(again(desk, desk.revisions.reopen, rejected))

        assert desk.create().creation is Creation.NEW

    def test_it_takes_a_role_that_covers_the_amount(self, desk: Desk) -> None:
        rejected = desk.ask(refund("119.00"))
        desk.reject(rejected)

        with pytest.raises(NotAllowed) as caught:
            again(desk, desk.revisions.reopen, rejected, AGENT)

        assert caught.value.reason is Refusal.OVER_LIMIT

    def test_it_is_reopened_once_and_only_when_rejected(self, desk: Desk) -> None:
        rejected, waits = desk.ask(), desk.ask(label())
        desk.reject(rejected)
        again(desk, desk.revisions.reopen, rejected)

        for proposal in (rejected, waits):
            with pytest.raises(AlreadyDecided):
                again(desk, desk.revisions.reopen, proposal)


class TestTryAgain:
    """From failed: a new proposal with a new approval, of what was left undone."""

    def test_it_asks_for_what_was_not_done(self, desk: Desk) -> None:
        first = failed(desk, late_fee(), refund(), label())

        new = again(desk, desk.revisions.try_again, first)

        assert new.actions == (refund(), label())
        assert new.state is ProposalState.WAITING
        assert desk.operations_of(new) == []
        assert desk.again(first).state is ProposalState.FAILED

    def test_its_operations_have_new_keys(self, desk: Desk) -> None:
        first = failed(desk, late_fee(), refund(), label())
        new = again(desk, desk.revisions.try_again, first)
        desk.approve(new)

        keys = {operation.key for operation in desk.operations_of(first)}

        assert keys.isdisjoint(operation.key for operation in desk.operations_of(new))

    def test_not_while_one_is_unknown(self, desk: Desk) -> None:
        proposal = desk.ask()
        desk.approve(proposal)
        claim = desk.claim(desk.operations_of(proposal)[0]).claim
        desk.settle(claim, Unknown(code="timeout", words="nobody knows"))

        with pytest.raises(AlreadyDecided, match="unknown"):
            again(desk, desk.revisions.try_again, proposal)

    def test_twice_is_the_same_one(self, desk: Desk) -> None:
        first = failed(desk, late_fee(), refund())
        new = again(desk, desk.revisions.try_again, first)

        with pytest.raises(EqualProposal, match=new.proposal_id):
            again(desk, desk.revisions.try_again, first)


class TestRepeat:
    """The very same once more, after it was done: a second legitimate refund."""

    def test_it_waits_beside_the_done_one_and_goes_through_with_an_explicit_yes(
        self, desk: Desk
    ) -> None:
        first = desk.finish(late_fee())

        new = again(desk, desk.revisions.repeat, first, AGENT)

        assert (new.fingerprint, new.round) == (first.fingerprint, 2)
        assert "UANN" in new.requesters
        desk.approve(new, LEAD, second=True)
        assert desk.carry_out(new).state is ProposalState.DONE
        keys = [desk.operations_of(each)[0].key for each in (first, new)]
        assert keys[0] != keys[1]

    def test_a_run_that_asks_again_gets_the_newest(self, desk: Desk) -> None:
        new = again(desk, desk.revisions.repeat, desk.finish(late_fee()), AGENT)

        assert desk.create(late_fee()).proposal.proposal_id == new.proposal_id

    def test_twice_is_the_same_one(self, desk: Desk) -> None:
        first = desk.finish(late_fee())
        new = again(desk, desk.revisions.repeat, first)

        with pytest.raises(EqualProposal, match=new.proposal_id):
            again(desk, desk.revisions.repeat, first)

    def test_only_what_is_done(self, desk: Desk) -> None:
        with pytest.raises(AlreadyDecided):
            again(desk, desk.revisions.repeat, desk.ask())

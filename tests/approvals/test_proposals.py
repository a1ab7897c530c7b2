"""How a proposal comes to be, stays one, and stops waiting without a decision."""

from __future__ import annotations

from sqlite3 import IntegrityError

import pytest

from approvals import (
    ActionsRefused,
    AlreadyDecided,
    Asked,
    Creation,
    Proposals,
    ProposalState,
    ProposalUnknown,
    VersionChanged,
    audit_rows,
    list_proposals,
    proposals_for_run,
    proposals_of_run,
    read_proposal,
    runs_of_proposal,
    verify_audit,
)
from approvals.states import EXITS
from approvals.store import changed, rows, tx
from tests.approvals.desk import AGENT, HEAD, Desk, label, late_fee, policy, refund, reship
from tools import Money

LIVE = ["waiting", "approved", "executing", "unknown", "done"]
DEAD = ["failed", "expired", "withdrawn", "superseded"]


def set_state(desk: Desk, proposal_id: str, state: str) -> None:
    """Put an approved proposal into a state, past all rules."""
    with tx(desk.db):
        decided = None if state == "waiting" else desk.now_us
        signed = state in ("approved", "executing", "done", "failed", "unknown")
        changed(
            desk.db,
            "UPDATE proposals SET state = ?, decided_us = ?, decided_by = ?, approved_seq = ?"
            " WHERE proposal_id = ?",
            (state, decided, decided and "system", 1 if signed else None, proposal_id),
        )


def test_a_proposal_begins_as_waiting_with_its_facts(desk: Desk) -> None:
    created = desk.create(refund(), label())

    proposal = created.proposal
    assert created.creation is Creation.NEW
    assert proposal.state is ProposalState.WAITING
    assert (proposal.proposal_id, proposal.version) == ("P-1", 1)
    assert (proposal.ticket_id, proposal.customer_id, proposal.rule) == ("T-1", "C-1", "W7")
    assert proposal.actions == (refund(), label())
    assert proposal.worth == (Money.of(119, "CAD"), None)
    assert proposal.expires_us == desk.now_us + 48 * 3_600_000_000
    (row,) = audit_rows(desk.db)
    assert (row.who, row.event, row.to_state) == ("system", "created", "waiting")
    assert (row.digest, row.policy_version) == (proposal.digest, desk.policy.version)


def test_it_is_created_in_the_commit_of_the_caller_or_not_at_all(desk: Desk) -> None:
    class Crash(Exception):
        """The run's end fails after the proposal was stored."""

    asked = Asked(
        run_id="run-1",
        ticket_id="T-1",
        customer_id="C-1",
        actions=(refund(),),
        requesters=frozenset(),
    )

    with pytest.raises(Crash), tx(desk.db):
        desk.proposals.create(desk.db, asked, now_us=desk.now_us)
        raise Crash

    assert list_proposals(desk.db) == []
    assert audit_rows(desk.db) == []


@pytest.mark.parametrize("count", [0, 5])
def test_a_proposal_has_one_to_four_actions(desk: Desk, count: int) -> None:
    actions = tuple(refund(f"{n}.00") for n in range(1, count + 1))

    with pytest.raises(ActionsRefused, match=f"not {count}"), tx(desk.db):
        asked = Asked(
            run_id="r", ticket_id="T", customer_id="C", actions=actions, requesters=frozenset()
        )
        desk.proposals.create(desk.db, asked, now_us=desk.now_us)


def test_four_actions_are_one_proposal(desk: Desk) -> None:
    assert len(desk.ask(refund(), label(), reship(), late_fee()).actions) == 4


def test_two_equal_actions_are_refused_and_never_merged(desk: Desk) -> None:
    with pytest.raises(ActionsRefused, match="two actions are equal"):
        desk.ask(label(), label())


@pytest.mark.parametrize(("amount", "ok"), [("5000.00", True), ("5000.01", False)])
def test_a_refund_has_a_largest_amount(desk: Desk, amount: str, ok: bool) -> None:
    if ok:
        assert desk.create(refund(amount)).creation is Creation.NEW
    else:
        with pytest.raises(ActionsRefused, match="at most 5000"):
            desk.ask(refund(amount))


@pytest.mark.parametrize("state", LIVE)
def test_an_equal_live_one_is_the_same_one_over_runs_and_resumes(desk: Desk, state: str) -> None:
    first = desk.ask(refund(), label())
    set_state(desk, first.proposal_id, state)

    again = desk.create(label(), refund(), run_id="run-2")

    assert again.creation is Creation.SAME
    assert again.proposal.proposal_id == first.proposal_id
    assert len(audit_rows(desk.db)) == 1


@pytest.mark.parametrize("state", DEAD)
def test_a_dead_one_blocks_nothing(desk: Desk, state: str) -> None:
    set_state(desk, desk.ask().proposal_id, state)

    assert desk.create().creation is Creation.NEW


def test_one_whose_time_is_over_blocks_nothing_before_the_sweep_either(desk: Desk) -> None:
    first = desk.ask()
    desk.now_us = first.expires_us

    created = desk.create()

    assert created.creation is Creation.NEW
    assert desk.again(first).state is ProposalState.EXPIRED


def test_a_proposal_stands_for_each_run_that_asked_for_it_and_so_does_what_is_made_of_it(
    desk: Desk,
) -> None:
    first = desk.create(late_fee(), run_id="run-1").proposal
    desk.create(late_fee(), run_id="run-2")
    desk.create(late_fee(), run_id="run-2")
    desk.reject(first)
    desk.create(late_fee(), run_id="run-3")
    with tx(desk.db):
        again = desk.revisions.reopen(
            desk.db, proposal_id=first.proposal_id, person=AGENT, now_us=desk.now_us
        )

    runs = ["run-1", "run-2", "run-3"]
    assert runs_of_proposal(desk.db, first.proposal_id) == runs
    assert runs_of_proposal(desk.db, again.proposal_id) == runs
    for run_id in runs:
        standing = [each.proposal_id for each in proposals_for_run(desk.db, run_id)]
        assert standing == [first.proposal_id, again.proposal_id]
    assert [each.run_id for each in proposals_of_run(desk.db, "run-2")] == []


def test_a_rejected_one_blocks(desk: Desk) -> None:
    first = desk.ask()
    desk.reject(first)

    created = desk.create(run_id="run-2")

    assert created.creation is Creation.BLOCKED
    assert created.proposal.proposal_id == first.proposal_id
    assert len(list_proposals(desk.db)) == 1


def test_a_rejected_one_blocks_its_own_ticket_and_exact_actions_alone(desk: Desk) -> None:
    desk.reject(desk.ask())

    assert desk.create(ticket_id="T-2").creation is Creation.NEW
    assert desk.create(refund("118.00")).creation is Creation.NEW


def test_the_store_itself_refuses_a_second_live_one(desk: Desk) -> None:
    first, second = desk.ask(), desk.ask(late_fee())

    with pytest.raises(IntegrityError), tx(desk.db):
        changed(
            desk.db,
            "UPDATE proposals SET fingerprint = ? WHERE proposal_id = ?",
            (first.fingerprint, second.proposal_id),
        )


def test_a_newer_run_supersedes_what_waits_for_its_ticket(desk: Desk) -> None:
    old, elsewhere = desk.ask(), desk.ask(ticket_id="T-2")
    approved = desk.ask(label())
    desk.approve(approved)

    new = desk.create(refund("20.00"), replaces=True).proposal

    gone = desk.again(old)
    assert (gone.state, gone.cause) == (ProposalState.SUPERSEDED, new.proposal_id)
    assert desk.again(elsewhere).state is ProposalState.WAITING
    assert desk.again(approved).state is ProposalState.APPROVED
    with pytest.raises(AlreadyDecided, match="superseded"):
        desk.approve(old)


def test_a_blocked_run_supersedes_nothing(desk: Desk) -> None:
    desk.reject(desk.ask())
    waits = desk.ask(label())

    desk.create(replaces=True)

    assert desk.again(waits).state is ProposalState.WAITING


def test_a_code_that_is_taken_is_thrown_away(desk: Desk) -> None:
    codes = iter(["AAA", "AAA", "BBB"])
    desk.proposals = Proposals(desk.policy, new_code=lambda: next(codes))

    assert [desk.ask().proposal_id, desk.ask(label()).proposal_id] == ["P-AAA", "P-BBB"]


def test_one_that_waits_is_withdrawn(desk: Desk) -> None:
    proposal = desk.ask()

    desk.withdraw(proposal)

    assert desk.again(proposal).state is ProposalState.WITHDRAWN
    assert audit_rows(desk.db)[-1].who == "UANN"


def test_one_that_was_approved_is_not_withdrawn(desk: Desk) -> None:
    proposal = desk.ask()
    desk.approve(proposal)

    with pytest.raises(AlreadyDecided):
        desk.withdraw(proposal)


def test_a_deleted_ticket_withdraws_only_what_waits(desk: Desk) -> None:
    waits, approved, other = desk.ask(), desk.ask(label()), desk.ask(ticket_id="T-2")
    desk.approve(approved)

    with tx(desk.db):
        gone = desk.proposals.withdraw_ticket(desk.db, "T-1", actor=AGENT.actor, now_us=desk.now_us)

    assert gone == (waits.proposal_id,)
    assert desk.again(approved).state is ProposalState.APPROVED
    assert desk.again(other).state is ProposalState.WAITING


def test_the_sweep_ends_what_is_over_and_nothing_else(desk: Desk) -> None:
    first = desk.ask()
    desk.pass_hours(1)
    second = desk.ask(label())
    third = desk.ask(late_fee())
    desk.approve(third)
    desk.now_us = first.expires_us - 1
    assert desk.expire_due() == ()

    desk.now_us += 1

    assert desk.expire_due() == (first.proposal_id,)
    assert desk.again(first).state is ProposalState.EXPIRED
    assert desk.again(second).state is ProposalState.WAITING
    assert desk.again(third).state is ProposalState.APPROVED
    assert desk.expire_due() == ()


def test_it_is_warned_about_once_before_it_expires(desk: Desk) -> None:
    desk.under(policy(warn_before_hours=4))
    proposal = desk.ask()

    def warned() -> tuple[str, ...]:
        with tx(desk.db):
            return desk.proposals.warn_due(desk.db, now_us=desk.now_us)

    desk.now_us = proposal.expires_us - 4 * 3_600_000_000 - 1
    assert warned() == ()
    desk.now_us += 1
    assert warned() == (proposal.proposal_id,)
    assert warned() == ()
    assert audit_rows(desk.db)[-1].event == "warned"


def test_a_row_that_was_read_before_somebody_else_won_changes_nothing(desk: Desk) -> None:
    stale = desk.ask()
    desk.approve(stale)
    before = audit_rows(desk.db)

    with pytest.raises(AlreadyDecided, match="approved") as caught, tx(desk.db):
        desk.proposals.expire(desk.db, stale, now_us=desk.now_us)

    assert caught.value.who == "UHED"
    assert audit_rows(desk.db) == before


def test_a_version_that_was_read_before_an_edit_is_not_ended(desk: Desk) -> None:
    stale = desk.ask()
    edited = desk.edit(stale, AGENT, at_1=100)

    with pytest.raises(VersionChanged), tx(desk.db):
        desk.proposals.expire(desk.db, stale, now_us=desk.now_us)

    assert desk.again(stale) == edited


def test_a_clock_that_jumps_back_ends_nothing(desk: Desk) -> None:
    proposal = desk.ask()
    desk.now_us -= 10**12

    assert desk.expire_due() == ()
    desk.approve(proposal)
    verify_audit(desk.db)


def test_an_unknown_proposal_is_named(desk: Desk) -> None:
    with pytest.raises(ProposalUnknown, match="P-404"):
        read_proposal(desk.db, "P-404")


def test_proposals_are_listed_by_state_oldest_first(desk: Desk) -> None:
    first, second, third = desk.ask(), desk.ask(label()), desk.ask(late_fee())
    desk.approve(second, HEAD)

    waiting = [each.proposal_id for each in list_proposals(desk.db, ProposalState.WAITING)]

    assert waiting == [first.proposal_id, third.proposal_id]
    assert len(list_proposals(desk.db)) == 3


def test_every_state_says_where_it_leads_and_the_dead_lead_nowhere() -> None:
    assert set(EXITS) == set(ProposalState)
    ends = {state.value for state, exits in EXITS.items() if not exits}
    assert ends == {"failed", "rejected", "expired", "withdrawn", "superseded"}


def test_texts_stand_beside_the_proposal_and_change_no_digest(desk: Desk) -> None:
    with_texts = desk.ask(evidence=("get_order ok", "get_payments ok"), draft="Dear customer")
    desk.withdraw(with_texts)
    bare = desk.ask()

    kept = rows(desk.db, "SELECT proposal_id, kind, text FROM texts ORDER BY text_id")

    assert [(row["kind"], row["text"]) for row in kept] == [
        ("evidence", "get_order ok"),
        ("evidence", "get_payments ok"),
        ("draft", "Dear customer"),
    ]
    assert with_texts.digest == bare.digest

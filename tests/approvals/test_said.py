"""What people decided about a run's proposals, read back without who they were."""

from __future__ import annotations

from approvals import Said, decided_runs, said_of
from approvals.store import changed, tx
from tests.approvals.desk import AGENT, HEAD, Desk, policy


def test_decisions_about_every_version_are_read_with_their_reasons(desk: Desk) -> None:
    desk.under(policy(two_people_above="1.00"))
    first = desk.ask()
    desk.approve(first, HEAD)
    desk.pass_hours(1)
    second = desk.edit(first, HEAD, at_1=5000)
    desk.reject(second, AGENT, why="too much")

    assert said_of(desk.db, first.proposal_id) == [
        Said(version=1, approves=True, why=None),
        Said(version=2, approves=False, why="too much"),
    ]


def test_a_reason_that_was_erased_is_none(desk: Desk) -> None:
    proposal = desk.ask()
    desk.reject(proposal)
    with tx(desk.db):
        changed(desk.db, "UPDATE texts SET text = NULL, salt = NULL, erased_us = 1", ())

    assert said_of(desk.db, proposal.proposal_id) == [Said(version=1, approves=False, why=None)]


def test_runs_with_a_decision_or_an_edit_are_decided_and_no_others(desk: Desk) -> None:
    desk.reject(desk.ask(run_id="rejected", ticket_id="T-1"))
    desk.edit(desk.ask(run_id="edited", ticket_id="T-2"), HEAD, at_1=5000)
    desk.ask(run_id="waiting", ticket_id="T-3")
    desk.withdraw(desk.ask(run_id="withdrawn", ticket_id="T-4"))

    assert decided_runs(desk.db) == {"rejected", "edited"}

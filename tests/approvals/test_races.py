"""Many threads and processes on the same proposals: one exit each, and the loser learns who won."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from approvals import (
    AlreadyDecided,
    ClaimLost,
    Operation,
    Person,
    Proposal,
    audit_rows,
    list_proposals,
    verify_audit,
)
from approvals.store import connect, rows, tx
from tests.approvals.desk import HEAD, LEAD, Desk, label, refund
from tests.harness.processes import result, start

THREADS = 20
PROPOSALS = 12


def on_own_connection(desk: Desk, work: Callable[[Desk], str]) -> str:
    """Run work on a desk over another connection to the same store."""
    with connect(desk.path) as db:
        other = Desk(desk.path, db, desk.policy)
        other.now_us = desk.now_us
        return work(other)


def all_at_once(desk: Desk, works: list[Callable[[Desk], str]]) -> list[str]:
    """Run each work on a thread and a connection of its own, all let go together."""
    gate = Barrier(len(works))

    def one(work: Callable[[Desk], str]) -> str:
        def after_the_gate(other: Desk) -> str:
            gate.wait(timeout=30)
            return work(other)

        return on_own_connection(desk, after_the_gate)

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(one, works))


def approve(desk: Desk, proposal: Proposal, person: Person = HEAD) -> str:
    return desk.approve(proposal, person).proposal.state.value


def reject(desk: Desk, proposal: Proposal) -> str:
    return desk.reject(proposal, LEAD).proposal.state.value


def withdraw(desk: Desk, proposal: Proposal) -> str:
    desk.withdraw(proposal)
    return "withdrawn"


def expire(desk: Desk, proposal: Proposal) -> str:
    with tx(desk.db):
        desk.proposals.expire(desk.db, desk.again(proposal), now_us=proposal.expires_us)
    return "expired"


VERBS = {"approved": approve, "rejected": reject, "withdrawn": withdraw, "expired": expire}
WINNERS = {"approved": "UHED", "rejected": "ULEA", "withdrawn": "UANN", "expired": "system"}


def test_twenty_clicks_on_one_button_approve_once(desk: Desk) -> None:
    proposal = desk.ask(refund(), label())
    people = [HEAD, LEAD] * (THREADS // 2)

    def click(person: Person) -> Callable[[Desk], str]:
        def work(other: Desk) -> str:
            try:
                return approve(other, proposal, person)
            except AlreadyDecided as lost:
                return lost.who

        return work

    came = Counter(all_at_once(desk, [click(person) for person in people]))

    winner = desk.again(proposal).decided_by
    assert came == {"approved": 1, winner: THREADS - 1}
    assert len(desk.operations_of(proposal)) == 2
    assert len(rows(desk.db, "SELECT * FROM jobs")) == 1
    assert [row.event for row in audit_rows(desk.db)] == ["created", "approved"]


@pytest.mark.parametrize("seed", range(3))
def test_whatever_races_each_proposal_has_one_exit_and_losers_learn_which(
    desk: Desk, seed: int
) -> None:
    proposals = [desk.ask(label(f"SKU-{n}"), ticket_id=f"T-{n}") for n in range(PROPOSALS)]

    def worker(number: int) -> Callable[[Desk], str]:
        order = random.Random(seed * 1000 + number)
        tasks = [(p, order.choice(list(VERBS))) for p in order.sample(proposals, PROPOSALS)]

        def work(other: Desk) -> str:
            seen = {}
            for proposal, verb in tasks:
                try:
                    seen[proposal.proposal_id] = (VERBS[verb](other, proposal), "won")
                except AlreadyDecided as lost:
                    seen[proposal.proposal_id] = (lost.state.value, lost.who)
            return json.dumps(seen)

        return work

    reports = [json.loads(text) for text in all_at_once(desk, list(map(worker, range(THREADS))))]

    for proposal in map(desk.again, proposals):
        state = proposal.state.value
        told = [report[proposal.proposal_id] for report in reports]
        winners = [verb for verb, how in told if how == "won"]
        assert winners == [state]
        assert proposal.decided_by == WINNERS[state]
        losers = {tuple(each) for each in told if each[1] != "won"}
        assert losers <= {(state, WINNERS[state])}
        assert len(desk.operations_of(proposal)) == (1 if state == "approved" else 0)
    moves = Counter(row.proposal_id for row in audit_rows(desk.db) if row.from_state)
    assert moves == {proposal.proposal_id: 1 for proposal in proposals}
    verify_audit(desk.db)


def test_equal_runs_that_end_together_make_one_proposal(desk: Desk) -> None:
    def work(other: Desk) -> str:
        other.new_code = desk.new_code
        other.under(desk.policy)
        return other.create().creation.value

    came = Counter(all_at_once(desk, [work] * THREADS))

    assert came == {"new": 1, "same": THREADS - 1}
    assert len(list_proposals(desk.db)) == 1


def test_one_of_many_claims_an_operation(desk: Desk) -> None:
    proposal = desk.ask()
    desk.approve(proposal)
    (operation,) = desk.operations_of(proposal)

    def claim(number: int, operation: Operation) -> Callable[[Desk], str]:
        def work(other: Desk) -> str:
            try:
                return other.claim(operation, owner=f"host-{number}").owner or ""
            except ClaimLost:
                return "lost"

        return work

    came = all_at_once(desk, [claim(n, operation) for n in range(THREADS)])

    (after,) = desk.operations_of(proposal)
    assert sorted(came) == sorted([after.owner or "", *["lost"] * (THREADS - 1)])
    assert after.attempt == 1


CHILD = """
import sys
from pathlib import Path
from approvals import AlreadyDecided, Person, list_proposals
from approvals.store import connect
from tests.approvals.desk import Desk, policy

path, user = Path(sys.argv[1]), sys.argv[2]
with connect(path) as db:
    desk = Desk(path, db, policy())
    sys.stdin.readline()
    won = 0
    for proposal in list_proposals(db):
        try:
            if int(proposal.proposal_id[2:]) % 2:
                desk.approve(proposal, Person(user_id=user))
            else:
                desk.reject(proposal, Person(user_id=user))
            won += 1
        except AlreadyDecided as lost:
            assert lost.who in ("ULEA", "UHED"), lost.who
print(won)
"""


def test_two_processes_decide_each_proposal_once(desk: Desk) -> None:
    for number in range(40):
        desk.ask(label(f"SKU-{number}"), ticket_id=f"T-{number}")
    children = [start(CHILD, desk.path, user) for user in ("ULEA", "UHED")]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()

    won = [int(result(child)) for child in children]

    assert sum(won) == 40
    assert {each.state.value for each in list_proposals(desk.db)} == {"approved", "rejected"}
    assert len(rows(desk.db, "SELECT * FROM operations")) == 20
    verify_audit(desk.db)

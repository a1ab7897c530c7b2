"""Fifty threads in four processes decide the same proposals while one of them carries them out."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from approvals import OperationState, list_proposals, operations_in, verify_audit
from tests.approvals.desk import HOUR_US, START_US, Desk
from tests.harness.effects import read_effects
from tests.harness.processes import module
from tests.harness.race import SHOP, TOLD, job_server
from tests.harness.stock import actions, customer, write_stock
from tools import PRACTICE_TODAY, PracticeGateway, PracticeShop
from tools.practice.ledger import Change

PROCESSES = 4
THREADS = 13
PROPOSALS = 16
LIMIT_S = 120
ENDS = {"approved": "done", "rejected": "rejected", "withdrawn": "withdrawn", "expired": "expired"}
WHO = {"approved": "UHED", "rejected": "ULEA", "withdrawn": "ULEA", "expired": "system"}
PASSED = {"approved": {"approved", "executing", "done"}}
"""What a loser may be told that it is, where that moves on; otherwise it is what won."""


def race(folder: Path) -> None:
    """Start the processes, let them go together, and wait for their ends."""
    processes = [
        module("tests.harness.race", folder, number, THREADS) for number in range(PROCESSES)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        process.communicate(timeout=LIMIT_S)
    assert [process.returncode for process in processes] == [0] * PROCESSES


def finish(folder: Path) -> tuple[Change, ...]:
    """Carry out what is left, with a clock that stands, and return what the shop changed."""
    with job_server(folder, lambda: START_US + 47 * HOUR_US, "last") as server:
        server.recover()
        server.drain()
    with PracticeGateway(folder / SHOP, today=lambda: PRACTICE_TODAY) as gateway:
        return gateway.changes()


def test_fifty_threads_in_four_processes_decide_each_proposal_once(
    tmp_path: Path, desk: Desk
) -> None:
    write_stock(tmp_path / "stock", PROPOSALS)
    PracticeShop.from_folder(tmp_path / "stock", path=tmp_path / SHOP).close()
    for number in range(PROPOSALS):
        asked = actions(number, 1 + number % 2)
        desk.ask(*asked, customer_id=customer(number), ticket_id=f"T-{number}")

    race(tmp_path)
    changes = finish(tmp_path)

    told: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in read_effects(tmp_path / TOLD):
        told[line["proposal"]].append(line)
    for proposal in list_proposals(desk.db):
        lines = told[proposal.proposal_id]
        assert len(lines) == PROCESSES * THREADS
        (winner,) = [line["state"] for line in lines if line["won"]]
        losers = [line for line in lines if not line["won"]]
        assert proposal.state.value == ENDS[winner]
        assert {line["who"] for line in losers} == {WHO[winner]} == {proposal.decided_by}
        assert {line["state"] for line in losers} <= PASSED.get(winner, {winner})
    won = {line["state"] for lines in told.values() for line in lines if line["won"]}
    assert won <= set(ENDS)
    assert len(won) > 1  # a busy machine may let the same kind win every race
    operations = operations_in(desk.db, *OperationState)
    assert {each.state for each in operations} == {OperationState.DONE}
    assert Counter(each.operation_id for each in operations) == Counter(
        change.operation_id for change in changes
    )
    verify_audit(desk.db)

"""Real processes on one store and one shop: whoever clicks, it happens once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from approvals import ProposalState, verify_audit
from tests.bot.approving import Counter

ROOT = Path(__file__).resolve().parents[2]


def started(counter: Counter, *args: str) -> subprocess.Popen[str]:
    """Start the command line in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "bot", *args],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "HANDRAIL_STORE": str(counter.store),
        },
        cwd=counter.home,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Return exit status and all that was printed."""
    out, err = process.communicate(timeout=120)
    return process.returncode, " ".join((out + err).split())


def test_of_several_that_decide_the_same_one_wins_and_it_happens_once(counter: Counter) -> None:
    proposal_id = counter.propose()
    approve = ("proposals", "approve", proposal_id, "--as")
    deciding = [started(counter, *approve, user) for user in ("UANN", "UART", "ULEA")]
    ends = [ended(process) for process in deciding]

    assert sorted(status for status, _ in ends) == [0, 1, 1]
    assert all("this attempt changed nothing" in said for status, said in ends if status == 1)
    assert counter.state(proposal_id) is ProposalState.DONE
    assert len(counter.changes()) == 1


def test_each_of_several_ends_with_its_own_result_while_they_share_the_lock(
    counter: Counter,
) -> None:
    ids = [counter.propose(ticket) for ticket in ("T-64872", "T-90104", "T-90103")]
    approving = [started(counter, "proposals", "approve", each, "--as", "UANN") for each in ids]
    ends = [ended(process) for process in approving]

    assert [status for status, _ in ends] == [0, 0, 0]
    assert all("and done" in said for _, said in ends)
    assert len(counter.changes()) == 4
    with counter.db() as db:
        verify_audit(db)

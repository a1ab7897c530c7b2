"""A run killed at every journal line, and resumed from its own journal."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from approvals.store import connect
from loop import Entry, LostAttempt
from recordings import Runs
from tests.recordings.builders import recorded, work_on
from tools import PracticeShop

ENTRIES = 9
"""Entries of the uninterrupted run but the closing one: opened, then asked, replied and called
for each of two steps, stopped."""


def work(store: Path, last: int) -> subprocess.CompletedProcess[str]:
    """Run the process until it ends or kills itself after the entry ``last``."""
    command = [sys.executable, "-m", "tests.recordings.kill_run", str(store), str(last)]
    return subprocess.run(
        command,
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def journal_of(store: Path) -> list[Entry]:
    """Return the entries that the store holds of the run."""
    db = connect(store)
    entries = Runs(db).entries("run-1")
    db.close()
    return entries


def without_lost_attempts(entries: list[Entry]) -> list[object]:
    """Return what an uninterrupted run has too: the records, without numbers and lost attempts."""
    return [e.record for e in entries if not isinstance(e.record, LostAttempt)]


@pytest.mark.parametrize("last", range(ENTRIES - 1))
def test_a_run_killed_at_this_line_ends_as_if_it_had_not_been(
    last: int, shop: PracticeShop, tmp_path: Path
) -> None:
    """SIGKILL after the entry is on disk; the resumed run comes to the same end.

    At most the call that was in flight is asked again, and its lost attempt is on record.
    """
    _, whole = recorded(work_on(shop))
    store = tmp_path / "store.sqlite3"
    assert work(store, last).returncode == -signal.SIGKILL
    before = journal_of(store)
    assert len(before) == last + 1

    resumed = work(store, -1)

    assert resumed.returncode == 0, resumed.stderr
    after = journal_of(store)
    assert after[: last + 1] == before
    lost = sum(isinstance(e.record, LostAttempt) for e in after)
    assert lost == (before[-1].record.kind == "asked")
    closing = after[-1].record
    expected = whole[-1].record
    assert closing.kind == expected.kind == "closed"
    assert without_lost_attempts(after)[:-1] == without_lost_attempts(whole)[:-1]
    assert (closing.result, closing.resolution, closing.steps) == (
        expected.result,
        expected.resolution,
        expected.steps,
    )
    assert closing.cost_complete is (lost == 0)
    asked_again = int(resumed.stdout.splitlines()[0])
    answered_before = sum(e.record.kind == "replied" for e in before)
    assert asked_again == 2 - answered_before
    assert json.loads(resumed.stdout.splitlines()[1])["kind"] == "closed"


def test_a_run_killed_twice_in_one_call_has_two_lost_attempts(tmp_path: Path) -> None:
    """Each life notes the attempt that the one before it lost."""
    store = tmp_path / "store.sqlite3"
    work(store, 1)  # after the first request
    work(store, 2)  # after the note that it was lost, with the next request in flight

    resumed = work(store, -1)

    assert resumed.returncode == 0, resumed.stderr
    kinds = [entry.record.kind for entry in journal_of(store)]
    assert kinds[:5] == ["opened", "asked", "lost_attempt", "lost_attempt", "replied"]

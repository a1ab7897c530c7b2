"""A process that works on one run and kills itself at a given entry: ``kill_run.py STORE N``.

Starts the run, or resumes it from its journal. Dies by SIGKILL right after entry N is committed;
N below 0 lets it finish. Prints the stop and the closing record of a run that ended.
"""

import os
import signal
import sys

from approvals.store import connect, migrate
from loop import Entry, Journal, ScriptedModel, VirtualClock, run
from recordings import RUN_MIGRATIONS, DurableSink, Runs, encode
from tests.recordings.builders import ANSWER, LOOK_UP, work_on
from tools import PracticeShop

RUN_ID = "run-1"


class _Deadly:
    """Commits an entry, and kills the process after the one it was told."""

    def __init__(self, runs: Runs, last: int) -> None:
        self._sink = DurableSink(runs, RUN_ID)
        self._last = last

    def append(self, entry: Entry) -> None:
        """Commit; then perhaps die, with no chance to clean up."""
        self._sink.append(entry)
        if entry.seq == self._last:
            os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """Work on the run."""
    path, last = sys.argv[1], int(sys.argv[2])
    db = connect(path)
    migrate(db, [RUN_MIGRATIONS])
    runs = Runs(db)
    if not runs.of_ticket("T-80008"):
        runs.start(
            run_id=RUN_ID,
            ticket_id="T-80008",
            profile="resolver",
            model="scripted",
            started_at="2026-10-09T08:00:00Z",
        )
    past = runs.entries(RUN_ID)
    answered = sum(entry.record.kind == "replied" for entry in past)
    clock = VirtualClock()
    model = ScriptedModel([LOOK_UP, ANSWER][answered:], clock)
    journal = Journal(_Deadly(runs, last), clock, past)
    with PracticeShop.from_folder() as shop:
        ended = run(work_on(shop), model, journal)
    closing = journal.next_entry(ended.closing())
    runs.end(RUN_ID, closing, ended.stop)
    sys.stdout.write(f"{len(model.history)}\n{encode(RUN_ID, closing)}\n")


if __name__ == "__main__":
    main()

"""What the loop itself costs: ``python -m tests.bench.loop`` prints the figures.

A scripted model answers at once, so all time is ours: rules, messages, digests, journal, tool.
Each step makes one read of the practice shop. Medians of several rounds, on one core. Times are
processor time, so that a busy machine does not show; the durable journal waits for the disk, so
its time is that of the wall.
"""

from __future__ import annotations

import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from approvals.store import connect, migrate
from loop import (
    Journal,
    MemorySink,
    MonotonicClock,
    Reply,
    ScriptedModel,
    Sink,
    Work,
    get_profile,
    run,
    work_for,
)
from loop.testing import call, reply
from recordings import RUN_MIGRATIONS, DurableSink, Runs
from tools import PRACTICE_TODAY, PracticeShop, Ticket

ROUNDS: Final = 7
STEPS: Final = 100
RUNS: Final = 10_000
_FINISH: Final = {
    "outcome": "reply_only",
    "rule": "W1",
    "actions": [],
    "reply": "Your parcel is on its way.",
    "reason": "Not late.",
}


def main() -> None:
    """Print the figures."""
    with PracticeShop.from_folder() as shop:
        work = _work(shop)
        print(f"{'own time per step, in-memory journal':<44}{_step_us(work, MemorySink):>8.0f} us")
        with _durable() as sink:
            durable = _step_us(work, sink, time.perf_counter)
            print(f"{'own time per step, durable journal':<44}{durable:>8.0f} us")
        early, late = _by_length(work)
        print(f"{'step 2 of 100, in-memory journal':<44}{early:>8.0f} us")
        print(f"{'step 100 of 100, in-memory journal':<44}{late:>8.0f} us")
        print(f"{'runs of 3 steps, in-memory journal':<44}{_runs_per_second(work):>8.0f} runs/s")
        first, last = _memory(work)
        print(f"{'peak memory after 100 runs':<44}{first:>8.1f} MB")
        print(f"{f'peak memory after {RUNS:,} runs':<44}{last:>8.1f} MB")


def _work(shop: PracticeShop) -> Work:
    profile = get_profile("resolver")
    limits = profile.limits.changed(
        max_steps=None, max_seconds=None, allowed_repeats=None, max_errors=None
    )
    ticket = Ticket.of(ticket_id="T-80008", customer_id="C-81265", text="Where is LK-581106?")
    return work_for(
        ticket, replace(profile, limits=limits), shop, today=PRACTICE_TODAY, model_name="scripted"
    )


def _replies(steps: int) -> Iterator[Reply]:
    for number in range(steps - 1):
        yield reply(call("get_order", {"order_id": "LK-581106"}, f"c{number}"))
    yield reply(call("finish", _FINISH, "finish"))


def _run(work: Work, steps: int, sink: Sink, now: Callable[[], float] = time.process_time) -> float:
    """Return the seconds of one run, the making of its replies not counted."""
    model = ScriptedModel(_replies(steps))
    begin = now()
    run(work, model, Journal(sink, MonotonicClock()))
    return now() - begin


def _step_us(
    work: Work, sink: Callable[[], Sink], now: Callable[[], float] = time.process_time
) -> float:
    """Return the microseconds a step takes: the slope between short and long runs."""
    short = statistics.median(_run(work, 2, sink(), now) for _ in range(ROUNDS * 3))
    long = statistics.median(_run(work, 42, sink(), now) for _ in range(ROUNDS * 3))
    return (long - short) / 40 * 1_000_000


class _Stamping:
    """A sink that notes when each request is about to be sent."""

    def __init__(self) -> None:
        self.asked: list[float] = []

    def append(self, entry: object) -> None:
        """Note the time of a request."""
        if getattr(getattr(entry, "record", None), "kind", None) == "asked":
            self.asked.append(time.process_time())


def _by_length(work: Work) -> tuple[float, float]:
    """Return the microseconds of step 2 and of step 100 of one run."""
    early, late = [], []
    for _ in range(ROUNDS * 5):
        sink = _Stamping()
        _run(work, STEPS + 1, sink)
        early.append(sink.asked[2] - sink.asked[1])
        late.append(sink.asked[STEPS] - sink.asked[STEPS - 1])
    return statistics.median(early) * 1_000_000, statistics.median(late) * 1_000_000


def _runs_per_second(work: Work) -> float:
    times = [sum(_run(work, 3, MemorySink()) for _ in range(100)) / 100 for _ in range(ROUNDS)]
    return 1 / statistics.median(times)


def _memory(work: Work) -> tuple[float, float]:
    """Return the peak memory in MB after 100 runs, and after all."""
    for _ in range(100):
        _run(work, 3, MemorySink())
    first = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    for _ in range(RUNS - 100):
        _run(work, 3, MemorySink())
    return first, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@contextmanager
def _durable() -> Iterator[Callable[[], Sink]]:
    """Give sinks that commit every entry to one store on disk."""
    with tempfile.TemporaryDirectory() as folder:
        db = connect(Path(folder) / "store.sqlite3")
        migrate(db, [RUN_MIGRATIONS])
        runs = Runs(db)
        made = 0

        def sink() -> Sink:
            nonlocal made
            made += 1
            run_id = f"run-{made}"
            runs.start(
                run_id=run_id,
                ticket_id="T-80008",
                profile="resolver",
                model="scripted",
                started_at="2026-10-09T08:00:00Z",
            )
            return DurableSink(runs, run_id)

        yield sink
        db.close()


if __name__ == "__main__":
    main()

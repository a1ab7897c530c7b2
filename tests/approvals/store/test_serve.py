"""The holder of the lock runs the jobs, its own and those that other processes submit."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlite_utils import Database

from approvals import LockNotHeld, StoreUnusable
from approvals.store import (
    JOB_MIGRATIONS,
    Handler,
    Job,
    Jobs,
    JobServer,
    JobState,
    ServeLock,
    Writer,
    assert_no_transaction,
    connect,
    migrate,
    tx,
)
from tests.harness.processes import kill, line, result, start

T = 1_000_000_000
SECOND = 1_000_000
LIMIT_S = 30
JOBS = Jobs()


class Bench:
    """A store with lock, writer, a clock set by hand, and what the server reported."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.now = T
        self.looks = 0
        self.looked = threading.Event()
        self.lock = ServeLock(path)
        self.failures: list[tuple[str, str]] = []
        with connect(path) as db:
            migrate(db, [JOB_MIGRATIONS])
        self.writer = Writer(path)

    def server(self, handlers: Mapping[str, Handler]) -> JobServer:
        return JobServer(
            self.path,
            jobs=JOBS,
            handlers=handlers,
            lock=self.lock,
            writer=self.writer,
            owner="me",
            now_us=self.now_us,
            on_failure=lambda job, error: self.failures.append((job.key, str(error))),
        )

    def submit(self, *keys: str, kind: str = "run", most: int = 5) -> None:
        def work(db: Database) -> None:
            for key in keys:
                JOBS.submit(db, kind=kind, key=key, payload="", now_us=self.now, max_attempts=most)

        self.writer.run(work)

    def now_us(self) -> int:
        self.looks += 1
        self.looked.set()
        return self.now

    def states(self) -> dict[str, JobState]:
        with connect(self.path) as db:
            found = db.execute("SELECT key, state FROM jobs ORDER BY job_id").fetchall()
        return {key: JobState(state) for key, state in found}


@pytest.fixture
def bench(path: Path) -> Iterator[Bench]:
    bench = Bench(path)
    with bench.lock, bench.writer:
        yield bench


@contextmanager
def running(server: JobServer, workers: int = 1) -> Iterator[None]:
    """Run the server beside the test, and stop it."""
    with ThreadPoolExecutor(1) as pool:
        end = pool.submit(server.run, workers=workers)
        try:
            yield
        finally:
            server.stop()
        end.result(LIMIT_S)


def nothing(_db: Database, _job: Job) -> None:
    """Do a job that needs no work."""


def test_drain_runs_what_is_due_in_order_and_returns(bench: Bench) -> None:
    bench.submit("r1", "r2")
    bench.now += 1
    bench.submit("r3")
    seen: list[str] = []

    assert bench.server({"run": lambda _, job: seen.append(job.key)}).drain() == 3
    assert seen == ["r1", "r2", "r3"]
    assert set(bench.states().values()) == {JobState.DONE}


def test_a_handler_has_a_connection_and_no_open_transaction(bench: Bench) -> None:
    def handle(db: Database, job: Job) -> None:
        assert_no_transaction()
        with tx(db):
            JOBS.submit(db, kind="post", key=job.key, payload="", now_us=T)
            JOBS.finish(db, job)  # together with what came of it

    bench.submit("r1")

    assert bench.server({"run": handle}).drain() == 1
    assert bench.failures == []
    assert bench.states() == {"r1": JobState.READY}  # the second one, of a kind without handler


def test_without_the_lock_nothing_runs(bench: Bench) -> None:
    bench.submit("r1")
    bench.lock.release()
    server = bench.server({"run": nothing})

    for verb in (server.recover, server.drain, server.run):
        with pytest.raises(LockNotHeld, match="acquire it first"):
            verb()
    assert bench.states() == {"r1": JobState.READY}


def test_a_failure_is_reported_and_tried_again_after_doubling_waits(bench: Bench) -> None:
    def handle(_db: Database, job: Job) -> None:
        raise LookupError(f"attempt {job.attempt}")

    bench.submit("r1", most=3)
    server = bench.server({"run": handle})
    started: list[int] = []
    for wait_us in (0, SECOND - 1, 1, 2 * SECOND - 1, 1, 10**12):
        bench.now += wait_us
        started.append(server.drain())

    assert started == [1, 0, 1, 0, 1, 0]
    assert bench.failures == [("r1", f"attempt {n}") for n in (1, 2, 3)]
    assert bench.states() == {"r1": JobState.DEAD}
    with connect(bench.path) as db:
        job = JOBS.get(db, kind="run", key="r1")
    assert job is not None
    assert job.error == "LookupError"  # never the message


def test_a_job_that_its_handler_settled_stays_settled(bench: Bench) -> None:
    def handle(db: Database, job: Job) -> None:
        with tx(db):
            JOBS.fail(db, job, error="Refused", retry_at_us=None)
        raise LookupError("and then some")

    bench.submit("r1")
    bench.server({"run": handle}).drain()

    assert bench.states() == {"r1": JobState.DEAD}


def test_a_running_server_takes_what_this_process_submits(bench: Bench) -> None:
    done: queue.SimpleQueue[str] = queue.SimpleQueue()
    server = bench.server({"run": lambda _, job: done.put(job.key)})
    with running(server):
        for key in ("r1", "r2"):
            bench.submit(key)
            server.wake()
            assert done.get(timeout=LIMIT_S) == key

    assert bench.states() == {"r1": JobState.DONE, "r2": JobState.DONE}


OTHER = """
import sys
from approvals.store import Jobs, connect, tx
with connect(sys.argv[1]) as db, tx(db):
    Jobs().submit(db, kind="run", key="from another process", payload="", now_us=0)
"""


def test_a_running_server_sees_what_another_process_commits(bench: Bench) -> None:
    done: queue.SimpleQueue[str] = queue.SimpleQueue()
    with running(bench.server({"run": lambda _, job: done.put(job.key)})):
        result(start(OTHER, bench.path))

        assert done.get(timeout=LIMIT_S) == "from another process"


def test_a_running_server_sees_that_time_has_come(bench: Bench) -> None:
    done: queue.SimpleQueue[str] = queue.SimpleQueue()
    bench.submit("r1")
    bench.now -= 1
    server = bench.server({"run": lambda _, job: done.put(job.key)})
    with running(server):
        while bench.looks < 3:  # the first look finds nothing due, the next ones wait for it
            bench.looked.wait(LIMIT_S)
            bench.looked.clear()
        bench.now += 1

        assert done.get(timeout=LIMIT_S) == "r1"


def test_running_begins_with_what_an_earlier_process_left(bench: Bench) -> None:
    bench.submit("r1")
    bench.writer.run(lambda db: JOBS.claim_next(db, kinds=["run"], owner="dead", now_us=T))
    attempts: queue.SimpleQueue[int] = queue.SimpleQueue()

    with running(bench.server({"run": lambda _, job: attempts.put(job.attempt)})):
        assert attempts.get(timeout=LIMIT_S) == 2


def test_workers_run_at_the_same_time(bench: Bench) -> None:
    meet = threading.Barrier(3)
    bench.submit("r1", "r2", "r3")
    done = threading.Semaphore(0)

    def handle(_db: Database, _job: Job) -> None:
        meet.wait(LIMIT_S)  # passes only when three are in here at once
        done.release()

    with running(bench.server({"run": handle}), workers=3):
        for _ in range(3):
            assert done.acquire(timeout=LIMIT_S)

    assert bench.failures == []


def test_stop_lets_a_begun_job_end_and_starts_no_other(bench: Bench) -> None:
    begun = threading.Event()
    go_on = threading.Event()

    def handle(_db: Database, _job: Job) -> None:
        begun.set()
        assert go_on.wait(LIMIT_S)

    bench.submit("r1", "r2")
    server = bench.server({"run": handle})
    with running(server):
        assert begun.wait(LIMIT_S)
        server.stop()
        go_on.set()

    assert bench.states() == {"r1": JobState.DONE, "r2": JobState.READY}


def test_a_claim_that_cannot_be_written_ends_the_server_loudly(bench: Bench) -> None:
    def break_the_store(db: Database) -> None:
        db.execute("DROP TABLE jobs")

    def handle(_db: Database, _job: Job) -> None:
        bench.writer.run(break_the_store)

    bench.submit("r1")

    with pytest.raises(StoreUnusable, match="no such table: jobs"):
        bench.server({"run": handle}).run(workers=2)


CRASH = """
import sys
from approvals.store import Jobs, JobServer, ServeLock, Writer

def handle(db, job):
    print(job.key, job.attempt, flush=True)
    sys.stdin.read()

def report(job, error):
    raise error

path = sys.argv[1]
with ServeLock(path) as lock, Writer(path) as writer:
    JobServer(path, jobs=Jobs(), handlers={"run": handle}, lock=lock, writer=writer,
              owner="first", now_us=lambda: 10**15, on_failure=report).run()
"""


def test_what_a_killed_server_was_doing_is_done_by_the_next(bench: Bench) -> None:
    bench.submit("r1")
    bench.lock.release()
    process = start(CRASH, bench.path)
    assert line(process) == "r1 1"
    assert bench.states() == {"r1": JobState.RUNNING}
    kill(process)
    attempts: list[int] = []
    bench.lock.acquire()
    server = bench.server({"run": lambda _, job: attempts.append(job.attempt)})

    assert server.drain() == 0
    assert server.recover() == 1
    assert server.drain() == 1
    assert attempts == [2]


def test_a_worker_that_cannot_open_the_store_ends_the_server(bench: Bench) -> None:
    server = bench.server({"run": nothing})
    bench.path.chmod(0o400)

    with pytest.raises(StoreUnusable, match="read-only"):
        server.run(workers=2)

"""A job is there with its cause, is claimed by one, and settles for its own claim only."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlite_utils import Database

from approvals import NoTransaction
from approvals.store import JOB_MIGRATIONS, Job, Jobs, JobState, connect, migrate, tx

T = 1_000_000_000
"""A moment, in microseconds since 1970."""
JOBS = Jobs()


@pytest.fixture
def db(path: Path) -> Iterator[Database]:
    with connect(path) as opened:
        migrate(opened, [JOB_MIGRATIONS])
        yield opened


def submit(db: Database, key: str, *, at: int = T, kind: str = "run", most: int = 5) -> Job:
    with tx(db):
        return JOBS.submit(db, kind=kind, key=key, payload=key, now_us=at, max_attempts=most)


def claim(
    db: Database, *, at: int = T, owner: str = "me", kinds: tuple[str, ...] = ("run",)
) -> Job:
    with tx(db):
        job = JOBS.claim_next(db, kinds=kinds, owner=owner, now_us=at)
    assert job is not None
    return job


def none_due(db: Database, *, at: int = T) -> bool:
    with tx(db):
        return JOBS.claim_next(db, kinds=["run"], owner="me", now_us=at) is None


def finish(db: Database, job: Job) -> bool:
    with tx(db):
        return JOBS.finish(db, job)


def fail(db: Database, job: Job, retry_at_us: int | None) -> JobState | None:
    with tx(db):
        return JOBS.fail(db, job, error="Boom", retry_at_us=retry_at_us)


def cancel(db: Database, key: str) -> bool:
    with tx(db):
        return JOBS.cancel(db, kind="run", key=key)


def recover(db: Database) -> int:
    with tx(db):
        return JOBS.recover(db)


def state(db: Database, key: str) -> JobState:
    job = JOBS.get(db, kind="run", key=key)
    assert job is not None
    return job.state


def test_a_job_is_there_with_its_cause_or_not_at_all(db: Database) -> None:
    with pytest.raises(LookupError), tx(db):
        JOBS.submit(db, kind="run", key="r1", payload="{}", now_us=T)
        raise LookupError

    assert JOBS.get(db, kind="run", key="r1") is None
    with pytest.raises(NoTransaction):
        JOBS.submit(db, kind="run", key="r1", payload="{}", now_us=T)


def to_running(db: Database) -> None:
    claim(db)


def to_done(db: Database) -> None:
    finish(db, claim(db))


def to_dead(db: Database) -> None:
    fail(db, claim(db), None)


def to_cancelled(db: Database) -> None:
    cancel(db, "r1")


@pytest.mark.parametrize(
    ("leave", "expected"),
    [
        (lambda _: None, JobState.READY),
        (to_running, JobState.RUNNING),
        (to_done, JobState.DONE),
        (to_dead, JobState.DEAD),
        (to_cancelled, JobState.CANCELLED),
    ],
)
def test_a_second_submit_returns_the_first_in_any_state(
    db: Database, leave: Callable[[Database], None], expected: JobState
) -> None:
    first = submit(db, "r1")
    leave(db)
    with tx(db):
        second = JOBS.submit(db, kind="run", key="r1", payload="another", now_us=T + 5)

    assert (second.job_id, second.payload, second.created_us) == (first.job_id, "r1", T)
    assert second.state is expected


def test_one_key_under_two_kinds_is_two_jobs(db: Database) -> None:
    assert submit(db, "r1").job_id != submit(db, "r1", kind="post").job_id


@pytest.mark.parametrize(("kind", "key", "most"), [("", "r", 1), ("k", "", 1), ("k", "r", 0)])
def test_an_empty_name_or_no_attempt_is_refused(
    db: Database, kind: str, key: str, most: int
) -> None:
    with pytest.raises(ValueError, match="a kind, a key and at least one attempt"):
        submit(db, key, kind=kind, most=most)


def test_the_longest_waiting_due_job_is_claimed_first(db: Database) -> None:
    submit(db, "later", at=T + 2)
    submit(db, "first", at=T + 1)
    submit(db, "same", at=T + 1)
    submit(db, "other", at=T, kind="post")

    assert none_due(db, at=T)
    assert JOBS.next_due_us(db, kinds=["run"]) == T + 1
    assert [claim(db, at=T + 2).key for _ in range(3)] == ["first", "same", "later"]
    assert none_due(db, at=T + 9)
    assert JOBS.next_due_us(db, kinds=["run"]) is None
    assert claim(db, kinds=("run", "post")).key == "other"


def test_a_claim_names_its_owner_and_attempt(db: Database) -> None:
    submit(db, "r1")
    job = claim(db, owner="host-1")

    assert (job.state, job.owner, job.attempt) == (JobState.RUNNING, "host-1", 1)


def test_done_is_done_once(db: Database) -> None:
    submit(db, "r1")
    job = claim(db)

    assert finish(db, job)
    assert not finish(db, job)
    assert fail(db, job, T) is None
    assert state(db, "r1") is JobState.DONE


def test_a_failed_job_is_due_again_at_its_time(db: Database) -> None:
    submit(db, "r1")

    assert fail(db, claim(db), T + 100) is JobState.READY
    assert none_due(db, at=T + 99)
    again = claim(db, at=T + 100)
    assert (again.attempt, again.error) == (2, "Boom")


def test_attempts_are_bounded_then_the_job_is_dead(db: Database) -> None:
    submit(db, "r1", most=3)
    verdicts = [fail(db, claim(db), T) for _ in range(3)]

    assert verdicts == [JobState.READY, JobState.READY, JobState.DEAD]
    assert none_due(db, at=T + 10**12)


def test_a_failure_without_another_time_is_dead_at_once(db: Database) -> None:
    submit(db, "r1")

    assert fail(db, claim(db), None) is JobState.DEAD


def test_a_stale_claim_settles_nothing(db: Database) -> None:
    """A process that lost its job and wakes up finds owner or attempt changed."""
    submit(db, "r1")
    stale = claim(db, owner="old")
    recover(db)
    fresh = claim(db, owner="new")

    assert not finish(db, stale)
    assert fail(db, stale, None) is None
    assert state(db, "r1") is JobState.RUNNING
    assert finish(db, fresh)


def test_the_same_owner_with_an_older_attempt_is_stale_too(db: Database) -> None:
    submit(db, "r1")
    stale = claim(db)
    recover(db)
    fresh = claim(db)

    assert stale.owner == fresh.owner
    assert not finish(db, stale)
    assert finish(db, fresh)


def test_recovery_sets_back_what_was_running(db: Database) -> None:
    for key in ("r1", "r2", "r3"):
        submit(db, key)
    claim(db)
    finish(db, claim(db))

    assert recover(db) == 1
    assert [state(db, key) for key in ("r1", "r2", "r3")] == ["ready", "done", "ready"]
    assert recover(db) == 0


def test_a_job_that_kills_its_process_each_time_ends_as_dead(db: Database) -> None:
    submit(db, "r1", most=2)
    for expected in (JobState.READY, JobState.DEAD):
        claim(db)
        recover(db)
        assert state(db, "r1") is expected


def test_only_a_ready_job_is_cancelled(db: Database) -> None:
    submit(db, "r1")
    submit(db, "r2")
    job = claim(db)

    assert not cancel(db, "r1")
    assert cancel(db, "r2")
    assert not cancel(db, "r2")
    assert not cancel(db, "r3")
    assert finish(db, job)
    assert none_due(db)


def test_health_counts_states_and_tells_the_oldest_unfinished(db: Database) -> None:
    assert JOBS.health(db, now_us=T).oldest_unfinished_us is None
    for n, key in enumerate(("r1", "r2", "r3")):
        submit(db, key, at=T + n)
    finish(db, claim(db, at=T + 9))
    claim(db, at=T + 9)

    health = JOBS.health(db, now_us=T + 10)

    assert dict(health.counts) == {
        JobState.READY: 1,
        JobState.RUNNING: 1,
        JobState.DONE: 1,
        JobState.DEAD: 0,
        JobState.CANCELLED: 0,
    }
    assert health.oldest_unfinished_us == 9
    assert JOBS.health(db, now_us=T - 50).oldest_unfinished_us == 0


@pytest.mark.parametrize("change", ["state = 'lost'", "owner = 'me'", "attempt = 9", "key = NULL"])
def test_the_table_refuses_states_that_cannot_be(db: Database, change: str) -> None:
    submit(db, "r1")

    with pytest.raises(sqlite3.IntegrityError), tx(db):
        db.execute(f"UPDATE jobs SET {change}")


def test_threads_claim_each_job_once(path: Path, db: Database) -> None:
    for n in range(60):
        submit(db, f"r{n}")
    claimed: list[str] = []

    def work() -> None:
        with connect(path) as own:
            while True:
                with tx(own):
                    job = JOBS.claim_next(own, kinds=["run"], owner="me", now_us=T)
                if job is None:
                    return
                claimed.append(job.key)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(claimed) == sorted(f"r{n}" for n in range(60))

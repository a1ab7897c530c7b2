"""The inbox and the tickets: stored once, tried a bounded number of times, one job at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlite_utils import Database

from approvals.store import Jobs, JobState, changed, connect, migrate, tx
from bot.slack.history import Turn, kept_turns
from bot.slack.store.inbox import (
    MAX_ATTEMPTS,
    DeliveryKind,
    DeliveryState,
    Incoming,
    count_deliveries,
    fail_delivery,
    next_delivery,
    retry_delivery,
    settle_delivery,
    store_delivery,
)
from bot.slack.store.threads import (
    Caps,
    open_thread,
    pause_reason,
    pause_runs,
    resume_runs,
    stop_run,
)
from bot.slack.store.tickets import (
    TRIAGE_JOB,
    TicketRow,
    TicketState,
    cancel_ticket,
    job_key,
    open_ticket,
    read_ticket,
    run_again,
    submit_newer,
)
from bot.store import MIGRATIONS

MESSAGES = (DeliveryKind.MESSAGE,)
JOBS = Jobs()


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """A store with all tables."""
    with closing(connect(tmp_path / "store.sqlite3")) as opened:
        migrate(opened, MIGRATIONS)
        yield opened


def incoming(key: str, subject: str | None = None) -> Incoming:
    """Return a message that was delivered."""
    return Incoming(kind=DeliveryKind.MESSAGE, key=key, subject=subject, payload={"k": key})


def test_a_delivery_is_stored_once_by_its_key_and_by_its_subject(db: Database) -> None:
    with tx(db):
        assert store_delivery(db, incoming("Ev1", "message:C:1"), now_us=1)
        assert not store_delivery(db, incoming("Ev1", "message:C:2"), now_us=2)
        assert not store_delivery(db, incoming("Ev2", "message:C:1"), now_us=3)
        assert store_delivery(db, incoming("Ev3"), now_us=4)

    assert count_deliveries(db)[DeliveryState.NEW] == 2


def test_who_asks_for_the_counts_is_not_counted_as_new(db: Database) -> None:
    with tx(db):
        for kind in DeliveryKind:
            store_delivery(db, replace(incoming(kind.value), kind=kind), now_us=1)

    assert count_deliveries(db)[DeliveryState.NEW] == len(DeliveryKind) - 2


def test_a_delivery_that_keeps_failing_is_dead_after_its_last_attempt_and_can_be_tried_again(
    db: Database,
) -> None:
    with tx(db):
        store_delivery(db, incoming("Ev1"), now_us=0)
    states = []
    now_us = 0
    for _ in range(MAX_ATTEMPTS):
        now_us += 60_000_000
        delivery = next_delivery(db, kinds=MESSAGES, now_us=now_us)
        assert delivery is not None
        with tx(db):
            states.append(fail_delivery(db, delivery, error="KeyError", now_us=now_us))

    assert states == [DeliveryState.NEW] * (MAX_ATTEMPTS - 1) + [DeliveryState.DEAD]
    assert next_delivery(db, kinds=MESSAGES, now_us=10**15) is None
    with tx(db):
        assert retry_delivery(db, 1, now_us=now_us)
        assert settle_delivery(db, 1)
        assert not settle_delivery(db, 1)


def test_a_failed_delivery_waits_and_lets_others_pass(db: Database) -> None:
    with tx(db):
        store_delivery(db, incoming("Ev1"), now_us=0)
        store_delivery(db, incoming("Ev2"), now_us=0)
    first = next_delivery(db, kinds=MESSAGES, now_us=0)
    assert first is not None
    with tx(db):
        fail_delivery(db, first, error="KeyError", now_us=0)

    following = next_delivery(db, kinds=MESSAGES, now_us=1)

    assert following is not None
    assert following.payload == {"k": "Ev2"}


def ticket(db: Database, state: TicketState = TicketState.OPEN) -> TicketRow:
    """Store a ticket."""
    row = TicketRow(
        channel="C0",
        ts="1.1",
        ticket_id="T-80008",
        customer_id=None if state is TicketState.WAITING_FOR_CUSTOMER_ID else "C-81265",
        text="Where?",
        attachments=(),
        posted_by="U0ANN",
        opened_by="U0ANN",
        state=state,
        version=1,
        created_us=1,
    )
    with tx(db):
        open_ticket(db, JOBS, row)
    return row


def job_states(db: Database) -> dict[str, str]:
    """Return the state of each job by the version that it is for."""
    found = db.execute("SELECT key, state FROM jobs ORDER BY job_id").fetchall()
    return {key.rpartition(":")[2]: state for key, state in found}


def test_a_newer_version_takes_the_place_of_a_job_that_was_not_started(db: Database) -> None:
    ticket(db)

    with tx(db):
        assert run_again(db, JOBS, "C0", "1.1", now_us=2)

    assert job_states(db) == {"1": "cancelled", "2": "ready"}


def test_a_newer_version_waits_for_the_job_of_a_run_that_was_interrupted(db: Database) -> None:
    ticket(db)
    with tx(db):
        job = JOBS.claim_next(db, kinds=[TRIAGE_JOB], owner="me", now_us=5)
        assert job is not None
        open_thread(db, run_id="R-1", channel="C0", thread_ts="1.1", now_us=5)
        JOBS.fail(db, job, error="OSError", retry_at_us=9)
        run_again(db, JOBS, "C0", "1.1", now_us=6)
        run_again(db, JOBS, "C0", "1.1", now_us=7)

    assert job_states(db) == {"1": "ready"}


def test_a_newer_version_waits_for_the_job_that_runs_and_only_the_newest_follows(
    db: Database,
) -> None:
    ticket(db)
    with tx(db):
        JOBS.claim_next(db, kinds=[TRIAGE_JOB], owner="me", now_us=5)
        run_again(db, JOBS, "C0", "1.1", now_us=6)
        run_again(db, JOBS, "C0", "1.1", now_us=7)
    assert job_states(db) == {"1": "running"}

    with tx(db):
        submit_newer(db, JOBS, "C0", "1.1", than=1, now_us=8)
        submit_newer(db, JOBS, "C0", "1.1", than=3, now_us=9)

    assert job_states(db) == {"1": "running", "3": "ready"}


def test_a_ticket_that_is_gone_or_has_no_customer_is_not_run(db: Database) -> None:
    row = ticket(db, TicketState.WAITING_FOR_CUSTOMER_ID)
    with tx(db):
        assert not run_again(db, JOBS, "C0", "1.1", now_us=2)
        cancel_ticket(db, JOBS, row)
        assert not run_again(db, JOBS, "C0", "1.1", now_us=3)

    assert job_states(db) == {}


def test_a_deleted_ticket_takes_its_waiting_job_along_and_its_id_is_free_again(
    db: Database,
) -> None:
    row = ticket(db)
    with tx(db):
        cancel_ticket(db, JOBS, row)

    job = JOBS.get(db, kind=TRIAGE_JOB, key=job_key("C0", "1.1", 1))
    assert job is not None
    assert job.state is JobState.CANCELLED
    with tx(db):
        changed(
            db,
            "INSERT INTO tickets (channel, ts, ticket_id, customer_id, text, posted_by, opened_by,"
            " state, created_us) VALUES ('C0', '2.2', 'T-80008', 'C-1', 'x', 'U', 'U', 'open', 1)",
        )
    assert read_ticket(db, "C0", "2.2") is not None


@pytest.mark.parametrize(("begun", "reason"), [(1, None), (2, "max_runs_per_hour")])
def test_the_cap_of_runs_holds_at_its_number(db: Database, begun: int, reason: str | None) -> None:
    with tx(db):
        for number in range(begun):
            open_thread(db, run_id=f"r{number}", channel="C0", thread_ts="1.1", now_us=10)

    assert pause_reason(db, Caps(runs_per_hour=2), now_us=20) == reason


def test_a_pause_holds_until_it_is_taken_back_and_a_stop_is_asked_for_once(db: Database) -> None:
    with tx(db):
        pause_runs(db, by="U0", why="", now_us=1)
        assert pause_reason(db, Caps(), now_us=2) == "paused"
        assert resume_runs(db)
        assert not resume_runs(db)
        open_thread(db, run_id="r1", channel="C0", thread_ts="1.1", now_us=1)
        assert stop_run(db, "r1", cause="Stop was pressed")
        assert not stop_run(db, "r1", cause="Stop was pressed")


@pytest.mark.parametrize(("most", "kept"), [(0, 1), (1, 1), (2, 2), (3, 3), (4, 3)])
def test_the_newest_replies_are_kept_within_the_budget_and_one_always(most: int, kept: int) -> None:
    turns = [Turn(who=str(n), text="four") for n in range(3)]

    found = kept_turns(turns, most)

    assert [each.who for each in found] == ["0", "1", "2"][-kept:]

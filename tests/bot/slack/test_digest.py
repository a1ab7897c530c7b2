"""The daily digest: once a day in each channel, about the day that ended."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

from approvals import audit_head
from approvals.store import Writer, changed, connect, migrate, rows, tx
from bot.slack.digest import Digest, digest_of
from bot.store import MIGRATIONS
from loop import StopReason
from recordings import Runs

HOUR_US = 3_600 * 1_000_000
DAY_US = 24 * HOUR_US
DAY = "2026-10-09"
DAY_START_US = 1_791_504_000 * 1_000_000
"""The beginning of that day, UTC."""


class Clock:
    """A time that a test sets."""

    def __init__(self, now_us: int) -> None:
        self.now_us = now_us

    def __call__(self) -> int:
        return self.now_us


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with one ticket of the day, and one run of it that cost something."""
    path = tmp_path / "handrail.db"
    with closing(connect(path)) as db:
        migrate(db, MIGRATIONS)
        Runs(db).start(
            run_id="run-1",
            ticket_id="T-80008",
            profile="base",
            model="m",
            started_at=f"{DAY}T10:00:00.000+00:00",
        )
        with tx(db):
            changed(
                db,
                "INSERT INTO tickets (channel, ts, ticket_id, customer_id, text, posted_by,"
                " opened_by, state, created_us) VALUES ('C1', '1.1', 'T-80008', 'C-81265', 'x',"
                " 'U1', 'U1', 'open', ?)",
                (DAY_START_US + HOUR_US,),
            )
            changed(
                db,
                "INSERT INTO spending (run_id, started_us, cost_usd) VALUES ('run-1', ?, '0.25')",
                (DAY_START_US + HOUR_US,),
            )
            changed(db, "UPDATE runs SET state = 'ended', result = 'valid', reason = 'finished'")
    return path


@pytest.fixture
def db(store: Path) -> Iterator[Database]:
    """A connection to it."""
    with closing(connect(store)) as opened:
        yield opened


def posted(db: Database) -> list[str]:
    """Return the keys of what is to be posted."""
    return [row["key"] for row in rows(db, "SELECT key FROM outbox ORDER BY outbox_id")]


def test_a_digest_counts_the_day_and_names_the_head_of_the_audit(db: Database) -> None:
    view = digest_of(db, DAY_START_US)

    assert (view.day, view.tickets, view.drafts, view.rejected_drafts) == (DAY, 1, 1, 0)
    assert view.stops == {StopReason.FINISHED: 1}
    assert "0.25" in view.cost
    assert view.audit == audit_head(db)


def test_another_day_counts_nothing_of_it(db: Database) -> None:
    view = digest_of(db, DAY_START_US + DAY_US)

    assert (view.tickets, view.drafts, view.stops) == (0, 0, {})


def test_it_is_posted_once_in_each_channel_after_seven_in_the_morning(
    store: Path, db: Database
) -> None:
    clock = Clock(DAY_START_US + DAY_US + 6 * HOUR_US)
    with Writer(store) as writer:
        digest = Digest(["C2", "C1"], writer=writer, now_us=clock)
        assert digest.step(db) == DAY_START_US + DAY_US + 7 * HOUR_US
        assert posted(db) == []

        clock.now_us += HOUR_US
        digest.step(db)
        Digest(["C2", "C1"], writer=writer, now_us=clock).step(db)  # another process

    assert posted(db) == [f"digest:{DAY}:C1", f"digest:{DAY}:C2"]


def test_a_store_without_tickets_has_nothing_to_tell(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    with closing(connect(path)) as db, Writer(path) as writer:
        migrate(db, MIGRATIONS)
        Digest(["C1"], writer=writer, now_us=Clock(DAY_START_US + 8 * HOUR_US)).step(db)

        assert posted(db) == []

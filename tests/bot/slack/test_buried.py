"""Work that was given up: each thread is told once, whether a run had begun or not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database

from approvals.store import Jobs, changed, connect, migrate, rows, tx
from bot.slack.buried import bury_runs
from bot.slack.store.threads import open_thread
from bot.slack.store.tickets import TicketRow, TicketState, open_ticket, run_again
from bot.store import MIGRATIONS
from recordings import Runs

TICKET = TicketRow(
    channel="C0",
    ts="1.1",
    ticket_id="T-1",
    customer_id="C-1",
    text="Where is it?",
    attachments=(),
    posted_by="U0ANN",
    opened_by="U0ANN",
    state=TicketState.OPEN,
    version=1,
    created_us=1,
)
NOW_US = 1_790_000_000_000_000


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """A store with one ticket."""
    with closing(connect(tmp_path / "store.sqlite3")) as opened:
        migrate(opened, MIGRATIONS)
        with tx(opened):
            open_ticket(opened, Jobs(), TICKET)
        yield opened


def give_up(db: Database) -> None:
    """Let the ticket's work fail for the last time, and look twice for what was given up."""
    with tx(db):
        changed(db, "UPDATE jobs SET state = 'dead', attempt = 8 WHERE state = 'ready'")
    for _ in range(2):
        with tx(db):
            bury_runs(db, NOW_US)


def told(db: Database) -> list[dict[str, Any]]:
    """Return what is to be posted, oldest first."""
    return rows(db, "SELECT key, method, payload, thread_ts FROM outbox ORDER BY outbox_id")


def test_what_failed_before_a_run_began_says_how_to_have_it_tried_again(db: Database) -> None:
    give_up(db)

    (line,) = told(db)
    assert line["thread_ts"] == "1.1"
    assert "in 8 attempts" in line["payload"]
    assert "mention me here" in line["payload"]


def test_each_run_that_was_given_up_is_told_in_its_thread(db: Database) -> None:
    for number in (1, 2):
        begun = {"run_id": f"run-{number}", "profile": "resolver", "model": "chat-small"}
        Runs(db).start(ticket_id="T-1", started_at="2026-10-09T08:00:00Z", **begun)
        with tx(db):
            open_thread(db, run_id=f"run-{number}", channel="C0", thread_ts="1.1", now_us=NOW_US)
        give_up(db)
        with tx(db):
            assert run_again(db, Jobs(), "C0", "1.1", now_us=NOW_US)

    posts = [each["key"] for each in told(db) if each["method"] == "chat.postMessage"]
    edits = [each["payload"] for each in told(db) if each["method"] == "chat.update"]
    assert posts == ["gave-up:run-1", "gave-up:run-2"]
    assert all("handrail:stop" not in each for each in edits)
    assert len(edits) == 2
    assert Runs(db).unfinished() == []  # nobody will go on with them: their texts are not kept


def test_a_later_version_that_fails_before_it_begins_is_told_as_well(db: Database) -> None:
    with tx(db):
        open_thread(db, run_id="run-1", channel="C0", thread_ts="1.1", now_us=NOW_US)
    give_up(db)
    with tx(db):
        run_again(db, Jobs(), "C0", "1.1", now_us=NOW_US)
    give_up(db)

    assert "mention me here" in told(db)[-1]["payload"]


def test_the_end_of_a_status_names_the_ticket_though_no_journal_began(db: Database) -> None:
    with tx(db):
        open_thread(db, run_id="run-1", channel="C0", thread_ts="1.1", now_us=NOW_US)
    give_up(db)

    (edit,) = [each for each in told(db) if each["method"] == "chat.update"]
    assert edit["key"].startswith("dead:")
    assert "T-1" in edit["payload"]
    assert "C-1" in edit["payload"]

"""Erasing journals: what a customer wrote goes, that there was a run stays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

from approvals.store import changed, connect, migrate, rows, tx
from recordings import RUN_MIGRATIONS, Runs, RunState, erase_journals_of, erase_old_journals


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with closing(connect(tmp_path / "handrail.db")) as opened:
        migrate(opened, [RUN_MIGRATIONS])
        yield opened


def keep(
    db: Database, run_id: str, customer: str, *, began: str = "2026-10-01", ended: bool = True
) -> None:
    """Store a run with a journal of two lines."""
    Runs(db).start(run_id=run_id, ticket_id="T-1", profile="resolver", model="m", started_at=began)
    with tx(db):
        for seq, line in enumerate((f'{{"customer_id":"{customer}"}}', '{"text":"hello"}')):
            changed(db, "INSERT INTO journal VALUES (?, ?, ?)", (run_id, seq, line))
        if ended:
            changed(
                db,
                "UPDATE runs SET state = 'ended', result = 'valid', reason = 'finished'"
                " WHERE run_id = ?",
                (run_id,),
            )


def left(db: Database) -> set[str]:
    return {row["run_id"] for row in rows(db, "SELECT DISTINCT run_id FROM journal")}


def test_a_customers_journals_go_and_the_runs_stay_listed(db: Database) -> None:
    keep(db, "one", "C-1")
    keep(db, "two", "C-2")
    with tx(db):
        erased = erase_journals_of(db, "C-1")

    assert erased == ("one",)
    assert left(db) == {"two"}
    assert [run.run_id for run in Runs(db).of_ticket("T-1")] == ["one", "two"]


def test_a_run_that_lives_is_ended_as_cancelled(db: Database) -> None:
    keep(db, "one", "C-1", ended=False)
    with tx(db):
        erase_journals_of(db, "C-1")
    run = Runs(db).get("one")

    assert (run.state, run.result, run.reason) == (RunState.ENDED, "failed", "cancelled")


def test_a_damaged_first_line_is_nobodys(db: Database) -> None:
    keep(db, "one", "C-1")
    with tx(db):
        changed(db, "UPDATE journal SET line = '{' WHERE seq = 0")
    with tx(db):
        assert erase_journals_of(db, "C-1") == ()


def test_old_journals_go_unless_they_are_needed_or_live(db: Database) -> None:
    keep(db, "old", "C-1", began="2026-01-01")
    keep(db, "needed", "C-1", began="2026-01-01")
    keep(db, "alive", "C-1", began="2026-01-01", ended=False)
    keep(db, "new", "C-1", began="2026-10-01")
    keep(db, "at the moment", "C-1", began="2026-06-01")
    with tx(db):
        erased = erase_old_journals(db, started_before="2026-06-01", keep=["needed"])

    assert erased == ("old",)
    assert left(db) == {"needed", "alive", "new", "at the moment"}
    with tx(db):
        assert erase_old_journals(db, started_before="2026-06-01", keep=["needed"]) == ()

"""Runs and journals in the store."""

from pathlib import Path

import pytest
from sqlite_utils import Database

from approvals.store import changed, connect, migrate, rows, tx
from loop import Journal, ScriptedModel, VirtualClock, run
from recordings import (
    RUN_MIGRATIONS,
    DurableSink,
    RecordingUnreadable,
    RunEnded,
    Runs,
    RunState,
    RunTaken,
    RunUnknown,
    abandon_run,
    encode,
)
from tests.recordings.builders import ANSWER, LOOK_UP, recorded, work_on
from tools import PracticeShop


def started(db: Database, run_id: str = "run-1") -> Runs:
    """Return the runs of a store in which one has begun."""
    runs = Runs(db)
    runs.start(
        run_id=run_id,
        ticket_id="T-80008",
        profile="resolver",
        model="scripted",
        started_at="2026-10-09T08:00:00Z",
    )
    return runs


def test_a_durable_run_is_the_run_in_memory(db: Database, shop: PracticeShop) -> None:
    """The rows are the lines of the same journal, and reading them gives its entries."""
    ended, entries = recorded(work_on(shop))
    runs = started(db)
    clock = VirtualClock()
    journal = Journal(DurableSink(runs, "run-1"), clock)
    again = run(work_on(shop), ScriptedModel([LOOK_UP, ANSWER], clock), journal)
    runs.end("run-1", journal.next_entry(again.closing()), again.stop)

    assert again == ended
    assert runs.entries("run-1") == entries
    assert runs.lines("run-1") == [encode("run-1", entry) for entry in entries]
    row = runs.get("run-1")
    assert (row.state, row.result, row.reason) == (RunState.ENDED, "valid", "finished")
    assert runs.unfinished() == []


def test_another_process_on_the_same_run_stops_this_one(
    db: Database, shop: PracticeShop, tmp_path: Path
) -> None:
    """The second writer of one entry number is told that the run is not its own."""
    _, entries = recorded(work_on(shop))
    runs = started(db)
    other_db = connect(tmp_path / "store.sqlite3")
    Runs(other_db).append("run-1", entries[0])

    with pytest.raises(RunTaken, match="entry 0 of run run-1"):
        runs.append("run-1", entries[0])

    assert len(runs.lines("run-1")) == 1
    other_db.close()


def test_a_journal_belongs_to_a_run_that_was_started(db: Database, shop: PracticeShop) -> None:
    """An entry of an unknown run is refused, so no journal is without its row."""
    _, entries = recorded(work_on(shop))

    with pytest.raises(RunTaken):
        Runs(db).append("nobody", entries[0])


def test_a_run_id_is_used_once(db: Database) -> None:
    """The second start under one id is refused."""
    started(db)

    with pytest.raises(RunTaken, match="exists already"):
        started(db)


def test_a_run_ends_once_and_the_second_end_stores_nothing(
    db: Database, shop: PracticeShop
) -> None:
    """What belongs to the end is stored with it, in the same commit, or not at all."""
    ended, entries = recorded(work_on(shop))
    runs = started(db)
    for entry in entries[:-1]:
        runs.append("run-1", entry)
    with_it: list[Database] = []
    runs.end("run-1", entries[-1], ended.stop, within=with_it.append)

    with pytest.raises(RunEnded):
        runs.end("run-1", entries[-1], ended.stop, within=with_it.append)

    assert with_it == [db]
    assert len(runs.lines("run-1")) == len(entries)


def test_what_fails_within_the_end_undoes_the_end(db: Database, shop: PracticeShop) -> None:
    """The closing record, the state and the rest are one commit."""
    ended, entries = recorded(work_on(shop))
    runs = started(db)

    def fail(db: Database) -> None:
        changed(db, "UPDATE runs SET model = 'touched'")
        raise OSError("something of the caller's")

    with pytest.raises(OSError, match="of the caller's"):
        runs.end("run-1", entries[-1], ended.stop, within=fail)

    assert runs.get("run-1").state is RunState.RUNNING
    assert runs.get("run-1").model == "scripted"
    assert runs.lines("run-1") == []


def test_only_a_closing_record_ends_a_run(db: Database, shop: PracticeShop) -> None:
    """Any other entry is a mistake of the caller's."""
    ended, entries = recorded(work_on(shop))
    runs = started(db)

    with pytest.raises(TypeError, match="closing record"):
        runs.end("run-1", entries[0], ended.stop)


def test_unknown_runs_are_named(db: Database) -> None:
    """The message says where to look."""
    with pytest.raises(RunUnknown, match="handrail runs"):
        Runs(db).get("run-9")


def test_runs_are_listed_newest_first_and_by_ticket_oldest_first(db: Database) -> None:
    """Two runs that began in the same second keep the order they were stored in."""
    runs = started(db, "run-1")
    started(db, "run-2")

    assert [row.run_id for row in runs.recent(10)] == ["run-2", "run-1"]
    assert [row.run_id for row in runs.recent(1)] == ["run-2"]
    assert [row.run_id for row in runs.of_ticket("T-80008")] == ["run-1", "run-2"]
    assert [row.run_id for row in runs.unfinished()] == ["run-1", "run-2"]


def test_a_damaged_line_in_the_store_is_named(db: Database, shop: PracticeShop) -> None:
    """The message names the run and the line; the lines themselves can still be read."""
    _, entries = recorded(work_on(shop))
    runs = started(db)
    for entry in entries[:-1]:
        runs.append("run-1", entry)
    db.execute("PRAGMA query_only=OFF")
    db.execute("UPDATE journal SET line = 'gone' WHERE seq = 2")

    with pytest.raises(RecordingUnreadable, match="journal of run run-1, line 3"):
        runs.entries("run-1")

    assert runs.lines("run-1")[2] == "gone"


def test_the_tables_are_strict_and_states_are_checked(db: Database) -> None:
    """An ended run without a result cannot be stored."""
    sql = "SELECT strict FROM pragma_table_list WHERE name IN ('runs', 'journal')"

    assert [row["strict"] for row in rows(db, sql)] == [1, 1]
    assert migrate(db, [RUN_MIGRATIONS]) == []


def test_a_damaged_byte_in_the_store_is_named_and_the_rest_is_readable(
    db: Database, shop: PracticeShop
) -> None:
    """Not a text for SQLite any more, and still one line of many."""
    _, entries = recorded(work_on(shop))
    runs = started(db)
    for entry in entries[:-1]:
        runs.append("run-1", entry)
    db.execute("PRAGMA query_only=OFF")
    db.execute("UPDATE journal SET line = CAST(x'7b22ff' AS TEXT) WHERE seq = 1")

    with pytest.raises(RecordingUnreadable, match="journal of run run-1, line 2"):
        runs.entries("run-1")

    lines = runs.lines("run-1")
    assert lines[0] == encode("run-1", entries[0])
    assert lines[1] == '{"\udcff'


def test_an_abandoned_run_is_cancelled_and_one_that_ended_stays_as_it_is(
    db: Database, shop: PracticeShop
) -> None:
    ended, entries = recorded(work_on(shop))
    runs = started(db)
    runs.end("run-1", entries[-1], ended.stop)
    started(db, "run-2")
    with tx(db):
        for run_id in ("run-1", "run-2", "run-3"):
            abandon_run(db, run_id)

    ends = [(row.run_id, row.state, row.result, row.reason) for row in runs.recent(9)[::-1]]
    assert ends == [
        ("run-1", RunState.ENDED, "valid", "finished"),
        ("run-2", RunState.ENDED, "failed", "cancelled"),
    ]

"""All pending migrations are applied once, together, or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlite_utils import Database

from approvals import StoreTooNew, StoreUnusable
from approvals.store import (
    JOB_MIGRATIONS,
    Applied,
    Migration,
    MigrationSet,
    changed,
    connect,
    migrate,
    pending,
    rows,
    script,
    tx,
)
from tests.harness.processes import result, start

ONE = Migration(number=1, name="first", apply=script("CREATE TABLE a (id INTEGER) STRICT;"))
TWO = Migration(
    number=2,
    name="second",
    apply=script(
        """
        CREATE TABLE log (text TEXT) STRICT; -- a comment; with a semicolon
        CREATE TRIGGER a_logged AFTER INSERT ON a BEGIN
            INSERT INTO log VALUES ('one;');
            INSERT INTO log VALUES ('two');
        END;
        """
    ),
)


def a_set(*migrations: Migration, name: str = "runs") -> MigrationSet:
    return MigrationSet(name=name, migrations=migrations)


def names(db: Database) -> set[str]:
    return {row["name"] for row in rows(db, "SELECT name FROM sqlite_schema WHERE type = 'table'")}


def fails(db: Database) -> None:
    db.execute("CREATE TABLE half (id INTEGER)")
    raise LookupError


def test_pending_lists_in_order_and_writes_nothing(path: Path) -> None:
    with connect(path) as db:
        listed = pending(db, [JOB_MIGRATIONS, a_set(ONE, TWO)])

        assert [str(each) for each in listed] == [
            "jobs 1 (jobs)",
            "runs 1 (first)",
            "runs 2 (second)",
        ]
        assert names(db) == set()


def test_migrate_applies_what_is_missing_once(path: Path) -> None:
    with connect(path) as db:
        assert migrate(db, [a_set(ONE)]) == [Applied(set_name="runs", number=1, name="first")]
        assert migrate(db, [a_set(ONE, TWO)]) == [Applied(set_name="runs", number=2, name="second")]
        assert migrate(db, [a_set(ONE, TWO)]) == []
        assert pending(db, [a_set(ONE, TWO)]) == []
        assert names(db) == {"a", "log", "migrations"}


def test_an_up_to_date_store_is_not_written_to(path: Path) -> None:
    """So that a start does not wait for another process's transaction."""
    with connect(path) as db, connect(path, timeout_s=0) as other:
        migrate(db, [a_set(ONE)])
        with tx(db):
            assert migrate(other, [a_set(ONE)]) == []


def test_data_survive_the_next_migration(path: Path) -> None:
    with connect(path) as db:
        migrate(db, [a_set(ONE)])
        with tx(db):
            changed(db, "INSERT INTO a VALUES (7)")
        migrate(db, [a_set(ONE, TWO)])

        assert rows(db, "SELECT id FROM a") == [{"id": 7}]


def test_a_script_keeps_triggers_whole(path: Path) -> None:
    with connect(path) as db:
        migrate(db, [a_set(ONE, TWO)])
        with tx(db):
            changed(db, "INSERT INTO a VALUES (1)")

        assert rows(db, "SELECT text FROM log") == [{"text": "one;"}, {"text": "two"}]


def test_a_script_without_its_last_semicolon_is_refused() -> None:
    with pytest.raises(ValueError, match="semicolon"):
        script("CREATE TABLE a (id INTEGER); CREATE TABLE b (id INTEGER)")


def test_one_that_fails_leaves_none_of_them(path: Path) -> None:
    broken = Migration(number=2, name="broken", apply=fails)
    with connect(path) as db:
        with pytest.raises(LookupError):
            migrate(db, [a_set(ONE, broken)])

        assert names(db) == set()
        assert not db.conn.in_transaction


@pytest.mark.parametrize(
    ("sets", "unknown"),
    [
        ([a_set(ONE)], r"runs 2 \(second\)"),
        ([a_set(ONE, TWO, name="other")], r"runs 1 \(first\)"),
        ([a_set(ONE, Migration(number=2, name="renamed", apply=fails))], r"runs 2 \(second\)"),
    ],
    ids=["an older program", "a set that is missing", "another one under the number"],
)
def test_a_store_that_is_too_new_is_named_and_left_alone(
    path: Path, sets: list[MigrationSet], unknown: str
) -> None:
    with connect(path) as db:
        migrate(db, [a_set(ONE, TWO)])
        before = names(db)

        for verb in (migrate, pending):
            with pytest.raises(StoreTooNew, match=f"does not know its migration {unknown};"):
                verb(db, sets)

        assert names(db) == before


@pytest.mark.parametrize("numbers", [(2,), (1, 1), (1, 3), (2, 1), (0, 1)])
def test_numbers_have_no_gap(numbers: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"numbers must be 1, 2, 3"):
        a_set(*(Migration(number=n, name="any", apply=fails) for n in numbers))


def test_two_sets_of_one_name_are_refused(path: Path) -> None:
    with connect(path) as db, pytest.raises(ValueError, match="one name"):
        migrate(db, [a_set(ONE), a_set(ONE)])


FOUR = """
import json, sys
from approvals.store import JOB_MIGRATIONS, Migration, MigrationSet, connect, migrate, script
own = MigrationSet(name="own", migrations=tuple(
    Migration(number=n, name=f"t{n}", apply=script(f"CREATE TABLE t{n} (id INTEGER) STRICT;"))
    for n in range(1, 31)))
print("ready", flush=True)
sys.stdin.readline()
with connect(sys.argv[1]) as db:
    print(json.dumps([str(each) for each in migrate(db, [JOB_MIGRATIONS, own])]))
"""


def test_four_processes_create_and_migrate_one_store_at_once(path: Path) -> None:
    processes = [start(FOUR, path) for _ in range(4)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    applied = [json.loads(result(process)) for process in processes]

    assert sorted(map(len, applied)) == [0, 0, 0, 31]
    with connect(path) as db:
        assert len(rows(db, "SELECT * FROM migrations")) == 31
        assert {f"t{n}" for n in range(1, 31)} <= names(db)
    assert [file.name for file in path.parent.iterdir()] == ["store.db"]


def test_every_table_is_strict(path: Path) -> None:
    with connect(path) as db:
        migrate(db, [JOB_MIGRATIONS])
        loose = rows(
            db,
            "SELECT name FROM pragma_table_list WHERE type = 'table' AND NOT strict"
            " AND name NOT LIKE 'sqlite_%'",
        )

        assert loose == []


@pytest.mark.parametrize("loss", ["DROP TABLE migrations", "DELETE FROM migrations"])
def test_a_store_that_lost_its_record_of_migrations_is_refused(path: Path, loss: str) -> None:
    with connect(path) as db:
        migrate(db, [a_set(ONE)])
        with tx(db):
            db.execute(loss)

        with pytest.raises(StoreUnusable, match="has lost a part"):
            migrate(db, [a_set(ONE)])

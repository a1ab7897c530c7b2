"""The audit table only grows, and shows every change that was made to it."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from approvals import AuditBroken, AuditHead, audit_head, audit_rows, export_audit, verify_audit
from approvals.audit import of_proposal
from approvals.store import changed, rows, tx
from tests.approvals.desk import AGENT, HEAD, Desk, label, late_fee, refund
from tools import parse_json

TEXT_COLUMNS = (
    "who via event proposal_id operation_id from_state to_state digest policy_version"
    " text_digest detail previous hash"
).split()
NUMBER_COLUMNS = ("at_us", "version", "attempt")


HARMLESS = """
CREATE TRIGGER audit_keeps_words BEFORE UPDATE ON audit WHEN false BEGIN SELECT 1; END
"""
"""A trigger of the right name that refuses nothing."""


@pytest.fixture
def written(desk: Desk) -> Desk:
    """A desk with an audit in which every column is used."""
    desk.finish(late_fee())
    desk.reject(desk.ask(refund(), label()), AGENT, why="not due")
    desk.ask(refund("80.00"), replaces=True)
    desk.edit(desk.ask(refund("30.00")), HEAD, at_1=2000)
    return desk


def tamper(path: Path, sql: str) -> None:
    """Write to the file as somebody does who knows how, past triggers and program."""
    with sqlite3.connect(path) as connection:
        triggers = connection.execute(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'audit'"
        ).fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(sql)
        for name, text in triggers:
            if name not in sql:
                connection.execute(text)
    connection.close()


def broken(desk: Desk) -> int:
    """Return the row that the walk names."""
    with pytest.raises(AuditBroken) as caught:
        verify_audit(desk.db)
    assert f"audit row {caught.value.row}" in str(caught.value)
    return caught.value.row


def test_an_untouched_audit_verifies_and_counts(written: Desk) -> None:
    head = verify_audit(written.db)

    assert head == audit_head(written.db)
    assert head.count == len(audit_rows(written.db)) > 10


def test_an_empty_audit_verifies(desk: Desk) -> None:
    assert verify_audit(desk.db) == AuditHead(count=0, hash="0" * 64)


def test_every_column_is_used_by_some_row(written: Desk) -> None:
    found = rows(written.db, "SELECT * FROM audit")

    assert [name for name in TEXT_COLUMNS if not any(row[name] for row in found)] == []


@pytest.mark.parametrize("column", TEXT_COLUMNS)
def test_any_changed_byte_of_a_text_names_its_row(written: Desk, column: str) -> None:
    (row,) = rows(
        written.db,
        f"SELECT seq, {column} AS text FROM audit WHERE {column} IS NOT NULL"
        " ORDER BY seq DESC LIMIT 1",
    )
    text = row["text"].encode()
    tamper(written.path, HARMLESS)
    with sqlite3.connect(written.path, isolation_level=None) as connection:
        connection.execute("PRAGMA synchronous=OFF")
        for place in range(len(text)):
            value = bytearray(text)
            value[place] ^= 1
            write = f"UPDATE audit SET {column} = CAST(? AS TEXT) WHERE seq = ?"
            connection.execute(write, (bytes(value), row["seq"]))
            assert broken(written) == row["seq"]
            connection.execute(write, (text, row["seq"]))
    connection.close()
    verify_audit(written.db)


@pytest.mark.parametrize("column", NUMBER_COLUMNS)
@pytest.mark.parametrize("seq", [1, 5])
def test_a_changed_number_names_its_row(written: Desk, column: str, seq: int) -> None:
    tamper(
        written.path,
        f"UPDATE audit SET {column} = coalesce({column}, 0) + 1 WHERE seq = {seq}",
    )

    assert broken(written) == seq


def test_bytes_that_are_no_text_name_their_row(written: Desk) -> None:
    tamper(written.path, "UPDATE audit SET who = CAST(X'FF' AS TEXT) WHERE seq = 3")

    assert broken(written) == 3


@pytest.mark.parametrize("column", ["from_state", "text_digest", "detail", "operation_id"])
def test_a_value_that_was_added_or_taken_names_its_row(written: Desk, column: str) -> None:
    tamper(
        written.path,
        f"UPDATE audit SET {column} = CASE WHEN {column} IS NULL THEN '' END WHERE seq = 4",
    )

    assert broken(written) == 4


def test_a_row_that_was_deleted_is_named(written: Desk) -> None:
    tamper(written.path, "DELETE FROM audit WHERE seq = 6")

    with pytest.raises(AuditBroken, match="audit row 6: it is missing"):
        verify_audit(written.db)


@pytest.mark.parametrize("seq", [-3, 1000])
def test_a_row_that_was_moved_is_missing_at_its_place(written: Desk, seq: int) -> None:
    tamper(written.path, f"UPDATE audit SET seq = {seq} WHERE seq = 6")

    assert broken(written) == (1 if seq < 0 else 6)


def test_a_row_rewritten_with_a_hash_of_its_own_breaks_at_the_next(written: Desk) -> None:
    tamper(
        written.path,
        "UPDATE audit SET hash = (SELECT hash FROM audit WHERE seq = 2) WHERE seq = 3",
    )

    assert broken(written) == 3


def test_a_shortened_audit_fails_against_the_head_that_was_kept(written: Desk) -> None:
    kept = audit_head(written.db)
    tamper(written.path, f"DELETE FROM audit WHERE seq = {kept.count}")

    verify_audit(written.db)
    with pytest.raises(AuditBroken, match=f"row {kept.count}: it is missing"):
        verify_audit(written.db, kept)


def test_an_audit_that_was_written_anew_fails_against_the_head_that_was_kept(
    written: Desk,
) -> None:
    kept = audit_head(written.db)
    written.ask(label())
    other = AuditHead(count=kept.count, hash="f" * 64)

    assert verify_audit(written.db, kept).count == kept.count + 1
    with pytest.raises(AuditBroken, match=f"row {kept.count}: it is not the row"):
        verify_audit(written.db, other)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE audit SET who = 'UMALLORY' WHERE seq = 1",
        "DELETE FROM audit WHERE seq = 1",
        "INSERT OR REPLACE INTO audit SELECT * FROM audit WHERE seq = 1",
    ],
)
def test_the_store_refuses_to_change_or_delete_a_row(written: Desk, sql: str) -> None:
    with pytest.raises(sqlite3.IntegrityError, match="audit rows are"), tx(written.db):
        changed(written.db, sql)


def test_an_audit_without_its_triggers_does_not_verify(written: Desk) -> None:
    with sqlite3.connect(written.path) as connection:
        connection.execute("DROP TRIGGER audit_keeps_rows")
    connection.close()

    with pytest.raises(AuditBroken, match="audit_keeps_rows"):
        verify_audit(written.db)


@pytest.mark.parametrize("change", ["text = 'very due'", "text = 'very due', digest = 'f'"])
def test_a_reason_that_was_rewritten_is_named(written: Desk, change: str) -> None:
    (row,) = rows(written.db, "SELECT seq FROM audit WHERE event = 'rejected'")
    with tx(written.db):
        changed(written.db, f"UPDATE texts SET {change} WHERE text = 'not due'")

    assert broken(written) == row["seq"]


def test_the_export_is_one_line_of_json_for_each_row(written: Desk) -> None:
    lines = list(export_audit(written.db))

    assert [parse_json(line) for line in lines] == rows(
        written.db, "SELECT * FROM audit ORDER BY seq"
    )
    assert json.loads(lines[0])["event"] == "created"


def test_a_cursor_reads_on_from_where_it_was(written: Desk) -> None:
    first = audit_rows(written.db, limit=3)

    assert [row.seq for row in first] == [1, 2, 3]
    assert audit_rows(written.db, after=3, limit=1)[0].seq == 4
    assert audit_rows(written.db, after=10**6) == []


def test_the_history_of_one_proposal_is_read_alone(written: Desk) -> None:
    events = [row.event for row in of_proposal(written.db, "P-1")]

    assert events == ["created", "approved", "operation", "executing", "operation", "ended"]


def test_a_text_of_a_person_is_never_in_a_row(written: Desk) -> None:
    assert "not due" not in "".join(export_audit(written.db))

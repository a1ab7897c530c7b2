"""The tables know the same states as the program, and refuse what cannot be."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from sqlite3 import IntegrityError

import pytest
from sqlite_utils import Database

from approvals import APPROVAL_MIGRATIONS, OperationState, ProposalState
from approvals.states import LIVE
from approvals.store import changed, connect, migrate, pending, rows, tx
from tests.approvals.desk import Desk


def words_of(db: Database, name: str, start: str) -> set[str]:
    """Return the quoted words of the first list behind ``start`` in a table or an index."""
    (row,) = rows(db, "SELECT sql FROM sqlite_schema WHERE name = ?", (name,))
    return set(re.findall(r"'(\w+)'", row["sql"].partition(start)[2].partition(")")[0]))


@pytest.mark.parametrize(
    ("table", "states"), [("proposals", ProposalState), ("operations", OperationState)]
)
def test_a_table_takes_exactly_the_states_that_there_are(
    desk: Desk, table: str, states: type[StrEnum]
) -> None:
    assert words_of(desk.db, table, "state IN (") == {state.value for state in states}


def test_the_index_holds_exactly_the_live_states(desk: Desk) -> None:
    assert words_of(desk.db, "proposals_live", "IN (") == {state.value for state in LIVE}


def test_every_table_is_strict(desk: Desk) -> None:
    assert (
        rows(
            desk.db,
            "SELECT name FROM pragma_table_list WHERE type = 'table'"
            " AND strict = 0 AND name NOT LIKE 'sqlite_%'",
        )
        == []
    )


@pytest.mark.parametrize(
    "assignment",
    [
        "state = 'lost'",
        "state = 'approved'",
        "decided_us = 1",
        "expires_us = created_us",
        "version = 0",
        "made_from = 'P-404'",
        "approved_seq = 1",
    ],
)
def test_a_proposal_that_cannot_be_is_refused(desk: Desk, assignment: str) -> None:
    desk.ask()

    with pytest.raises(IntegrityError), tx(desk.db):
        changed(desk.db, f"UPDATE proposals SET {assignment}")


@pytest.mark.parametrize(
    "assignment",
    ["state = 'lost'", "state = 'executing'", "owner = 'me'", "pending = 1", "attempt = 1"],
)
def test_an_operation_that_cannot_be_is_refused(desk: Desk, assignment: str) -> None:
    desk.approve(desk.ask())

    with pytest.raises(IntegrityError), tx(desk.db):
        changed(desk.db, f"UPDATE operations SET {assignment}")


def test_what_would_be_applied_is_listed_and_then_applied_once(tmp_path: Path) -> None:
    with connect(tmp_path / "new.db") as db:
        listed = pending(db, [APPROVAL_MIGRATIONS])

        assert [str(each) for each in listed] == [
            "approvals 1 (proposals, decisions, operations, audit)",
            "approvals 2 (epochs of restored backups)",
            "approvals 3 (runs that a proposal stands for)",
            "approvals 4 (an index for each search of proposals)",
        ]
        assert migrate(db, [APPROVAL_MIGRATIONS]) == listed
        assert migrate(db, [APPROVAL_MIGRATIONS]) == []

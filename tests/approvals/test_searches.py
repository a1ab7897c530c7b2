"""Searches of proposals go by an index that is as narrow as what they ask for.

A shop may have thousands that wait, and tens of thousands that are done.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlite_utils import Database

from approvals import expiring_proposals, proposals_for_run, proposals_of_run
from approvals.store import rows
from approvals.sums import approved_for_customer, signed_by
from tests.approvals.desk import Desk

Search = Callable[[Desk], object]

SEARCHES: dict[str, Search] = {
    "of a run": lambda desk: proposals_of_run(desk.db, "run-1"),
    "for a run": lambda desk: proposals_for_run(desk.db, "run-1"),
    "that expire": lambda desk: expiring_proposals(desk.db, after_us=1, until_us=2),
    "that are due": lambda desk: desk.expire_due(),
    "of a ticket": lambda desk: desk.create(),
    "of a ticket, to be signed": lambda desk: desk.approve(desk.ask()),
    "signed by": lambda desk: signed_by(desk.db, desk.policy, "U1", now_us=1),
    "of a customer": lambda desk: approved_for_customer(desk.db, desk.policy, "C-1", now_us=1),
}


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_no_search_looks_at_all_that_there_is_or_at_all_of_a_state(
    desk: Desk, search: Search
) -> None:
    said: list[str] = []
    desk.db.conn.set_trace_callback(said.append)
    search(desk)
    desk.db.conn.set_trace_callback(None)

    selects = [sql for sql in said if "FROM proposals" in sql and not sql.startswith("\nINSERT")]
    plans = [f"{line} | {sql}" for sql in selects for line in _plan(desk.db, sql)]
    assert plans
    assert [line for line in plans if line.startswith("SCAN proposals")] == []
    assert [line for line in plans if "(state=?) |" in line] == []


def _plan(db: Database, sql: str) -> list[str]:
    return [row["detail"] for row in rows(db, f"EXPLAIN QUERY PLAN {sql}")]

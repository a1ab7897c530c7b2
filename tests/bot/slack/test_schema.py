"""Stores of older releases: what their tickets become."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from approvals.store import changed, connect, migrate, rows, tx
from bot.slack import SLACK_MIGRATIONS
from bot.slack.headers import IdSource
from bot.slack.store.tickets import read_ticket


def test_a_ticket_of_before_keeps_its_ids_over_an_edit_where_they_were_not_its_authors(
    tmp_path: Path,
) -> None:
    before = replace(SLACK_MIGRATIONS, migrations=SLACK_MIGRATIONS.migrations[:3])
    people = {"1.1": ("U1", "U1"), "2.2": ("U1", "U2"), "3.3": ("B1", "B1"), "4.4": ("Wf1", "Wf1")}
    with closing(connect(tmp_path / "store.sqlite3")) as db:
        migrate(db, [before])
        with tx(db):
            for ts, (posted_by, opened_by) in people.items():
                changed(
                    db,
                    "INSERT INTO tickets (channel, ts, ticket_id, customer_id, text, posted_by,"
                    " opened_by, state, created_us)"
                    " VALUES ('C0', ?, ?, 'C-1', 'x', ?, ?, 'open', 1)",
                    (ts, f"T-{ts}", posted_by, opened_by),
                )
        migrate(db, [SLACK_MIGRATIONS])
        found = [read_ticket(db, "C0", ts) for ts in people]
        defaults = rows(db, "SELECT DISTINCT customer_given, text_ts FROM tickets")

    sources = [each.source for each in found if each is not None]
    assert sources == [IdSource.HEADER, IdSource.SHORTCUT, IdSource.METADATA, IdSource.METADATA]
    assert defaults == [{"customer_given": 0, "text_ts": ""}]

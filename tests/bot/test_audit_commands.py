"""``handrail audit``: the export, the check, and a head that was kept."""

from __future__ import annotations

import json
import re

import pytest

from approvals.store import changed, rows, tx
from tests.bot.approving import Counter


def head(counter: Counter) -> str:
    (found,) = re.findall(r"^head (\S+)$", counter.cli("audit", "verify").stdout, re.MULTILINE)
    return str(found)


def behind(counter: Counter, trigger: str, sql: str) -> None:
    """Write to the audit as somebody who knows its triggers: the one is gone for a moment."""
    with counter.db() as db, tx(db):
        (kept,) = rows(db, "SELECT sql FROM sqlite_schema WHERE name = ?", (trigger,))
        db.execute(f"DROP TRIGGER {trigger}")
        changed(db, sql)
        db.execute(kept["sql"])


def test_verify_counts_the_rows_and_prints_the_head(counter: Counter) -> None:
    counter.approve(counter.propose())
    done = counter.cli("audit", "verify")

    assert done.exit_code == 0
    assert re.fullmatch(r"6 rows, each as it was written\nhead [0-9a-f]{64}:6\n", done.stdout)


def test_a_head_that_was_kept_is_still_reached_later(counter: Counter) -> None:
    proposal_id = counter.propose()
    kept = head(counter)
    counter.approve(proposal_id)

    assert counter.cli("audit", "verify", "--head", kept).exit_code == 0


def test_a_record_that_was_cut_holds_together_and_only_a_kept_head_tells(
    counter: Counter,
) -> None:
    counter.approve(counter.propose())
    kept = head(counter)
    behind(counter, "audit_keeps_rows", "DELETE FROM audit WHERE seq > 4")
    done = counter.cli("audit", "verify", "--head", kept)

    assert counter.cli("audit", "verify").exit_code == 0
    assert done.exit_code == 1
    assert "audit row 5: it is missing" in done.stderr


def test_a_changed_row_is_named(counter: Counter) -> None:
    counter.approve(counter.propose())
    behind(counter, "audit_keeps_words", "UPDATE audit SET who = 'UART' WHERE seq = 2")
    done = counter.cli("audit", "verify")

    assert done.exit_code == 1
    assert "audit row 2: " in done.stderr


def test_the_export_is_one_line_a_row_without_any_text(counter: Counter) -> None:
    proposal_id = counter.propose()
    counter.cli("proposals", "reject", proposal_id, "--as", "UANN", "--reason", "secret words")
    printed = counter.cli("audit", "export").stdout
    written = counter.cli("audit", "export", "audit.jsonl")
    again = counter.cli("audit", "export", "audit.jsonl")
    found = [json.loads(line) for line in printed.splitlines()]

    assert [(row["event"], row["who"]) for row in found] == [
        ("created", "system"),
        ("rejected", "UANN"),
    ]
    assert "secret words" not in printed
    assert written.exit_code == 0
    assert (counter.home / "audit.jsonl").read_text("utf-8") == printed
    assert (counter.home / "audit.jsonl").stat().st_mode & 0o777 == 0o600
    assert again.exit_code == 2


@pytest.mark.parametrize("head", ["x", "0" * 63 + ":1", "0" * 64 + ":-1", "0" * 64 + ":"])
def test_a_head_of_another_form_is_wrong_use(counter: Counter, head: str) -> None:
    assert counter.cli("audit", "verify", "--head", head).exit_code == 2

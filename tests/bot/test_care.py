"""The care of the store: backup, restore, upgrades, erasing, each with what it refuses."""

from __future__ import annotations

import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from approvals import OperationState, ProposalState, operations_of, read_epoch
from approvals.store import ServeLock, connect, copy_into, rows
from bot.store import MIGRATIONS
from tests.bot.approving import POLICY, Counter, words

ROOT = Path(__file__).resolve().parents[2]


def test_a_backup_is_whole_private_and_overwrites_nothing(counter: Counter) -> None:
    counter.propose()
    done = counter.cli("backup", "b.sqlite3")
    again = counter.cli("backup", "b.sqlite3")
    file = counter.home / "b.sqlite3"

    assert done.exit_code == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert again.exit_code == 2
    assert "exists, and nothing is overwritten" in again.stderr
    listed = counter.cli("proposals", "list", "--store", file).stdout
    assert listed.splitlines()[-1] == "1 proposal"


def test_a_backup_of_nothing_is_wrong_use(counter: Counter) -> None:
    done = counter.cli("backup", "b.sqlite3")

    assert done.exit_code == 2
    assert "there is no store" in done.stderr
    assert not (counter.home / "b.sqlite3").exists()


def test_a_backup_that_cannot_be_written_leaves_nothing_behind(counter: Counter) -> None:
    counter.propose()
    done = counter.cli("backup", counter.home / "nowhere" / "b.sqlite3")

    assert done.exit_code == 2
    assert "cannot be written: No such file" in done.stderr


def test_what_was_done_after_the_backup_is_found_and_not_done_again(counter: Counter) -> None:
    proposal_id = counter.propose()
    counter.cli("backup", "b.sqlite3")
    counter.approve(proposal_id)
    restored = counter.cli("restore", "b.sqlite3")
    waits = counter.state(proposal_id)
    again = counter.approve(proposal_id)

    assert restored.exit_code == 0
    assert "0 operations to look up before anything is sent" in restored.stdout
    assert waits is ProposalState.WAITING
    assert again.exit_code == 0
    assert counter.state(proposal_id) is ProposalState.DONE
    assert len(counter.changes()) == 1


def test_what_was_approved_in_the_backup_is_looked_up_before_anything_is_sent(
    counter: Counter,
) -> None:
    proposal_id = counter.propose()
    counter.decide(proposal_id)
    counter.cli("backup", "b.sqlite3")
    counter.cli("proposals", "execute")
    restored = counter.cli("restore", "b.sqlite3")
    shown = words(counter.cli("proposals", "show", proposal_id))
    asked = counter.cli("reconcile")

    assert "1 operation to look up before anything is sent" in restored.stdout
    assert "Nothing has happened yet" not in shown
    assert f"{proposal_id}-1: retry, now done; the shop holds it" in asked.stdout
    assert counter.state(proposal_id) is ProposalState.DONE
    assert len(counter.changes()) == 1
    assert counter.cli("audit", "verify").exit_code == 0


def test_nothing_at_all_is_sent_while_a_look_up_is_due(counter: Counter) -> None:
    """The shop cannot say what became of the old one, so the new one waits as well."""
    old = counter.propose("T-90104")
    counter.decide(old)
    counter.cli("backup", "b.sqlite3")
    counter.cli("restore", "b.sqlite3")
    counter.write_policy(
        '[shop]\nkind = "http"\nurl = "http://127.0.0.1:9"\n'
        + POLICY.replace('"CAD"', '"CAD"\ncommand_line = "allow"', 1)
    )
    failed = counter.cli("reconcile")
    with counter.db() as db:
        (operation,) = operations_of(db, old)
        epoch = read_epoch(db)
    counter.write_policy(POLICY)
    new = counter.propose("T-64872")
    done = counter.approve(new)

    assert failed.exit_code == 1
    assert (operation.state, operation.attempt) == (OperationState.RETRY, 1)
    assert (epoch.number, epoch.look_ups) == (2, 1)
    assert done.exit_code == 0
    assert f"{old}-1: retry and stays so" in words(done)
    with counter.db() as db:
        assert read_epoch(db).look_ups == 0


def test_the_replaced_store_is_kept_and_the_backup_is_left_alone(counter: Counter) -> None:
    counter.propose("T-64872")
    counter.cli("backup", "b.sqlite3")
    before = (counter.home / "b.sqlite3").read_bytes()
    counter.propose("T-65273")
    done = counter.cli("restore", "b.sqlite3")
    (kept,) = counter.store.parent.glob("handrail.sqlite3.before-*")

    assert str(kept) in done.stdout
    assert (counter.home / "b.sqlite3").read_bytes() == before
    assert len(counter.proposals()) == 1
    listed = counter.cli("proposals", "list", "--store", kept).stdout
    assert listed.splitlines()[-1] == "2 proposals"


def test_a_server_that_runs_is_not_pulled_away_from_under(counter: Counter) -> None:
    counter.propose()
    counter.cli("backup", "b.sqlite3")
    with ServeLock(counter.store):
        done = counter.cli("restore", "b.sqlite3")

    assert done.exit_code == 1
    assert "is served by process" in done.stderr
    assert "stop it first" in done.stderr


def test_a_store_that_somebody_uses_is_not_replaced(counter: Counter) -> None:
    counter.propose()
    counter.cli("backup", "b.sqlite3")
    with counter.db() as db:
        rows(db, "SELECT count(*) AS n FROM proposals")
        done = counter.cli("restore", "b.sqlite3")

    assert done.exit_code == 1
    assert "is used by another process; end it" in done.stderr
    assert len(counter.proposals()) == 1


@pytest.mark.parametrize("size", [0, 100, 5000])
def test_a_damaged_backup_is_refused_and_the_store_stays(counter: Counter, size: int) -> None:
    proposal_id = counter.propose()
    counter.cli("backup", "b.sqlite3")
    file = counter.home / "b.sqlite3"
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2] + b"\xff" * size)
    done = counter.cli("restore", "b.sqlite3")

    assert done.exit_code == 2
    assert "damaged" in done.stderr
    assert counter.state(proposal_id) is ProposalState.WAITING
    assert list(counter.store.parent.glob(".handrail*")) == []


def test_a_damaged_page_of_a_backup_is_noticed(counter: Counter) -> None:
    """In a page that restoring does not read by itself."""
    proposal_id = counter.propose()
    counter.cli("backup", "b.sqlite3")
    file = counter.home / "b.sqlite3"
    file.write_bytes(file.read_bytes()[:-4096] + b"\xff" * 4096)
    done = counter.cli("restore", "b.sqlite3")

    assert done.exit_code == 2
    assert "damaged" in done.stderr
    assert counter.state(proposal_id) is ProposalState.WAITING


def test_a_damaged_store_is_replaced_and_kept(counter: Counter) -> None:
    proposal_id = counter.propose()
    counter.cli("backup", "b.sqlite3")
    counter.store.write_bytes(b"\xff" * 10_000)
    done = counter.cli("restore", "b.sqlite3")
    (kept,) = counter.store.parent.glob("handrail.sqlite3.before-*")

    assert done.exit_code == 0
    assert kept.read_bytes() == b"\xff" * 10_000
    assert counter.state(proposal_id) is ProposalState.WAITING


def test_a_missing_backup_and_one_of_a_newer_version_are_refused(counter: Counter) -> None:
    counter.propose()
    missing = counter.cli("restore", "b.sqlite3")
    counter.tamper("INSERT INTO migrations VALUES ('approvals', 99, 'from the future')")
    with counter.db() as db:
        copy_into(db, counter.home / "new.sqlite3")
    counter.tamper("DELETE FROM migrations WHERE number = 99")
    newer = counter.cli("restore", "new.sqlite3")

    assert missing.exit_code == 2
    assert "the backup b.sqlite3 cannot be copied: No such file" in missing.stderr
    assert newer.exit_code == 1
    assert "approvals 99 (from the future)" in newer.stderr
    assert len(counter.proposals()) == 1


def test_restoring_where_there_is_no_store_makes_one(counter: Counter) -> None:
    counter.propose()
    counter.cli("backup", "b.sqlite3")
    new = counter.home / "elsewhere" / "new.sqlite3"
    done = counter.cli("restore", "b.sqlite3", "--store", new)

    assert done.exit_code == 0
    assert "replaced" not in done.stdout
    assert stat.S_IMODE(new.stat().st_mode) == 0o600
    assert counter.cli("proposals", "list", "--store", new).stdout.endswith("1 proposal\n")


def free_pages(counter: Counter) -> int:
    """Return how many pages may still hold what was erased."""
    with counter.db() as db:
        return int(rows(db, "PRAGMA freelist_count")[0]["freelist_count"])


def test_what_is_pending_is_listed_and_not_applied(counter: Counter) -> None:
    counter.store.parent.mkdir()
    connect(counter.store).close()
    listed = counter.cli("migrate", "--dry-run")
    applied = counter.cli("migrate")
    again = counter.cli("migrate", "--dry-run")
    count = sum(len(each.migrations) for each in MIGRATIONS)

    assert listed.stdout.splitlines()[-1] == f"{count} migrations pending"
    assert "approvals 2 (epochs of restored backups)" in listed.stdout
    assert applied.stdout.splitlines()[:-1] == listed.stdout.splitlines()[:-1]
    assert again.stdout == "0 migrations pending\n"


def test_a_dry_run_makes_no_store(counter: Counter) -> None:
    done = counter.cli("migrate", "--dry-run")

    assert done.exit_code == 2
    assert not counter.store.exists()


def test_forgetting_a_customer_erases_every_text_and_withdraws_what_waits(
    counter: Counter,
) -> None:
    proposal_id = counter.propose()
    other = counter.propose("T-65273")
    asked = counter.cli("forget", "C-59678")
    untouched = b"pot (set of 3)" in counter.store.read_bytes()
    done = counter.cli("forget", "C-59678", "--yes")
    shown = words(counter.cli("proposals", "show", proposal_id))

    assert asked.exit_code == 2
    assert "--yes" in asked.stderr
    assert untouched
    assert done.stdout == "erased 1 journal and the texts of 1 proposal\n"
    assert counter.state(proposal_id) is ProposalState.WITHDRAWN
    assert counter.state(other) is ProposalState.WAITING
    assert "evidence (erased)" in shown
    assert "37.45 CAD" in shown
    assert b"pot (set of 3)" not in counter.store.read_bytes()
    assert free_pages(counter) == 0
    assert counter.cli("trace", "T-64872").exit_code == 2
    assert counter.cli("trace", "T-65273").exit_code == 0
    assert counter.cli("audit", "verify").exit_code == 0


def test_purging_erases_what_ended_long_ago_and_nothing_that_waits(counter: Counter) -> None:
    rejected, waiting = counter.propose("T-64872"), counter.propose("T-65273")
    counter.cli("proposals", "reject", rejected, "--as", "UANN", "--reason", "secret words")
    early = counter.cli("purge", "--older-than", "1")
    counter.tamper("UPDATE proposals SET decided_us = 1 WHERE decided_us IS NOT NULL")
    counter.tamper("UPDATE runs SET started_at = '2020-01-01T00:00:00.000+00:00'")
    late = counter.cli("purge", "--older-than", "1")

    assert early.stdout == "erased 0 journals and the texts of 0 proposals\n"
    assert late.stdout == "erased 1 journal and the texts of 1 proposal\n"
    assert b"secret words" not in counter.store.read_bytes()
    assert "secret words" not in counter.cli("proposals", "show", rejected).stdout
    assert "evidence get_" in words(counter.cli("proposals", "show", waiting))
    assert counter.cli("trace", "T-65273").exit_code == 0
    assert counter.cli("audit", "verify").exit_code == 0


@pytest.mark.parametrize(
    "args",
    [
        ["purge"],
        ["purge", "--older-than", "0"],
        ["purge", "--older-than", "x"],
        ["forget"],
        ["backup"],
        ["restore"],
        ["audit", "verify", "--head", "abc"],
        ["audit", "verify", "--head", "0" * 64],
        ["shop", "serve", "--port", "-1"],
        ["proposals", "approve", "P-222-222"],
        ["proposals", "list", "--state", "lost"],
        ["proposals", "approve", "P-222-222", "--as", "UANN", "--wait", "-1"],
    ],
)
def test_wrong_use_is_status_2_and_changes_nothing(counter: Counter, args: list[str]) -> None:
    assert counter.cli(*args).exit_code == 2
    assert not counter.store.exists()


LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from bot.cli import handrail
size = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
sys.exit(handrail.status(sys.argv[2:]))
"""


def test_a_full_disk_is_said_in_words_and_nothing_is_half_written(counter: Counter) -> None:
    proposal_id = counter.propose()
    environment = {"HANDRAIL_STORE": str(counter.store), "PYTHONPATH": str(ROOT)}
    args = ["proposals", "approve", proposal_id, "--as", "UANN"]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, "30000", *args],
        env=environment,
        cwd=counter.home,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("error: the store ")
    assert "disk" in done.stderr
    assert counter.state(proposal_id) is ProposalState.WAITING
    assert counter.changes() == ()
    assert counter.approve(proposal_id).exit_code == 0


def test_a_store_is_closed_after_every_command(counter: Counter) -> None:
    counter.approve(counter.propose())

    assert sorted(file.name for file in counter.store.parent.iterdir()) == [
        "handrail-shop.sqlite3",
        "handrail.sqlite3",
        "handrail.sqlite3.lock",
    ]
    with closing(connect(counter.store)) as db:
        assert rows(db, "PRAGMA integrity_check") == [{"integrity_check": "ok"}]

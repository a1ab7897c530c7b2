"""Runs in the store: listed, traced, exported, and resumed after a death at any line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

from approvals.store import changed, connect, tx
from bot.keeper import Keeper, begin, open_runs, run_ids
from bot.plan import Plan, plan_run
from bot.settings import Settings
from bot.supplies import Supplies, open_supplies
from bot.triage import triage
from loop import PRICES, Entry, Stop
from recordings import RunState, abandon_run
from tests.bot.conftest import Cli

STARTED = "2026-10-09T10:00:00.000+00:00"


class Killed(BaseException):
    """The process died."""


class Dying(Keeper):
    """Dies instead of keeping the entry after so many."""

    def __init__(self, alive: Keeper, lives: int) -> None:
        super().__init__(alive.run_id, alive._runs)
        self._lives = lives

    def append(self, entry: Entry) -> None:
        self._spend()
        super().append(entry)

    def end(
        self, entry: Entry, stop: Stop, within: Callable[[Database], None] | None = None
    ) -> None:
        self._spend()
        super().end(entry, stop, within)

    def _spend(self) -> None:
        if self._lives == 0:
            raise Killed
        self._lives -= 1


@pytest.fixture(scope="module")
def supplies(recorded: Path) -> Iterator[Supplies]:
    with open_supplies(recordings=recorded, prices=PRICES) as opened:
        yield opened


def plan_of(supplies: Supplies, ticket: str, profile: str, model: str) -> Plan:
    settings = Settings.model_construct(profile=profile, model=model)
    return plan_run(supplies, settings, ticket, limits={"max_result_chars": "3000"})


@pytest.mark.parametrize(
    ("ticket", "profile", "model"),
    [
        ("T-90601", "resolver", "chat-small"),
        ("T-90602", "resolver", "chat-small"),
        ("T-64872", "resolver", "gemma3:4b"),
        ("T-80008", "assistant", "chat-small"),
    ],
)
def test_a_run_that_died_at_any_line_resumes_to_the_same_end(
    cli: Cli, home: Path, supplies: Supplies, ticket: str, profile: str, model: str
) -> None:
    plan = plan_of(supplies, ticket, profile, model)
    whole = triage(plan, supplies.shop, Keeper("whole", None)).story

    for lives in range(1, len(whole.entries)):
        store = home / f"{lives}.sqlite3"
        with open_runs(store) as runs:
            keeper = Dying(begin(plan, runs, run_ids(plan, runs), STARTED), lives)
            with pytest.raises(Killed):
                triage(plan, supplies.shop, keeper)
        done = cli("resume", keeper.run_id, "--store", store)
        with open_runs(store) as runs:
            resumed = runs.entries(keeper.run_id)
            row = runs.get(keeper.run_id)

        assert done.exit_code == (0 if whole.result == "valid" else 1), done.stderr
        assert row.state is RunState.ENDED
        kinds = [entry.record.kind for entry in resumed]
        lost = kinds.count("lost_attempt")
        assert lost == (whole.entries[lives - 1].record.kind == "asked")
        assert [kind for kind in kinds if kind != "lost_attempt"] == [
            entry.record.kind for entry in whole.entries
        ]
        called = [e.record for e in resumed if e.record.kind == "called"]
        assert called == [e.record for e in whole.entries if e.record.kind == "called"]


@pytest.mark.parametrize("model", ["chat-small", "local"])
def test_a_run_that_died_before_its_first_line_is_not_gone_on_with(
    cli: Cli, home: Path, supplies: Supplies, model: str
) -> None:
    """Nothing says whether it was to be live, nor within which limits: a replay is another run."""
    store = home / "store.sqlite3"
    plan = plan_of(supplies, "T-80008", "resolver", model)
    with open_runs(store) as runs:
        keeper = begin(plan, runs, run_ids(plan, runs), STARTED)

    done = cli("resume", keeper.run_id, "--store", store)

    assert done.exit_code == 2
    assert f"run {keeper.run_id} was interrupted before its first step" in done.stderr
    assert "handrail run T-80008" in done.stderr
    assert f"{keeper.run_id}  running" in cli("runs", "--store", store).stdout
    assert "has no readable beginning" in cli("trace", "T-80008", "--store", store).stderr
    with open_runs(store) as runs:
        assert runs.entries(keeper.run_id) == []


def test_a_run_that_has_ended_is_not_resumed(cli: Cli) -> None:
    cli("run", "T-80008")
    done = cli("resume", "T-80008")

    assert done.exit_code == 2
    assert "has ended already: valid, finished" in done.stderr


def test_an_unfinished_run_says_how_to_go_on(cli: Cli, home: Path, supplies: Supplies) -> None:
    plan = plan_of(supplies, "T-80008", "resolver", "chat-small")
    store = home / "s.sqlite3"
    with open_runs(store) as runs:
        keeper = Dying(begin(plan, runs, run_ids(plan, runs), STARTED), 4)
        with pytest.raises(Killed):
            triage(plan, supplies.shop, keeper)
    text = " ".join(cli("trace", "T-80008", "--store", store).stdout.split())

    assert "T-80008-resolver-chat-small-1: running" in text
    assert "next: handrail resume T-80008-resolver-chat-small-1 --store " in text

    with closing(connect(store)) as db, tx(db):
        abandon_run(db, keeper.run_id)
    assert "next:" not in cli("trace", "T-80008", "--store", store).stdout


def test_resuming_with_other_data_is_refused_in_words(
    cli: Cli, home: Path, supplies: Supplies, larkfield: Path
) -> None:
    plan = plan_of(supplies, "T-80008", "resolver", "chat-small")
    store = home / "s.sqlite3"
    with open_runs(store) as runs:
        keeper = Dying(begin(plan, runs, run_ids(plan, runs), STARTED), 4)
        with pytest.raises(Killed):
            triage(plan, supplies.shop, keeper)
    done = cli("resume", "T-80008", "--store", store, "--data", larkfield / "c10")

    assert done.exit_code == 2
    assert "start a new run" in done.stderr


def test_trace_takes_a_run_or_a_ticket_and_ends_as_the_run_did(cli: Cli) -> None:
    ran = cli("run", "T-64872", "--trace").stdout
    by_run = cli("trace", "T-64872-resolver-chat-small-1").stdout
    by_ticket = cli("trace", "T-64872").stdout

    assert by_run == by_ticket
    assert by_run.startswith("run T-64872-resolver-chat-small-1: valid\nvalid | resolver | ")
    rows = ran.split("\n\n")[0]
    assert rows in by_run


def test_runs_lists_the_newest_first_and_counts(cli: Cli) -> None:
    cli("run", "T-80008")
    cli("run", "T-64872")
    lines = cli("runs").stdout.splitlines()

    assert lines[0].endswith("T-64872-resolver-chat-small-1  valid (finished)")
    assert lines[1].endswith("T-80008-resolver-chat-small-1  valid (finished)")
    assert lines[2:] == ["2 runs"]


def test_an_export_is_the_journal_unchanged_and_replays(cli: Cli, home: Path) -> None:
    cli("run", "T-80008")
    with open_runs(home / "store" / "handrail.sqlite3") as runs:
        lines = runs.lines("T-80008-resolver-chat-small-1")
    printed = cli("export", "T-80008")
    written = cli("export", "T-80008", "out.jsonl")
    again = cli("run", "T-80008", "--recordings", "out.jsonl", "--no-store")

    assert printed.stdout.splitlines() == lines
    assert (home / "out.jsonl").read_text("utf-8") == printed.stdout
    assert (home / "out.jsonl").stat().st_mode & 0o777 == 0o600
    assert written.stdout == ""
    assert again.exit_code == 0


def test_an_export_overwrites_nothing(cli: Cli, home: Path) -> None:
    cli("run", "T-80008")
    (home / "out.jsonl").write_text("mine", encoding="utf-8")
    done = cli("export", "T-80008", "out.jsonl")

    assert done.exit_code == 2
    assert (home / "out.jsonl").read_text("utf-8") == "mine"


def test_a_damaged_journal_line_is_named_and_the_rest_is_shown(cli: Cli, home: Path) -> None:
    cli("run", "T-80008")
    store = home / "store" / "handrail.sqlite3"
    _damage(store, "T-80008-resolver-chat-small-1", 3)
    done = cli("trace", "T-80008")

    assert done.exit_code == 0
    assert "warning: journal of run T-80008-resolver-chat-small-1, line 4: " in done.stderr
    assert "valid | resolver" in done.stdout


def _damage(store: Path, run_id: str, seq: int) -> None:
    db = connect(store)
    with tx(db):
        changed(db, "UPDATE journal SET line = '{' WHERE run_id = ? AND seq = ?", (run_id, seq))
    db.close()

"""Slips at the command line: one message and status 2, and nothing of anybody's is changed."""

from __future__ import annotations

import os
import re
import shlex
import sqlite3
import stat
from pathlib import Path

import pytest

from approvals import StoreUnusable
from bot.commands.run import _kept_so_far
from bot.errors import BotError
from bot.keeper import Keeper
from loop import PRICES
from recordings import SHIPPED_RECORDINGS, read_recordings
from tests.bot.conftest import Cli

READING = (
    ("runs",),
    ("trace", "T-80008"),
    ("export", "T-80008"),
    ("resume", "T-80008"),
    ("proposals", "list"),
    ("proposals", "show", "P-7KM-4XQ"),
    ("proposals", "execute"),
    ("audit", "verify"),
    ("audit", "export"),
    ("backup", "b.sqlite3"),
    ("reconcile",),
    ("purge", "--older-than", "1"),
    ("migrate", "--dry-run"),
)
WRITING = (
    ("run", "T-80008"),
    ("migrate",),
    ("restore", "b.sqlite3"),
    ("shop", "reset"),
    ("changes",),
)
NOT_UTF8 = "T-\udcff"
LONG = "n" * 300


def foreign(path: Path) -> bytes:
    """Make another program's database, open to everybody, and return its bytes."""
    theirs = sqlite3.connect(path)
    theirs.execute("CREATE TABLE runs (id INTEGER)")
    theirs.close()
    path.chmod(0o644)
    return path.read_bytes()


@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_what_reads_or_decides_makes_no_store(
    cli: Cli, home: Path, command: tuple[str, ...]
) -> None:
    done = cli(*command)

    assert done.exit_code == 2
    assert "error: there is no store" in done.stderr
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("command", READING + WRITING, ids=" ".join)
def test_another_programs_database_is_refused_and_left_alone(
    cli: Cli, home: Path, command: tuple[str, ...]
) -> None:
    theirs = home / "theirs.db"
    before = foreign(theirs)
    (home / "b.sqlite3").write_bytes(b"")
    done = cli(*command, "--store", theirs)

    assert done.exit_code == 2
    assert "Traceback" not in done.stderr
    assert theirs.read_bytes() == before
    assert stat.S_IMODE(theirs.stat().st_mode) == 0o644
    made = {path.name for path in home.iterdir()} - {"theirs.db", "b.sqlite3"}
    assert made == set()


@pytest.mark.parametrize(
    "args",
    [
        ("trace", NOT_UTF8),
        ("run", NOT_UTF8),
        ("show", NOT_UTF8),
        ("forget", NOT_UTF8, "--yes"),
        ("run", "T-80008", "--model", NOT_UTF8),
        ("run", "T-80008", "--profile", NOT_UTF8),
        ("run", "T-80008", "--limit", f"max_steps={NOT_UTF8}"),
        ("run", "T-80008", "--requested-by", NOT_UTF8),
        ("tickets", "--slice", NOT_UTF8),
        ("proposals", "settle", NOT_UTF8, "--outcome", "done", "--as", "U", "--reason", "r"),
    ],
    ids=lambda args: args[0],
)
def test_an_argument_that_is_not_utf8_is_one_message(cli: Cli, args: tuple[str, ...]) -> None:
    done = cli(*args)

    assert done.exit_code == 2
    assert "is not UTF-8 text" in done.stderr


@pytest.mark.parametrize("option", ["--data", "--recordings", "--store"])
def test_a_name_that_is_too_long_or_empty_is_one_message(cli: Cli, option: str) -> None:
    long, empty = cli("run", "T-80008", option, LONG), cli("run", "T-80008", option, "")

    assert (long.exit_code, empty.exit_code) == (2, 2)
    assert "File name too long" in long.stderr
    assert "is empty; name a path, or leave it out" in empty.stderr


@pytest.mark.parametrize("command", [("runs",), ("run", "T-80008")], ids=" ".join)
def test_a_link_to_nothing_is_no_place_for_a_store(
    cli: Cli, home: Path, command: tuple[str, ...]
) -> None:
    (home / "link").symlink_to(home / "nothing")
    done = cli(*command, "--store", home / "link")

    assert done.exit_code == 2
    assert "a link to a file that does not exist" in done.stderr


@pytest.mark.parametrize(
    "loss", ["DROP TABLE journal", "DROP TABLE migrations", "DELETE FROM migrations"]
)
def test_a_store_that_lost_a_part_is_one_message(cli: Cli, home: Path, loss: str) -> None:
    store = home / "store" / "handrail.sqlite3"
    cli("run", "T-80008")
    with sqlite3.connect(store) as db:
        db.execute(loss)
    db.close()
    done = cli("trace", "T-80008")

    assert done.exit_code == 2
    assert "has lost a part" in done.stderr


@pytest.mark.parametrize("name", [".env", "handrail.toml"])
@pytest.mark.parametrize("kind", ["folder", "link", "pipe"])
def test_settings_that_are_no_file_are_refused(cli: Cli, home: Path, name: str, kind: str) -> None:
    match kind:
        case "folder":
            (home / name).mkdir()
        case "link":
            (home / name).symlink_to("nothing")
        case _:
            os.mkfifo(home / name)
    done = cli("tickets")

    assert done.exit_code == 2
    assert done.stderr.startswith(f"error: {name}: ")


def test_an_empty_path_in_the_settings_is_refused(cli: Cli, home: Path) -> None:
    (home / "handrail.toml").write_text('data = ""\n', "utf-8")
    done = cli("tickets")

    assert "handrail.toml, field data: is empty; name a path" in done.stderr


def test_what_is_no_file_is_not_read_as_one(cli: Cli, home: Path) -> None:
    os.mkfifo(home / "pipe.jsonl")
    (home / "data").mkdir()
    os.mkfifo(home / "data" / "tasks.jsonl")

    for args in (
        ("run", "T-80008", "--recordings", home / "pipe.jsonl"),
        ("run", "T-80008", "--recordings", "/dev/zero"),
        ("tickets", "--data", home / "data"),
    ):
        done = cli(*args)
        assert done.exit_code == 2
        assert "is not a file" in done.stderr


def test_an_empty_data_folder_is_refused(cli: Cli, home: Path) -> None:
    (home / "data").mkdir()
    done = cli("tickets", "--data", "data")

    assert done.exit_code == 2
    assert "data: holds no ticket" in done.stderr


def test_a_slip_in_a_slice_names_what_there_is(cli: Cli) -> None:
    close, far = cli("tickets", "--slice", "polcy"), cli("tickets", "--slice", "zzz")

    assert (close.exit_code, far.exit_code) == (2, 2)
    assert "did you mean policy?" in close.stderr
    assert "there are: " in far.stderr


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--limit", "max_steps=1", "--limit", "max_steps=2"), "gives max_steps twice"),
        (("--limit", "max_steps=1_0"), "is a whole number, or none for no limit"),
        (("--limit", "max_steps=\u0664"), "is a whole number, or none for no limit"),
        (("--limit", "max_cost_usd=1e-3"), "is a number, such as 1.5, or none for no limit"),
        (("--limit", "max_seconds=1_0.5"), "is a number, such as 1.5, or none for no limit"),
        (("--today", "20261009"), "is a day such as 2026-10-09"),
        (("--today", "2026-W41-5"), "is a day such as 2026-10-09"),
    ],
)
def test_numbers_and_days_have_one_form(cli: Cli, args: tuple[str, ...], said: str) -> None:
    done = cli("run", "T-80008", *args)

    assert done.exit_code == 2
    assert said in done.stderr


def test_no_recording_names_the_profile_and_the_model(cli: Cli) -> None:
    done = cli("run", "T-80008", "--model", "other", "--match", "sequence")

    assert "for ticket T-80008 with profile resolver and model other;" in " ".join(
        done.stdout.split()
    )


def test_a_run_whose_store_is_full_says_that_it_is_kept_and_how_to_go_on() -> None:
    first = read_recordings(SHIPPED_RECORDINGS / "resolver.jsonl", PRICES).recordings[0]
    with (
        pytest.raises(BotError, match="run r-1 is kept as running") as refused,
        _kept_so_far(Keeper("r-1", None, first.entries[:1])),
    ):
        raise StoreUnusable("the disk is full")

    assert refused.value.hint == "handrail resume r-1 goes on with it"


def test_a_run_whose_store_was_full_at_its_first_step_is_to_be_begun_anew() -> None:
    with (
        pytest.raises(BotError, match="run r-1 did not begin") as refused,
        _kept_so_far(Keeper("r-1", None)),
    ):
        raise StoreUnusable("the disk is full")

    assert refused.value.hint == "once the store takes entries, run the ticket again"


def test_a_next_line_works_as_it_is_pasted(cli: Cli, home: Path) -> None:
    done = cli("run", "T-64872", "--store", home / "a store.sqlite3")
    steps = re.findall(r"^next: handrail (.+)$", done.stdout, re.MULTILINE)

    assert len(steps) == 2
    assert [cli(*shlex.split(step)).exit_code for step in steps] == [0, 0]


def test_an_export_goes_to_stdout_by_the_usual_name(cli: Cli) -> None:
    cli("run", "T-80008")

    assert cli("export", "T-80008", "-").stdout == cli("export", "T-80008").stdout != ""


def test_a_run_is_not_gone_on_with_over_other_recordings(cli: Cli, home: Path) -> None:
    store = home / "store" / "handrail.sqlite3"
    cli("run", "T-80008")
    cli("export", "T-80008", home / "other.jsonl")
    with sqlite3.connect(store) as db:
        db.execute("UPDATE runs SET state = 'running', result = NULL, reason = NULL")
        db.execute("DELETE FROM journal WHERE seq > 2")
    db.close()
    text = (home / "other.jsonl").read_text("utf-8")
    (home / "other.jsonl").write_text(text.replace("garden shed", "garden bench"), "utf-8")
    refused = cli("resume", "T-80008", "--recordings", home / "other.jsonl")
    resumed = cli("resume", "T-80008")

    assert refused.exit_code == 2
    assert "was begun with other recordings" in refused.stderr
    assert resumed.exit_code == 0, resumed.stderr

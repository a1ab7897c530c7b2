"""``handrail tickets``, ``show``, ``triage`` and the command itself."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bot.conftest import Cli

ROOT = Path(__file__).resolve().parents[2]


def test_tickets_lists_each_and_counts_them(cli: Cli) -> None:
    lines = cli("tickets").stdout.splitlines()

    assert lines[-1] == f"{len(lines) - 1} tickets"
    assert len(lines) > 40
    assert max(map(len, lines)) <= 80


def test_tickets_of_one_kind(cli: Cli) -> None:
    lines = cli("tickets", "--slice", "failure").stdout.splitlines()

    assert lines[-1] == f"{len(lines) - 1} tickets"
    assert all(re.match(r"T-\d{5}  failure {5}! ", line) for line in lines[:-1])


def test_show_says_what_came_and_only_on_request_what_is_expected(cli: Cli) -> None:
    plain, full = cli("show", "T-64872").stdout, cli("show", "T-64872", "--expected").stdout

    assert "ticket    T-64872 of customer C-59678\n" in plain
    assert "expected" not in plain
    assert full.startswith(plain)
    assert "amount 37.45, reason_code RFD-DOUBLE, payment_id PAY-739156-2" in " ".join(full.split())
    assert "rule      W7\n" in full


def test_triage_shows_each_thread_and_a_closing_table(cli: Cli) -> None:
    done = cli("triage", "--only", "T-64872", "--only", "T-80006")
    lines = done.stdout.splitlines()

    assert done.exit_code == 0
    assert max(map(len, lines)) <= 90
    assert "[1/5] T-64872 · resolver · gemma3:4b · B56" in lines
    assert "customer  two payments taken for my terracotta pots, LK-739156" in lines
    assert "          [ Approve ]  [ Reject ]" in lines
    assert "customer  (no text)" in lines
    assert "  repeated_call              1" in lines
    assert lines[-1] == "1 change proposed, each waits for a person; nothing was changed."


def test_triage_says_what_it_shows_and_shows_one_thread_of_each_outcome(cli: Cli) -> None:
    lines = cli("triage", "--profile", "assistant").stdout.splitlines()
    runs = [line for line in lines if re.match(r"\[ *[0-9]+/", line)]
    (heading,) = [line for line in lines if "one of each outcome (--all: every one)" in line]
    threads = int(heading.split()[0])

    assert "runs of shipped tickets" in lines[0]
    assert "they are to fail" in lines[1]
    assert 2 <= threads <= 6
    assert len(runs) == int(lines[0].split()[0]) + threads
    assert len(set(runs)) > threads


def test_triage_shows_every_thread_on_request(cli: Cli) -> None:
    done = cli("triage", "--profile", "assistant", "--all")
    count = int(done.stdout.split()[0])

    assert done.stdout.count("customer  ") == count


@pytest.mark.parametrize("profile", ["resolver", "assistant", "desk"])
def test_triage_finds_a_recording_for_every_request(cli: Cli, profile: str) -> None:
    done = cli("triage", "--profile", profile, "--brief")

    assert done.exit_code == 0
    assert "no_recording" not in done.stdout
    assert len(done.stdout.splitlines()) > 15


def test_triage_reads_no_settings_and_keeps_nothing(cli: Cli, home: Path) -> None:
    (home / "handrail.toml").write_text("broken = [", encoding="utf-8")
    done = cli("triage", "--brief", "--only", "T-80008", HANDRAIL_MAX_STEPS="nonsense")

    assert done.exit_code == 0
    assert [path.name for path in home.iterdir()] == ["handrail.toml"]


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_teaches_with_examples(cli: Cli, flag: str) -> None:
    for command in ((), ("run",), ("triage",), ("trace",)):
        done = cli(*command, flag)

        assert done.exit_code == 0
        assert re.search(r"Examples:\n +handrail ", done.stdout)


def test_the_example_of_a_fault_ends_well(cli: Cli) -> None:
    (example,) = re.findall(r"handrail (run .*--fault.*)", cli("run", "--help").stdout)
    done = cli(*example.split())

    assert done.exit_code == 0, done.output
    assert "simulated fault" in done.stdout


def test_version(cli: Cli) -> None:
    assert cli("--version").stdout.startswith("handrail ")


def test_without_a_command_the_help_is_shown(cli: Cli) -> None:
    done = cli()

    assert done.exit_code == 2
    assert "Usage: handrail" in done.stderr


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_python_m_bot_is_the_command_at_any_terminal(home: Path, encoding: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bot", "show", "T-64917"],
        cwd=home,
        env={"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )

    assert done.returncode == 0
    assert done.stdout.startswith(b"ticket    T-64917 of customer ")
    assert done.stderr == b""


def test_colours_are_for_terminals_alone(cli: Cli) -> None:
    assert "\x1b" not in cli("run", "T-80008").stdout

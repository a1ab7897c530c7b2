"""``handrail eval`` and ``handrail compare`` at the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from recordings import SHIPPED_RECORDINGS
from tests.bot.approving import words
from tests.bot.conftest import Cli

FAILURES = ("eval", "--slice", "failure")


def result(cli: Cli, *args: str) -> Any:
    return json.loads(cli(*FAILURES, *args, "--save", "-").stdout)


def test_the_shipped_failures_come_to_what_their_labels_say(cli: Cli) -> None:
    """Faults of the shop are met by the run and by the writes; a refusal hands over."""
    runs = result(cli)["runs"]

    assert len(runs) == 8
    assert {run["ticket_id"]: run["success"] for run in runs if not run["success"]} == {}
    assert {run["ticket_id"]: run["came_to"] for run in runs}["T-90605"] == "hand_to_person"
    assert sum(run["changes"] for run in runs) == 4


def test_the_report_names_the_figures_and_the_misses(cli: Cli) -> None:
    done = cli("eval", "--profile", "desk", "--approve", "all")

    assert done.exit_code == 0
    assert "18 runs over replies that were written by hand" in words(done)
    assert "agrees on needing a person" in done.stdout
    assert "miss T-80003 run 1" in words(done)
    assert "did what is forbidden" in words(done)


def test_an_approver_who_reads_labels_lets_nothing_wrong_happen(cli: Cli) -> None:
    done = cli("eval", "--profile", "desk", "--save", "-")

    assert sum(run["forbidden"] + run["unexpected"] for run in json.loads(done.stdout)["runs"]) == 0


@pytest.mark.parametrize(
    ("floor", "status"), [("50%", 0), ("success=1", 0), ("team=0.5", 1), ("99.9%", 0)]
)
def test_a_share_below_the_floor_fails_the_command(cli: Cli, floor: str, status: int) -> None:
    assert cli(*FAILURES, "--fail-under", floor).exit_code == status


def test_a_share_that_misses_the_floor_is_named(cli: Cli) -> None:
    done = cli("eval", "--profile", "desk", "--fail-under", "99%")

    assert done.exit_code == 1
    assert "success is 88.9%, below 99.0%" in done.stderr


@pytest.mark.parametrize("floor", ["much", "150%", "-1", "nothing=0.5", "nan"])
def test_a_floor_that_is_no_share_is_wrong_use(cli: Cli, floor: str) -> None:
    assert cli(*FAILURES, "--fail-under", floor).exit_code == 2


def test_unknown_kinds_and_models_are_told_what_there_is(cli: Cli) -> None:
    kind = cli("eval", "--slice", "nothing")
    model = cli("eval", "--model", "nothing")

    assert (kind.exit_code, model.exit_code) == (2, 2)
    assert "failure" in kind.stderr
    assert "no ticket has a recording of profile resolver and model nothing" in model.stderr


def test_the_page_holds_every_trace_and_nothing_that_loads_or_runs(cli: Cli, home: Path) -> None:
    page = home / "report.html"
    done = cli("eval", "--slice", "adversarial", "--html", page)
    text = page.read_text(encoding="utf-8")

    assert done.exit_code == 0
    assert text.count("<details") == 8
    assert text.startswith("<!doctype html>")
    assert [tag for tag in ("<script", "src=", "@import", "url(") if tag in text] == []


def test_a_miss_leads_to_its_trace_which_is_open(cli: Cli, home: Path) -> None:
    page = home / "report.html"
    cli("eval", "--profile", "desk", "--approve", "all", "--html", page)
    text = page.read_text(encoding="utf-8")
    linked = re.findall(r'href="#([^"]+)"', text)

    assert linked == re.findall(r'<details id="([^"]+)" open', text)
    assert "T-80003-1" in linked
    assert text.count("<details") == 18


def test_the_reference_tickets_come_to_this_over_our_replies(cli: Cli, larkfield: Path) -> None:
    """Our replies were written for tickets of our own wording: some in another language."""
    runs = {
        approve: {
            run["ticket_id"]: run
            for run in json.loads(
                cli(
                    *("eval", "--data", larkfield / "c10", "--match", "sequence"),
                    *("--approve", approve, "--save", "-"),
                ).stdout
            )["runs"]
        }
        for approve in ("labels", "all")
    }

    for found in runs.values():
        missed = {ticket: run["result"] for ticket, run in found.items() if not run["success"]}
        assert (len(found), len(missed)) == (64, 12)
        assert sorted(missed.values()) == ["failed"] * 3 + ["rejected"] * 8 + ["valid"]
        assert missed["T-90408"] == "valid"
        for count in ("forbidden", "said", "unexpected", "duplicates"):
            assert sum(run[count] for run in found.values()) == 0
    # Its label names no payment, our reply names the order's one: signed by no reader of labels.
    assert [run["T-90408"]["came_to"] for run in runs.values()] == ["hand_to_person", "resolve"]
    changes = [sum(run["changes"] for run in found.values()) for found in runs.values()]
    assert changes == [25, 26]


def test_what_a_ticket_says_is_text_on_the_page(cli: Cli, home: Path) -> None:
    data = Path(__file__).resolve().parents[2] / "tools" / "practice" / "data"
    own = home / "data"
    own.mkdir()
    for file in data.iterdir():
        text = file.read_text(encoding="utf-8")
        (own / file.name).write_text(
            text.replace("Why do I pay double?", "<script>alert(1)</script>"), encoding="utf-8"
        )
    page = home / "report.html"
    done = cli("eval", "--data", own, "--match", "sequence", "--html", page)

    assert done.exit_code == 0
    assert "<script" not in page.read_text(encoding="utf-8")
    assert "&lt;script&gt;alert(1)" in page.read_text(encoding="utf-8")


def test_nothing_is_overwritten(cli: Cli, home: Path) -> None:
    (home / "kept.json").write_text("mine", encoding="utf-8")
    done = cli(*FAILURES, "--save", home / "kept.json")

    assert done.exit_code == 2
    assert (home / "kept.json").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    "command",
    [
        ("eval", "--save"),
        ("eval", "--html"),
        ("explore", "missing.jsonl", "--html"),
        ("calibrate", "missing.jsonl", "--svg"),
    ],
)
@pytest.mark.parametrize("name", ["kept.json", "nowhere/new.json"])
def test_a_file_that_cannot_be_written_is_refused_before_the_work(
    cli: Cli, home: Path, command: tuple[str, ...], name: str
) -> None:
    """Before: what cannot be read is not looked at, and half an hour of runs is not lost."""
    (home / "kept.json").write_text("mine", encoding="utf-8")
    done = cli(*command, home / name, HANDRAIL_RECORDINGS="missing.jsonl")

    assert done.exit_code == 2
    assert name in "".join(done.stderr.split())
    assert "missing" not in done.stderr
    assert [file.name for file in home.glob("*.json")] == ["kept.json"]


def test_two_results_are_compared_and_their_limits_named(cli: Cli, home: Path) -> None:
    cli("eval", "--save", home / "a.json")
    cli("eval", "--limit", "max_steps=2", "--save", home / "b.json")
    done = cli("compare", home / "a.json", home / "b.json")

    assert done.exit_code == 0
    assert "unlike limit max_steps: 8 and 2" in words(done)
    assert "unlike things" not in words(done)
    assert "0, 11 tickets" in words(done)
    assert "T-90103" in words(done)


def test_results_of_other_data_are_called_unlike_things(cli: Cli, home: Path) -> None:
    cli(*FAILURES, "--save", home / "a.json")
    kept = json.loads((home / "a.json").read_text(encoding="utf-8"))
    kept["identity"]["data"] = "0" * 64
    (home / "b.json").write_text(json.dumps(kept), encoding="utf-8")

    assert "these are unlike things" in words(cli("compare", home / "a.json", home / "b.json"))


def test_a_file_that_is_no_result_is_named(cli: Cli, home: Path) -> None:
    (home / "a.json").write_text("{}", encoding="utf-8")
    done = cli("compare", home / "a.json", home / "a.json")

    assert done.exit_code == 2
    assert "a.json" in done.stderr


def test_a_try_that_may_have_cost_something_makes_the_cost_a_least_one_as_in_a_run(
    cli: Cli, home: Path
) -> None:
    shipped = (SHIPPED_RECORDINGS / "resolver.jsonl").read_text(encoding="utf-8").splitlines()
    lines = [line for line in shipped if '"run":"T-64872-' in line]
    tried = (
        '"attempts":[{"fault":"timeout","status":null,"latency_us":1,"asked_wait_us":null,'
        '"waited_us":0,"begun":false}]'
    )
    text = "\n".join(lines).replace('"attempts":[]', tried, 1)
    assert tried in text
    file = home / "tried.jsonl"
    file.write_text(text, encoding="utf-8")

    run = cli("run", "T-64872", "--recordings", file)
    scored = cli("eval", "--recordings", file)

    (known,) = re.findall(r"at least US\$[0-9.]+", run.stdout)
    assert re.search(rf"^cost +{re.escape(known)}$", scored.stdout, re.MULTILINE)

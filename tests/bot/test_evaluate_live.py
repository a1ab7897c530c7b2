"""``handrail eval --live``: a model's server is asked, scored, and kept as recordings."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loop import PRICES
from recordings import SHIPPED_RECORDINGS, Recording, read_recordings
from tests.bot.conftest import Cli
from tests.bot.test_live import write_settings
from tests.live_runs import turns_of
from tests.provider import KEY, Provider, fails, serving
from tools import SHIPPED_DATA

TICKETS = ("T-64811", "T-64872")
RECORDED: dict[str, Recording] = {
    found.ticket_id: found
    for found in read_recordings(SHIPPED_RECORDINGS / "resolver.jsonl", PRICES).recordings
}


@pytest.fixture
def data(home: Path) -> Path:
    """The shipped data with two tickets."""
    folder = home / "data"
    shutil.copytree(SHIPPED_DATA, folder)
    lines = (folder / "tasks.jsonl").read_text("utf-8").splitlines(keepends=True)
    kept = [line for line in lines if json.loads(line)["task_id"] in TICKETS]
    (folder / "tasks.jsonl").write_text("".join(kept), "utf-8")
    return folder


@pytest.fixture
def provider(home: Path) -> Iterator[Provider]:
    """A provider that answers both tickets as they were recorded."""
    with serving() as opened:
        write_settings(home, opened.url, "free = true\n")
        opened.turns[:] = [turn for ticket in TICKETS for turn in turns_of(RECORDED[ticket])]
        yield opened


def scored(cli: Cli, data: Path, *args: str | Path) -> Any:
    done = cli("eval", "--model", "local", "--data", data, *args, "--save", "-", TEST_KEY=KEY)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_a_model_that_is_asked_is_scored_and_its_recordings_score_the_same(
    cli: Cli, home: Path, data: Path, provider: Provider
) -> None:
    live = scored(cli, data, "--live", "--record", home / "runs")

    assert {run["ticket_id"]: run["success"] for run in live["runs"]} == dict.fromkeys(
        TICKETS, True
    )
    assert (live["identity"]["match"], live["identity"]["model"]) == ("live", "local")
    assert len(provider.seen) == sum(len(RECORDED[each].exchanges) for each in TICKETS)

    replayed = scored(cli, data, "--recordings", home / "runs")

    assert len(provider.seen) == sum(len(RECORDED[each].exchanges) for each in TICKETS)
    assert [run["success"] for run in replayed["runs"]] == [True, True]
    assert replayed["identity"]["prompt"] == live["identity"]["prompt"]


def test_repeats_ask_again_and_each_is_a_recording_of_its_own(
    cli: Cli, home: Path, data: Path, provider: Provider
) -> None:
    provider.turns[:] = [
        turn for ticket in TICKETS for _ in range(2) for turn in turns_of(RECORDED[ticket])
    ]

    live = scored(cli, data, "--live", "--repeat", "2", "--record", home / "runs")

    assert [(run["ticket_id"], run["run"]) for run in live["runs"]] == [
        (ticket, run) for ticket in TICKETS for run in (1, 2)
    ]
    assert len(list((home / "runs").iterdir())) == 4


def test_a_provider_that_refuses_is_a_run_without_an_answer(
    cli: Cli, data: Path, provider: Provider
) -> None:
    provider.turns[:] = [fails(401, "no"), *turns_of(RECORDED[TICKETS[1]])]

    live = scored(cli, data, "--live")

    assert [(run["stop"], run["success"]) for run in live["runs"]] == [
        ("provider_error", False),
        ("finished", True),
    ]


def test_a_model_without_a_server_is_refused_before_any_run(cli: Cli, data: Path) -> None:
    done = cli("eval", "--live", "--data", data)

    assert done.exit_code == 2
    assert 'models."chat-small".base_url: is not given' in done.stderr

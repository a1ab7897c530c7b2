"""A kill at every boundary of an execution ends in one write for each action and a true state.

The shop is a process of its own, and so is each life of the store's process; every kill is a
SIGKILL. The boundaries are found by instruments: see ``tests.harness.boundaries``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.harness.processes import module

LONGEST_S = 600


def sweep(folder: Path, *options: object) -> list[dict[str, Any]]:
    """Run a sweep and return what it tells of each kill, and of the life that none ended."""
    process = module("tests.harness.sweep", folder, *options)
    out, _ = process.communicate(timeout=LONGEST_S)
    assert process.returncode == 0
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.parametrize(
    ("options", "actions"),
    [
        pytest.param(["--twice"], 1, id="one refund, and the recovery is killed too"),
        pytest.param(["--actions", 2], 2, id="a refund and a label"),
        pytest.param(
            ["--promises", "forgetful", "--pause-s", 3600, "--approved"],
            1,
            id="a shop that ignores keys, an hour later",
        ),
    ],
)
def test_a_kill_at_any_boundary_ends_in_one_write_and_a_true_state(
    tmp_path: Path, options: list[object], actions: int
) -> None:
    *kills, last = sweep(tmp_path, *options)

    assert [kill for kill in kills if kill["operations"] != [["done", 1]] * actions] == []
    assert {kill["state"] for kill in [*kills, last]} == {"done"}
    assert [kill for kill in kills if kill["acknowledged"] and kill["found"] == "waiting"] == []
    assert last["killed_at"] == []
    assert {kill["found"] for kill in kills} >= {"approved", "executing", "done"}
    met = {kill["killed_at"][0] for kill in kills}
    assert met >= {
        "open",
        "BEGIN IMMEDIATE",
        "INSERT INTO audit",
        "UPDATE operations",
        "UPDATE jobs",
        "COMMIT",
        "connection.connect_tcp.started",
        "http11.send_request_body.started",
        "http11.send_request_body.complete",
        "http11.receive_response_headers.complete",
        "http11.response_closed.complete",
    }

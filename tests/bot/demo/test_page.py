"""``handrail demo`` with its page: it arrives, starts over, and goes without a trace."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bot.demo.programs import PATIENCE_S, Served, started

SPEED = ("--speed", "50")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """A demo whose page listens at a free port, and that is at an end afterwards."""
    with started(tmp_path, *SPEED, "--no-open", "--port", "0") as program:
        place = Served(program, tmp_path)
        yield place
        place.http.close()


def test_tickets_arrive_and_are_answered_and_it_starts_over(served: Served) -> None:
    served.wait_for_tickets(3)
    served.wait_for_draft("T-80008")
    before = [each.name for each in served.folder.iterdir()]

    answer = served.http.post("/page/reset", headers={"X-Page-Token": served.token()})
    after = [each.name for each in served.folder.iterdir()]

    assert answer.status_code == 200
    assert len(served.tickets()) < 3
    assert (len(before), len(after)) == (1, 1)
    assert before != after
    served.wait_for_tickets(1)
    served.wait_for_draft("T-80008")


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_ends_it_well_however_often_it_is_pressed(served: Served, times: int) -> None:
    for _ in range(times):
        served.program.send_signal(signal.SIGINT)
    _, err = served.program.communicate(timeout=PATIENCE_S)

    assert served.program.returncode == 0
    assert err == "stopped; nothing of the demo is left\n"
    assert list(served.folder.iterdir()) == []


def test_a_port_that_is_taken_is_said_and_nothing_is_left(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with started(tmp_path, *SPEED, "--no-open", "--port", str(port)) as program:
            _, err = program.communicate(timeout=PATIENCE_S)

    assert program.returncode == 2
    assert err.splitlines() == [
        f"error: port {port} of 127.0.0.1 is taken by another program",
        "hint: Stop that program, or choose another port; 0 takes any free one.",
    ]
    assert list(tmp_path.iterdir()) == []

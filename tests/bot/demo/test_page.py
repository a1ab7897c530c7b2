"""``handrail demo`` with its page: it arrives, starts over, and goes without a trace."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from bot.demo.cast import CHANNEL
from bot.workspace import Identity
from tests.bot.demo.test_headless import started

PATIENCE_S = 60.0
LOOK_S = 0.1
LOOKS = 600


class Served:
    """A demo that serves its page."""

    def __init__(self, program: subprocess.Popen[str], folder: Path) -> None:
        assert program.stdout is not None
        self.program = program
        self.folder = folder
        self.url = ""
        while not self.url:
            line = program.stdout.readline()
            assert line, "the demo ended before its page was there"
            found = re.search(r"http://\S+/", line)
            self.url = found[0] if found else ""
        self.http = httpx.Client(base_url=self.url, timeout=PATIENCE_S)

    def token(self) -> str:
        """Return what the page's requests bring along."""
        found = re.search(r'name="page-token" content="([\w-]+)"', self.http.get("/").text)
        assert found is not None
        return found[1]

    def tickets(self) -> list[str]:
        """Return the tickets in the channel, the newest first."""
        return [each["text"].split()[0] for each in self._read("history")]

    def wait_for_tickets(self, count: int) -> None:
        """Wait until so many have arrived."""
        self._until(lambda: len(self.tickets()) >= count)

    def wait_for_draft(self, ticket_id: str) -> None:
        """Wait until a ticket's thread holds its draft."""
        (ticket,) = [each for each in self._read("history") if ticket_id in each["text"]]
        words = f"Draft for {ticket_id}"
        self._until(lambda: words in str(self._read("replies", ts=ticket["ts"])))

    def _read(self, what: str, **args: str) -> list[dict[str, Any]]:
        answer = self.http.post(
            f"/api/conversations.{what}",
            data={"channel": CHANNEL, **args},
            headers={"Authorization": f"Bearer {Identity().bot_token}"},
        ).json()
        found: list[dict[str, Any]] = answer.get("messages", [])
        return found

    def _until(self, condition: Callable[[], bool]) -> None:
        looks = threading.Event()
        for _ in range(LOOKS):
            if condition():
                return
            looks.wait(LOOK_S)
        raise AssertionError("it did not come true in time")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """A demo whose page listens at a free port, and that is at an end afterwards."""
    with started(tmp_path, "--no-open", "--port", "0") as program:
        place = Served(program, tmp_path)
        yield place
        place.http.close()
        program.kill()


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
        with started(tmp_path, "--no-open", "--port", str(port)) as program:
            _, err = program.communicate(timeout=PATIENCE_S)

    assert program.returncode == 2
    assert err.splitlines() == [
        f"error: port {port} of 127.0.0.1 is taken by another program",
        "hint: Stop that program, or choose another port; 0 takes any free one.",
    ]
    assert list(tmp_path.iterdir()) == []

"""The demo as a program of its own, started and asked about from outside."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from bot.demo.cast import CHANNEL
from bot.workspace import Identity

__all__ = ["PATIENCE_S", "ROOT", "Served", "started"]

ROOT = Path(__file__).resolve().parents[3]
PATIENCE_S = 60.0
LOOK_S = 0.05
LOOKS = int(PATIENCE_S / LOOK_S)


@contextmanager
def started(folder: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """Start the demo with neither terminal nor screen; what it keeps lies in the folder.

    It is killed at the end, where it has not ended by itself.
    """
    with subprocess.Popen(
        [sys.executable, "-m", "bot", "demo", *options],
        stdin=subprocess.DEVNULL,
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"], "TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as program:
        try:
            yield program
        finally:
            program.kill()


class Served:
    """A demo that serves its page, once that is there."""

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
        self._until(lambda: f"Draft for {ticket_id}" in str(self._thread(ticket_id)))

    def _thread(self, ticket_id: str) -> list[dict[str, Any]]:
        found = [each["ts"] for each in self._read("history") if ticket_id in each["text"]]
        return self._read("replies", ts=found[0]) if found else []

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

"""Every boundary of a process, found by instruments: where it may be killed, and with what order.

A boundary is a moment between two things that outlive the process or leave it. Nobody lists them:
SQLite's own trace tells of each statement before it runs, BEGIN and COMMIT included, on every
connection that is opened; httpcore's own trace tells of each step of a call, its start and its
end. The moment behind a statement is the moment before whatever comes next, so it is met too.

To be used in a process of its own, which dies of it: the way to open a connection is replaced for
good. (An audit hook would see it too, but gets the connection before it can be used.)
"""

from __future__ import annotations

import os
import signal
import sqlite3
import threading
from collections.abc import Callable
from typing import Any

import httpx

from tools import HttpClient
from tools.http.client import Answer

Meet = Callable[[str], None]


class Boundaries:
    """Counts the boundaries that this process meets, from 1, and names each to a listener."""

    def __init__(self, met: Callable[[int, str], None]) -> None:
        self._met = met
        self._lock = threading.Lock()  # the main thread and the writer's both meet some
        self._count = 0

    def meet(self, name: str) -> None:
        """Count one."""
        with self._lock:
            self._count += 1
            self._met(self._count, name)

    def watch_store(self) -> None:
        """Meet a boundary at each connection opened from now on, and before each statement."""
        plain = sqlite3.connect

        def connect(*args: Any, **named: Any) -> sqlite3.Connection:
            self.meet("open")
            connection: sqlite3.Connection = plain(*args, **named)
            connection.set_trace_callback(lambda sql: self.meet(first_words(sql)))
            return connection

        vars(sqlite3)["connect"] = connect  # its many overloads are not worth repeating here


class TracedClient(HttpClient):
    """The shop's client, with httpcore's trace passed on to whoever sets ``meet``."""

    meet: Meet = staticmethod(lambda _: None)

    def _call(self, request: httpx.Request, timeout_s: float) -> Answer:
        request.extensions["trace"] = lambda name, _: self.meet(name)
        return super()._call(request, timeout_s)


def first_words(sql: str) -> str:
    """Return what kind of statement it is, and of which table where that comes early."""
    words = sql.replace("(", " ").split()
    keep = 3 if words[0] in ("INSERT", "DELETE") else 2
    return " ".join(words[:keep])


def die() -> None:
    """End this process as a power cut would: nothing is flushed, nothing is told."""
    os.kill(os.getpid(), signal.SIGKILL)

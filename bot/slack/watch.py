"""Watching the socket: one that looks alive and delivers nothing is replaced, and gaps are read.

A socket's pings say that its other end is there, not that Slack sends anything over it. So after
each connection, and after a long silence, the channels are read; a silence in which something was
posted means that the socket is deaf.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Final, Protocol

from bot.slack.pages import Reads

__all__ = ["Socket", "Watch"]

LOOK_EVERY_S: Final = 5.0
QUIET_S: Final = 300.0
"""A silence of this length is looked into."""
READ_AGAIN_S: Final = 60.0
"""After a reading that left something out, and after word that Slack leaves events out: it does so
for a minute at a time (docs.slack.dev, "app_rate_limited")."""
_HELLO: Final = '"type":"hello"'
_LIMITED: Final = '"type":"app_rate_limited"'
_log: Final = logging.getLogger("handrail.slack")


class Socket(Protocol):
    """What is asked of a Socket Mode client."""

    def connect_to_new_endpoint(self, force: bool = False) -> None:  # noqa: FBT001, FBT002 - Slack's
        """Open a new connection in place of the present one."""
        ...


class Watch:
    """Watches one socket. ``heard`` is for the client's message listeners.

    Args:
        catch_up: reads what was missed.
        monotonic: seconds.
    """

    def __init__(self, catch_up: Reads, *, monotonic: Callable[[], float]) -> None:
        self._catch_up = catch_up
        self._monotonic = monotonic
        self._heard = monotonic()
        self._read_at = monotonic()  # not before this moment
        self._gap = True
        self._rest = False  # the last reading left something
        self._wake = threading.Event()
        self._stopped = False
        self._thread: threading.Thread | None = None

    def start(self, socket: Socket) -> None:
        """Look now and then, on a thread of its own."""
        self._thread = threading.Thread(target=self._run, args=(socket,), name="watch")
        self._thread.start()

    def stop(self) -> None:
        """Return when the look that was begun is over."""
        self._stopped = True
        self._wake.set()
        if self._thread is not None:
            self._thread.join()

    def heard(self, frame: str) -> None:
        """Note a frame of Slack's. A greeting begins a connection: what came before it is read."""
        self._heard = self._monotonic()
        start = frame[:500].replace(" ", "")
        if _HELLO in start:
            self._gap = True
            self._wake.set()
        elif _LIMITED in start:
            self._gap, self._read_at = True, self._heard + READ_AGAIN_S

    def look(self, socket: Socket) -> None:
        """Read a gap, and replace a socket that is deaf."""
        now = self._monotonic()
        quiet = now - self._heard > QUIET_S
        if not (self._gap or self._rest or quiet) or now < self._read_at:
            return
        after_connection, afresh = self._gap or self._rest, self._gap or quiet
        self._gap = False  # from here on another may come
        read = self._catch_up(afresh=afresh)
        self._rest = not read.whole
        if self._rest:
            self._read_at = max(self._read_at, now + READ_AGAIN_S)
        elif quiet:
            self._heard = now
        if read.found and quiet and not after_connection:
            _log.warning("the socket was silent while they were posted; it is replaced")
            self._heard = now
            socket.connect_to_new_endpoint(force=True)

    def _run(self, socket: Socket) -> None:
        while not self._stopped:
            self.look(socket)
            self._wake.wait(LOOK_EVERY_S)
            self._wake.clear()

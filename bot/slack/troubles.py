"""Troubles with Slack that last: said once when each begins, and once when it is over."""

from __future__ import annotations

import logging
import threading
from typing import Final

__all__ = ["REFUSED", "Troubles", "shut", "unread"]

REFUSED: Final = "Slack refuses all that we call"
"""The name of that trouble."""

_log: Final = logging.getLogger("handrail.slack")


class Troubles:
    """What stands in the log already. Shared by all threads of a process."""

    def __init__(self) -> None:
        self._told: set[str] = set()
        self._lock = threading.Lock()

    def tell(self, trouble: str, text: str, *values: object) -> None:
        """Log an error, unless this trouble was told and is not over.

        Args:
            trouble: names it; the same name is the same trouble.
            text: what happened and what to do, as for ``logging``.
            values: for the text.
        """
        with self._lock:
            if trouble in self._told:
                return
            self._told.add(trouble)
        _log.error(text, *values)

    def over(self, trouble: str) -> None:
        """Note that something works. Where it was told that it did not, that is told too."""
        with self._lock:
            if trouble not in self._told:
                return
            self._told.discard(trouble)
        _log.warning("over: %s", trouble)


def shut(channel: str) -> str:
    """Name the trouble of a channel that takes nothing of ours."""
    return f"Slack refuses all that we post in {channel}"


def unread(channel: str) -> str:
    """Name the trouble that a channel cannot be read."""
    return f"{channel} cannot be read"

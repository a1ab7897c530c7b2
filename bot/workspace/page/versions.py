"""The versions of messages that screens show, so that a press means what was on the screen."""

from __future__ import annotations

from collections import OrderedDict

from bot.workspace.messages import Message

__all__ = ["Versions"]

MOST = 5_000


class Versions:
    """The versions that were sent to a page, the newest ``MOST`` of them.

    Used on the server's event loop alone.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str, str], Message] = OrderedDict()

    def keep(self, message: Message) -> str:
        """Keep a version and return its name, unique among the versions of its message."""
        name = message.edited_ts or message.ts
        key = (message.channel, message.ts, name)
        if self._kept.get(key) != message:
            self._kept[key] = message
            while len(self._kept) > MOST:
                self._kept.popitem(last=False)
        return name

    def find(self, channel: str, ts: str, name: str) -> Message | None:
        """Return a version that is kept; None if it is too old."""
        return self._kept.get((channel, ts, name))

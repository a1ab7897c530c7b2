"""Where the messages lie: by channel, and the replies by their root.

Time stamps only grow, so the order of insertion is the order of time.
"""

from __future__ import annotations

from bot.workspace.messages import Message

__all__ = ["Shelf"]


class Shelf:
    """The present version of every message."""

    def __init__(self) -> None:
        self._channels: dict[str, dict[str, Message]] = {}
        self._threads: dict[tuple[str, str], dict[str, None]] = {}

    def put(self, message: Message) -> None:
        """Store a message, or a new version of one in its old place."""
        self._channels.setdefault(message.channel, {})[message.ts] = message
        if message.is_reply and message.thread_ts is not None:
            thread = self._threads.setdefault((message.channel, message.thread_ts), {})
            thread[message.ts] = None

    def get(self, channel: str, ts: str) -> Message | None:
        """Return a message, or None."""
        return self._channels.get(channel, {}).get(ts)

    def remove(self, message: Message) -> None:
        """Take a message away."""
        self._channels[message.channel].pop(message.ts, None)
        if message.thread_ts is not None:
            self._threads.get((message.channel, message.thread_ts), {}).pop(message.ts, None)

    def history(self, channel: str) -> list[Message]:
        """Return what the channel itself shows, the oldest first."""
        return [m for m in self._channels.get(channel, {}).values() if m.in_channel]

    def everything(self, channel: str) -> list[Message]:
        """Return all messages of a channel, replies too, the oldest first."""
        return list(self._channels.get(channel, {}).values())

    def replies(self, channel: str, root: str) -> list[Message]:
        """Return the replies below a message, the oldest first."""
        inside = self._channels.get(channel, {})
        return [inside[ts] for ts in self._threads.get((channel, root), ())]

"""What the workspace holds: people, channels, messages, open views. One lock, one bell.

Every change happens inside ``changing()``, which wakes those who wait for a condition and tells
the watchers.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

from bot.workspace.clock import Clock
from bot.workspace.errors import NotPossible, TookTooLong
from bot.workspace.messages import Message
from bot.workspace.people import Channel, Group, User
from bot.workspace.shelf import Shelf
from bot.workspace.surfaces import View

__all__ = ["State", "direct_id"]

T = TypeVar("T")


class State:
    """The workspace's memory; nothing of it outlives the process."""

    def __init__(
        self,
        clock: Clock,
        users: Iterable[User],
        groups: Iterable[Group],
        channels: Iterable[Channel],
    ) -> None:
        self.clock = clock
        self.users = {user.id: user for user in users}
        self.groups = {group.id: group for group in groups}
        self.channels = {channel.id: channel for channel in channels}
        self.messages = Shelf()
        self.ephemerals: list[Message] = []
        self.views: dict[str, View] = {}
        self.stacks: dict[str, list[str]] = {}
        self.homes: dict[str, str] = {}
        self.watchers: list[Callable[[], None]] = []
        self._bell = threading.Condition(threading.RLock())
        self._last_us = 0
        self._numbers = itertools.count(1)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Hold the lock; at the end wake the waiting and tell the watchers."""
        with self._bell:
            yield
            self._bell.notify_all()
        for told in tuple(self.watchers):
            told()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold the lock without waking anybody."""
        with self._bell:
            yield

    def wait_for(self, condition: Callable[[], T | None], *, seconds: float, what: str) -> T:
        """Wait until ``condition`` gives something true, and return that.

        Raises:
            TookTooLong: after so many seconds of real time.
        """
        with self._bell:
            found = self._bell.wait_for(condition, seconds)
        if not found:
            raise TookTooLong(
                f"{what} did not come true within {seconds} s",
                hint="A held clock stands still: advance it if a retry or a time-out is awaited.",
            )
        return found

    def clear(self) -> None:
        """Forget every message and view; people, groups and channels stay, and time goes on."""
        with self.changing():
            self.messages = Shelf()
            for kept in (self.ephemerals, self.views, self.stacks, self.homes):
                kept.clear()

    def new_ts(self) -> str:
        """Return the next message time stamp: unique, growing, six digits after the point."""
        self._last_us = max(self._last_us + 1, int(self.clock.now() * 1_000_000))
        return f"{self._last_us // 1_000_000}.{self._last_us % 1_000_000:06}"

    def new_id(self, prefix: str) -> str:
        """Return an id that no other thing of this workspace has."""
        return f"{prefix}0{next(self._numbers):08}"

    def message(self, channel: str, ts: str) -> Message:
        """Return the present version of a message.

        Raises:
            NotPossible: if there is none.
        """
        found = self.messages.get(channel, ts)
        if found is None:
            raise NotPossible(f"there is no message {ts} in {channel}")
        return found

    def names(self) -> dict[str, str]:
        """Return the id of each user by name."""
        return {user.name: user.id for user in self.users.values()}

    def direct(self, user: User, bot_user: str) -> Channel:
        """Return the direct messages of the bot with a person, opened if there are none yet."""
        opened = Channel(
            id=direct_id(user.id),
            name=f"direct-{user.name}",
            members=(user.id, bot_user),
            is_private=True,
            is_direct=True,
        )
        return self.channels.setdefault(opened.id, opened)

    def change_channel(self, channel_id: str, **changes: object) -> Channel:
        """Replace fields of a channel."""
        changed = replace(self.channels[channel_id], **changes)  # type: ignore[arg-type]
        self.channels[channel_id] = changed
        return changed


def direct_id(user_id: str) -> str:
    """Return the id of the direct messages with a person."""
    return f"D{user_id[1:]}"

"""What the poster may not call yet: a method, a channel, or anything at all.

Only for as long as the process lives: one that starts anew finds out again, at the cost of a call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

__all__ = ["Holds"]


class Holds:
    """Until when what is held. All times are microseconds since 1970.

    Args:
        now_us: the time.
    """

    def __init__(self, now_us: Callable[[], int]) -> None:
        self._now_us = now_us
        self._full: dict[str, int] = {}
        self._shut: dict[str, int] = {}
        self._methods: dict[str, int] = {}
        self._progress_us = 0
        self._all_us = 0

    def pace(self, channel: str, wait_us: int) -> None:
        """Let a channel take no new message for a while; edits and private answers go on."""
        self._full[channel] = self._now_us() + wait_us

    def progress(self, wait_us: int) -> None:
        """Send nothing that only shows progress for a while."""
        self._progress_us = self._now_us() + wait_us

    def channel(self, channel: str, wait_us: int) -> int:
        """Call nothing in a channel for a while, and return until when."""
        self._shut[channel] = self._now_us() + wait_us
        return self._shut[channel]

    def method(self, method: str, wait_us: int) -> int:
        """Do not call a method for a while, and return until when."""
        self._methods[method] = self._now_us() + wait_us
        return self._methods[method]

    def everything(self, wait_us: int) -> int:
        """Call nothing at all for a while, and return until when."""
        self._all_us = self._now_us() + wait_us
        return self._all_us

    @property
    def all_held(self) -> bool:
        """Whether nothing at all may be called."""
        return self._all_us > self._now_us()

    @property
    def progress_held(self) -> bool:
        """Whether what only shows progress has to wait."""
        return self._progress_us > self._now_us()

    @property
    def full_channels(self) -> list[str]:
        """The channels that take no new message."""
        return self._later(self._full)

    @property
    def shut_channels(self) -> list[str]:
        """The channels in which nothing may be called."""
        return self._later(self._shut)

    @property
    def closed_methods(self) -> list[str]:
        """The methods that may not be called."""
        return self._later(self._methods)

    def next_us(self) -> int | None:
        """Return when the next of all holds ends; None where there is none."""
        now_us = self._now_us()
        named = (*self._full.values(), *self._shut.values(), *self._methods.values())
        ends = (*named, self._progress_us, self._all_us)
        return min((us for us in ends if us > now_us), default=None)

    def _later(self, times: Mapping[str, int]) -> list[str]:
        now_us = self._now_us()
        return [name for name, us in times.items() if us > now_us]

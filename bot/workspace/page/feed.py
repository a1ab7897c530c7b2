"""The live feed: the rows that changed, as Server-Sent Events, to every open window."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

from bot.workspace.page.rows import Row

__all__ = ["Bell", "feed"]

GATHER_SECONDS = 0.03
"""What changes within this time goes out together."""
BEAT_SECONDS = 15.0
"""So often a silent feed says that it is there."""


class Bell:
    """Rings in every window's feed, from any thread."""

    def __init__(self) -> None:
        self._waiting: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}

    def ring(self) -> None:
        """Say that something changed."""
        for event, loop in list(self._waiting.items()):
            if not loop.is_closed():
                loop.call_soon_threadsafe(event.set)

    def listen(self) -> asyncio.Event:
        """Return an event of the running loop that is set at each ring."""
        event = asyncio.Event()
        self._waiting[event] = asyncio.get_running_loop()
        return event

    def leave(self, event: asyncio.Event) -> None:
        """Ring this event no more."""
        self._waiting.pop(event, None)


async def feed(
    bell: Bell,
    look: Callable[[], Iterable[tuple[str, Row]]],
    *,
    beat_seconds: float = BEAT_SECONDS,
) -> AsyncIterator[str]:
    """Yield the whole table once, then what changes in it, for as long as somebody reads."""
    event = bell.listen()
    sent: dict[str, Row] | None = None
    try:
        while True:
            event.clear()
            now = dict(look())
            change = _change(sent, now)
            if change is not None:
                yield f"data: {json.dumps(change)}\n\n"
            sent = now
            async for beat in _quiet(event, beat_seconds):
                yield beat
            await asyncio.sleep(GATHER_SECONDS)
    finally:
        bell.leave(event)


async def _quiet(event: asyncio.Event, beat_seconds: float) -> AsyncIterator[str]:
    """Wait for a ring, with a sign of life now and then."""
    while True:
        try:
            await asyncio.wait_for(event.wait(), beat_seconds)
        except TimeoutError:
            yield ": here\n\n"
        else:
            return


def _change(before: dict[str, Row] | None, now: dict[str, Row]) -> dict[str, Any] | None:
    old = before or {}
    changed = {key: row for key, row in now.items() if old.get(key) != row}
    dropped = [key for key in old if key not in now]
    if before is not None and not changed and not dropped:
        return None
    return {"fresh": before is None, "set": changed, "drop": dropped}

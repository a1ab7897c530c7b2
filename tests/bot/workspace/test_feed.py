"""The feed of a window: everything at first, then what changed and nothing else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from bot.workspace.page.feed import Bell, feed

Rows = dict[str, dict[str, Any]]


async def read(sent: AsyncIterator[str]) -> dict[str, Any]:
    """Return the next change."""
    text = await asyncio.wait_for(anext(sent), 5)
    change: dict[str, Any] = json.loads(text.removeprefix("data: "))
    return change


def watched(script: Callable[[Rows, Bell, AsyncIterator[str]], Awaitable[None]]) -> None:
    """Run a script over a table, its bell and a window's feed of it."""

    async def run() -> None:
        rows: Rows = {"a": {"n": 1}, "b": {"n": 1}}
        bell = Bell()
        sent = feed(bell, lambda: list(rows.items()))
        await script(rows, bell, sent)

    asyncio.run(run())


def test_a_window_is_sent_the_whole_table_first() -> None:
    async def script(rows: Rows, _bell: Bell, sent: AsyncIterator[str]) -> None:
        assert await read(sent) == {"fresh": True, "set": rows, "drop": []}

    watched(script)


def test_after_a_ring_it_is_sent_what_changed_and_what_is_gone() -> None:
    async def script(rows: Rows, bell: Bell, sent: AsyncIterator[str]) -> None:
        await read(sent)
        del rows["a"]
        rows |= {"b": {"n": 1}, "c": {"n": 1}}
        bell.ring()
        assert await read(sent) == {"fresh": False, "set": {"c": {"n": 1}}, "drop": ["a"]}

    watched(script)


def test_a_ring_without_a_change_sends_nothing() -> None:
    async def script(rows: Rows, bell: Bell, sent: AsyncIterator[str]) -> None:
        await read(sent)
        bell.ring()
        following = asyncio.ensure_future(read(sent))
        await asyncio.sleep(0)
        rows["a"] = {"n": 2}
        bell.ring()
        assert await following == {"fresh": False, "set": {"a": {"n": 2}}, "drop": []}

    watched(script)


def test_a_silent_feed_says_that_it_is_there() -> None:
    async def run() -> None:
        sent = feed(Bell(), list, beat_seconds=0.01)
        await anext(sent)
        assert await asyncio.wait_for(anext(sent), 5) == ": here\n\n"

    asyncio.run(run())


def test_a_bell_rings_no_window_that_has_left() -> None:
    async def run() -> None:
        bell = Bell()
        left, here = bell.listen(), bell.listen()
        bell.leave(left)
        bell.ring()
        await asyncio.wait_for(here.wait(), 5)
        assert not left.is_set()

    asyncio.run(run())

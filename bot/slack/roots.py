"""The messages that threads begin with: which of them are in a channel's history.

Those that are not were deleted, or could not be read. Of one that lies behind what was read neither
is known: a busy channel has more in a week than is read at a time.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bot.slack.pages import CaughtUp, Pages

__all__ = ["HISTORY", "Roots", "missing_of", "older_roots"]

HISTORY: Final = "conversations.history"


@dataclass(frozen=True, slots=True, kw_only=True)
class Roots:
    """Roots of threads in a part of a channel's history.

    Attributes:
        found: by time stamp.
        missing: time stamps of those that should be in that part and are not.
        rest: up to where the history is still to be read; None where all of it was.
    """

    found: Mapping[str, Mapping[str, Any]]
    missing: frozenset[str]
    rest: str | None


def older_roots(
    pages: Pages, channel: str, wanted: Collection[str], *, until: str, read: CaughtUp
) -> Roots:
    """Read roots of tickets, the newest first, as many pages as are read at a time.

    Args:
        pages: reads.
        channel: in which.
        wanted: time stamps; those after ``until`` are left out.
        until: where to begin.
        read: told of what Slack did not give.

    Raises:
        LeftOut: Slack did not give the rest.
    """
    wanted = frozenset(ts for ts in wanted if ts <= until)
    if not wanted:
        return Roots(found={}, missing=frozenset(), rest=None)
    place = {"channel": channel, "oldest": min(wanted), "latest": until, "inclusive": True}
    found: dict[str, Mapping[str, Any]] = {}
    reached, more = until, False
    for page in pages.pages(HISTORY, place, read):
        found |= {each["ts"]: each for each in page.messages if each["ts"] in wanted}
        reached = min((each["ts"] for each in page.messages), default=reached)
        more = page.more
    return Roots(
        found=found,
        missing=missing_of(wanted, found, since=reached if more else min(wanted)),
        rest=reached if more else None,
    )


def missing_of(wanted: Collection[str], found: Collection[str], *, since: str) -> frozenset[str]:
    """Return what was not found, and would have been: its message is not before ``since``."""
    return frozenset(ts for ts in wanted if ts >= since and ts not in found)

"""Looking for a message of ours: was it posted, although no answer came?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bot.slack.calls import Answer, Calls, Refused, Took
from bot.slack.intake import Us
from bot.slack.store.posts import METADATA_TYPE

__all__ = ["LOOK_UPS", "Absent", "Found", "Look", "find_posted"]

LOOK_UPS: Final = ("conversations.history", "conversations.replies")
"""The methods that a look-up calls."""
PAGE: Final = 200
MOST_PAGES: Final = 10
"""How far back to look; a message that was just lost stands near the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """It is there. ``in_thread`` is false for one that Slack put into the channel itself."""

    ts: str
    in_thread: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """It is not there. ``thread_gone``: nor is the message that it was to answer."""

    thread_gone: bool = False


Look = Found | Absent | Answer
"""An answer instead says that the look-up itself came to nothing."""


def find_posted(calls: Calls, us: Us, *, channel: str, thread_ts: str | None, key: str) -> Look:
    """Look for the message with a key, among our own bot's messages only.

    A reply to a message that was deleted is put into the channel by Slack, so for a thread that is
    gone the channel is searched as well.
    """
    if thread_ts is None:
        return _search(calls, us, "conversations.history", {"channel": channel}, key)
    place = {"channel": channel, "ts": thread_ts}
    found = _search(calls, us, "conversations.replies", place, key)
    if not (isinstance(found, Refused) and found.code == "thread_not_found"):
        return found
    match _search(calls, us, "conversations.history", {"channel": channel}, key):
        case Found() as stray:
            return Found(ts=stray.ts, in_thread=False)
        case Absent():
            return Absent(thread_gone=True)
        case unclear:
            return unclear


def _search(calls: Calls, us: Us, method: str, place: Mapping[str, str], key: str) -> Look:
    cursor = ""
    for _ in range(MOST_PAGES):
        args: dict[str, Any] = {**place, "include_all_metadata": True, "limit": PAGE}
        answer = calls.read(method, **args, **({"cursor": cursor} if cursor else {}))
        if not isinstance(answer, Took):
            return answer
        for ts in _with_key(answer.data, us, key):
            return Found(ts=ts)
        cursor = (answer.data.get("response_metadata") or {}).get("next_cursor") or ""
        if not cursor:
            break
    return Absent()


def _with_key(data: Mapping[str, Any], us: Us, key: str) -> Iterator[str]:
    for message in data.get("messages", []):
        ours = message.get("bot_id") == us.bot_id or message.get("user") == us.user_id
        metadata = message.get("metadata") or {}
        payload = metadata.get("event_payload") or {}
        same = metadata.get("event_type") == METADATA_TYPE and payload.get("key") == key
        if ours and same:
            yield message["ts"]

"""Taking in what the gate stored: messages, and what befalls the app and its channels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from sqlite_utils import Database

from bot.slack.blocks import note
from bot.slack.lifecycle import LIFECYCLE
from bot.slack.reader import Reader
from bot.slack.remedies import remedy
from bot.slack.store.inbox import Delivery, DeliveryKind
from bot.slack.store.outbox import put_post
from bot.slack.store.posts import message_post
from bot.slack.taking import Apply
from bot.slack.troubles import REFUSED, Troubles, shut
from bot.slack.words import threads as lines

__all__ = ["TakeIn"]


class TakeIn:
    """The ``Taker`` of stored messages.

    Args:
        reader: says what a message comes to.
        now_us: microseconds since 1970.
        troubles: told of what befalls the app and its channels.
    """

    kinds: Final = (DeliveryKind.MESSAGE, DeliveryKind.LIFECYCLE)

    def __init__(self, reader: Reader, *, now_us: Callable[[], int], troubles: Troubles) -> None:
        self._reader = reader
        self._now_us = now_us
        self._troubles = troubles

    def prepare(self, db: Database, delivery: Delivery) -> Apply:
        """Return what a message comes to; of what befalls the app the log is told."""
        if delivery.kind is DeliveryKind.MESSAGE:
            return self._reader.read(db, delivery)
        self._tell(delivery.payload)
        return _nothing

    def _tell(self, event: Mapping[str, Any]) -> None:
        """Say what befell us and what to do, unless a refusal of Slack's said it already."""
        kind, channel = str(event["type"]), event.get("channel")
        trouble = shut(channel) if isinstance(channel, str) else REFUSED
        to_do = remedy(LIFECYCLE[kind])
        self._troubles.tell(trouble, "Slack tells of %s: %s. To do: %s", kind, trouble, to_do)

    def bury(self, db: Database, delivery: Delivery) -> None:
        """Say in the thread of a message that it, or a change of it, could not be read."""
        channel, thread_ts = delivery.payload.get("channel"), _thread_of(delivery.payload)
        if isinstance(channel, str) and thread_ts is not None:
            post = message_post(
                note(lines.unreadable()),
                channel=channel,
                thread_ts=thread_ts,
                key=f"unreadable:{delivery.seq}",
            )
            put_post(db, post, now_us=self._now_us())


def _thread_of(event: Mapping[str, Any]) -> str | None:
    """Return the thread of what an event is about; None for a removal, which leaves none.

    The time stamp of a change is its own, and no message bears it.
    """
    match event.get("subtype"):
        case "message_deleted":
            return None
        case "message_changed":
            message = event["message"]
        case _:
            message = event
    found: str | None = message.get("thread_ts") or message.get("ts")
    return found


def _nothing(_db: Database) -> None:
    """Come to nothing."""

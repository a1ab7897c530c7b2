"""Taking in what the gate stored: messages, and what befalls the app and its channels."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from sqlite_utils import Database

from approvals.store import Writer
from bot.slack.blocks import note
from bot.slack.reader import Reader
from bot.slack.store.inbox import Delivery, DeliveryKind
from bot.slack.store.outbox import message_post, put_post
from bot.slack.taking import Apply, Taking
from bot.slack.troubles import Troubles
from bot.slack.words import threads as lines

__all__ = ["TakeIn"]

KINDS: Final = (DeliveryKind.MESSAGE, DeliveryKind.LIFECYCLE)
_log: Final = logging.getLogger("handrail.slack")


class TakeIn:
    """Takes stored messages one by one.

    Args:
        reader: says what a message comes to.
        writer: commits.
        now_us: microseconds since 1970.
        troubles: told where Slack cannot say who wrote.
    """

    def __init__(
        self, reader: Reader, *, writer: Writer, now_us: Callable[[], int], troubles: Troubles
    ) -> None:
        self._reader = reader
        self._now_us = now_us
        taking = Taking(
            KINDS,
            prepare=self._prepare,
            bury=self._bury,
            writer=writer,
            now_us=now_us,
            troubles=troubles,
        )
        self.step = taking.step

    def _prepare(self, db: Database, delivery: Delivery) -> Apply:
        if delivery.kind is DeliveryKind.MESSAGE:
            return self._reader.read(db, delivery)
        _log.warning("Slack says: %s; handrail doctor tells what to do", delivery.payload["type"])
        return _nothing

    def _bury(self, db: Database, delivery: Delivery) -> None:
        channel, ts = delivery.payload.get("channel"), delivery.payload.get("ts")
        if isinstance(channel, str):
            post = message_post(
                note(lines.unreadable()),
                channel=channel,
                thread_ts=delivery.payload.get("thread_ts") or ts,
                key=f"unreadable:{delivery.seq}",
            )
            put_post(db, post, now_us=self._now_us())


def _nothing(_db: Database) -> None:
    """Come to nothing."""

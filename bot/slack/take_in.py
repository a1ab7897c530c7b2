"""Taking in what the gate stored: messages, and what befalls the app and its channels."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from sqlite_utils import Database

from approvals.store import Writer
from bot.slack import lines
from bot.slack.blocks import note
from bot.slack.reader import Effect, Reader
from bot.slack.store.inbox import (
    Delivery,
    DeliveryKind,
    DeliveryState,
    fail_delivery,
    is_new,
    next_delivery,
    next_delivery_due_us,
    settle_delivery,
)
from bot.slack.store.outbox import message_post, put_post

__all__ = ["TakeIn"]

KINDS: Final = (DeliveryKind.MESSAGE, DeliveryKind.LIFECYCLE)
_log: Final = logging.getLogger("handrail.slack")


class TakeIn:
    """Takes stored messages one by one, in the order in which they came.

    Any number of processes may do so: what a message comes to and its mark are one commit, and
    whoever comes second finds the mark.

    Args:
        reader: says what a message comes to.
        writer: commits.
        now_us: microseconds since 1970.
    """

    def __init__(self, reader: Reader, *, writer: Writer, now_us: Callable[[], int]) -> None:
        self._reader = reader
        self._writer = writer
        self._now_us = now_us

    def step(self, db: Database) -> int | None:
        """Take everything that is due; return when the next one is to be tried again."""
        while delivery := next_delivery(db, kinds=KINDS, now_us=self._now_us()):
            self._take(db, delivery)
        return next_delivery_due_us(db, kinds=KINDS)

    def _take(self, db: Database, delivery: Delivery) -> None:
        try:
            effect = self._effect(db, delivery)
            self._writer.run(lambda w: _apply(w, delivery, effect))
        except Exception as error:  # noqa: BLE001 - kept by its type, tried again, told at the last
            name = type(error).__name__
            _log.warning("delivery %s could not be taken in: %s: %s", delivery.seq, name, error)
            self._writer.run(lambda w: self._fail(w, delivery, name))

    def _effect(self, db: Database, delivery: Delivery) -> Effect:
        if delivery.kind is DeliveryKind.MESSAGE:
            return self._reader.read(db, delivery)
        _log.warning("Slack says: %s; handrail doctor tells what to do", delivery.payload["type"])
        return _nothing

    def _fail(self, db: Database, delivery: Delivery, error: str) -> None:
        state = fail_delivery(db, delivery, error=error, now_us=self._now_us())
        channel, ts = delivery.payload.get("channel"), delivery.payload.get("ts")
        if state is DeliveryState.DEAD and isinstance(channel, str):
            post = message_post(
                note(lines.unreadable()),
                channel=channel,
                thread_ts=delivery.payload.get("thread_ts") or ts,
                key=f"unreadable:{delivery.seq}",
            )
            put_post(db, post, now_us=self._now_us())


def _apply(db: Database, delivery: Delivery, effect: Effect) -> None:
    if is_new(db, delivery.seq):
        effect(db)
        settle_delivery(db, delivery.seq)


def _nothing(db: Database) -> None:
    """Come to nothing."""

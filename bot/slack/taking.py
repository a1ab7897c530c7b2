"""Taking stored deliveries one by one, each in one commit together with its mark in the inbox."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from typing import Final, Protocol

from sqlite_utils import Database

from approvals.store import Writer
from bot.errors import BotError
from bot.slack.errors import MessageUnavailable, PersonUnavailable
from bot.slack.steady import AT_ONCE
from bot.slack.store.inbox import (
    Delivery,
    DeliveryKind,
    DeliveryState,
    fail_delivery,
    is_new,
    next_delivery,
    next_delivery_due_us,
    put_off_delivery,
    settle_delivery,
)

__all__ = ["Apply", "Taker", "Taking"]

Apply = Callable[[Database], None]
"""What a delivery comes to, applied inside ``tx()``."""

WHO_WAIT_US: Final = 15_000_000
"""How long a delivery waits before Slack is asked again who it is of."""
_log: Final = logging.getLogger("handrail.slack")


class Taker(Protocol):
    """Says what deliveries of some kinds come to."""

    @property
    def kinds(self) -> Collection[DeliveryKind]:
        """The kinds that are taken."""
        ...

    def prepare(self, db: Database, delivery: Delivery) -> Apply:
        """Say what a delivery comes to, outside any transaction, where it may ask Slack.

        What it raises is tried again.
        """
        ...

    def bury(self, db: Database, delivery: Delivery) -> None:
        """Tell people, inside ``tx()``, of a delivery that was given up."""
        ...


class Taking:
    """Takes the deliveries of some kinds, in the order in which they came or come due again.

    Any number of processes may do so: what a delivery comes to and its mark are one commit, and
    whoever comes second finds the mark.

    Args:
        taker: says what a delivery comes to.
        writer: commits.
        now_us: the time.
    """

    def __init__(
        self,
        taker: Taker,
        *,
        writer: Writer,
        now_us: Callable[[], int],
    ) -> None:
        self._taker = taker
        self._writer = writer
        self._now_us = now_us

    def step(self, db: Database) -> int | None:
        """Take what is due; return when the next one is to be tried.

        The step ends behind one for which Slack could not be asked: that may have taken long, and
        whoever wants to stop is not to wait for the next one too.
        """
        for _ in range(AT_ONCE):
            delivery = next_delivery(db, kinds=self._taker.kinds, now_us=self._now_us())
            if delivery is None or not self._take(db, delivery):
                break
        return next_delivery_due_us(db, kinds=self._taker.kinds)

    def _take(self, db: Database, delivery: Delivery) -> bool:
        """Take one; False where it was put off."""
        try:
            apply = self._taker.prepare(db, delivery)
            self._writer.run(lambda w: _settle(w, delivery, apply))
        except (PersonUnavailable, MessageUnavailable) as error:  # told where it was looked up
            self._put_off(delivery, error.code)
            return False
        except Exception as error:  # noqa: BLE001 - kept by its type, tried again, told at the last
            name, kind = type(error).__name__, delivery.kind.value
            if isinstance(error, BotError):
                _log.warning("a %s could not be taken: %s: %s", kind, name, error)
            else:
                _log.exception("a %s could not be taken", kind)
            self._writer.run(lambda w: self._fail(w, delivery, name))
        return True

    def _put_off(self, delivery: Delivery, code: str) -> None:
        """Keep a delivery until Slack says who it is of, or what, however long that takes."""
        at_us = self._now_us() + WHO_WAIT_US
        self._writer.run(lambda w: put_off_delivery(w, delivery, error=code, at_us=at_us))

    def _fail(self, db: Database, delivery: Delivery, error: str) -> None:
        state = fail_delivery(db, delivery, error=error, now_us=self._now_us())
        if state is DeliveryState.DEAD:
            self._taker.bury(db, delivery)


def _settle(db: Database, delivery: Delivery, apply: Apply) -> None:
    if is_new(db, delivery.seq):
        apply(db)
        settle_delivery(db, delivery.seq)

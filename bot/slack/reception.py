"""Takes what is neither a message nor a press: an opened App Home, and a command."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from sqlite_utils import Database

from approvals.store import Writer
from bot.slack import answers
from bot.slack.blocks import note
from bot.slack.commands import Commands
from bot.slack.decider import Effect
from bot.slack.errors import PersonUnavailable, PressRefused
from bot.slack.home import Home
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
from bot.slack.store.outbox import private_answer, put_post
from bot.slack.views import Message

__all__ = ["Reception"]

KINDS: Final = (DeliveryKind.HOME, DeliveryKind.COMMAND, DeliveryKind.SHORTCUT)
_log: Final = logging.getLogger("handrail.slack")


class Reception:
    """Takes deliveries one by one.

    Args:
        home: publishes App Home.
        commands: answers commands.
        writer: commits.
        now_us: the time.
    """

    def __init__(
        self, home: Home, commands: Commands, *, writer: Writer, now_us: Callable[[], int]
    ) -> None:
        self._home = home
        self._commands = commands
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
            self._writer.run(lambda w: self._settle(w, delivery, effect))
        except Exception as error:  # noqa: BLE001 - tried again, and a command is answered at last
            _log.exception("a %s failed", delivery.kind.value)
            name = type(error).__name__
            self._writer.run(lambda w: self._fail(w, delivery, name))

    def _effect(self, db: Database, delivery: Delivery) -> Effect:
        payload = delivery.payload
        match delivery.kind:
            case DeliveryKind.HOME if payload.get("tab", "home") == "home":
                self._home.publish(db, str(payload["user"]))
                return _nothing
            case DeliveryKind.COMMAND:
                user_id, text = str(payload["user_id"]), str(payload.get("text", ""))
                try:
                    return self._commands.prepare(db, user_id, text)
                except PersonUnavailable:
                    told = answers.person_unavailable()
                except PressRefused as error:
                    told = str(error)
                return lambda _w: note(told)
            case _:
                return _nothing  # another tab, or a shortcut of another release

    def _settle(self, db: Database, delivery: Delivery, effect: Effect) -> None:
        if not is_new(db, delivery.seq):
            return  # another process was first
        told = effect(db)
        settle_delivery(db, delivery.seq)
        if told is not None:
            self._answer(db, delivery, told)

    def _fail(self, db: Database, delivery: Delivery, error: str) -> None:
        state = fail_delivery(db, delivery, error=error, now_us=self._now_us())
        if state is DeliveryState.DEAD and delivery.kind is DeliveryKind.COMMAND:
            self._answer(db, delivery, note(answers.not_handled()))

    def _answer(self, db: Database, delivery: Delivery, told: Message) -> None:
        """Answer where the command was typed; where we are not, the poster sends it directly."""
        post = private_answer(
            told,
            channel=str(delivery.payload["channel_id"]),
            thread_ts=None,
            user_id=str(delivery.payload["user_id"]),
            key=f"answer:{delivery.seq}",
        )
        put_post(db, post, now_us=self._now_us())


def _nothing(_db: Database) -> None:
    """Come to nothing."""

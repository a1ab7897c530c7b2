"""Takes what is neither a message nor a press: an opened App Home, and a command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sqlite_utils import Database

from approvals.store import Writer
from bot.slack.blocks import note
from bot.slack.commands import Commands
from bot.slack.decider import Effect
from bot.slack.errors import PersonUnavailable, PressRefused
from bot.slack.home import Home
from bot.slack.store.inbox import Delivery, DeliveryKind
from bot.slack.store.outbox import private_answer, put_post
from bot.slack.taking import Apply, Taking
from bot.slack.troubles import Troubles
from bot.slack.views import Message
from bot.slack.words import answers

__all__ = ["Reception"]

KINDS: Final = (DeliveryKind.HOME, DeliveryKind.COMMAND, DeliveryKind.SHORTCUT)


class Reception:
    """Takes opened Homes and commands one by one.

    Args:
        home: publishes App Home.
        commands: answers commands.
        writer: commits.
        now_us: the time.
        troubles: told where Slack cannot say who somebody is.
    """

    def __init__(
        self,
        home: Home,
        commands: Commands,
        *,
        writer: Writer,
        now_us: Callable[[], int],
        troubles: Troubles,
    ) -> None:
        self._home = home
        self._commands = commands
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
        effect = self._effect(db, delivery)

        def apply(w: Database) -> None:
            told = effect(w)
            if told is not None:
                self._answer(w, delivery, told)

        return apply

    def _bury(self, db: Database, delivery: Delivery) -> None:
        if delivery.kind is DeliveryKind.COMMAND:
            self._answer(db, delivery, note(answers.not_handled()))

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

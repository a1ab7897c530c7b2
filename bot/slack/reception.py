"""Takes what is neither a message nor a press: an opened App Home, and a command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sqlite_utils import Database

from bot.slack.blocks import note
from bot.slack.commands import Commands
from bot.slack.decider import Effect
from bot.slack.errors import PersonUnavailable, PressRefused
from bot.slack.home import Home
from bot.slack.store.inbox import Delivery, DeliveryKind
from bot.slack.store.outbox import put_post
from bot.slack.store.posts import private_answer
from bot.slack.taking import Apply
from bot.slack.views import Message
from bot.slack.words import answers

__all__ = ["Reception"]


class Reception:
    """The ``Taker`` of opened Homes and of commands.

    Args:
        home: publishes App Home.
        commands: answers commands.
        now_us: the time.
    """

    kinds: Final = (DeliveryKind.HOME, DeliveryKind.COMMAND, DeliveryKind.SHORTCUT)

    def __init__(self, home: Home, commands: Commands, *, now_us: Callable[[], int]) -> None:
        self._home = home
        self._commands = commands
        self._now_us = now_us

    def prepare(self, db: Database, delivery: Delivery) -> Apply:
        """Publish a Home, or return what a command comes to."""
        effect = self._effect(db, delivery)

        def apply(w: Database) -> None:
            told = effect(w)
            if told is not None:
                self._answer(w, delivery, told)

        return apply

    def bury(self, db: Database, delivery: Delivery) -> None:
        """Answer a command that was given up."""
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

"""The decider: takes stored presses one by one, and answers each.

The gate has stored and acknowledged a press. Here the person is looked up, then what the press
asks for, its answer and its mark in the inbox are one commit: a process that is killed answers it
at its next start, two processes do it once, and the same press delivered twice is one press. What
is refused is rolled back whole, and the refusal is an answer too: no press is silent.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from sqlite_utils import Database

from approvals import (
    AlreadyDecided,
    ApprovalsError,
    Person,
    Policy,
    SecondNeeded,
    StoreError,
    VersionChanged,
)
from approvals.store import Writer
from bot.errors import BotError
from bot.slack.access import Access, Needs
from bot.slack.blocks import note, refusal
from bot.slack.cards import draw_card
from bot.slack.errors import PersonUnavailable, PressRefused
from bot.slack.press import Press, read_press
from bot.slack.press_places import answer_post, check_press
from bot.slack.refs import read_proposal_ref
from bot.slack.store.cards import card_place
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
from bot.slack.store.outbox import put_post
from bot.slack.views import Message
from bot.slack.words import answers

__all__ = ["Decider", "Effect", "Handler"]

KINDS: Final = (DeliveryKind.CLICK, DeliveryKind.SUBMISSION)

Effect = Callable[[Database], Message | None]
"""What a press comes to, applied inside ``tx()``: writes it and returns what to tell the person,
None where what they look at shows it. An ``ApprovalsError`` or a ``PressRefused`` rolls it back."""

_STALE: Final = (AlreadyDecided, VersionChanged, SecondNeeded)
"""Refusals that say that the card was not up to date."""
_log: Final = logging.getLogger("handrail.slack")


class Handler(NamedTuple):
    """What handles one kind of press.

    ``prepare`` gets the store and the press outside any transaction, where it may ask other
    services, and returns the effect. ``needs`` is checked before it.
    """

    needs: Needs
    prepare: Callable[[Database, Press, Person], Effect]


class Decider:
    """Takes presses of buttons and forms, on as many threads as there are steps of it.

    Args:
        access: looks people up.
        handlers: by action id and callback id.
        policy: in force; for cards that are drawn again.
        writer: commits.
        now_us: the time.
        after_home: told of a user who pressed a button in App Home, after the commit.
    """

    def __init__(
        self,
        *,
        access: Access,
        handlers: Mapping[str, Handler],
        policy: Policy,
        writer: Writer,
        now_us: Callable[[], int],
        after_home: Callable[[Database, str], None] | None = None,
    ) -> None:
        self._access = access
        self._handlers = dict(handlers)
        self._policy = policy
        self._writer = writer
        self._now_us = now_us
        self._after_home = after_home
        self._taken: set[int] = set()  # by threads of this process, at this moment
        self._lock = threading.Lock()

    def step(self, db: Database) -> int | None:
        """Take every press that is due; return when the next one is to be tried again."""
        while delivery := self._next(db):
            try:
                self._take(db, delivery)
            finally:
                self._let_go(delivery)
        return next_delivery_due_us(db, kinds=KINDS)

    def _next(self, db: Database) -> Delivery | None:
        """Return the oldest press that no other thread has in hand.

        One that waits for Slack, to know who somebody is, must not keep the next one waiting.
        """
        with self._lock:
            found = next_delivery(db, kinds=KINDS, now_us=self._now_us(), but=self._taken)
            if found is not None:
                self._taken.add(found.seq)
            return found

    def _let_go(self, delivery: Delivery) -> None:
        with self._lock:
            self._taken.discard(delivery.seq)

    def _take(self, db: Database, delivery: Delivery) -> None:
        press = read_press(delivery)
        if press is None:
            self._writer.run(lambda w: settle_delivery(w, delivery.seq))
            return
        try:
            self._decide(db, delivery, press)
        except Exception as error:  # noqa: BLE001 - tried again, then answered
            _log.exception("a press of %s failed", press.name)
            self._fail(delivery, press, type(error).__name__)
            return
        if press.home and self._after_home is not None:
            try:
                self._after_home(db, press.user_id)
            except BotError as error:  # it is drawn anew when it is opened again
                _log.warning("App Home was not drawn after a press: %s", error)

    def _decide(self, db: Database, delivery: Delivery, press: Press) -> None:
        try:
            effect = self._effect(db, press)
            self._commit(delivery, press, effect)
        except StoreError:
            raise
        except (ApprovalsError, PressRefused, PersonUnavailable) as error:
            refused = error  # the name of an except clause is gone after it
            self._commit(delivery, press, lambda w: self._refuse(w, delivery, press, refused))

    def _effect(self, db: Database, press: Press) -> Effect:
        handler = self._handlers.get(press.name)
        if handler is None:
            return lambda w: self._repair(w, press)
        person = self._access.look_up(press.user_id)
        check_press(db, self._access, handler.needs, person, press)
        return handler.prepare(db, press, person)

    def _commit(self, delivery: Delivery, press: Press, effect: Effect) -> None:
        def work(db: Database) -> None:
            if not is_new(db, delivery.seq):
                return  # another process was first
            told = effect(db)
            settle_delivery(db, delivery.seq)
            if told is not None:
                self._answer(db, delivery, press, told)

        self._writer.run(work)

    def _refuse(
        self,
        db: Database,
        delivery: Delivery,
        press: Press,
        error: ApprovalsError | PressRefused | PersonUnavailable,
    ) -> Message:
        ref = read_proposal_ref(press.value)
        if ref is not None and isinstance(error, _STALE):
            cause, now_us = f"press:{delivery.seq}", self._now_us()
            draw_card(db, self._policy, ref.proposal_id, cause=cause, now_us=now_us)
        match error:
            case PersonUnavailable():
                return note(answers.person_unavailable())
            case PressRefused():
                return note(str(error))
            case _:
                return refusal(error)

    def _repair(self, db: Database, press: Press) -> Message:
        """Answer a button that we do not know, and draw the card that it may stand on."""
        ref = read_proposal_ref(press.value)
        if ref is not None and card_place(db, ref.proposal_id) is not None:
            now_us = self._now_us()
            cause = f"old:{now_us}"
            draw_card(db, self._policy, ref.proposal_id, cause=cause, now_us=now_us)
        return note(answers.old_button())

    def _fail(self, delivery: Delivery, press: Press, error: str) -> None:
        def work(db: Database) -> None:
            state = fail_delivery(db, delivery, error=error, now_us=self._now_us())
            if state is DeliveryState.DEAD:
                self._answer(db, delivery, press, note(answers.not_handled()))

        self._writer.run(work)

    def _answer(self, db: Database, delivery: Delivery, press: Press, told: Message) -> None:
        post = answer_post(db, press, told, key=f"answer:{delivery.seq}")
        put_post(db, post, now_us=self._now_us())

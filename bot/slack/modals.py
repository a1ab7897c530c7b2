"""The forms: opened while a person waits, filled a moment later, checked when they are sent.

A trigger lives for three seconds. So a press that asks for a form opens an empty one at once, in
one call with a short time-out, and what it is to show is looked up after that. Opening changes no
state; a form that did not open says so, and the button may be pressed again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from sqlite_utils import Database

from approvals import ApprovalsError, Person
from approvals.store import Writer, connect
from bot.slack.access import Access, Needs
from bot.slack.amounts import amount_currency, read_refund
from bot.slack.blocks import note, skeleton_modal, told_modal
from bot.slack.calls import Calls, Limited, Lost, Refused, Took
from bot.slack.errors import PersonUnavailable, PressRefused
from bot.slack.markup import body as escaped
from bot.slack.press import Press, press_of
from bot.slack.press_places import answer_post, check_press
from bot.slack.refs import CallbackId, Field, from_home
from bot.slack.store.outbox import put_post
from bot.slack.views import View
from bot.slack.words import answers, forms
from bot.slack.words.common import NOT_NOW
from tools import IdForms, MoneyError

__all__ = ["Filler", "Modals"]

OPEN_TIMEOUT_S: Final = 2
"""For the one call that opens a form: Slack waits three seconds for our answer altogether."""
MAX_TOLD: Final = 1_000
_WRITTEN: Final[Mapping[str, str]] = {
    CallbackId.EDIT_DRAFT: f"{Field.TEXT}-1",
    CallbackId.ASK_AGAIN: Field.TEXT,
}
"""The forms that are for a text alone, with their first input: one of blanks is none."""
_CLOSED: Final = frozenset({"not_found", "view_not_found", "hash_conflict"})
"""The form was closed, or shows something newer, by the time it was to be filled."""
_log: Final = logging.getLogger("handrail.slack")

Fill = Callable[[Database, Press, Person], View]


class Filler:
    """What a press of one kind opens. ``fill`` may ask Slack; what it refuses is told instead."""

    def __init__(self, needs: Needs, fill: Fill) -> None:
        self.needs = needs
        self.fill = fill


class Modals:
    """Opens and checks forms: the gate's ``Forms``.

    Args:
        calls: the Web API with a time-out of ``OPEN_TIMEOUT_S``.
        store: the store's file.
        access: looks people up.
        fillers: by the action id of the button, or the callback id of the shortcut.
        ids: the forms of ticket and customer ids.
        writer: commits the answer to whoever got no form.
        now_us: the time.
    """

    def __init__(
        self,
        calls: Calls,
        *,
        store: Path,
        access: Access,
        fillers: Mapping[str, Filler],
        ids: IdForms,
        writer: Writer,
        now_us: Callable[[], int],
    ) -> None:
        self._ids = ids
        self._calls = calls
        self._store = store
        self._access = access
        self._fillers = dict(fillers)
        self._writer = writer
        self._now_us = now_us
        self._pool = ThreadPoolExecutor(4, thread_name_prefix="forms")

    def open(self, body: Mapping[str, Any]) -> bool:
        """Open the form that a press asks for; False where it asks for none. Never raises."""
        press = press_of(body)
        filler = None if press is None or press.is_form else self._fillers.get(press.name)
        if press is None or filler is None:
            return False
        trigger = str(body.get("trigger_id", ""))
        answer = self._calls.write("views.open", {"trigger_id": trigger, "view": skeleton_modal()})
        if isinstance(answer, Took):
            view = answer.data["view"]
            self._pool.submit(self._fill, press, filler, view["id"], view.get("hash"))
        else:
            _log.warning("a form did not open: %s", answer)
            self._pool.submit(self._say_late, press)
        return True

    def faults(self, body: Mapping[str, Any]) -> Mapping[str, str]:
        """Return what is wrong with a submitted form, by block id. Pure."""
        press = press_of(body)
        if press is None or not press.is_form:
            return {}
        found: dict[str, str] = {}
        asks_why = press.name in (CallbackId.REJECT, CallbackId.SETTLE)
        if asks_why and not press.fields.get(Field.REASON, "").strip():
            found[Field.REASON] = forms.REASON_NEEDED
        chosen = press.fields.get(Field.OUTCOME)
        if press.name == CallbackId.SETTLE and chosen not in ("done", "failed"):
            found[Field.OUTCOME] = forms.OUTCOME_NEEDED
        written = _WRITTEN.get(press.name)
        if written is not None and not "".join(press.fields.values()).strip():
            found[written] = forms.TEXT_NEEDED
        if press.name == CallbackId.EDIT_AMOUNT:
            found |= _amount_faults(press.fields)
        for field, form in ((Field.TICKET, self._ids.ticket), (Field.CUSTOMER, self._ids.customer)):
            typed = press.fields.get(field)
            if typed is not None and not form.fits(typed.strip().upper()):
                found[field] = forms.id_needed(form.words)
        return found

    def close(self) -> None:
        """Fill what was opened, then open no more."""
        self._pool.shutdown()

    def _fill(self, press: Press, filler: Filler, view_id: str, seen: str | None) -> None:
        try:
            view = self._view(press, filler)
        except Exception:  # noqa: BLE001 - nobody may look at an empty form for ever
            _log.exception("the form of %s could not be filled", press.name)
            view = told_modal(NOT_NOW, answers.not_handled())
        args = {"view_id": view_id, "view": view, **({"hash": seen} if seen else {})}
        answer = self._calls.write("views.update", args)
        if isinstance(answer, Lost | Limited):
            answer = self._calls.write("views.update", args)  # the same twice is no harm
        closed = isinstance(answer, Refused) and answer.code in _CLOSED
        if not isinstance(answer, Took) and not closed:
            _log.error("a form could not be shown: %s", answer)
            self._say_late(press)

    def _view(self, press: Press, filler: Filler) -> View:
        with closing(connect(self._store)) as db:
            try:
                person = self._access.look_up(press.user_id)
                check_press(db, self._access, filler.needs, person, press)
                return _marked(press, filler.fill(db, press, person))
            except PersonUnavailable:
                return told_modal(NOT_NOW, answers.person_unavailable())
            except ApprovalsError as error:
                return told_modal(forms.NOT_POSSIBLE, answers.refused(error, MAX_TOLD))
            except PressRefused as error:
                return told_modal(forms.NOT_POSSIBLE, escaped(str(error), MAX_TOLD))

    def _say_late(self, press: Press) -> None:
        def say(db: Database) -> None:
            key = f"late:{uuid4().hex}"
            post = answer_post(db, press, note(answers.form_late()), key=key)
            put_post(db, post, now_us=self._now_us())

        try:
            self._writer.run(say)
        except Exception:  # noqa: BLE001 - the end of a thread: there is nobody else to tell
            _log.exception("a person could not be told that their form did not open")


def _marked(press: Press, view: View) -> View:
    """Let a form that was opened in App Home carry that, so that Home is drawn after it."""
    if not press.home:
        return view
    return view | {"private_metadata": from_home(view["private_metadata"])}


def _amount_faults(fields: Mapping[str, str]) -> dict[str, str]:
    """Return what is wrong with each amount of a refund, by the name of its input."""
    found = {}
    for name, text in fields.items():
        currency = amount_currency(name)
        if currency is None:
            continue  # of a form of another release: it changes nothing, and its sender is told
        try:
            read_refund(text, currency)
        except MoneyError as error:
            found[name] = forms.amount_needed(str(error))
    return found

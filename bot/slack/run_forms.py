"""What the forms of a run's messages show."""

from __future__ import annotations

from collections.abc import Mapping

from sqlite_utils import Database

from approvals import Person
from bot.slack.access import Needs
from bot.slack.blocks import ask_again_modal, copy_modal, edit_draft_modal, held_back_modal
from bot.slack.drafts import copy_view, held_back_text, read_draft, read_stop
from bot.slack.errors import PressRefused
from bot.slack.modals import Filler
from bot.slack.press import Press
from bot.slack.refs import ActionId, read_run_ref
from bot.slack.views import DraftView, View
from bot.slack.words import answers

__all__ = ["run_fillers"]


def run_fillers() -> Mapping[str, Filler]:
    """Return them by action id. Whoever may use a draft's buttons may open all of them."""
    fills = {
        ActionId.COPY: _copy,
        ActionId.EDIT_DRAFT: _edit,
        ActionId.ASK_AGAIN: _ask_again,
        ActionId.LOOK: _look,
    }
    return {name.value: Filler(Needs.VIEWER, fill) for name, fill in fills.items()}


def _copy(db: Database, press: Press, _person: Person) -> View:
    return copy_modal(copy_view(_draft(db, press)))


def _edit(db: Database, press: Press, _person: Person) -> View:
    return edit_draft_modal(_draft(db, press))


def _ask_again(_db: Database, press: Press, _person: Person) -> View:
    return ask_again_modal(_run_id(press))


def _look(db: Database, press: Press, _person: Person) -> View:
    run_id = _run_id(press)
    stop, text = read_stop(db, run_id), held_back_text(db, run_id)
    if stop is None or text is None:
        raise PressRefused(answers.no_such_run(run_id))
    return held_back_modal(stop, text)


def _draft(db: Database, press: Press) -> DraftView:
    run_id = _run_id(press)
    draft = read_draft(db, run_id)
    if draft is None:
        raise PressRefused(answers.no_such_run(run_id))
    return draft


def _run_id(press: Press) -> str:
    ref = read_run_ref(press.value)
    if ref is None:
        raise PressRefused(answers.old_button())
    return ref.run_id

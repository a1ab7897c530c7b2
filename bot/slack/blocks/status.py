"""The status message of a run: edited as steps go by, with a Stop button until it ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from bot.slack.blocks.parts import actions, button, context, numbered, section
from bot.slack.limits import BUTTON_TEXT
from bot.slack.markup import line
from bot.slack.refs import ActionId, RunRef
from bot.slack.views import Block, Message, Phase, StatusView
from bot.slack.words import common
from bot.slack.words import runs as words

__all__ = ["status_message"]

MAX_CALLS: Final = 6
"""Look-ups that are shown, the newest ones."""


def status_message(view: StatusView) -> Message:
    """Return the status as it is now."""
    stem = f"{view.run_id}:{view.phase.value}:{view.step}:{len(view.calls)}"
    told = words.status_words(view)
    return Message(
        text=f"{line(view.ticket_id, 60)}: {told}", blocks=numbered(stem, _blocks(view, told))
    )


def _blocks(view: StatusView, told: str) -> Iterator[Block]:
    yield section(words.about_ticket(view.ticket_id, view.customer_id, told))
    if view.calls:
        yield context("\n".join(map(words.call_words, view.calls[-MAX_CALLS:])))
    if view.figures is not None:
        used = words.figures_words(view.figures)
        run = words.run_words(view.run_id, view.profile, view.model)
        yield context(common.SEPARATOR.join((used, run)))
    if view.phase in (Phase.QUEUED, Phase.HELD, Phase.RUNNING):
        name = words.stop_name(view.ticket_id)[:BUTTON_TEXT]
        yield actions([button(ActionId.STOP, words.STOP, RunRef(run_id=view.run_id), name=name)])

"""The drafted answer in the thread: the text, apart from the facts that are for the team alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from bot.slack.blocks.card import call_text
from bot.slack.blocks.parts import (
    actions,
    button,
    confirm,
    context,
    divider,
    header,
    numbered,
    quoted,
    section,
)
from bot.slack.limits import SECTION
from bot.slack.markdown import mrkdwn_parts
from bot.slack.markup import fenced
from bot.slack.refs import ActionId, RunRef
from bot.slack.views import Block, CallLine, DraftView, Message
from bot.slack.words import common
from bot.slack.words import runs as words

__all__ = ["draft_messages", "evidence_block"]

MAX_PART: Final = SECTION - 300
"""Characters of the draft in one section."""
FIRST_PARTS: Final = 2
"""Sections of the draft in the message with the facts and the buttons."""
NEXT_PARTS: Final = 3
"""Sections in each message that continues it."""
MAX_EVIDENCE: Final = 1_400
MAX_LINE: Final = 240
MAX_REASON: Final = 600
MAX_PROPOSALS: Final = 4
"""Proposals of the run that are named, the newest; a run makes one, and edits and retries more."""


def draft_messages(view: DraftView) -> tuple[Message, ...]:
    """Return the draft: a message with text, facts and buttons, and what continues a long text.

    The first is updated in place when somebody does something with it. Nothing is left out.
    """
    parts = mrkdwn_parts(view.reply, MAX_PART) or [common.NO_TEXT]
    rest = parts[FIRST_PARTS:]
    count = 1 + -(-len(rest) // NEXT_PARTS)
    first = _first(view, parts[:FIRST_PARTS], count)
    return (first, *_continued(view, rest, count))


def evidence_block(calls: Sequence[CallLine]) -> Block:
    """Return what was looked up, a line each, all of them."""
    most = min(MAX_LINE, MAX_EVIDENCE // max(1, len(calls)) - 1)
    return section(fenced("\n".join(call_text(call, most) for call in calls), MAX_EVIDENCE))


def _first(view: DraftView, parts: Sequence[str], count: int) -> Message:
    text = words.draft_short(view.ticket_id, view.reply)
    stem = f"{view.run_id}:draft:{_standing(view)}"
    blocks = [header(words.draft_title(view.ticket_id)), *_state(view), *map(section, parts)]
    if count > 1:
        blocks.append(context(words.first_part(count)))
    blocks += [*_buttons(view), divider(), *_facts(view)]
    return Message(text=text, blocks=numbered(stem, blocks))


def _continued(view: DraftView, parts: Sequence[str], count: int) -> Iterator[Message]:
    for number, start in enumerate(range(0, len(parts), NEXT_PARTS), start=2):
        told = words.part_of(view.ticket_id, number, count)
        blocks = [context(told), *map(section, parts[start : start + NEXT_PARTS])]
        yield Message(text=told, blocks=numbered(f"{view.run_id}:draft:{number}", blocks))


def _standing(view: DraftView) -> str:
    """Return what tells one state of the message from another."""
    people = (view.edited_by, view.discarded_by, view.taken_by)
    states = (each.state.value for each in view.proposals)
    counts = (str(view.helpful), str(view.not_helpful))
    return "-".join([*(each or "" for each in people), *states, *counts])


def _state(view: DraftView) -> Iterator[Block]:
    if view.discarded_by is not None:
        yield section(words.discarded(view.discarded_by))
    if view.taken_by is not None:
        yield section(common.taken_over(view.taken_by))
    if view.edited_by is not None:
        yield context(words.edited(view.edited_by))
    for each in view.proposals[-MAX_PROPOSALS:]:
        yield context(words.proposal_words(each))


def _buttons(view: DraftView) -> Iterator[Block]:
    if view.discarded_by is not None:
        return
    ref = RunRef(run_id=view.run_id)
    ask = confirm(words.DISCARD_TITLE, words.DISCARD_TEXT, words.DISCARD, words.KEEP)
    row = [
        button(ActionId.COPY, words.COPY, ref, style="primary"),
        button(ActionId.EDIT_DRAFT, words.EDIT, ref),
        button(ActionId.ASK_AGAIN, common.ASK_AGAIN, ref),
    ]
    if view.taken_by is None:
        row.append(button(ActionId.TAKE_OVER, common.TAKE_OVER, ref))
    row.append(button(ActionId.DISCARD, words.DISCARD, ref, asks=ask))
    yield actions(row)
    yield actions(list(_thumbs(view, ref)))


def _thumbs(view: DraftView, ref: RunRef) -> Iterator[dict[str, Any]]:
    yield button(ActionId.HELPFUL, words.counted_label(words.HELPFUL, view.helpful), ref)
    label = words.counted_label(words.NOT_HELPFUL, view.not_helpful)
    yield button(ActionId.NOT_HELPFUL, label, ref)


def _facts(view: DraftView) -> Iterator[Block]:
    """Yield what is for the team and not for the customer."""
    yield context(f"{words.FOR_THE_TEAM} {words.outcome_words(view.outcome)}.")
    about = (*words.about_run(view.customer_id, view.team), common.rule_words(view.rule))
    used = words.figures_words(view.figures)
    run = words.run_words(view.run_id, view.profile, view.model)
    yield context(common.SEPARATOR.join(about), common.SEPARATOR.join((used, run)))
    if view.reason:
        yield context(common.MODEL_SAYS)
        yield quoted(view.reason, MAX_REASON)
    yield context(common.LOOKED_UP if view.calls else common.NO_EVIDENCE)
    if view.calls:
        yield evidence_block(view.calls)

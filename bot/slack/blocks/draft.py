"""The drafted answer in the thread: the text, apart from the facts that are for the team alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from bot.slack import words
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
from bot.slack.blocks.status import figures_words
from bot.slack.limits import SECTION
from bot.slack.markdown import mrkdwn_parts
from bot.slack.markup import fact, fenced, line, mention
from bot.slack.refs import ActionId, RunRef
from bot.slack.views import Block, CallLine, DraftProposal, DraftView, Message

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
    parts = mrkdwn_parts(view.reply, MAX_PART) or ["\u2014"]
    rest = parts[FIRST_PARTS:]
    count = 1 + -(-len(rest) // NEXT_PARTS)
    first = _first(view, parts[:FIRST_PARTS], count)
    return (first, *_continued(view, rest, count))


def evidence_block(calls: Sequence[CallLine]) -> Block:
    """Return what was looked up, a line each, all of them."""
    most = min(MAX_LINE, MAX_EVIDENCE // max(1, len(calls)) - 1)
    return section(fenced("\n".join(call_text(call, most) for call in calls), MAX_EVIDENCE))


def _first(view: DraftView, parts: Sequence[str], count: int) -> Message:
    text = f"Draft for {line(view.ticket_id, 60)}: {line(view.reply, 400)}"
    stem = f"{view.run_id}:draft:{_standing(view)}"
    blocks = [header(_title(view)), *_state(view), *map(section, parts)]
    if count > 1:
        blocks.append(context(f"Part 1 of {count}; it goes on below."))
    blocks += [*_buttons(view), divider(), *_facts(view)]
    return Message(text=text, blocks=numbered(stem, blocks))


def _continued(view: DraftView, parts: Sequence[str], count: int) -> Iterator[Message]:
    for number, start in enumerate(range(0, len(parts), NEXT_PARTS), start=2):
        told = f"Draft for {line(view.ticket_id, 60)}, part {number} of {count}"
        blocks = [context(told), *map(section, parts[start : start + NEXT_PARTS])]
        yield Message(text=told, blocks=numbered(f"{view.run_id}:draft:{number}", blocks))


def _title(view: DraftView) -> str:
    return f"Draft for {line(view.ticket_id, 60)} (nobody has sent it)"


def _standing(view: DraftView) -> str:
    """Return what tells one state of the message from another."""
    people = (view.edited_by, view.discarded_by, view.taken_by)
    states = (each.state.value for each in view.proposals)
    counts = (str(view.helpful), str(view.not_helpful))
    return "-".join([*(each or "" for each in people), *states, *counts])


def _state(view: DraftView) -> Iterator[Block]:
    if view.discarded_by is not None:
        yield section(f"*Discarded* by {mention(view.discarded_by)}.")
    if view.taken_by is not None:
        yield section(f"*Taken over* by {mention(view.taken_by)}.")
    if view.edited_by is not None:
        yield context(f"Edited by {mention(view.edited_by)}; the model's own text is kept.")
    for each in view.proposals[-MAX_PROPOSALS:]:
        yield context(_proposal(each))


def _proposal(each: DraftProposal) -> str:
    told = f"Proposal {fact(each.proposal_id)}: {words.state_name(each.state)}"
    done = line("; ".join(each.settled), 300)
    return f"{told}: {done}" if done else told


def _buttons(view: DraftView) -> Iterator[Block]:
    if view.discarded_by is not None:
        return
    ref = RunRef(run_id=view.run_id)
    ask = confirm("Discard this draft?", "It is kept, marked as discarded.", "Discard", "Keep")
    row = [
        button(ActionId.COPY, "Show to copy\u2026", ref, style="primary"),
        button(ActionId.EDIT_DRAFT, "Edit\u2026", ref),
        button(ActionId.ASK_AGAIN, "Ask again\u2026", ref),
    ]
    if view.taken_by is None:
        row.append(button(ActionId.TAKE_OVER, "Take over", ref))
    row.append(button(ActionId.DISCARD, "Discard", ref, asks=ask))
    yield actions(row)
    yield actions(list(_thumbs(view, ref)))


def _thumbs(view: DraftView, ref: RunRef) -> Iterator[dict[str, Any]]:
    yield button(ActionId.HELPFUL, _counted("Helpful", view.helpful), ref)
    yield button(ActionId.NOT_HELPFUL, _counted("Not helpful", view.not_helpful), ref)


def _counted(label: str, count: int) -> str:
    return f"{label} ({count})" if count else label


def _facts(view: DraftView) -> Iterator[Block]:
    """Yield what is for the team and not for the customer."""
    yield context(f"*For the team, not for the customer.* {words.outcome_words(view.outcome)}.")
    team = "none named" if view.team is None else line(view.team, 60)
    rule = "none named" if view.rule is None else fact(view.rule)
    yield context(
        f"Customer {fact(view.customer_id)}  \u00b7  Team {team}  \u00b7  Rule {rule}",
        f"{figures_words(view.figures)}  \u00b7  {line(view.profile, 40)},"
        f" {line(view.model, 60)}  \u00b7  {fact(view.run_id)}",
    )
    if view.reason:
        yield context(words.MODEL_SAYS)
        yield quoted(view.reason, MAX_REASON)
    yield context(words.LOOKED_UP if view.calls else words.NO_EVIDENCE)
    if view.calls:
        yield evidence_block(view.calls)

"""How a run and a ticket look to a person at a terminal of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any, Final

from bot.story import Story
from bot.texts import (
    A_PERSON,
    OBJECTED,
    UNFINISHED,
    WAITS,
    action_text,
    counted,
    outcome_text,
    safe,
    shortened,
    stop_text,
)
from loop import Outcome, Result
from tools import Action, Expected, TicketCase

__all__ = ["answer", "block", "card", "expected", "outcome", "ticket"]

WIDTH: Final = 80
_LABEL: Final = 10


def block(label: str, text: str) -> Iterator[str]:
    """Yield a label with a text beside it, wrapped; the text's own lines are kept."""
    head = f"{label:<{_LABEL}}"
    for number, line in enumerate(text.splitlines() or [""]):
        indent = head if number == 0 else " " * _LABEL
        yield from textwrap.wrap(
            line,
            WIDTH,
            initial_indent=indent,
            subsequent_indent=" " * _LABEL,
            break_on_hyphens=False,
        ) or [indent.rstrip()]


def ticket(case: TicketCase) -> Iterator[str]:
    """Yield a ticket as it came."""
    yield from block("ticket", f"{case.ticket.ticket_id} of customer {case.ticket.customer_id}")
    if case.slice is not None:
        yield from block("kind", shortened(case.slice, 60))
    yield from block("text", safe(case.ticket.text) if case.ticket.text.strip() else "(no text)")
    for name in case.ticket.attachments:
        yield from block("file", shortened(name, 60))
    for fault in case.faults:
        yield from block("fault", f"{fault.tool}:{fault.mode}:{fault.times}")


def expected(case: TicketCase) -> Iterator[str]:
    """Yield what the ticket should come to, as far as the data say."""
    for label, value in _expectations(case.expected):
        yield from block(label, value)
    for one in case.acceptable_outcomes:
        yield from block("or", shortened(one, 60))
    for action in case.expected.actions:
        yield from block("action", _plain(action))
    for action in case.forbidden:
        yield from block("never", _plain(action))
    for pattern in case.must_not_say:
        yield from block("not said", shortened(pattern, 60))


def outcome(story: Story) -> Iterator[str]:
    """Yield what a run came to: the draft and its card, the objections, or the stop."""
    match story.result:
        case None:
            yield from block("", UNFINISHED)
        case Result.VALID:
            yield from answer(story)
        case Result.REJECTED:
            yield from block("rejected", OBJECTED)
            for problem in _problems(story):
                code, message = shortened(problem["code"], 40), shortened(problem["message"], 300)
                yield from block("gate", f"{code}: {message}")
        case Result.FAILED:
            if story.stop is not None:
                yield from block("stopped", f"{stop_text(story.stop)}. {A_PERSON}")


def answer(story: Story) -> Iterator[str]:
    """Yield a valid run's decision, draft and card."""
    resolution = story.resolution or {}
    decided = outcome_text(Outcome(resolution["outcome"]))
    rule = resolution.get("rule")
    yield from block("decision", decided + (f" (rule {shortened(rule, 40)})" if rule else ""))
    if resolution.get("team"):
        yield from block("team", shortened(str(resolution["team"]), 40))
    if resolution.get("reason"):
        yield from block("reason", shortened(str(resolution["reason"]), 600))
    yield from block("draft", safe(str(resolution["reply"])))
    if story.actions:
        yield from card(story.actions)


def card(actions: tuple[Action, ...]) -> Iterator[str]:
    """Yield the card of a proposal as the run left it: each change exactly."""
    together = ", decided together" if len(actions) > 1 else ""
    yield from block("proposal", f"{counted(len(actions), 'change')}{together}; {WAITS}")
    for number, action in enumerate(actions, start=1):
        yield from block("", f"{number}. {action_text(action)}")
    yield from block("", "[ Approve ]  [ Reject ]")


def _problems(story: Story) -> tuple[Mapping[str, str], ...]:
    return () if story.closed is None else story.closed.problems


def _expectations(wanted: Expected) -> Iterator[tuple[str, str]]:
    if wanted.outcome is not None:
        yield "expected", shortened(wanted.outcome, 60)
    if wanted.team is not None:
        yield "team", shortened(wanted.team, 60)
    if wanted.needs_human is not None:
        yield "person", "yes" if wanted.needs_human else "no"
    if wanted.rule is not None:
        yield "rule", shortened(wanted.rule, 60)
    if wanted.note is not None:
        yield "note", shortened(wanted.note, 300)


def _plain(value: Mapping[str, Any]) -> str:
    """Return an action as the data give it: its fields that are not null."""
    given = (f"{key} {item}" for key, item in value.items() if item is not None)
    return shortened(", ".join(given), 300)

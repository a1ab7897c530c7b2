"""Tickets whose right outcome people showed, as lines of ``tasks.jsonl`` (``docs/data.md``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bot.labels.judged import JudgedRun, SignedActions
from bot.labels.signs import Worth
from loop import Opened, Outcome
from tools import Action, Fault, RequestRefund, action_to_dict

__all__ = ["Tasks", "tasks_of"]

SLICE: Final = "people"
"""The slice and the source of these tickets, and the names of their notes."""
_DONE: Final = "Signed as proposed, and done."
_DONE_EDITED: Final = "Signed after an amount was changed, and done."
_HELPFUL: Final = "People found the answer helpful."


@dataclass(frozen=True, slots=True, kw_only=True)
class Tasks:
    """The lines, one a ticket, and the tickets of whose runs people showed different outcomes."""

    lines: tuple[Mapping[str, Any], ...]
    contradictory: tuple[str, ...]


def tasks_of(judged: Iterable[JudgedRun]) -> Tasks:
    """Return the tickets whose right outcome people showed, in the order of their first such run.

    What people signed and the shop did is right. So is an answer that proposed nothing, where
    people's verdicts speak for it alone. Other runs show nothing. Give it redacted recordings: the
    lines hold the ticket as the recording does.
    """
    found: dict[str, Mapping[str, Any]] = {}
    contradictory: dict[str, None] = {}
    for run in judged:
        expected = _expected(run)
        opened = run.recording.opened
        if expected is None or opened is None:
            continue
        ticket_id = opened.ticket_id
        known = found.setdefault(ticket_id, _line(opened, expected))
        if _essence(known["expected"]) != _essence(expected):
            contradictory[ticket_id] = None
    return Tasks(
        lines=tuple(line for ticket, line in found.items() if ticket not in contradictory),
        contradictory=tuple(contradictory),
    )


def _expected(run: JudgedRun) -> Mapping[str, Any] | None:
    if run.signed is not None:
        return _done(run.signed)
    closed = run.recording.closed
    resolution = None if closed is None else closed.resolution
    if run.worth is not Worth.SUCCEEDED or resolution is None or resolution["actions"]:
        return None
    return {
        "outcome": resolution["outcome"],
        "rule": resolution.get("rule") or "",
        "actions": [],
        "note": _HELPFUL,
    }


def _done(signed: SignedActions) -> Mapping[str, Any]:
    return {
        "outcome": Outcome.RESOLVE.value,
        "rule": signed.rule or "",
        "actions": [_action(each) for each in signed.actions],
        "note": _DONE_EDITED if signed.edited else _DONE,
    }


def _action(action: Action) -> Mapping[str, Any]:
    """Return an action as a label states it: amounts in major units, as exact text."""
    facts = action_to_dict(action)
    if isinstance(action, RequestRefund):
        del facts["amount_minor"]
        facts["amount"] = action.money.amount_text
    return facts


def _essence(expected: Mapping[str, Any]) -> tuple[Any, ...]:
    actions = sorted(sorted(each.items(), key=repr) for each in expected["actions"])
    return expected["outcome"], repr(actions)


def _line(opened: Opened, expected: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "task_id": opened.ticket_id,
        "customer_id": opened.customer_id,
        "text": opened.text,
        "attachments": list(opened.attachments),
        "slice": SLICE,
        "source": SLICE,
        "expected": dict(expected),
        "faults": [_fault(text) for text in opened.marks.get("faults", ())],
    }


def _fault(text: str) -> Mapping[str, Any]:
    fault = Fault.parse(text)
    return {"tool": fault.tool, "mode": fault.mode.value, "times": fault.times}

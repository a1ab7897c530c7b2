"""How a proposal looks to a person at a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from approvals import (
    ActionView,
    Policy,
    Proposal,
    ProposalState,
    ProposalView,
    utc_text,
)
from bot.proposal_texts import (
    NOTHING_YET,
    approvers_text,
    hours_text,
    mark_text,
    operation_text,
    standing_text,
)
from bot.show import WIDTH, block
from bot.texts import action_text, shortened

__all__ = ["list_line", "outcome_lines", "proposal_lines"]

MAX_TEXT: Final = 800
"""Longest evidence, draft or reason that is shown, in characters."""
ERASED: Final = "(erased)"


def list_line(proposal: Proposal) -> str:
    """Return a proposal as one line of a list."""
    ticket = shortened(proposal.ticket_id, 20)
    head = f"{proposal.proposal_id}  {proposal.state.value:<10}  {ticket:<8}  "
    more = len(proposal.actions) - 1
    tail = f" (+{more})" if more else ""
    return head + shortened(action_text(proposal.actions[0]), WIDTH - len(head) - len(tail)) + tail


def outcome_lines(view: ProposalView) -> Iterator[str]:
    """Yield what became of a proposal and of each of its actions."""
    yield from block(view.proposal.proposal_id, standing_text(view.proposal))
    for each in view.actions:
        yield from block("", _action(each))


def proposal_lines(view: ProposalView, policy: Policy, now_us: int) -> Iterator[str]:
    """Yield all that is stated about a proposal."""
    proposal = view.proposal
    version = "" if proposal.version == 1 else f" (version {proposal.version})"
    yield from block("proposal", f"{proposal.proposal_id}{version}: {standing_text(proposal)}")
    for each in view.actions:
        yield from block("action", _action(each))
        yield from _warnings(each)
    ticket = shortened(proposal.ticket_id, 40)
    yield from block("for", f"customer {shortened(proposal.customer_id, 40)}, ticket {ticket}")
    yield from block("rule", shortened(proposal.rule or "none given", 60))
    yield from block("counts", f"{view.own}; with the ticket's other proposals {view.total}")
    for line in view.evidence:
        yield from block("evidence", _text(line))
    if view.draft is not None:
        yield from block("draft", _text(view.draft))
    yield from _decision(view, policy, now_us)


def _decision(view: ProposalView, policy: Policy, now_us: int) -> Iterator[str]:
    """Yield who signed, who may, until when, and whether anything has happened."""
    proposal = view.proposal
    for signature in view.signatures:
        at = utc_text(signature.at_us)
        who = f"{shortened(signature.user_id, 40)} as {shortened(signature.role, 40)}"
        yield from block("signed", f"{who} on {at}, {shortened(signature.via, 80)}")
    for reason in view.reasons:
        yield from block("reason", _text(reason))
    if proposal.state is ProposalState.WAITING:
        yield from block("may sign", approvers_text(policy, view))
        yield from block("until", hours_text(proposal, now_us))
    if proposal.made_from is not None:
        yield from block("made from", proposal.made_from)
    if proposal.reopened_as is not None:
        yield from block("reopened", f"as {proposal.reopened_as}")
    if view.nothing_has_happened:
        yield from block("", NOTHING_YET)


def _action(view: ActionView) -> str:
    became = "" if view.operation is None else f" — {operation_text(view.operation)}"
    return f"{view.position}. {action_text(view.action)}{became}"


def _warnings(view: ActionView) -> Iterator[str]:
    for mark in view.marks:
        yield from block("note", mark_text(mark))
    if view.held:
        held = ", ".join(map(str, view.held))
        yield from block("note", f"on this order the shop does not know of these yet: {held}")


def _text(text: str | None) -> str:
    return ERASED if text is None else shortened(text, MAX_TEXT)

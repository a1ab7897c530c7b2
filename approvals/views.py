"""What a card and ``show`` state about one proposal. Pure reads; always from the store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from sqlite_utils import Database

from approvals.forms import effect_of
from approvals.operation_rows import Operation, live_with_effects, operations_of
from approvals.policy import Amount, Policy
from approvals.records import Proposal, read_proposal
from approvals.standing import Signature, signatures_of
from approvals.states import OperationState, ProposalState
from approvals.sums import held_refunds, own_amount, ticket_amount
from approvals.texts import TextKind, texts_of
from approvals.times import utc_text
from tools import Action, CreateReturnLabel, LabelReason, Money, RequestRefund, ReshipItem

__all__ = ["ActionView", "EffectMark", "ProposalView", "proposal_lines", "view_proposal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectMark:
    """The same effect, asked for before: what became of it, when, and on whose signature."""

    operation_id: str
    proposal_id: str
    ticket_id: str
    amount: Money | None
    state: OperationState
    at_us: int
    approved_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionView:
    """One action, its execution where there is one, and what it repeats.

    ``held`` are other refunds on the order that the shop does not know yet: what is left to
    refund is less by them.
    """

    position: int
    action: Action
    operation: Operation | None
    marks: tuple[EffectMark, ...]
    held: tuple[Money, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalView:
    """Everything that is stated about a proposal.

    Attributes:
        own: what it counts for itself, and ``total`` with its ticket's others.
        needed_role: the lowest role that may approve; None where nobody may.
        signatures_needed: 1 or 2 different people.
        evidence, draft, reasons: texts; None where one was erased. The reasons are those that
            people gave, oldest first.
        nothing_has_happened: nothing of it was sent to the shop so far.
        second_needed: approving asks for an explicit yes to a second one.
    """

    proposal: Proposal
    actions: tuple[ActionView, ...]
    own: Amount
    total: Amount
    needed_role: str | None
    signatures_needed: int
    signatures: tuple[Signature, ...]
    evidence: tuple[str | None, ...]
    draft: str | None
    reasons: tuple[str | None, ...]
    nothing_has_happened: bool
    second_needed: bool


def view_proposal(db: Database, policy: Policy, proposal_id: str) -> ProposalView:
    """Return what is to be stated about a proposal now.

    Raises:
        ProposalUnknown: there is none of this id.
    """
    proposal = read_proposal(db, proposal_id)
    operations = {each.position: each for each in operations_of(db, proposal_id)}
    actions = tuple(
        _action(db, proposal, position, operations.get(position))
        for position in range(1, len(proposal.actions) + 1)
    )
    total = ticket_amount(db, policy, proposal)
    needed = policy.needed_role(total)
    drafts = texts_of(db, proposal_id, TextKind.DRAFT)
    return ProposalView(
        proposal=proposal,
        actions=actions,
        own=own_amount(policy, proposal),
        total=total,
        needed_role=None if needed is None else needed.name,
        signatures_needed=policy.signatures_needed(total),
        signatures=tuple(signatures_of(db, proposal)),
        evidence=tuple(texts_of(db, proposal_id, TextKind.EVIDENCE)),
        draft=drafts[-1] if drafts else None,
        reasons=tuple(texts_of(db, proposal_id, TextKind.WHY)),
        nothing_has_happened=all(map(_is_untouched, operations.values())),
        second_needed=any(each.marks for each in actions),
    )


def proposal_lines(view: ProposalView) -> list[str]:
    """Return the facts of a view in plain words, one line each, without any text of a person."""
    proposal = view.proposal
    told = [f"{proposal.proposal_id}: {proposal.state.value}, version {proposal.version}"]
    told.append(f"for customer {proposal.customer_id}, ticket {proposal.ticket_id}")
    told.append("rule: none given" if proposal.rule is None else f"rule: {proposal.rule}")
    for each in view.actions:
        told.append(f"{each.position}. {action_words(each.action)}{_execution_words(each)}")
        told.extend(f"   {mark_words(mark)}" for mark in each.marks)
    told.append(f"counts: {view.own}; with the ticket's other proposals: {view.total}")
    if proposal.state is ProposalState.WAITING:
        told.append(_approvers(view))
        told.append(f"until: {utc_text(proposal.expires_us)}")
    if view.nothing_has_happened:
        told.append("nothing has happened yet")
    return told


def action_words(action: Action) -> str:
    """State one action exactly: tool, order, item or amount, reason, payment."""
    start = f"{action.tool} {action.order_id}:"
    match action:
        case RequestRefund():
            about = "" if action.sku is None else f", {action.quantity} of {action.sku}"
            payment = "" if action.payment_id is None else f", payment {action.payment_id}"
            return f"{start} {action.money}, {action.reason_code.value}{about}{payment}"
        case ReshipItem():
            return f"{start} {action.quantity} of {action.sku}"
        case CreateReturnLabel():
            free = action.reason is not LabelReason.CHANGE_OF_MIND
            fee = "free" if free else "a return fee is deducted"
            return f"{start} {action.sku}, {action.reason.value}, {fee}"
        case _:
            assert_never(action)


def mark_words(mark: EffectMark) -> str:
    """Say that the same was asked for before."""
    what = "this" if mark.amount is None else str(mark.amount)
    match mark.state:
        case OperationState.DONE:
            became = "was carried out"
        case OperationState.UNKNOWN:
            became = "may have been carried out"
        case _:
            became = "is being carried out"
    return (
        f"{what} {became} on {utc_text(mark.at_us)} by {mark.approved_by}"
        f" ({mark.proposal_id}, ticket {mark.ticket_id})"
    )


def _approvers(view: ProposalView) -> str:
    if view.needed_role is None:
        return "may approve: nobody"
    two = "" if view.signatures_needed == 1 else "two different people, one of them "
    signed = ", ".join(signature.user_id for signature in view.signatures)
    so_far = f"; signed so far: {signed}" if signed else ""
    return f"may approve: {two}{view.needed_role}{so_far}"


def _execution_words(view: ActionView) -> str:
    if view.operation is None:
        return ""
    words = view.operation.error_words or view.operation.error_code
    why = "" if words is None else f" ({words})"
    return f" — {view.operation.state.value}{why}"


def _action(
    db: Database, proposal: Proposal, position: int, operation: Operation | None
) -> ActionView:
    action = proposal.actions[position - 1]
    same = live_with_effects(db, [effect_of(action)])
    others = [each for each in same if each.proposal_id != proposal.proposal_id]
    held: tuple[Money, ...] = ()
    if isinstance(action, RequestRefund):
        held = held_refunds(db, action.order_id, without=proposal.proposal_id)
    return ActionView(
        position=position,
        action=action,
        operation=operation,
        marks=tuple(_mark(db, each) for each in others),
        held=held,
    )


def _is_untouched(operation: Operation) -> bool:
    """Whether the shop has certainly seen nothing of it."""
    touched = (OperationState.DONE, OperationState.UNKNOWN)
    return operation.attempt == 0 and operation.state not in touched


def _mark(db: Database, operation: Operation) -> EffectMark:
    earlier = read_proposal(db, operation.proposal_id)
    action = operation.action
    at_us = operation.settled_us if operation.settled_us is not None else earlier.decided_us
    return EffectMark(
        operation_id=operation.operation_id,
        proposal_id=earlier.proposal_id,
        ticket_id=earlier.ticket_id,
        amount=action.money if isinstance(action, RequestRefund) else None,
        state=operation.state,
        at_us=earlier.created_us if at_us is None else at_us,
        approved_by=earlier.decided_by or "system",
    )

"""Every sentence about proposals for people at the command line, in one file."""

from __future__ import annotations

from typing import Final, assert_never

from approvals import (
    UNKNOWN_REQUESTER,
    Amount,
    Created,
    Creation,
    EffectMark,
    Finding,
    Operation,
    OperationState,
    Policy,
    Proposal,
    ProposalState,
    ProposalView,
    utc_text,
)
from bot.texts import counted, shortened

__all__ = [
    "NOBODY",
    "NOTHING_YET",
    "approvers_text",
    "created_text",
    "expired_text",
    "finding_text",
    "hours_text",
    "interrupted_text",
    "mark_text",
    "missing_text",
    "operation_text",
    "proposal_step",
    "served_text",
    "standing_text",
    "unasked_text",
    "waiting_text",
]

NOTHING_YET: Final = "Nothing has happened yet."
NOBODY: Final = "nobody"
_HOUR_US: Final = 3_600_000_000
_SECOND_US: Final = 1_000_000


def created_text(created: Created) -> str:
    """What became of what a run asks for."""
    proposal_id = created.proposal.proposal_id
    match created.creation:
        case Creation.NEW:
            return f"{proposal_id} waits for a person"
        case Creation.SAME:
            return f"{proposal_id} asks for the same already; it is {created.proposal.state}"
        case Creation.BLOCKED:
            return (
                f"{proposal_id} asked for the same and was rejected; handrail proposals reopen "
                f"{proposal_id} asks again"
            )
        case _:
            assert_never(created.creation)


def proposal_step(proposal: Proposal) -> str:
    """The command to type next."""
    return f"next: handrail proposals show {proposal.proposal_id}"


def standing_text(proposal: Proposal) -> str:
    """Where a proposal stands, in a sentence."""
    decided = _decided(proposal)
    match proposal.state:
        case ProposalState.WAITING:
            return "waits for a person"
        case ProposalState.APPROVED:
            return f"approved{decided}; queued, nothing was sent yet"
        case ProposalState.EXECUTING:
            return f"approved{decided}; queued, it is being carried out"
        case ProposalState.DONE:
            return f"approved{decided}, and done"
        case ProposalState.FAILED:
            return f"approved{decided}, and failed{_cause(proposal)}"
        case ProposalState.UNKNOWN:
            return (
                f"approved{decided}; the shop cannot say whether it was done{_cause(proposal)}."
                " handrail reconcile asks it again; a person who finds out settles it"
            )
        case ProposalState.REJECTED | ProposalState.WITHDRAWN | ProposalState.EXPIRED:
            return f"{proposal.state}{decided}"
        case ProposalState.SUPERSEDED:
            return f"superseded{decided}, by {proposal.cause}"
        case _:
            assert_never(proposal.state)


def operation_text(operation: Operation) -> str:
    """What became of one action."""
    words = "" if operation.error_words is None else f": {shortened(operation.error_words, 300)}"
    match operation.state:
        case OperationState.READY:
            return "ready, nothing was sent"
        case OperationState.EXECUTING:
            return f"on its way, attempt {operation.attempt}"
        case OperationState.RETRY:
            return f"not settled after {counted(operation.attempt, 'attempt')}{words}"
        case OperationState.DONE:
            pending = "; the shop calls it pending" if operation.pending else ""
            reference = operation.reference
            named = "" if reference is None else f", {shortened(reference, 60)}"
            return f"done{named}{pending}"
        case OperationState.FAILED:
            return f"failed{words or _code(operation)}"
        case OperationState.UNKNOWN:
            return f"unknown{words or _code(operation)}"
        case OperationState.NOT_RUN:
            return "not run: one before it was not done, or it is no longer allowed"
        case _:
            assert_never(operation.state)


def approvers_text(policy: Policy, view: ProposalView) -> str:
    """Who may approve, by role and id."""
    if not policy.roles:
        return f"{NOBODY}: the settings have no approvals table"
    if view.needed_role is None:
        return f"{NOBODY}: no role that covers {view.total} has people"
    roles = [role for role in policy.roles if role.covers(view.total) and not role.is_empty]
    named = "; ".join(f"{each.name}: {_people(each.users | each.groups)}" for each in roles)
    if view.signatures_needed > 1:
        named += f"; {view.signatures_needed} different people, one of them of these"
    asked = sorted(view.proposal.requesters)
    if UNKNOWN_REQUESTER in asked and not policy.requesters_may_sign:
        return f"{NOBODY}: the form does not say who filled it in, and who asks never signs"
    if asked and not policy.requesters_may_sign:
        named += f"; not {_people(asked)}, who asked for it"
    return named


def mark_text(mark: EffectMark) -> str:
    """That the same was asked for before."""
    match mark.state:
        case OperationState.DONE:
            became = "was carried out"
        case OperationState.UNKNOWN:
            became = "may have been carried out"
        case _:
            became = "is being carried out"
    what = "the same" if mark.amount is None else str(mark.amount)
    by = f"by {shortened(mark.approved_by, 40)} on {utc_text(mark.at_us)}"
    return (
        f"done before: {what} {became}, approved {by} ({mark.proposal_id}, ticket"
        f" {shortened(mark.ticket_id, 40)}); --second says yes to a second one"
    )


def hours_text(proposal: Proposal, now_us: int) -> str:
    """Until when a proposal waits."""
    left = proposal.expires_us - now_us
    if left <= 0:
        return f"{utc_text(proposal.expires_us)}, which is over"
    return f"{utc_text(proposal.expires_us)}, in {max(1, round(left / _HOUR_US))} h"


def missing_text(missing: int, needed: Amount) -> str:
    """That a signature alone was not enough."""
    people = "one more person has" if missing == 1 else f"{missing} more people have"
    return f"signed; {people} to sign for {needed}"


def expired_text(proposal: Proposal) -> str:
    """That a decision came too late."""
    return (
        f"the time of proposal {proposal.proposal_id} was over on {utc_text(proposal.expires_us)};"
        " the decision was not taken, and it is expired now"
    )


def waiting_text(operation: Operation | None, wait_us: int) -> str:
    """What is waited for, and for how long."""
    seconds = -(-wait_us // _SECOND_US)
    why = "the shop was not asked about everything yet"
    if operation is not None:
        why = f"attempt {operation.attempt}: {operation.error_words or operation.error_code}"
    return f"{shortened(why, 300)}; again in {counted(seconds, 'second')}"


def served_text(pid: int | None) -> str:
    """That another process holds the lock."""
    who = "another process" if pid is None else f"process {pid}"
    return f"{who} serves this store; waiting for it"


def interrupted_text(proposal_id: str) -> str:
    """That a person stopped waiting."""
    return (
        "interrupted; the approval stands, and what was on its way is looked up first:"
        f" handrail proposals execute {proposal_id}"
    )


def unasked_text(error: Exception) -> str:
    """That the shop could not be reached at all."""
    return f"the shop cannot be asked now, and nothing was sent: {shortened(str(error), 300)}"


def finding_text(finding: Finding) -> str:
    """What reconciliation made of one operation."""
    operation = finding.operation
    became = f"{finding.was} and stays so"
    if operation.state is not finding.was:
        became = f"{finding.was}, now {operation.state}"
    return f"{operation.operation_id}: {became}; {shortened(finding.words, 300)}"


def _decided(proposal: Proposal) -> str:
    if proposal.decided_by is None or proposal.decided_us is None:
        return ""
    return f" by {shortened(proposal.decided_by, 40)} on {utc_text(proposal.decided_us)}"


def _people(ids: frozenset[str] | list[str]) -> str:
    return ", ".join(shortened(each, 40) for each in sorted(ids))


def _cause(proposal: Proposal) -> str:
    return "" if proposal.cause is None else f" ({shortened(proposal.cause, 80)})"


def _code(operation: Operation) -> str:
    return "" if operation.error_code is None else f": {shortened(operation.error_code, 80)}"

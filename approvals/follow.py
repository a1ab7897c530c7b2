"""The one way to move an operation, and how its proposal follows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from sqlite_utils import Database

from approvals.audit import SYSTEM, Actor, Event, append
from approvals.errors import ClaimLost
from approvals.operation_rows import Operation, operations_of, read_operation
from approvals.policy import Policy
from approvals.records import Move, Proposal, leave, read_proposal
from approvals.states import EXITS, OPEN_OPERATIONS, OperationState, ProposalState
from approvals.store import changed
from tools import canonical

__all__ = ["follow", "found_words", "mark_behind", "move_operation"]

BEHIND = "behind"
"""Why an operation was not run: one before it ended otherwise than done."""


def move_operation(
    db: Database,
    policy: Policy,
    before: Operation,
    after: Operation,
    *,
    now_us: int,
    actor: Actor = SYSTEM,
    **noted: Any,
) -> Operation:
    """Change an operation if it still stands where ``before`` was read, and write its audit row.

    State, owner and attempt are all compared: one that was given up and wakes cannot overwrite a
    newer verdict.

    Raises:
        ClaimLost: it stands elsewhere by now.
    """
    if changed(db, _MOVE, _values(before, after)) == 0:
        found = read_operation(db, before.operation_id)
        raise ClaimLost(before.operation_id, found_words(found))
    proposal = read_proposal(db, before.proposal_id)
    append(
        db,
        at_us=now_us,
        actor=actor,
        event=Event.OPERATION,
        proposal_id=proposal.proposal_id,
        version=proposal.version,
        digest=proposal.digest,
        policy_version=policy.version,
        operation_id=after.operation_id,
        attempt=after.attempt,
        from_state=before.state.value,
        to_state=after.state.value,
        **noted,
    )
    return after


def follow(db: Database, policy: Policy, proposal: Proposal, *, actor: Actor, now_us: int) -> None:
    """Bring a proposal to the state that its operations ask for, by the exits that there are."""
    operations = operations_of(db, proposal.proposal_id)
    target, cause = _target(operations)
    if target in (ProposalState.FAILED, ProposalState.UNKNOWN):
        mark_behind(db, policy, operations, now_us=now_us)
    for step in _path(proposal.state, target):
        event = Event.EXECUTING if step is ProposalState.EXECUTING else Event.ENDED
        move = Move(
            to=step,
            event=event,
            actor=actor,
            at_us=now_us,
            policy_version=policy.version,
            cause=cause if step is target else None,
        )
        leave(db, read_proposal(db, proposal.proposal_id), move)


def mark_behind(
    db: Database, policy: Policy, operations: list[Operation], *, now_us: int, code: str = BEHIND
) -> None:
    """End what is still open: never sent is ``not_run``; sent, and not settled, ``unknown``."""
    for operation in operations:
        if operation.state in OPEN_OPERATIONS:
            never_sent = operation.attempt == 0
            state = OperationState.NOT_RUN if never_sent else OperationState.UNKNOWN
            after = replace(operation, state=state, error_code=code, settled_us=now_us)
            move_operation(db, policy, operation, after, now_us=now_us, detail=code)


def found_words(operation: Operation) -> str:
    """Say where an operation stands, for whoever came too late."""
    if operation.owner is None:
        return operation.state.value
    return f"{operation.state.value}, attempt {operation.attempt} of {operation.owner}"


_MOVE: Final = (
    "UPDATE operations SET state = :state, attempt = :attempt, owner = :owner,"
    " first_attempt_us = :first_attempt_us, last_attempt_us = :last_attempt_us,"
    " next_at_us = :next_at_us, settled_us = :settled_us, pending = :pending,"
    " result = :result, error_code = :error_code, error_words = :error_words"
    " WHERE operation_id = :operation_id AND state = :was_state"
    " AND owner IS :was_owner AND attempt = :was_attempt"
)


def _values(before: Operation, after: Operation) -> dict[str, Any]:
    return {
        "operation_id": before.operation_id,
        "was_state": before.state.value,
        "was_owner": before.owner,
        "was_attempt": before.attempt,
        "state": after.state.value,
        "attempt": after.attempt,
        "owner": after.owner,
        "first_attempt_us": after.first_attempt_us,
        "last_attempt_us": after.last_attempt_us,
        "next_at_us": after.next_at_us,
        "settled_us": after.settled_us,
        "pending": after.pending,
        "result": None if after.result is None else canonical(after.result),
        "error_code": after.error_code,
        "error_words": after.error_words,
    }


def _target(operations: list[Operation]) -> tuple[ProposalState, str | None]:
    """Return the state that these operations ask for, and the cause if it is not a good one."""
    states = {operation.state for operation in operations}
    for bad, state in (
        (OperationState.FAILED, ProposalState.FAILED),
        (OperationState.UNKNOWN, ProposalState.UNKNOWN),
        (OperationState.NOT_RUN, ProposalState.FAILED),
    ):
        if bad in states:
            first = next(each for each in operations if each.state is bad)
            return state, first.error_code
    if states == {OperationState.DONE}:
        return ProposalState.DONE, None
    begun = any(each.attempt > 0 or each.state is OperationState.DONE for each in operations)
    return ProposalState.EXECUTING if begun else ProposalState.APPROVED, None


def _path(state: ProposalState, target: ProposalState) -> list[ProposalState]:
    """Return the exits to take, one by one; none where the proposal is there or at its end."""
    if state is target or not EXITS[state]:
        return []
    if target in EXITS[state]:
        return [target]
    if state is ProposalState.APPROVED:  # found done, or given up, before anything was claimed
        return [ProposalState.EXECUTING, target]
    return []

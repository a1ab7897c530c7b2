"""The verbs of operations: how each approved action gets from its row to its verdict.

    ready, retry ──claim──▶ executing ──settle──▶ done | failed | unknown | retry
    ready, retry ──settle_unclaimed──▶ the same, without sending: found, or impossible
    ready ──▶ not_run          one before it ended otherwise than done, or no longer allowed
    unknown ──resolve──▶ done | failed           by reconciliation or by a person
    done (pending) ──resolve_pending──▶ done | failed

Every verb that writes is called inside the caller's ``tx()`` and is one conditional update. The
proposal's state follows in the same transaction.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, assert_never

from sqlite_utils import Database

from approvals.audit import SYSTEM, Actor, Event
from approvals.epochs import check_looked_up
from approvals.errors import ClaimLost
from approvals.follow import follow, found_words, mark_behind, move_operation
from approvals.operation_rows import (
    Claim,
    Done,
    Failed,
    Operation,
    Outcome,
    Retry,
    Unknown,
    operations_of,
    read_operation,
)
from approvals.policy import Policy
from approvals.records import Move, Proposal, leave, read_proposal
from approvals.standing import objection
from approvals.states import OPEN_OPERATIONS, OperationState, ProposalState

__all__ = ["Operations"]

NO_LONGER_ALLOWED: Final = "no longer allowed"
"""The cause of a proposal that failed before anything was sent; the audit says what it was."""


class Operations:
    """The operations of a store, under one policy."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def next_of(self, db: Database, proposal_id: str) -> Operation | None:
        """Return the operation to work on: the first that is neither done nor at its end. A read.

        None where there is nothing to do: all are done, or one ended otherwise, or nobody has
        approved the proposal.
        """
        for operation in operations_of(db, proposal_id):
            match operation.state:
                case OperationState.READY | OperationState.RETRY | OperationState.EXECUTING:
                    return operation
                case OperationState.DONE:
                    continue
                case OperationState.FAILED | OperationState.UNKNOWN | OperationState.NOT_RUN:
                    return None
                case _:
                    assert_never(operation.state)
        return None

    def claim(self, db: Database, operation_id: str, *, owner: str, now_us: int) -> Operation:
        """Take an operation up and count the attempt: tx2, committed before a socket opens.

        Before anything of the proposal was sent, state, digest, expiry, sums and policy are
        checked again here, against the store alone. Where they no longer hold, the proposal
        becomes ``failed``, its operations ``not_run``, and that is returned: look at the state of
        what comes back, and send only what is ``executing``.

        Raises:
            OperationUnknown: there is none of this id.
            ClaimLost: it is not open (somebody has it, or it has ended), or one before it is not
                done; nothing was approved without a person's decision, so nothing else is open.
            LookUpsDue: the store was restored, and the shop was not asked about everything yet.
        """
        check_looked_up(db)
        operation = read_operation(db, operation_id)
        proposal = read_proposal(db, operation.proposal_id)
        _check_turn(db, operation)
        why_not = objection(db, self._policy, proposal, operation, now_us=now_us)
        if why_not is not None:
            self._refuse(db, proposal, operation, why_not, now_us)
            return read_operation(db, operation_id)
        first = operation.first_attempt_us
        after = replace(
            operation,
            state=OperationState.EXECUTING,
            attempt=operation.attempt + 1,
            owner=owner,
            first_attempt_us=now_us if first is None else first,
            last_attempt_us=now_us,
            error_code=None,
            error_words=None,
        )
        move_operation(db, self._policy, operation, after, now_us=now_us)
        follow(db, self._policy, proposal, actor=SYSTEM, now_us=now_us)
        return after

    def adopt(self, db: Database, claim: Claim, *, owner: str, now_us: int) -> Operation:
        """Take over what an earlier process left executing; the attempt is not counted again.

        Only for the holder of the serve lock, and only to look up and settle it.

        Raises:
            ClaimLost: the claim is no longer this one.
        """
        before = _claimed(db, claim)
        after = replace(before, owner=owner)
        return move_operation(db, self._policy, before, after, now_us=now_us, detail="adopted")

    def settle(self, db: Database, claim: Claim, outcome: Outcome, *, now_us: int) -> Operation:
        """Store what a claimed attempt came to: tx3. The proposal follows.

        Raises:
            ClaimLost: owner or attempt are no longer this claim's; nothing is stored.
        """
        return self._settle(db, _claimed(db, claim), outcome, SYSTEM, now_us)

    def settle_unclaimed(
        self, db: Database, operation_id: str, outcome: Outcome, *, now_us: int
    ) -> Operation:
        """Store what a look at the shop said about an open operation, without sending it.

        The shop holds it already (``Done``), it is not possible (``Failed``), a look-up after
        earlier attempts gives up (``Unknown``), or the shop could not be asked (``Retry``).

        Raises:
            OperationUnknown: there is none of this id.
            ClaimLost: it is not open, or one before it is not done.
        """
        operation = read_operation(db, operation_id)
        _check_turn(db, operation)
        return self._settle(db, operation, outcome, SYSTEM, now_us)

    def resolve(
        self,
        db: Database,
        operation_id: str,
        outcome: Done | Failed,
        *,
        now_us: int,
        actor: Actor = SYSTEM,
        text_digest: str | None = None,
    ) -> Operation:
        """Settle an ``unknown``: by a look-up, or by a person (``Decisions.settle_unknown``).

        Raises:
            OperationUnknown: there is none of this id.
            ClaimLost: it is not unknown.
        """
        operation = read_operation(db, operation_id)
        if operation.state is not OperationState.UNKNOWN:
            raise ClaimLost(operation_id, operation.state.value)
        return self._settle(db, operation, outcome, actor, now_us, text_digest)

    def resolve_pending(
        self, db: Database, operation_id: str, outcome: Done | Failed, *, now_us: int
    ) -> Operation:
        """Settle for good what the shop had called pending. A late failure moves the proposal.

        Raises:
            OperationUnknown: there is none of this id.
            ClaimLost: it is not pending.
        """
        operation = read_operation(db, operation_id)
        if not operation.pending:
            raise ClaimLost(operation_id, f"{operation.state.value} and not pending")
        return self._settle(db, operation, outcome, SYSTEM, now_us)

    def _settle(
        self,
        db: Database,
        before: Operation,
        outcome: Outcome,
        actor: Actor,
        now_us: int,
        text_digest: str | None = None,
    ) -> Operation:
        after = move_operation(
            db,
            self._policy,
            before,
            _after(before, outcome, now_us),
            now_us=now_us,
            actor=actor,
            text_digest=text_digest,
            detail=_detail(outcome),
        )
        proposal = read_proposal(db, before.proposal_id)
        follow(db, self._policy, proposal, actor=actor, now_us=now_us)
        return after

    def _refuse(
        self, db: Database, proposal: Proposal, operation: Operation, code: str, now_us: int
    ) -> None:
        """End a proposal that may no longer be carried out, before this operation is sent."""
        if proposal.state is not ProposalState.APPROVED:  # something of it was sent before
            self._settle(db, operation, _refused(operation, code), SYSTEM, now_us)
            return
        mark_behind(
            db, self._policy, operations_of(db, proposal.proposal_id), now_us=now_us, code=code
        )
        move = Move(
            to=ProposalState.FAILED,
            event=Event.NO_LONGER_ALLOWED,
            actor=SYSTEM,
            at_us=now_us,
            policy_version=self._policy.version,
            cause=f"{NO_LONGER_ALLOWED}: {code}",
        )
        leave(db, proposal, move)


def _refused(operation: Operation, code: str) -> Failed | Unknown:
    """Return what not sending an operation means; an earlier attempt may have had its effect."""
    if operation.attempt == 0:
        return Failed(code=code, words="it is no longer what was approved, and was not sent")
    words = "it is no longer what was approved; an earlier attempt of it may have been carried out"
    return Unknown(code=code, words=words)


def _check_turn(db: Database, operation: Operation) -> None:
    """Refuse what is not open, or not the next of a proposal that is being carried out."""
    if operation.state not in OPEN_OPERATIONS:
        raise ClaimLost(operation.operation_id, found_words(operation))
    before = operations_of(db, operation.proposal_id)[: operation.position - 1]
    if any(each.state is not OperationState.DONE for each in before):
        raise ClaimLost(operation.operation_id, "behind one that is not done")
    state = read_proposal(db, operation.proposal_id).state
    if state not in (ProposalState.APPROVED, ProposalState.EXECUTING):
        raise ClaimLost(operation.operation_id, f"of a proposal that is {state.value}")


def _claimed(db: Database, claim: Claim) -> Operation:
    operation = read_operation(db, claim.operation_id)
    if operation.owner is None or operation.claim != claim:
        raise ClaimLost(claim.operation_id, found_words(operation))
    return operation


def _after(before: Operation, outcome: Outcome, now_us: int) -> Operation:
    """Return the row as an outcome leaves it."""
    free = replace(before, owner=None, pending=False, error_code=None, error_words=None)
    match outcome:
        case Done():
            return replace(
                free,
                state=OperationState.DONE,
                pending=outcome.pending,
                result=outcome.result,
                settled_us=now_us,
            )
        case Retry():
            told = replace(free, error_code=outcome.code, error_words=outcome.words)
            return replace(told, state=OperationState.RETRY, next_at_us=outcome.at_us)
        case Failed() | Unknown():
            told = replace(free, error_code=outcome.code, error_words=outcome.words)
            failed = isinstance(outcome, Failed)
            state = OperationState.FAILED if failed else OperationState.UNKNOWN
            return replace(told, state=state, settled_us=now_us)
        case _:
            assert_never(outcome)


def _detail(outcome: Outcome) -> str:
    if isinstance(outcome, Done):
        return "pending" if outcome.pending else "settled"
    return outcome.code

"""Errors of the approvals floor.

ApprovalsError
  ProposalUnknown       there is no such proposal
  OperationUnknown      there is no such operation
  AlreadyDecided        the proposal has left the state it was to leave; who, when, what
  VersionChanged        the proposal was edited after it was shown
  NotAllowed            this person may not do this, for a named reason
  SecondNeeded          it has been done before; a second one needs an explicit yes
  ReasonMissing         rejecting, and settling an unknown by hand, ask for a reason
  ActionsRefused        these actions cannot be proposed
  EqualProposal         another live proposal asks for exactly this
  DigestMismatch        the stored proposal is not what its digest says
  PolicyRefused         the approvals table of the settings is wrong (file, field)
  GroupUnavailable      a user group could not be looked up
  LookUpsDue            the store was restored, and the shop was not asked about everything yet
  ClaimLost             the operation is not, or no longer, this claim's
  AuditBroken           the audit table is not what was written (row)
  StoreError            the store's file, its connections and its jobs
    StoreBusy           another writer held the store for longer than we wait
    StoreTooNew         the store holds a migration that this program does not know
    StoreUnusable       missing folder, read-only, full, damaged, disk error
      StoreForeign      the file is another program's database; it was left as it is
    TransactionOpen     a transaction is open where none may be (nested, or a network call)
    NoTransaction       a write outside ``tx()``, or a transaction that ended inside it
    LockHeld            another process serves this store
    LockNotHeld         jobs may run only where the serve lock is held
    WriterClosed        the writer thread takes no more work

Messages say what happened, to what, and what to do. They never hold secrets, other customers'
data, model text, or the statements and values that were sent to the store.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from approvals.states import ProposalState
from approvals.times import utc_text

__all__ = [
    "ActionsRefused",
    "AlreadyDecided",
    "ApprovalsError",
    "AuditBroken",
    "ClaimLost",
    "DigestMismatch",
    "EqualProposal",
    "GroupUnavailable",
    "LockHeld",
    "LockNotHeld",
    "LookUpsDue",
    "NoTransaction",
    "NotAllowed",
    "OperationUnknown",
    "PolicyRefused",
    "ProposalUnknown",
    "ReasonMissing",
    "Refusal",
    "SecondNeeded",
    "StoreBusy",
    "StoreError",
    "StoreForeign",
    "StoreTooNew",
    "StoreUnusable",
    "TransactionOpen",
    "VersionChanged",
    "WriterClosed",
]


class ApprovalsError(Exception):
    """Any error of this package."""


class ProposalUnknown(ApprovalsError):
    """There is no proposal of this id."""

    def __init__(self, proposal_id: str) -> None:
        super().__init__(f"there is no proposal {proposal_id}; handrail proposals list shows them")
        self.proposal_id = proposal_id


class OperationUnknown(ApprovalsError):
    """There is no operation of this id."""

    def __init__(self, operation_id: str) -> None:
        super().__init__(f"there is no operation {operation_id}; handrail changes lists them")
        self.operation_id = operation_id


class AlreadyDecided(ApprovalsError):
    """The proposal has left the state it was to leave: what it became, by whom, and when."""

    def __init__(self, proposal_id: str, state: ProposalState, who: str, when_us: int) -> None:
        super().__init__(
            f"proposal {proposal_id} is {state.value} ({who}, {utc_text(when_us)}); this attempt"
            " changed nothing"
        )
        self.proposal_id = proposal_id
        self.state = state
        self.who = who
        self.when_us = when_us


class VersionChanged(ApprovalsError):
    """The proposal was edited after it was shown; the earlier version can no longer be decided."""

    def __init__(self, proposal_id: str, shown: int, current: int) -> None:
        super().__init__(
            f"proposal {proposal_id} was edited: version {shown} was shown, version {current}"
            " stands now; look at it again and decide that one"
        )
        self.shown = shown
        self.current = current


class Refusal(StrEnum):
    """Why a person may not decide. Stable codes; the words are in the message."""

    NOT_A_MEMBER = "not_a_member"
    COMMAND_LINE = "command_line"
    GROUP_UNAVAILABLE = "group_unavailable"
    NOBODY = "nobody"
    NO_ROLE = "no_role"
    REQUESTER = "requester"
    REQUESTER_UNKNOWN = "requester_unknown"
    ALREADY_SIGNED = "already_signed"
    OVER_LIMIT = "over_limit"
    APPROVER_CAP = "approver_cap"
    CUSTOMER_CAP = "customer_cap"


class NotAllowed(ApprovalsError):
    """This person may not do this. ``reason`` says why, ``needed_role`` who could, where known."""

    def __init__(self, reason: Refusal, words: str, needed_role: str | None = None) -> None:
        super().__init__(words)
        self.reason = reason
        self.needed_role = needed_role


class SecondNeeded(ApprovalsError):
    """It has been done, or is under way; a second one needs an explicit yes.

    ``operations`` are the earlier operations, by id.
    """

    def __init__(self, proposal_id: str, operations: Sequence[str]) -> None:
        super().__init__(
            f"what proposal {proposal_id} asks for was approved before"
            f" ({', '.join(operations)}); look at that, and say yes to a second one, or reject"
        )
        self.operations = tuple(operations)


class ReasonMissing(ApprovalsError):
    """This decision asks for a reason, and none was given."""


class ActionsRefused(ApprovalsError):
    """These actions cannot be proposed; the message states the rule."""


class EqualProposal(ApprovalsError):
    """Another live proposal of the ticket asks for exactly this."""

    def __init__(self, proposal_id: str) -> None:
        super().__init__(f"proposal {proposal_id} asks for exactly this already; decide that one")
        self.proposal_id = proposal_id


class DigestMismatch(ApprovalsError):
    """The stored proposal is not what its digest says: somebody changed it outside the program."""

    def __init__(self, proposal_id: str) -> None:
        super().__init__(
            f"the stored facts of proposal {proposal_id} are not those that were written, so it"
            " can be neither approved nor carried out; find out who wrote to the store"
        )
        self.proposal_id = proposal_id


class PolicyRefused(ApprovalsError):
    """The approvals table of a settings file is wrong.

    ``problems`` holds each field with what is wrong about it; ``field`` is the first.
    """

    def __init__(self, file: str, problems: Sequence[tuple[str, str]]) -> None:
        lines = "; ".join(f"{field}: {problem}" for field, problem in problems)
        super().__init__(f"{file}: {lines}")
        self.file = file
        self.problems = tuple(problems)
        self.field = self.problems[0][0]


class GroupUnavailable(ApprovalsError):
    """A user group could not be looked up, so nobody is taken for a member of it."""


class LookUpsDue(ApprovalsError):
    """The store was restored from a backup, and the shop was not asked about everything yet."""

    def __init__(self, count: int) -> None:
        super().__init__(
            f"this store was restored from a backup, and {count} of its operations were not looked"
            " up at the shop since; nothing is sent before that; handrail reconcile does it"
        )
        self.count = count


class ClaimLost(ApprovalsError):
    """The operation is not in the state, or not in the hands, that this step needs."""

    def __init__(self, operation_id: str, found: str) -> None:
        super().__init__(
            f"operation {operation_id} is {found}; another one took it up, so this step was not"
            " stored and must not go on"
        )
        self.operation_id = operation_id


class AuditBroken(ApprovalsError):
    """The audit table is not what was written. ``row`` is the first row that shows it."""

    def __init__(self, row: int, problem: str) -> None:
        super().__init__(
            f"audit row {row}: {problem}; keep the file as it is and compare it with a backup"
        )
        self.row = row
        self.problem = problem


class StoreError(ApprovalsError):
    """The store, one of its connections or one of its jobs cannot do what was asked."""


class StoreBusy(StoreError):
    """Another writer held the store for longer than this connection waits. May be tried again."""


class StoreTooNew(StoreError):
    """The store holds a migration that this program does not know; nothing was changed."""

    def __init__(self, unknown: str) -> None:
        super().__init__(
            f"the store was written by a newer version: this program does not know its migration"
            f" {unknown}; install that version, or restore a backup made before the upgrade"
        )
        self.unknown = unknown


class StoreUnusable(StoreError):
    """The file cannot serve as a store: missing folder, read-only, full, damaged, no database."""


class StoreForeign(StoreUnusable):
    """The file is a database of another program. Nothing of it was changed."""

    def __init__(self, file: str) -> None:
        super().__init__(
            f"{file} is not a store of Handrail: it is a database of another program, and was left"
            " as it is; name another file"
        )


class TransactionOpen(StoreError):
    """This thread holds an open transaction where none may be: nested, or at a network call."""


class NoTransaction(StoreError):
    """A write was asked for outside ``tx()``, or a transaction was ended inside its block."""


class LockHeld(StoreError):
    """Another process serves this store. ``pid`` is that process, None where it is not known."""

    def __init__(self, store: str, pid: int | None) -> None:
        holder = "another process" if pid is None else f"process {pid}"
        super().__init__(f"the store {store} is served by {holder}; stop it first")
        self.pid = pid


class LockNotHeld(StoreError):
    """Jobs were to be run by a process that does not hold the serve lock."""


class WriterClosed(StoreError):
    """The writer thread takes no more work: it was closed, or it belongs to a parent process."""

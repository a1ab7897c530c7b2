"""Epochs: a store that was restored asks the shop about everything before it sends anything.

A backup does not know what was done after it was made. So restoring one begins a new epoch: what
was approved, executing or unknown in the backup counts as begun, and no operation is claimed
before each of these was looked up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from sqlite_utils import Database

from approvals.audit import Actor
from approvals.errors import LookUpsDue
from approvals.execution import Trouble
from approvals.follow import follow, move_operation
from approvals.operation_rows import Operation, operations_in, read_operation
from approvals.policy import Policy
from approvals.records import Proposal, read_proposal
from approvals.states import OperationState
from approvals.store import changed, rows

__all__ = [
    "Epoch",
    "begin_epoch",
    "check_looked_up",
    "look_ups_due",
    "mark_looked_up",
    "read_epoch",
]

RESTORED: Final = "restored"
"""What the audit says of an operation that a restored backup held without an end."""
_UNENDED: Final = (
    OperationState.READY,
    OperationState.RETRY,
    OperationState.EXECUTING,
    OperationState.UNKNOWN,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Epoch:
    """The life of a store since it was made, or since it was last restored.

    ``began_us`` is None for the first, and ``look_ups`` is how many are still due.
    """

    number: int
    began_us: int | None
    look_ups: int


def read_epoch(db: Database) -> Epoch:
    """Return the epoch that the store is in. A read."""
    found = rows(
        db,
        "SELECT max(epoch) AS epoch, max(began_us) AS began_us,"
        " (SELECT count(*) FROM look_ups_due) AS due FROM epochs",
    )[0]
    return Epoch(number=found["epoch"] or 1, began_us=found["began_us"], look_ups=found["due"])


def begin_epoch(db: Database, policy: Policy, *, actor: Actor, now_us: int) -> Epoch:
    """Begin an epoch inside the caller's ``tx()``, in a store that was just restored.

    Every operation without an end is marked as one that may have been sent since the backup, at
    the very last moment before the restore, and as due to be looked up.

    Raises:
        DigestMismatch: a row was changed outside the program.
    """
    number = read_epoch(db).number + 1
    changed(db, "INSERT INTO epochs (epoch, began_us) VALUES (?, ?)", (number, now_us))
    for operation in operations_in(db, *_UNENDED):
        proposal = read_proposal(db, operation.proposal_id)
        after = _in_doubt(operation, proposal, now_us)
        move_operation(
            db, policy, operation, after, now_us=now_us, actor=actor, detail=f"{RESTORED} {number}"
        )
        follow(db, policy, proposal, actor=actor, now_us=now_us)
        changed(
            db,
            "INSERT INTO look_ups_due (operation_id, epoch) VALUES (?, ?)"
            " ON CONFLICT (operation_id) DO UPDATE SET epoch = excluded.epoch",
            (operation.operation_id, number),
        )
    return read_epoch(db)


def look_ups_due(db: Database) -> list[Operation]:
    """Return what is to be looked up before anything is sent, in the order of approval. A read."""
    due = rows(
        db,
        "SELECT operation_id FROM look_ups_due JOIN operations o USING (operation_id)"
        " ORDER BY o.rowid",
    )
    return [read_operation(db, row["operation_id"]) for row in due]


def mark_looked_up(db: Database, operation_id: str) -> None:
    """Say that the shop was asked about an operation, inside the caller's ``tx()``."""
    changed(db, "DELETE FROM look_ups_due WHERE operation_id = ?", (operation_id,))


def check_looked_up(db: Database) -> None:
    """Refuse to go on while a look-up is due. A read.

    Raises:
        LookUpsDue: the store was restored, and not everything was looked up since.
    """
    due = read_epoch(db).look_ups
    if due:
        raise LookUpsDue(due)


def _in_doubt(operation: Operation, proposal: Proposal, now_us: int) -> Operation:
    """Return the row as one that may have been sent after the backup.

    The first attempt may be as old as the approval, for the key's age; the last as young as this
    moment, for what may still be on its way.
    """
    first = operation.first_attempt_us
    doubted = replace(
        operation,
        owner=None,
        attempt=max(1, operation.attempt),
        first_attempt_us=(proposal.decided_us or now_us) if first is None else first,
        last_attempt_us=now_us,
        next_at_us=now_us,
    )
    if operation.state is OperationState.UNKNOWN:
        return doubted
    return replace(
        doubted,
        state=OperationState.RETRY,
        error_code=Trouble.INTERRUPTED.value,
        error_words="the store was restored from a backup; it may have been done since",
    )

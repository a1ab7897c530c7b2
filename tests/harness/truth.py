"""What is true in the end: the store held against what the shop really carried out."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

from sqlite_utils import Database

from approvals import (
    Operation,
    OperationState,
    ProposalState,
    list_proposals,
    operations_in,
    verify_audit,
)
from approvals.store import rows
from tests.harness.effects import read_effects

ENDS = (ProposalState.DONE, ProposalState.FAILED, ProposalState.UNKNOWN)


def told_apart(db: Database, effects: Sequence[dict[str, Any]], told: Path) -> dict[str, int]:
    """Count what is as it should be, and each way in which something is not.

    Raises:
        AuditBroken: the audit does not verify.
    """
    verify_audit(db)
    writes = Counter(line["operation"] for line in effects)
    targets = Counter((line["order"], line["tool"]) for line in effects)
    operations = operations_in(db, *OperationState)
    states = {each.proposal_id: each.state for each in list_proposals(db)}
    lines = read_effects(told)
    approved = {line["approved"] for line in lines if "approved" in line}
    for line in lines:
        if "failed" in line:
            print(f"a job failed: {line}", file=sys.stderr)
    return {
        "proposals": len(states),
        "acknowledged": len(approved),
        "operations": len(operations),
        "attempts": sum(each.attempt for each in operations),
        "writes": len(effects),
        "done": _count(operations, OperationState.DONE),
        "failed": _count(operations, OperationState.FAILED),
        "doubles": _excess(writes) + _excess(targets),
        "lost": sum(states[proposal_id] not in ENDS for proposal_id in approved),
        "untrue": sum(is_untrue(each, writes) for each in operations),
        "unknown": _count(operations, OperationState.UNKNOWN),
        "unasked": len(set(writes) - {each.operation_id for each in operations}),
        "failed_jobs": sum("failed" in line for line in lines),
        "dead_jobs": len(rows(db, "SELECT 1 FROM jobs WHERE state = 'dead'")),
    }


def is_untrue(operation: Operation, writes: Counter[str]) -> bool:
    """Whether the store says one thing of an operation and the shop another."""
    written = writes[operation.operation_id] > 0
    match operation.state:
        case OperationState.DONE:
            return not written
        case OperationState.FAILED | OperationState.NOT_RUN:
            return written
        case _:
            return False


def _count(operations: Sequence[Operation], state: OperationState) -> int:
    return sum(each.state is state for each in operations)


def _excess(writes: Counter[Any]) -> int:
    return sum(number - 1 for number in writes.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """The figures of a soak.

    Attributes:
        acknowledged: proposals of which a person was told that they are approved.
        doubles: writes beyond the first of an operation, or of an order and tool.
        lost: acknowledged proposals that came to no end.
        untrue: operations that are done without a write, or failed with one.
        unknown: left in the end, although this shop can answer.
        unasked: writes of which the store knows nothing.
        failed_jobs: handlers that raised; each is started again.
    """

    kills: int
    of_them_people: int
    proposals: int
    acknowledged: int
    operations: int
    attempts: int
    writes: int
    done: int
    failed: int
    doubles: int
    lost: int
    untrue: int
    unknown: int
    unasked: int
    failed_jobs: int
    dead_jobs: int

    @classmethod
    def read(cls, found: dict[str, int], kills: Counter[str]) -> Self:
        """Return the figures of what was found."""
        return cls(kills=kills.total(), of_them_people=kills["person"], **found)

    @property
    def is_good(self) -> bool:
        """Whether nothing is there that must not be."""
        return not any((self.doubles, self.lost, self.untrue, self.unknown, self.unasked))

    def lines(self) -> Iterator[str]:
        """Yield one line for each figure."""
        for field in fields(self):
            yield f"{field.name.replace('_', ' '):<16}{getattr(self, field.name):>8,}"

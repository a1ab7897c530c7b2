"""The states of proposals and operations, and which exit leads where (design section 5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final

__all__ = [
    "EXITS",
    "GRANTED",
    "LIVE",
    "LIVE_OPERATIONS",
    "OPEN_OPERATIONS",
    "OperationState",
    "ProposalState",
    "sql_list",
]


class ProposalState(StrEnum):
    """Where a proposal stands. It begins as ``waiting``."""

    WAITING = "waiting"
    APPROVED = "approved"
    EXECUTING = "executing"
    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"
    """The shop cannot say whether it happened. Left by reconciliation or by a person only."""
    REJECTED = "rejected"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    SUPERSEDED = "superseded"


class OperationState(StrEnum):
    """Where the execution of one action stands."""

    READY = "ready"
    EXECUTING = "executing"
    RETRY = "retry"
    """Sent before, to be taken up again at its time."""
    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"
    NOT_RUN = "not_run"
    """Never sent: one before it ended otherwise than done, or it was no longer allowed."""


EXITS: Final[Mapping[ProposalState, frozenset[ProposalState]]] = {
    ProposalState.WAITING: frozenset(
        {
            ProposalState.APPROVED,
            ProposalState.REJECTED,
            ProposalState.EXPIRED,
            ProposalState.WITHDRAWN,
            ProposalState.SUPERSEDED,
        }
    ),
    ProposalState.APPROVED: frozenset({ProposalState.EXECUTING, ProposalState.FAILED}),
    ProposalState.EXECUTING: frozenset(
        {ProposalState.DONE, ProposalState.FAILED, ProposalState.UNKNOWN}
    ),
    ProposalState.UNKNOWN: frozenset({ProposalState.DONE, ProposalState.FAILED}),
    # Only while the shop calls a receipt pending: it may still fail days later.
    ProposalState.DONE: frozenset({ProposalState.FAILED}),
    ProposalState.FAILED: frozenset(),
    ProposalState.REJECTED: frozenset(),
    ProposalState.EXPIRED: frozenset(),
    ProposalState.WITHDRAWN: frozenset(),
    ProposalState.SUPERSEDED: frozenset(),
}
"""The states that can follow each state. A move that is not here is a fault of the program."""

GRANTED: Final = (
    ProposalState.APPROVED,
    ProposalState.EXECUTING,
    ProposalState.UNKNOWN,
    ProposalState.DONE,
)
"""Signed, and not known to have failed."""
LIVE: Final = (ProposalState.WAITING, *GRANTED)
"""At most one proposal of a fingerprint and round is in one of these; a ticket's amounts add up
over them."""
OPEN_OPERATIONS: Final = (OperationState.READY, OperationState.RETRY)
"""The states that an operation is claimed from."""
LIVE_OPERATIONS: Final = (
    OperationState.READY,
    OperationState.EXECUTING,
    OperationState.RETRY,
    OperationState.UNKNOWN,
    OperationState.DONE,
)
"""Operations that have, or may yet have, their effect."""


def sql_list(states: Iterable[StrEnum]) -> str:
    """Return states as the list of an SQL ``IN``. They are our own words, never input."""
    return "(" + ", ".join(f"'{state.value}'" for state in states) + ")"

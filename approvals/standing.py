"""Whether signatures hold: while they are collected, and once more before anything is sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlite_utils import Database

from approvals.operation_rows import Operation
from approvals.policy import Amount, Policy, Role
from approvals.records import Proposal
from approvals.states import ProposalState
from approvals.store import rows
from approvals.sums import ticket_amount

__all__ = [
    "Said",
    "Signature",
    "decided_runs",
    "is_enough",
    "objection",
    "said_of",
    "signatures_of",
    "standing_roles",
]

CHANGED: Final = "changed"
EXPIRED: Final = "expired"
SIGNATURES: Final = "signatures"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """One person's approval of one version."""

    user_id: str
    role: str
    granted_by: str
    via: str
    second: bool
    digest: str
    policy_version: str
    why_digest: str | None
    at_us: int


def signatures_of(db: Database, proposal: Proposal) -> list[Signature]:
    """Return the approvals of the version that stands, oldest first. A read."""
    found = rows(
        db,
        "SELECT user_id, role, granted_by, via, second, digest, policy_version, why_digest, at_us"
        " FROM decisions WHERE proposal_id = ? AND version = ? AND verdict = 'approve'"
        " ORDER BY at_us, user_id",
        (proposal.proposal_id, proposal.version),
    )
    return [Signature(**{**row, "second": bool(row["second"])}) for row in found]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What one person decided about one version of a proposal. Who it was is no part of it."""

    version: int
    approves: bool
    why: str | None
    """The reason; None where none was given, or it was erased."""


def said_of(db: Database, proposal_id: str) -> list[Said]:
    """Return every decision about a proposal, about its earlier versions too, oldest first.

    A read.
    """
    found = rows(
        db,
        "SELECT d.version, d.verdict = 'approve' AS approves, (SELECT text FROM texts t"
        " WHERE t.proposal_id = d.proposal_id AND t.digest = d.why_digest LIMIT 1) AS why"
        " FROM decisions d WHERE d.proposal_id = ? ORDER BY d.at_us, d.version, d.user_id",
        (proposal_id,),
    )
    return [Said(**{**row, "approves": bool(row["approves"])}) for row in found]


def decided_runs(db: Database) -> frozenset[str]:
    """Return the ids of the runs with a proposal that somebody decided or edited. A read."""
    found = rows(
        db,
        "SELECT DISTINCT run_id FROM proposals p WHERE version > 1"
        " OR EXISTS (SELECT 1 FROM decisions d WHERE d.proposal_id = p.proposal_id)",
        (),
    )
    return frozenset(row["run_id"] for row in found)


def standing_roles(
    policy: Policy, proposal: Proposal, signatures: Sequence[Signature]
) -> list[Role]:
    """Return the roles of the signatures that still count under this policy.

    One no longer counts where its role was taken away, where what was signed is not what stands,
    and where its person has become a requester.
    """
    roles = (
        policy.still_grants(each.role, each.granted_by)
        for each in signatures
        if each.digest == proposal.digest
        and (policy.requesters_may_sign or each.user_id not in proposal.requesters)
    )
    return [role for role in roles if role is not None]


def is_enough(policy: Policy, roles: Sequence[Role], amount: Amount) -> bool:
    """Whether signatures of these roles, of different people, approve the amount."""
    covered = any(role.covers(amount) for role in roles)
    return covered and len(roles) >= policy.signatures_needed(amount)


def objection(
    db: Database, policy: Policy, proposal: Proposal, operation: Operation, *, now_us: int
) -> str | None:
    """Return why an operation may not be sent now, None where it may. Reads the store alone.

    What is about to be sent must be what was approved, every time. Expiry, sums and policy are
    checked before anything of the proposal was sent; after that, stopping half-way would only
    hide what has happened.
    """
    if not _is_what_was_approved(proposal, operation):
        return CHANGED
    if proposal.state is not ProposalState.APPROVED or operation.attempt > 0:
        return None
    if now_us >= proposal.expires_us:
        return EXPIRED
    roles = standing_roles(policy, proposal, signatures_of(db, proposal))
    if not is_enough(policy, roles, ticket_amount(db, policy, proposal)):
        return SIGNATURES
    return None


def _is_what_was_approved(proposal: Proposal, operation: Operation) -> bool:
    approved = proposal.actions[operation.position - 1 : operation.position]
    return (
        proposal.facts_digest == proposal.digest
        and operation.is_intact
        and approved == (operation.action,)
    )

"""Erasing texts. Facts, decisions and the audit stay; the chain still holds (``approvals.audit``).

Inside the caller's ``tx()``. The file keeps no erased byte, but the log does until it is emptied.
"""

from __future__ import annotations

from sqlite_utils import Database

from approvals.audit import Actor, Event, append
from approvals.policy import Policy
from approvals.proposals import Proposals
from approvals.records import Proposal, read_proposals
from approvals.states import ProposalState, sql_list
from approvals.store import changed

__all__ = ["forget_customer", "purge_texts"]

_ENDED = tuple(
    state
    for state in ProposalState
    if state
    not in (
        ProposalState.WAITING,
        ProposalState.APPROVED,
        ProposalState.EXECUTING,
        ProposalState.UNKNOWN,
    )
)


def purge_texts(
    db: Database, policy: Policy, *, older_than_us: int, actor: Actor, now_us: int
) -> tuple[str, ...]:
    """Erase the texts of proposals that were decided before a moment and have ended.

    Return the ids of the proposals that lost texts. What is waiting, under way or unknown keeps
    its texts, however old.
    """
    ended = read_proposals(
        db, f"state IN {sql_list(_ENDED)} AND decided_us < ? AND {_HAS_TEXTS}", (older_than_us,)
    )
    return _erase(db, policy, ended, actor, now_us)


def forget_customer(
    db: Database,
    policy: Policy,
    proposals: Proposals,
    *,
    customer_id: str,
    actor: Actor,
    now_us: int,
) -> tuple[str, ...]:
    """Erase every text about a customer, whatever state it is in; withdraw what still waits.

    Nobody can judge a proposal without its evidence, so it does not wait on. Return the ids of
    the proposals that lost texts.
    """
    waiting = read_proposals(db, "customer_id = ? AND state = 'waiting'", (customer_id,))
    for proposal in waiting:
        proposals.withdraw(db, proposal.proposal_id, actor=actor, now_us=now_us)
    known = read_proposals(db, f"customer_id = ? AND {_HAS_TEXTS}", (customer_id,))
    return _erase(db, policy, known, actor, now_us)


_HAS_TEXTS = (
    "EXISTS (SELECT 1 FROM texts t"
    " WHERE t.proposal_id = proposals.proposal_id AND t.text IS NOT NULL)"
)


def _erase(
    db: Database, policy: Policy, found: list[Proposal], actor: Actor, now_us: int
) -> tuple[str, ...]:
    for proposal in found:
        changed(
            db,
            "UPDATE texts SET text = NULL, salt = NULL, erased_us = ?"
            " WHERE proposal_id = ? AND text IS NOT NULL",
            (now_us, proposal.proposal_id),
        )
        append(
            db,
            at_us=now_us,
            actor=actor,
            event=Event.ERASED,
            proposal_id=proposal.proposal_id,
            version=proposal.version,
            digest=proposal.digest,
            policy_version=policy.version,
        )
    return tuple(proposal.proposal_id for proposal in found)
